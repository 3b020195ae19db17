// SPDX-License-Identifier: Apache-2.0
/// @file
/// The least and the largest of rows.
#pragma once

#include <weft/kernel/vectorized_math.hpp>

#include "kernels/reduce/shared/folds.hpp"
#include "kernels/reduce/shared/rule_kernel.hpp"

#include <cstdint>
#include <limits>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// What everything is beyond: the least value of a type, or the largest.
template <class T, bool largest>
constexpr T nothing_beyond() noexcept {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>) {
    return largest ? -Limits::infinity() : Limits::infinity();
  } else {
    return largest ? Limits::lowest() : Limits::max();
  }
}

/// Whether a is beyond b; never if either is NaN.
template <bool largest, class T>
WEFT_ALWAYS_INLINE auto beyond(const T& a, const T& b) noexcept {
  if constexpr (largest) return a > b;
  return a < b;
}

/// The one that is beyond the other; NaN if either is.
template <class T, bool largest>
WEFT_ALWAYS_INLINE T extreme(std::type_identity_t<T> a, std::type_identity_t<T> b) noexcept {
  if constexpr (std::is_floating_point_v<T>) return (beyond<largest>(a, b) | (a != a)) ? a : b;
  return beyond<largest>(a, b) ? a : b;
}

template <class T, bool largest>
WEFT_ALWAYS_INLINE Vectorized<T> extreme_each(const Vectorized<T>& a,
                                              const Vectorized<T>& b) noexcept {
  return select(beyond<largest>(a, b) | (a != a), a, b);
}

/// As extreme, where neither is NaN.
template <bool largest, class T>
WEFT_ALWAYS_INLINE Vectorized<T> extreme_number(const Vectorized<T>& a,
                                                const Vectorized<T>& b) noexcept {
  using Batch = typename Vectorized<T>::Batch;
  return Vectorized<T>::zip(a, b, [](const Batch& x, const Batch& y) WEFT_INLINE_LAMBDA {
    if constexpr (largest) return larger_or_second(x, y);
    return smaller_or_second(x, y);
  });
}

/// Types whose rows are taken in vectors. Of the narrower ones compilers make good loops by
/// themselves.
template <class T>
inline constexpr bool has_extreme_lanes = VectorElement<T> && sizeof(T) >= 4;

/// Where neither x nor y is NaN.
template <class T>
WEFT_ALWAYS_INLINE Mask<T> both_numbers(const Vectorized<T>& x, const Vectorized<T>& y) noexcept {
#if defined(__AVX512F__)
  Mask<T> numbers;
  if constexpr (std::is_same_v<T, float>) {
    numbers[0] = _mm512_cmp_ps_mask(x[0], y[0], _CMP_ORD_Q);
    return numbers;
  } else if constexpr (std::is_same_v<T, double>) {
    numbers[0] = _mm512_cmp_pd_mask(x[0], y[0], _CMP_ORD_Q);
    return numbers;
  }
#endif
  return (x == x) & (y == y);
}

/// The extreme of n elements, at least as many as there are lanes: lane by lane, NaN in the lanes
/// that met one. The last vector overlaps the one before it. `map` is a function of vectors.
template <class T, bool largest, class Map>
WEFT_ALWAYS_INLINE Vectorized<T> extreme_lanes(const T* from, std::int64_t n,
                                               const Map& map) noexcept {
  using V = Vectorized<T>;
  constexpr std::int64_t lanes = V::lanes;
  const auto at = [&](std::int64_t i)
                      WEFT_INLINE_LAMBDA { return map(in_order(V::load(from + i))); };
  V best = at(0);
  Mask<T> number = best == best;
  const auto note = [&](const V& x, const V& y) WEFT_INLINE_LAMBDA {
    if constexpr (std::is_floating_point_v<T>) number = number & both_numbers(x, y);
  };
  std::int64_t i = lanes;
  if (n >= 8 * lanes) {
    V b1 = at(lanes), b2 = at(2 * lanes), b3 = at(3 * lanes);
    note(b1, b2);
    note(b3, b3);
    for (i = 4 * lanes; i + 4 * lanes <= n; i += 4 * lanes) {
      const V x0 = at(i), x1 = at(i + lanes), x2 = at(i + 2 * lanes), x3 = at(i + 3 * lanes);
      best = extreme_number<largest>(best, x0);
      b1 = extreme_number<largest>(b1, x1);
      b2 = extreme_number<largest>(b2, x2);
      b3 = extreme_number<largest>(b3, x3);
      note(x0, x1);
      note(x2, x3);
    }
    best =
        extreme_number<largest>(extreme_number<largest>(best, b1), extreme_number<largest>(b2, b3));
  }
  for (; i < n; i += lanes) {
    const V x = at(i + lanes <= n ? i : n - lanes);
    best = extreme_number<largest>(best, x);
    note(x, x);
  }
  if constexpr (!std::is_floating_point_v<T>) return best;
  return select(number, best, V(std::numeric_limits<T>::quiet_NaN()));
}

/// The elements themselves, or what else extremes are taken of.
struct Itself {
  template <class V>
  WEFT_ALWAYS_INLINE V operator()(const V& x) const noexcept {
    return x;
  }
};

/// Of two elements, or of the lanes of two vectors.
template <class T, bool largest>
struct JoinExtremes {
  WEFT_ALWAYS_INLINE T operator()(T a, T b) const noexcept { return extreme<T, largest>(a, b); }
  WEFT_ALWAYS_INLINE Vectorized<T> operator()(const Vectorized<T>& a,
                                              const Vectorized<T>& b) const noexcept {
    return extreme_each<T, largest>(a, b);
  }
};

/// extremes[r] = the extreme of row r of rows x n elements, `nothing` of none.
template <class T, bool largest, class Map = Itself>
WEFT_ALWAYS_INLINE void extreme_rows(T* extremes, const char* from, std::int64_t row_bytes,
                                     std::int64_t rows, std::int64_t n, const Map& map = {},
                                     T nothing = nothing_beyond<T, largest>()) noexcept {
  if constexpr (has_extreme_lanes<T>) {
    using V = Vectorized<T>;
    const auto at = [&](std::int64_t r) WEFT_INLINE_LAMBDA {
      return reinterpret_cast<const T*>(from + r * row_bytes);
    };
    const JoinExtremes<T, largest> join;
    if (n >= V::lanes) {
      fold_rows_of<T>(
          extremes, rows, n,
          [&](std::int64_t r)
              WEFT_INLINE_LAMBDA { return extreme_lanes<T, largest>(at(r), n, map); },
          join);
      return;
    }
    if (n > 0) {
      // Norms of short rows are not worth a text of their own.
      const bool packed =
          std::is_same_v<Map, Itself> && row_bytes == n * static_cast<std::int64_t>(sizeof(T));
      fold_short_rows<T>(
          extremes, rows, n, packed,
          [&](std::int64_t r) WEFT_INLINE_LAMBDA { return map(load_first<T>(at(r), n, nothing)); },
          [&](std::int64_t i) WEFT_INLINE_LAMBDA { return map(V::load(at(0) + i)); }, join,
          nothing);
      return;
    }
  }
  for (std::int64_t r = 0; r < rows; ++r) {
    const SpanReader<T, false> in{from + r * row_bytes};
    T best = nothing;
    for (std::int64_t i = 0; i < n; ++i)
      best = extreme<T, largest>(best, map(in[i]));
    extremes[r] = best;
  }
}

/// Takes the rows of a strip of columns into `extremes`, NaN where there is one; `best` is what
/// they held.
template <class T, bool largest, int vectors, class Map>
WEFT_ALWAYS_INLINE void extremes_of_strip(T* extremes, const char* from, std::int64_t row_bytes,
                                          std::int64_t rows, bool start, const Map& map,
                                          T nothing) noexcept {
  using V = Vectorized<T>;
  V best[vectors];
  Mask<T> number[vectors];
  WEFT_UNROLLED
  for (int v = 0; v < vectors; ++v) {
    best[v] = start ? V(nothing) : V::load(extremes + v * V::lanes);
    number[v] = best[v] == best[v];
  }
  const auto at = [&](std::int64_t row, int v) WEFT_INLINE_LAMBDA {
    return map(V::load(reinterpret_cast<const T*>(from + row * row_bytes) + v * V::lanes));
  };
  std::int64_t row = 0;
  for (; row + 2 <= rows; row += 2) {
    WEFT_UNROLLED
    for (int v = 0; v < vectors; ++v) {
      const V x = at(row, v), y = at(row + 1, v);
      best[v] = extreme_number<largest>(extreme_number<largest>(best[v], x), y);
      number[v] = number[v] & both_numbers(x, y);
    }
  }
  if (row < rows) {
    WEFT_UNROLLED
    for (int v = 0; v < vectors; ++v) {
      const V x = at(row, v);
      best[v] = extreme_number<largest>(best[v], x);
      number[v] = number[v] & (x == x);
    }
  }
  WEFT_UNROLLED
  for (int v = 0; v < vectors; ++v)
    select(number[v], best[v], V(std::numeric_limits<T>::quiet_NaN()))
        .store(extremes + v * V::lanes);
}

/// extremes[j] = the extreme of column j of floating elements, NaN where there is one.
template <class T, bool largest, class Map = Itself>
WEFT_ALWAYS_INLINE void extreme_columns(T* extremes, const char* from, std::int64_t row_bytes,
                                        std::int64_t rows, std::int64_t columns,
                                        const Map& map = {},
                                        T nothing = nothing_beyond<T, largest>()) noexcept {
  using V = Vectorized<T>;
  // Of more rows at a time, each line would come from another page than the one before it; narrow
  // rows are on the same pages, however many they are.
  constexpr std::int64_t narrow = 128;
  const std::int64_t rows_at_a_time = columns <= narrow ? std::max<std::int64_t>(rows, 1) : 4;
#if defined(__AVX512F__)
  constexpr int strip = 4;
#else
  constexpr int strip = 2;  // of twice as many registers, and half as many are there
#endif
  constexpr std::int64_t size = sizeof(T);
  for (std::int64_t row = 0; row < rows || row == 0; row += rows_at_a_time) {
    const std::int64_t count = rows - row < rows_at_a_time ? rows - row : rows_at_a_time;
    const char* at = from + row * row_bytes;
    std::int64_t j = 0;
    for (; j + strip * V::lanes <= columns; j += strip * V::lanes)
      extremes_of_strip<T, largest, strip>(extremes + j, at + j * size, row_bytes, count, row == 0,
                                           map, nothing);
    for (; j < columns && columns >= V::lanes; j += V::lanes) {
      // The last columns together with some before them.
      j = j + V::lanes <= columns ? j : columns - V::lanes;
      extremes_of_strip<T, largest, 1>(extremes + j, at + j * size, row_bytes, count, row == 0, map,
                                       nothing);
    }
    for (j = 0; j < columns && columns < V::lanes; ++j) {
      T best = row == 0 ? nothing : extremes[j];
      for (std::int64_t r = row; r < row + count; ++r)
        best = extreme<T, largest>(best, map(SpanReader<T, false>{from + r * row_bytes}[j]));
      extremes[j] = best;
    }
  }
}

template <class T, bool largest>
struct ExtremeRule {
  using Element = T;
  using Part = T;
  using Acc = T;
  using Out = T;
  static constexpr std::int64_t least_row = has_extreme_lanes<T> ? 1 : ReductionKernel().least_row;
  static WEFT_ALWAYS_INLINE T identity() noexcept { return nothing_beyond<T, largest>(); }
  static WEFT_ALWAYS_INLINE T part(T x) noexcept { return x; }
  static WEFT_ALWAYS_INLINE T join(T a, T b) noexcept { return extreme<T, largest>(a, b); }
  static WEFT_ALWAYS_INLINE T widen(T a) noexcept { return a; }
  static WEFT_ALWAYS_INLINE T combine(T a, T b) noexcept { return extreme<T, largest>(a, b); }
  static WEFT_ALWAYS_INLINE T project(T acc, const void*) noexcept { return acc; }

  static void spans(const void*, void* accumulators, char* const* inputs,
                    const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n, std::int64_t,
                    std::int64_t) {
    extreme_rows<T, largest>(static_cast<T*>(accumulators), inputs[0], row_bytes[0], rows, n);
  }
  /// Accumulators are results.
  static constexpr bool straight = has_extreme_lanes<T>;
  static void short_rows_to(const void*, char* output, const char* input, std::int64_t rows,
                            std::int64_t n) {
    char* in = const_cast<char*>(input);  // NOLINT(cppcoreguidelines-pro-type-const-cast): is read
    const std::int64_t row_bytes = n * static_cast<std::int64_t>(sizeof(T));
    spans(nullptr, output, &in, &row_bytes, rows, n, 0, 0);
  }
  static void columns(const void* context, void* accumulators, char* const* inputs,
                      const std::int64_t* row_bytes, std::int64_t rows, std::int64_t columns,
                      std::int64_t index) {
    if constexpr (std::is_floating_point_v<T>) {
      extreme_columns<T, largest>(static_cast<T*>(accumulators), inputs[0], row_bytes[0], rows,
                                  columns);
    } else {
      TreeColumns<ExtremeRule>::columns(context, accumulators, inputs, row_bytes, rows, columns,
                                        index);
    }
  }
};

/// extreme_rows by the loops that amax and amin have, not by a copy of them.
template <class T, bool largest>
WEFT_ALWAYS_INLINE void shared_extreme_rows(T* extremes, const char* from, std::int64_t row_bytes,
                                            std::int64_t rows, std::int64_t n) {
  char* in = const_cast<char*>(from);  // NOLINT(cppcoreguidelines-pro-type-const-cast): is read
  constexpr auto spans = &ExtremeRule<T, largest>::spans;
  unknown(spans)(nullptr, extremes, &in, &row_bytes, rows, n, 0, 0);
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
