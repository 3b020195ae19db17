// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of the product family: blocks of matrix products.
#pragma once

#include <weft/core/scalar_type.hpp>
#include <weft/machine/dispatch.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {

/// Products are added up in runs of this many, and the runs' sums one after the other. Part of what
/// a product *is*: it fixes the roundings, whatever the tiles, threads and layouts.
inline constexpr std::int64_t product_run = 256;

/// c[i, j] = start[i, j] + sum over k of a[i, k] * b[k, j], for 0 <= i < rows, 0 <= j < columns,
/// 0 <= k < depth. Steps are bytes. Rows of c and start are dense.
struct ProductBlock {
  std::int64_t rows, columns, depth;
  const char* a;
  std::int64_t a_row_step, a_depth_step;
  /// Columns come in panels of ProductKernel::panel_columns, dense within a row of the panel. The
  /// last panel is read in full, too, however few of its columns are wanted.
  const char* b;
  std::int64_t b_depth_step, b_panel_step;
  char* c;
  std::int64_t c_row_step;
  /// Null: zero. May be c; a row of values for all rows has step 0.
  const char* start = nullptr;
  std::int64_t start_row_step = 0;
};

/// Products of f32 or of f64. Each element is ((start + r0) + r1) + ..., where r0, r1, ... are the
/// runs of product_run products, each added up from 0 in the order of k with one rounding a step
/// where the level has FMA, else two.
struct ProductKernel {
  std::int64_t panel_columns;
  void (*multiply)(const ProductBlock& block);
};

/// The same for elements of any other type, without panels: any steps, columns included. Integers
/// wrap, bools are and-ed and or-ed, complex numbers are multiplied by the textbook formula; sums
/// are made in the type itself, in runs as above.
struct PlainProductBlock {
  std::int64_t rows, columns, depth;
  const char* a;
  std::int64_t a_row_step, a_depth_step;
  const char* b;
  std::int64_t b_depth_step, b_column_step;
  char* c;
  std::int64_t c_row_step, c_column_step;
};
using PlainProductFn = void (*)(const PlainProductBlock& block);

/// Of f32 and f64; null for all else.
WEFT_DECLARE_KERNEL(product_kernel, const ProductKernel*(ScalarType type));
/// Of bool, integers and complex numbers; null for all else.
WEFT_DECLARE_KERNEL(plain_product_kernel, PlainProductFn(ScalarType type));

}  // namespace v0
}  // namespace weft
