// SPDX-License-Identifier: Apache-2.0
/// @file
/// Sums over columns of floats and doubles, of what a function makes of each element.
#pragma once

#include "kernels/reduce/sums/row_sums.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Rows of columns that are added as a tree before they meet the accumulators.
inline constexpr std::int64_t tree_rows = 8;
/// As many of so many rows that are left: where add_rows_as_tree() ends a tree.
constexpr std::int64_t rows_of_tree(std::int64_t left) noexcept {
  if (left >= tree_rows) return tree_rows;
  return left >= tree_rows / 2 ? tree_rows / 2 : left;
}

/// Adds rows, eight as a tree: row_at(i) is a row, plus_row(x, i) adds one to x, join(x, y) adds y
/// to x, and add(x) is what becomes of each tree.
template <class RowAt, class PlusRow, class Join, class Add>
WEFT_ALWAYS_INLINE void add_rows_as_tree(std::int64_t rows, const RowAt& row_at,
                                         const PlusRow& plus_row, const Join& join,
                                         const Add& add) {
  const auto four = [&](std::int64_t row) WEFT_INLINE_LAMBDA {
    auto x = row_at(row);
    plus_row(x, row + 1);
    auto y = row_at(row + 2);
    plus_row(y, row + 3);
    join(x, y);
    return x;
  };
  std::int64_t row = 0;
  for (; row + tree_rows <= rows; row += tree_rows) {
    auto x = four(row);
    join(x, four(row + 4));
    add(x);
  }
  if (row + 4 <= rows) {
    add(four(row));
    row += 4;
  }
  if (row < rows) {
    auto rest = row_at(row);
    if (row + 1 < rows) plus_row(rest, row + 1);
    if (row + 2 < rows) plus_row(rest, row + 2);
    add(rest);
  }
}

/// Adds the rows of a strip of columns to `accumulators`, or starts them: eight of them as a tree,
/// and those in f64. map(x, j) is a function of vectors of columns from j on. Memory is read row by
/// row.
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
  WEFT_UNROLLED
  for (int v = 0; v < vectors * wide; ++v)
    sums[v] = start ? Vectorized<double>(0.0) : Vectorized<double>::load(accumulators + 8 * v);
  const auto at = [&](std::int64_t row, int v) WEFT_INLINE_LAMBDA {
    const std::int64_t offset = v * V::lanes;
    const char* address = from + row * row_bytes + offset * static_cast<std::int64_t>(sizeof(T));
    return map(load_vector<T>(address), column + offset);
  };
  const auto row_at = [&](std::int64_t row) WEFT_INLINE_LAMBDA {
    Strip x;
    WEFT_UNROLLED
    for (int v = 0; v < vectors; ++v)
      x.of[v] = in_order(at(row, v));
    return x;
  };
  const auto plus_row = [&](Strip& x, std::int64_t row) WEFT_INLINE_LAMBDA {
    WEFT_UNROLLED
    for (int v = 0; v < vectors; ++v)
      x.of[v] = in_order(added<T>(x.of[v], at(row, v)));
  };
  const auto join = [&](Strip& x, const Strip& y) WEFT_INLINE_LAMBDA {
    WEFT_UNROLLED
    for (int v = 0; v < vectors; ++v)
      x.of[v] = added<T>(x.of[v], y.of[v]);
  };
  const auto add = [&](const Strip& x) WEFT_INLINE_LAMBDA {
    WEFT_UNROLLED
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
  add_rows_as_tree(rows, row_at, plus_row, join, add);
  WEFT_UNROLLED
  for (int v = 0; v < vectors * wide; ++v)
    sums[v].store(accumulators + 8 * v);
}

#if defined(__AVX512F__)
/// sum_few_columns of floats and doubles in the first lanes of registers.
template <class T, class Map>
WEFT_ALWAYS_INLINE void sum_masked_columns(double* sums, const char* from, std::int64_t row_bytes,
                                           std::int64_t rows, std::int64_t columns,
                                           const Map& map) {
  using V = Vectorized<T>;
  const auto at = [&](std::int64_t row) WEFT_INLINE_LAMBDA {
    return map(load_first<T>(reinterpret_cast<const T*>(from + row * row_bytes), columns, T(0)),
               std::int64_t{0});
  };
  Vectorized<double> low(0.0), high(0.0);
  const auto add = [&](const V& x) WEFT_INLINE_LAMBDA {
    if constexpr (std::is_same_v<T, double>) {
      low += x;
    } else {
      const WideLanes w = widen(x);
      low += w.low;
      high += w.high;
    }
  };
  const auto four = [&](std::int64_t row) WEFT_INLINE_LAMBDA {
    return (at(row) + at(row + 1)) + (at(row + 2) + at(row + 3));
  };
  std::int64_t row = 0;
  for (; row + tree_rows <= rows; row += tree_rows)
    add(four(row) + four(row + 4));
  if (row + 4 <= rows) {
    add(four(row));
    row += 4;
  }
  if (row < rows) {
    V rest = at(row);
    if (row + 1 < rows) rest = rest + at(row + 1);
    if (row + 2 < rows) rest = rest + at(row + 2);
    add(rest);
  }
  alignas(64) double all[16];
  low.store(all);
  high.store(all + 8);
  for (std::int64_t j = 0; j < columns; ++j)
    sums[j] = all[j];
}
#endif

/// sums[j] = the sum over column j of map(x, j), for fewer columns than there are lanes.
template <class T, class Map>
WEFT_ALWAYS_INLINE void sum_few_columns(double* sums, const char* from, std::int64_t row_bytes,
                                        std::int64_t rows, std::int64_t columns, const Map& map) {
#if defined(__AVX512F__)
  if constexpr (!is_half_type<T>)
    return sum_masked_columns<T>(sums, from, row_bytes, rows, columns, map);
#endif
  const auto at = [&](std::int64_t row, std::int64_t j) WEFT_INLINE_LAMBDA {
    return map(static_cast<Computed<T>>(SpanReader<T, false>{from + row * row_bytes}[j]), j);
  };
  for (std::int64_t j = 0; j < columns; ++j) {
    double sum = 0;
    const auto four = [&](std::int64_t row) WEFT_INLINE_LAMBDA {
      return (at(row, j) + at(row + 1, j)) + (at(row + 2, j) + at(row + 3, j));
    };
    std::int64_t row = 0;
    for (; row + tree_rows <= rows; row += tree_rows)
      sum += static_cast<double>(four(row) + four(row + 4));
    if (row + 4 <= rows) {
      sum += static_cast<double>(four(row));
      row += 4;
    }
    if (row < rows) {
      auto rest = at(row, j);
      if (row + 1 < rows) rest = rest + at(row + 1, j);
      if (row + 2 < rows) rest = rest + at(row + 2, j);
      sum += static_cast<double>(rest);
    }
    sums[j] = sum;
  }
}

/// sums[j] = the sum over column j of map(x, j), the same wherever the column stands. A few rows at
/// a time, so that memory is read in long stretches; narrow blocks are stretches as they are, and
/// rows that are one and the same stay in cache.
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
  const bool stretch = columns <= narrow || row_bytes == 0;
  const std::int64_t chunk = stretch ? rows : tree_rows;
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
      // The last vector may overlap the one before it, whose columns are summed anew in the
      // first rows, and get zeros in all others.
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

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
