// SPDX-License-Identifier: Apache-2.0
/// @file
/// argmax and argmin.
#pragma once

#include "kernels/reduce/extremes/extremes.hpp"
#include "kernels/reduce/reduce.hpp"
#include "kernels/scalar/arithmetic.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// An element and where it is: a PlaceAccumulator of a type.
template <class T>
struct Indexed {
  T value;
  std::int64_t index;  // negative: nothing seen yet
  static_assert(sizeof(T) <= sizeof(PlaceAccumulator::element));
};
static_assert(sizeof(Indexed<char>) == sizeof(PlaceAccumulator) &&
              sizeof(Indexed<double>) == sizeof(PlaceAccumulator));

/// Where the first of the most extreme is; where the first NaN is if there is one, but if `Of`
/// skips NaN. That has the extremes of rows, NaN of rows in which nothing else is:
///
///     static constexpr bool skips_nan;
///     template <class T, bool largest>
///     static void extremes(T*, const char* from, std::int64_t row_bytes, std::int64_t rows,
///                          std::int64_t n);
template <class T, bool largest, class Of>
struct PlaceRule {
  using Element = T;
  using Acc = Indexed<T>;
  using Out = std::int64_t;
  static constexpr bool indexed = true;
  static constexpr std::int64_t span_elements = reread_span_elements;

  /// Lanes and blocks meet in any order, so equal values are distinguished by their index.
  static WEFT_ALWAYS_INLINE Acc combine(Acc a, Acc b) noexcept {
    const bool a_nan = a.value != a.value;
    const bool b_nan = b.value != b.value;
    const bool b_beyond = beyond<largest>(b.value, a.value) & !a_nan;
    const bool equal = (a.value == b.value) | (a_nan & b_nan);
    const bool b_first = (b.index >= 0) & ((b.index < a.index) | (a.index < 0));
    return (b_beyond | (b_nan & !a_nan) | (equal & b_first)) ? b : a;
  }
  static WEFT_ALWAYS_INLINE Out project(Acc acc, const void*) noexcept { return acc.index; }

  /// The extreme of each row first, and then where it is: by then the row is in cache.
  static void spans(const void*, void* accumulators, char* const* inputs,
                    const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n,
                    std::int64_t index, std::int64_t index_step) {
    Acc* acc = static_cast<Acc*>(accumulators);
    // Few rows at a time: they have to stay in cache until they are searched.
    constexpr std::int64_t max_elements = 4096;
    T extremes[fold_rows];
    std::int64_t step = n == 0 ? rows : max_elements / n;
    step = step < 4 ? 4 : step > fold_rows ? fold_rows : step;
    for (std::int64_t r = 0; r < rows; r += step) {
      const std::int64_t count = rows - r < step ? rows - r : step;
      const char* from = inputs[0] + r * row_bytes[0];
      for (std::int64_t i = 0; n == 0 && i < count; ++i)
        acc[r + i] = none;
      if (n == 0) continue;
      Of::template extremes<T, largest>(extremes, from, row_bytes[0], count, n);
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t first = index + (r + i) * index_step;
        acc[r + i] =
            is_none(extremes[i])
                ? none
                : Acc{extremes[i], first + first_of(from + i * row_bytes[0], n, extremes[i])};
      }
    }
  }

  /// Values and rows of a few columns side by side, an index being as wide as an element.
  static void columns(const void*, void* accumulators, char* const* inputs,
                      const std::int64_t* row_bytes, std::int64_t rows, std::int64_t columns,
                      std::int64_t index) {
    // Wide, as memory is read best; of bytes it is the search that takes the time.
    constexpr std::int64_t max_columns =
        sizeof(T) == 1 ? 256 : 4096 / static_cast<std::int64_t>(sizeof(T));
    constexpr std::int64_t max_rows = 64;  // so that they count in 8 bits
    Acc* acc = static_cast<Acc*>(accumulators);
    for (std::int64_t j = 0; rows == 0 && j < columns; ++j)
      acc[j] = none;
    for (std::int64_t first = 0; first < columns; first += max_columns) {
      const std::int64_t count = columns - first < max_columns ? columns - first : max_columns;
      for (std::int64_t row = 0; row < rows; row += max_rows) {
        const char* from =
            inputs[0] + row * row_bytes[0] + first * static_cast<std::int64_t>(sizeof(T));
        T best[max_columns];
        Unsigned<sizeof(T)> at[max_columns];
        search_columns(best, at, from, row_bytes[0], rows - row < max_rows ? rows - row : max_rows,
                       count);
        for (std::int64_t j = 0; j < count; ++j) {
          const std::int64_t place = index + row + static_cast<std::int64_t>(at[j]);
          const Acc found = is_none(best[j]) ? none : Acc{best[j], place};
          acc[first + j] = row == 0 ? found : combine(acc[first + j], found);
        }
      }
    }
  }

 private:
  static constexpr Acc none{nothing_beyond<T, largest>(), -1};
  /// Whether an extreme is that of nothing.
  static WEFT_ALWAYS_INLINE bool is_none(T extreme) noexcept {
    return Of::skips_nan && extreme != extreme;
  }

  /// Where the first element equal to `value` is, or the first NaN: there is one.
  static WEFT_ALWAYS_INLINE std::int64_t first_of(const char* from, std::int64_t n, T value) {
    const SpanReader<T, false> in{from};
    const bool nan = !Of::skips_nan && value != value;
    constexpr std::int64_t chunk = 128;
    std::int64_t i = 0;
    for (; i + chunk <= n; i += chunk) {
      const SpanReader<T, false> part{from + i * static_cast<std::int64_t>(sizeof(T))};
      Unsigned<sizeof(T)> found = 0;
      if (nan) {
        WEFT_UNROLLED
        for (std::int64_t j = 0; j < chunk; ++j)
          found |= static_cast<Unsigned<sizeof(T)>>(part[j] != part[j]);
      } else {
        WEFT_UNROLLED
        for (std::int64_t j = 0; j < chunk; ++j)
          found |= static_cast<Unsigned<sizeof(T)>>(part[j] == value);
      }
      if (found != 0) break;
    }
    while (i + 1 < n && !(nan ? in[i] != in[i] : in[i] == value))
      ++i;
    return i;
  }

  static WEFT_ALWAYS_INLINE void search_columns(T* best, Unsigned<sizeof(T)>* at, const char* from,
                                                std::int64_t row_bytes, std::int64_t rows,
                                                std::int64_t count) {
    using Row = Unsigned<sizeof(T)>;
    {
      const SpanReader<T, false> in{from};
      for (std::int64_t j = 0; j < count; ++j) {
        best[j] = in[j];
        at[j] = 0;
      }
    }
    for (std::int64_t r = 1; r < rows; ++r) {
      const SpanReader<T, false> in{from + r * row_bytes};
      const Row number = static_cast<Row>(r);
      WEFT_INDEPENDENT_ITERATIONS
      for (std::int64_t j = 0; j < count; ++j) {
        const T x = in[j];
        const T b = best[j];
        // A NaN that is skipped is the best as long as nothing else was seen.
        const bool better = beyond<largest>(x, b) | (Of::skips_nan ? b != b : (x != x) & (b == b));
        best[j] = better ? x : b;
        at[j] = better ? number : at[j];
      }
    }
  }
};

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
