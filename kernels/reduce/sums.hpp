// SPDX-License-Identifier: Apache-2.0
/// @file
/// Sums over spans of floats and doubles, of what a function makes of each element.
#pragma once

#include "kernels/half_blocks.hpp"
#include "kernels/reduce/lanes.hpp"
#include "kernels/reduce/rule_kernel.hpp"

#include <cstdint>

namespace weft::inline v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Elements as the vectors in which they are added: halves as floats.
template <class T>
using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;

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
#endif
    alignas(64) float widened[half_block];
    widen_block<T>(widened, from);
    return Vectorized<float>::load(widened);
  } else {
    return Vectorized<T>::load(reinterpret_cast<const T*>(from));
  }
}

/// a + b of elements of type T. Halves are widened by the units that add, so others are to add them.
template <class T>
WEFT_ALWAYS_INLINE Vectorized<Computed<T>> added(const Vectorized<Computed<T>>& a,
                                                 const Vectorized<Computed<T>>& b) noexcept {
  if constexpr (is_half_type<T>) return fma(a, Vectorized<float>(1.0F), b);
  return a + b;
}

/// map of the last `count` elements before `end` (at most as many as there are lanes) in their places,
/// 0 in the lanes before them. Reads as many elements as there are lanes, all of which belong to the
/// row.
template <class T, class Map>
WEFT_ALWAYS_INLINE Vectorized<Computed<T>> map_last(const char* end, std::int64_t count,
                                                    const Vectorized<Computed<T>>& numbers,
                                                    const Map& map) noexcept {
  using V = Vectorized<Computed<T>>;
  return select(numbers >= V(static_cast<Computed<T>>(V::lanes - count)),
                map(load_vector<T>(end - V::lanes * static_cast<std::int64_t>(sizeof(T)))),
                V(Computed<T>(0)));
}

/// Elements of a row that are added in f32 throughout, at most.
inline constexpr std::int64_t short_row = 128;

/// Sums of floats in f64. Eight vectors of 16 are added as a tree in f32, and what comes out in f64:
/// three roundings for an element, however many there are. Spans of up to 128 elements are added in
/// f32 throughout, pairwise. Conversions to f64 are what costs most, and one for eight elements is
/// hidden behind the reading of memory. `Map` is a function of V.
template <class T, class Map>
class FloatRow {
 public:
  using V = Vectorized<float>;
  static constexpr std::int64_t lanes = V::lanes;
  static constexpr std::int64_t size = sizeof(T);

  WEFT_ALWAYS_INLINE FloatRow(const char* from, std::int64_t n, const V& numbers, const Map& map)
      : from_(from), n_(n), numbers_(numbers), map_(map) {}

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
    if (i + 4 * lanes <= n_) {
      add(sum, four(i));
      i += 4 * lanes;
    }
    if (i < n_) add(sum, rest(i));
    return sum.low + sum.high;
  }

 private:
  WEFT_ALWAYS_INLINE V at(std::int64_t i) const {
    return map_(in_order(load_vector<T>(from_ + i * size)));
  }
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
  WEFT_ALWAYS_INLINE V last(std::int64_t count) const {
    return map_last<T>(from_ + n_ * size, count, numbers_, map_);
  }
  static WEFT_ALWAYS_INLINE void add(WideLanes& sum, const V& v) {
    const WideLanes w = widen(v);
    sum.low += w.low;
    sum.high += w.high;
  }

  const char* from_;
  std::int64_t n_;
  const V& numbers_;
  const Map& map_;
};

/// The sum of `n` >= 8 doubles: 32 of them side by side, emptied into others every 512 elements, and
/// these every 8192.
template <class Map>
WEFT_ALWAYS_INLINE Vectorized<double> sum_lanes(const char* from, std::int64_t n,
                                                const Vectorized<double>& numbers, const Map& map) {
  using V = Vectorized<double>;
  constexpr std::int64_t lanes = V::lanes;
  constexpr std::int64_t run = 16 * 4 * lanes;
  constexpr std::int64_t runs = 16;
  const auto at = [&](std::int64_t i) WEFT_INLINE_LAMBDA {
    return map(in_order(load_vector<double>(from + 8 * i)));
  };
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
  if (i < n) part += map_last<double>(from + 8 * n, n - i, numbers, map);
  return total + part;
}

/// sums[r] = the sum over row r of map(r), which gives a function for V and for single elements. n
/// may be anything.
template <class T, class MapOf>
WEFT_ALWAYS_INLINE void sum_rows(double* sums, const char* from, std::int64_t row_bytes,
                                 std::int64_t rows, std::int64_t n, const MapOf& map) {
  using V = Vectorized<Computed<T>>;
  const auto at = [&](std::int64_t r) WEFT_INLINE_LAMBDA { return from + r * row_bytes; };
  if (n < V::lanes) {
    for (std::int64_t r = 0; r < rows; ++r) {
      const auto of = map(r);
      const SpanReader<T, false> in{from + r * row_bytes};
      double sum = 0;
      for (std::int64_t i = 0; i < n; ++i)
        sum += static_cast<double>(of(static_cast<Computed<T>>(in[i])));
      sums[r] = sum;
    }
    return;
  }
  const V numbers = lane_numbers<Computed<T>>();
  if constexpr (std::is_same_v<T, double>) {
    fold_rows_of<double>(
        sums, rows,
        [&](std::int64_t r) WEFT_INLINE_LAMBDA { return sum_lanes(at(r), n, numbers, map(r)); },
        [](auto a, auto b) WEFT_INLINE_LAMBDA { return a + b; });
  } else if (n <= short_row) {
    fold_rows_of<float>(
        sums, rows,
        [&](std::int64_t r) WEFT_INLINE_LAMBDA {
          const auto of = map(r);
          return FloatRow<T, decltype(of)>(at(r), n, numbers, of).in_f32();
        },
        [](auto a, auto b) WEFT_INLINE_LAMBDA { return a + b; });
  } else {
    fold_rows_of<double>(
        sums, rows,
        [&](std::int64_t r) WEFT_INLINE_LAMBDA {
          const auto of = map(r);
          return FloatRow<T, decltype(of)>(at(r), n, numbers, of).in_f64();
        },
        [](auto a, auto b) WEFT_INLINE_LAMBDA { return a + b; });
  }
}

/// Rows of columns that are added as a tree before they meet the accumulators: fewer where these are of
/// a wider type and memory is read as fast as can be added.
template <class T>
inline constexpr std::int64_t tree_rows = std::is_same_v<T, float> ? 4 : 8;

/// Adds the rows of a strip of columns to `accumulators`, or starts them: tree_rows of them as a tree,
/// and those in f64. map(x, j) is a function of vectors of columns from j on. Memory is read row by row.
template <class T, int vectors, class Map>
WEFT_ALWAYS_INLINE void sum_strip(double* accumulators, const char* from, std::int64_t row_bytes,
                                  std::int64_t rows, std::int64_t column, bool start,
                                  const Map& map) {
  using V = Vectorized<Computed<T>>;
  struct Strip {
    V of[vectors];
  };
  constexpr int wide = std::is_same_v<T, double> ? 1 : 2;  // vectors of f64 for one V
  Vectorized<double> sums[vectors * wide];
  for (int v = 0; v < vectors * wide; ++v)
    sums[v] = start ? Vectorized<double>(0.0) : Vectorized<double>::load(accumulators + 8 * v);
  const auto at = [&](std::int64_t row, int v) WEFT_INLINE_LAMBDA {
    const std::int64_t offset = v * V::lanes;
    const char* address = from + row * row_bytes + offset * static_cast<std::int64_t>(sizeof(T));
    return map(load_vector<T>(address), column + offset);
  };
  const auto row_at = [&](std::int64_t row) WEFT_INLINE_LAMBDA {
    Strip x;
    for (int v = 0; v < vectors; ++v)
      x.of[v] = in_order(at(row, v));
    return x;
  };
  const auto plus_row = [&](Strip& x, std::int64_t row) WEFT_INLINE_LAMBDA {
    for (int v = 0; v < vectors; ++v)
      x.of[v] = in_order(added<T>(x.of[v], at(row, v)));
  };
  const auto join = [&](Strip& x, const Strip& y) WEFT_INLINE_LAMBDA {
    for (int v = 0; v < vectors; ++v)
      x.of[v] = added<T>(x.of[v], y.of[v]);
  };
  const auto add = [&](const Strip& x) WEFT_INLINE_LAMBDA {
    for (int v = 0; v < vectors; ++v) {
      if constexpr (wide == 1) {
        sums[v] += x.of[v];
      } else {
        const WideLanes w = widen(x.of[v]);
        sums[2 * v] += w.low;
        sums[2 * v + 1] += w.high;
      }
    }
  };
  const auto four = [&](std::int64_t row) WEFT_INLINE_LAMBDA {
    Strip x = row_at(row);
    plus_row(x, row + 1);
    Strip y = row_at(row + 2);
    plus_row(y, row + 3);
    join(x, y);
    return x;
  };
  std::int64_t row = 0;
  for (; tree_rows<T> == 8 && row + 8 <= rows; row += 8) {
    Strip x = four(row);
    join(x, four(row + 4));
    add(x);
  }
  for (; row + 4 <= rows; row += 4)
    add(four(row));
  if (row < rows) {
    Strip rest = row_at(row);
    if (row + 1 < rows) plus_row(rest, row + 1);
    if (row + 2 < rows) plus_row(rest, row + 2);
    add(rest);
  }
  for (int v = 0; v < vectors * wide; ++v)
    sums[v].store(accumulators + 8 * v);
}

/// sums[j] = the sum over column j of map(x, j), for fewer columns than there are lanes.
template <class T, class Map>
WEFT_ALWAYS_INLINE void sum_few_columns(double* sums, const char* from, std::int64_t row_bytes,
                                        std::int64_t rows, std::int64_t columns, const Map& map) {
  const auto at = [&](std::int64_t row, std::int64_t j) WEFT_INLINE_LAMBDA {
    return map(static_cast<Computed<T>>(SpanReader<T, false>{from + row * row_bytes}[j]), j);
  };
  for (std::int64_t j = 0; j < columns; ++j) {
    double sum = 0;
    const auto four = [&](std::int64_t row) WEFT_INLINE_LAMBDA {
      return (at(row, j) + at(row + 1, j)) + (at(row + 2, j) + at(row + 3, j));
    };
    std::int64_t row = 0;
    for (; tree_rows<T> == 8 && row + 8 <= rows; row += 8)
      sum += static_cast<double>(four(row) + four(row + 4));
    for (; row + 4 <= rows; row += 4)
      sum += static_cast<double>(four(row));
    if (row < rows) {
      auto rest = at(row, j);
      if (row + 1 < rows) rest = rest + at(row + 1, j);
      if (row + 2 < rows) rest = rest + at(row + 2, j);
      sum += static_cast<double>(rest);
    }
    sums[j] = sum;
  }
}

/// sums[j] = the sum over column j of map(x, j), the same wherever the column stands. A few rows at a
/// time, so that memory is read in long stretches; narrow blocks are stretches as they are.
template <class T, class Map>
WEFT_ALWAYS_INLINE void sum_columns(double* sums, const char* from, std::int64_t row_bytes,
                                    std::int64_t rows, std::int64_t columns, const Map& map) {
  using V = Vectorized<Computed<T>>;
  constexpr std::int64_t size = sizeof(T);
  constexpr std::int64_t narrow = 128;
#if defined(__AVX512F__)
  constexpr int strip = 4;
#else
  constexpr int strip = 2;  // of twice as many registers, and half as many are there
#endif
  if (columns < V::lanes) return sum_few_columns<T>(sums, from, row_bytes, rows, columns, map);
  const V numbers = lane_numbers<Computed<T>>();
  const std::int64_t chunk = columns <= narrow ? rows : tree_rows<T>;
  std::int64_t row = 0;
  do {
    const std::int64_t count = rows - row < chunk ? rows - row : chunk;
    const char* at = from + row * row_bytes;
    std::int64_t j = 0;
    for (; j + strip * V::lanes <= columns; j += strip * V::lanes)
      sum_strip<T, strip>(sums + j, at + j * size, row_bytes, count, j, row == 0, map);
    if (strip > 2 && j + 2 * V::lanes <= columns) {
      sum_strip<T, 2>(sums + j, at + j * size, row_bytes, count, j, row == 0, map);
      j += 2 * V::lanes;
    }
    while (j < columns) {
      // The last vector may lie across the one before it, whose columns are summed anew in the first
      // rows, and get zeros in all others.
      const std::int64_t again = j + V::lanes <= columns ? 0 : j + V::lanes - columns;
      const V first(static_cast<Computed<T>>(row == 0 ? 0 : again));
      j -= again;
      sum_strip<T, 1>(sums + j, at + j * size, row_bytes, count, j, row == 0,
                      [&](const V& x, std::int64_t column) WEFT_INLINE_LAMBDA {
                        return select(numbers >= first, map(x, column), V(Computed<T>(0)));
                      });
      j += V::lanes;
    }
    row += count;
  } while (row < rows);
}

/// Spans and columns of a rule that sums Rule::map of each element in f64.
template <class Rule>
struct MappedSums {
  using T = typename Rule::Element;

  static void spans(const void*, void* accumulators, char* const* inputs,
                    const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n, std::int64_t,
                    std::int64_t) {
    sum_rows<T>(static_cast<double*>(accumulators), inputs[0], row_bytes[0], rows, n,
                [](std::int64_t) WEFT_INLINE_LAMBDA {
                  return [](auto x) WEFT_INLINE_LAMBDA { return Rule::map(x); };
                });
  }
  static void columns(const void*, void* accumulators, char* const* inputs,
                      const std::int64_t* row_bytes, std::int64_t rows, std::int64_t columns,
                      std::int64_t) {
    sum_columns<T>(static_cast<double*>(accumulators), inputs[0], row_bytes[0], rows, columns,
                   [](auto x, std::int64_t) WEFT_INLINE_LAMBDA { return Rule::map(x); });
  }
};

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace weft::inline v0
