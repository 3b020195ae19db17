// SPDX-License-Identifier: Apache-2.0
/// @file
/// Sums over columns of floats and doubles, of deviations from a number and of their squares.
#pragma once

#include "kernels/reduce/sums/column_sums.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Both sums over a strip of columns in one pass, each by the tree of sum_strip.
template <class T, int vectors>
WEFT_ALWAYS_INLINE void deviations_of_strip(double* deviations, double* squares, const char* from,
                                            std::int64_t row_bytes, std::int64_t rows,
                                            const Computed<T>* near) {
  using V = Vectorized<Computed<T>>;
  struct Strip {
    V d[vectors], s[vectors];
  };
  constexpr int wide = std::is_same_v<T, double> ? 1 : 2;  // vectors of f64 for one V
  Vectorized<double> sums[2][vectors * wide];
  WEFT_UNROLLED
  for (int v = 0; v < vectors * wide; ++v)
    sums[0][v] = sums[1][v] = Vectorized<double>(0.0);
  const auto at = [&](std::int64_t row, int v) WEFT_INLINE_LAMBDA {
    const char* address = from + row * row_bytes + v * V::lanes * static_cast<int>(sizeof(T));
    return in_order(load_vector<T>(address)) - V::load(near + v * V::lanes);
  };
  const auto row_at = [&](std::int64_t row) WEFT_INLINE_LAMBDA {
    Strip x;
    WEFT_UNROLLED
    for (int v = 0; v < vectors; ++v) {
      const V d = at(row, v);
      x.d[v] = d;
      x.s[v] = d * d;
    }
    return x;
  };
  const auto join = [&](Strip& x, const Strip& y) WEFT_INLINE_LAMBDA {
    WEFT_UNROLLED
    for (int v = 0; v < vectors; ++v) {
      x.d[v] = added<T>(x.d[v], y.d[v]);
      x.s[v] = added<T>(x.s[v], y.s[v]);
    }
  };
  const auto plus_row = [&](Strip& x, std::int64_t row)
                            WEFT_INLINE_LAMBDA { join(x, row_at(row)); };
  const auto add_to = [&](Vectorized<double>* to, const V& x) WEFT_INLINE_LAMBDA {
    if constexpr (wide == 1) {
      to[0] += x;
    } else {
      const WideLanes w = widen(x);
      to[0] += w.low;
      to[1] += w.high;
    }
  };
  const auto add = [&](const Strip& x) WEFT_INLINE_LAMBDA {
    WEFT_UNROLLED
    for (int v = 0; v < vectors; ++v) {
      add_to(sums[0] + wide * v, x.d[v]);
      add_to(sums[1] + wide * v, x.s[v]);
    }
  };
  add_rows_as_tree(rows, row_at, plus_row, join, add);
  WEFT_UNROLLED
  for (int v = 0; v < vectors * wide; ++v) {
    sums[0][v].store(deviations + 8 * v);
    sums[1][v].store(squares + 8 * v);
  }
}

/// The sums over column j of x - near[j], and of their squares: the same as sum_columns gives.
template <class T>
WEFT_ALWAYS_INLINE void sum_deviations(double* deviations, double* squares, const char* from,
                                       std::int64_t row_bytes, std::int64_t rows,
                                       std::int64_t columns, const Computed<T>* near) {
  using C = Computed<T>;
  using V = Vectorized<C>;
  constexpr std::int64_t size = sizeof(T);
  if (columns < V::lanes) {
    alignas(64) C all[V::lanes] = {};
    for (std::int64_t j = 0; j < columns; ++j)
      all[j] = near[j];
    const auto deviation = [&](const auto& x, std::int64_t j) WEFT_INLINE_LAMBDA {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(x)>, C>) {
        return x - all[j];
      } else {
        return x - V::load(all + j);
      }
    };
    sum_few_columns<T>(deviations, from, row_bytes, rows, columns, deviation);
    sum_few_columns<T>(squares, from, row_bytes, rows, columns,
                       [&](const auto& x, std::int64_t j) WEFT_INLINE_LAMBDA {
                         const auto d = deviation(x, j);
                         return d * d;
                       });
    return;
  }
#if defined(__AVX512F__)
  constexpr int strip = 2;
  std::int64_t j = 0;
  for (; j + strip * V::lanes <= columns; j += strip * V::lanes) {
    deviations_of_strip<T, strip>(deviations + j, squares + j, from + j * size, row_bytes, rows,
                                  near + j);
  }
#else
  std::int64_t j = 0;
#endif
  while (j < columns) {
    // The last vector may overlap the one before it, whose columns are summed anew.
    if (j + V::lanes > columns) j = columns - V::lanes;
    deviations_of_strip<T, 1>(deviations + j, squares + j, from + j * size, row_bytes, rows,
                              near + j);
    j += V::lanes;
  }
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
