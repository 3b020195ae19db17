// SPDX-License-Identifier: Apache-2.0
/// @file
/// Sums over rows of floats and doubles, of what a function makes of each element.
#pragma once

#include "kernels/half/half_registers.hpp"
#include "kernels/reduce/shared/folds.hpp"
#include "kernels/reduce/shared/rule_kernel.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Elements as the vectors in which they are added: halves as floats.
template <class T>
using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;

#if !defined(WEFT_HAS_HALF_CONVERSIONS)
/// widen_block of f16 out of line: some hundred instructions without F16C, which sums would hold
/// dozens of times.
[[gnu::noinline]] inline void widen_float16_block(float* to, const char* from) noexcept {
  widen_block<float16>(to, from);
}
#endif

template <class T>
WEFT_ALWAYS_INLINE Vectorized<Computed<T>> load_vector(const char* from) noexcept {
  if constexpr (is_half_type<T>) {
#if defined(__AVX512F__)
    const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    Vectorized<float> v;
    if constexpr (std::is_same_v<T, float16>) {
      v[0] = _mm512_cvtph_ps(halves);
    } else {
      v[0] = _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16));
    }
    return v;
#elif defined(__aarch64__)
    Vectorized<float> v;
    WEFT_UNROLLED
    for (int i = 0; i < Vectorized<float>::registers; ++i)
      v[i] = load_halves<T>(from + 8 * i).value;
    return v;
#endif
    alignas(64) float widened[half_block];
#if !defined(WEFT_HAS_HALF_CONVERSIONS)
    if constexpr (std::is_same_v<T, float16>) {
      widen_float16_block(widened, from);
      return Vectorized<float>::load(widened);
    }
#endif
    widen_block<T>(widened, from);
    return Vectorized<float>::load(widened);
  } else {
    return Vectorized<T>::load(reinterpret_cast<const T*>(from));
  }
}

/// a + b of elements of type T. Halves are widened by the units that add, so others are to add
/// them.
template <class T>
WEFT_ALWAYS_INLINE Vectorized<Computed<T>> added(const Vectorized<Computed<T>>& a,
                                                 const Vectorized<Computed<T>>& b) noexcept {
  if constexpr (is_half_type<T>) return fma(a, Vectorized<float>(1.0F), b);
  return a + b;
}

/// map of the last `count` elements before `end` (at most as many as there are lanes) in their
/// places, 0 in the lanes before them. Reads as many elements as there are lanes, all of which
/// belong to the row.
template <class T, class Map>
WEFT_ALWAYS_INLINE Vectorized<Computed<T>> map_last(const char* end, std::int64_t count,
                                                    const Vectorized<Computed<T>>& numbers,
                                                    const Map& map) noexcept {
  using V = Vectorized<Computed<T>>;
  return select(numbers >= V(static_cast<Computed<T>>(V::lanes - count)),
                map(load_vector<T>(end - V::lanes * static_cast<std::int64_t>(sizeof(T)))),
                V(Computed<T>(0)));
}

/// What is added of a row: map of each of its elements.
template <class T, class Map>
struct MappedRow {
  using Element = T;
  using V = Vectorized<Computed<T>>;
  const char* from;
  const V& numbers;  ///< of the lanes
  const Map& map;

  /// Of the elements from number i on.
  WEFT_ALWAYS_INLINE V at(std::int64_t i) const {
    return map(in_order(load_vector<T>(from + i * static_cast<std::int64_t>(sizeof(T)))));
  }
  /// Of the last `count` elements of n, as map_last.
  WEFT_ALWAYS_INLINE V last(std::int64_t n, std::int64_t count) const {
    return map_last<T>(from + n * static_cast<std::int64_t>(sizeof(T)), count, numbers, map);
  }
};

/// Elements of a row that are added in f32 throughout, at most.
inline constexpr std::int64_t short_row = 128;

/// Sums of floats in f64. Eight vectors of 16 are added as a tree in f32, and what comes out in
/// f64: three roundings for an element, however many there are. Spans of up to 128 elements are
/// added in f32 throughout, pairwise. Conversions to f64 are what costs most, and one for eight
/// elements is hidden behind the reading of memory. `Row` is what is added, as MappedRow.
template <class Row>
class FloatRow {
 public:
  using T = typename Row::Element;
  using V = Vectorized<float>;
  static constexpr std::int64_t lanes = V::lanes;

  WEFT_ALWAYS_INLINE FloatRow(const Row& row, std::int64_t n) : row_(row), n_(n) {}

  /// Of 16 to 128 elements.
  WEFT_ALWAYS_INLINE V in_f32() const {
    if (n_ < 4 * lanes) return rest(0);
    V sum = four(0);
    if (n_ == short_row) return sum + four(4 * lanes);
    if (n_ > 4 * lanes) sum = sum + rest(4 * lanes);
    return sum;
  }

  /// Of more.
  WEFT_ALWAYS_INLINE Vectorized<double> in_f64() const {
    WideLanes sum = widen(eight(0));
    std::int64_t i = 8 * lanes;
    for (; i + 8 * lanes <= n_; i += 8 * lanes)
      add(sum, eight(i));
    add_from(i, sum);
    return sum.low + sum.high;
  }
  /// Adds what comes from element i on, fewer elements than eight vectors have.
  WEFT_ALWAYS_INLINE void add_from(std::int64_t i, WideLanes& sum) const {
    if (i + 4 * lanes <= n_) {
      add(sum, four(i));
      i += 4 * lanes;
    }
    if (i < n_) add(sum, rest(i));
  }

 private:
  WEFT_ALWAYS_INLINE V at(std::int64_t i) const { return row_.at(i); }
  WEFT_ALWAYS_INLINE V four(std::int64_t i) const {
    const V a = at(i), b = at(i + lanes), c = at(i + 2 * lanes), d = at(i + 3 * lanes);
    return added<T>(added<T>(a, b), added<T>(c, d));
  }
  WEFT_ALWAYS_INLINE V eight(std::int64_t i) const {
    const V a = four(i), b = four(i + 4 * lanes);
    return added<T>(a, b);
  }
  /// From element i on: 1 to 63 elements that no four vectors hold.
  WEFT_ALWAYS_INLINE V rest(std::int64_t i) const {
    const std::int64_t left = n_ - i;
    const std::int64_t tail = left % lanes;
    if (left < lanes) return last(tail);
    V sum = at(i);
    if (left >= 2 * lanes) sum = sum + at(i + lanes);
    if (left >= 3 * lanes) sum = sum + at(i + 2 * lanes);
    return tail == 0 ? sum : sum + last(tail);
  }
  WEFT_ALWAYS_INLINE V last(std::int64_t count) const { return row_.last(n_, count); }
  static WEFT_ALWAYS_INLINE void add(WideLanes& sum, const V& v) {
    const WideLanes w = widen(v);
    sum.low += w.low;
    sum.high += w.high;
  }

  const Row& row_;
  std::int64_t n_;
};

/// The sum of `n` >= 8 doubles: 32 of them side by side, emptied into others every 512 elements,
/// and these every 8192. `Row` as of FloatRow.
template <class Row>
WEFT_ALWAYS_INLINE Vectorized<double> sum_lanes(const Row& row, std::int64_t n) {
  using V = Vectorized<double>;
  constexpr std::int64_t lanes = V::lanes;
  constexpr std::int64_t run = 16 * 4 * lanes;
  constexpr std::int64_t runs = 16;
  const auto at = [&](std::int64_t i) WEFT_INLINE_LAMBDA { return row.at(i); };
  V total(0.0), part(0.0);
  std::int64_t i = 0;
  for (std::int64_t count = 1; i + 4 * lanes <= n; ++count) {
    const std::int64_t end = n - i < run ? n : i + run;
    V a = at(i), b = at(i + lanes), c = at(i + 2 * lanes), d = at(i + 3 * lanes);
    for (i += 4 * lanes; i + 4 * lanes <= end; i += 4 * lanes) {
      a += at(i);
      b += at(i + lanes);
      c += at(i + 2 * lanes);
      d += at(i + 3 * lanes);
    }
    part += (a + b) + (c + d);
    if (count % runs != 0) continue;
    total += part;
    part = V(0.0);
  }
  for (; i + lanes <= n; i += lanes)
    part += at(i);
  if (i < n) part += row.last(n, n - i);
  return total + part;
}

/// The first `count` elements in memory, fewer than a vector holds, and 0 in the other lanes.
template <class T>
WEFT_ALWAYS_INLINE Vectorized<Computed<T>> load_first_of(const char* from,
                                                         std::int64_t count) noexcept {
  if constexpr (is_half_type<T>) {
    alignas(64) T all[Vectorized<float>::lanes] = {};
    for (std::int64_t i = 0; i < count; ++i)
      __builtin_memcpy(&all[i], from + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
    return load_vector<T>(reinterpret_cast<const char*>(all));
  } else {
    return load_first<T>(reinterpret_cast<const T*>(from), count, T(0));
  }
}

struct AddElements {
  template <class V>
  WEFT_ALWAYS_INLINE V operator()(const V& a, const V& b) const noexcept {
    return a + b;
  }
};

/// sums[r] = the sum over row r of map(r), of 1 to as many elements as there are lanes less one:
/// f64, or for floats f32, which is what they are added in. As sum_rows.
template <class T, bool uniform, class Sum, class MapOf>
WEFT_ALWAYS_INLINE void sum_short_rows(Sum* sums, const char* from, std::int64_t row_bytes,
                                       std::int64_t rows, std::int64_t n, const MapOf& map) {
  using C = Computed<T>;
  using V = Vectorized<C>;
  constexpr std::int64_t size = sizeof(T);
  const V numbers = lane_numbers<C>();
  const V length(static_cast<C>(n));
  fold_short_rows<C>(
      sums, rows, n, uniform && row_bytes == n * size,
      [&](std::int64_t r) WEFT_INLINE_LAMBDA {
        return select(numbers < length, map(r)(load_first_of<T>(from + r * row_bytes, n)), V(C(0)));
      },
      [&](std::int64_t i) WEFT_INLINE_LAMBDA { return map(0)(load_vector<T>(from + i * size)); },
      AddElements(), C(0));
}

/// sums[r] = the sum over row r of map(r), which gives a function for V. n may be anything.
/// `uniform`: the function is the same for all rows.
template <class T, bool uniform = false, class MapOf>
WEFT_ALWAYS_INLINE void sum_rows(double* sums, const char* from, std::int64_t row_bytes,
                                 std::int64_t rows, std::int64_t n, const MapOf& map) {
  using C = Computed<T>;
  using V = Vectorized<C>;
  constexpr std::int64_t size = sizeof(T);
  const auto at = [&](std::int64_t r) WEFT_INLINE_LAMBDA { return from + r * row_bytes; };
  const auto add = [](auto a, auto b) WEFT_INLINE_LAMBDA { return a + b; };
  const V numbers = lane_numbers<C>();
  const auto sum_row = [&](std::int64_t r, const auto& sum) WEFT_INLINE_LAMBDA {
    const auto of = map(r);
    return sum(MappedRow<T, decltype(of)>{at(r), numbers, of});
  };
  if (n == 0) {
    for (std::int64_t r = 0; r < rows; ++r)
      sums[r] = 0;
    return;
  }
  if (n < V::lanes) return sum_short_rows<T, uniform>(sums, from, row_bytes, rows, n, map);
  if constexpr (std::is_same_v<T, double>) {
    fold_rows_of<double>(
        sums, rows, n,
        [&](std::int64_t r) WEFT_INLINE_LAMBDA {
          return sum_row(r, [&](const auto& row) WEFT_INLINE_LAMBDA { return sum_lanes(row, n); });
        },
        add);
  } else if (n <= short_row) {
    if constexpr (uniform && std::is_same_v<T, float>) {
      if (n == 2 * V::lanes) {
        const auto of = map(0);
        const std::int64_t done = fold_rows_in_registers<float>(
            sums, rows,
            [&](std::int64_t r) WEFT_INLINE_LAMBDA {
              const V x = of(in_order(load_vector<T>(at(r))));
              return x + of(in_order(load_vector<T>(at(r) + V::lanes * size)));
            },
            add);
        sums += done;
        from += done * row_bytes;
        rows -= done;
        if (rows == 0) return;
      }
    }
    fold_rows_of<float>(
        sums, rows, n,
        [&](std::int64_t r) WEFT_INLINE_LAMBDA {
          return sum_row(
              r, [&](const auto& row) WEFT_INLINE_LAMBDA { return FloatRow(row, n).in_f32(); });
        },
        add);
  } else {
    fold_rows_of<double>(
        sums, rows, n,
        [&](std::int64_t r) WEFT_INLINE_LAMBDA {
          return sum_row(
              r, [&](const auto& row) WEFT_INLINE_LAMBDA { return FloatRow(row, n).in_f64(); });
        },
        add);
  }
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
