// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of the product family: matrix products by address.
#pragma once

#include <weft/core/scalar_type.hpp>
#include <weft/machine/dispatch.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {

/// Products are added up in runs of this many, and the runs' sums one after the other. Part of what
/// a product *is*: it fixes the roundings, whatever the tiles, threads and layouts.
inline constexpr std::int64_t product_run = 256;

/// A matrix by address; steps in bytes.
struct MatrixAt {
  char* data = nullptr;
  std::int64_t row_step = 0, column_step = 0;

  /// The part of it that begins at row i and column j.
  MatrixAt from(std::int64_t i, std::int64_t j) const {
    return {data == nullptr ? nullptr : data + i * row_step + j * column_step, row_step,
            column_step};
  }
  MatrixAt transposed() const { return {data, column_step, row_step}; }
};

/// A product by address: c[rows, columns] = start + a[rows, depth] · b[depth, columns].
struct ProductAt {
  ScalarType type;
  std::int64_t rows, columns, depth;
  MatrixAt c, a, b;
  /// Null: zero. May be c; a row of values for all rows has a row step of 0.
  MatrixAt start;

  /// Some rows and columns of the result.
  ProductAt part(std::int64_t i, std::int64_t row_count, std::int64_t j,
                 std::int64_t column_count) const {
    return {type,         row_count,    column_count, depth,
            c.from(i, j), a.from(i, 0), b.from(0, j), start.from(i, j)};
  }
  /// c^T = start^T + b^T a^T, which has the same sums.
  ProductAt transposed() const {
    return {type,           columns,        rows,           depth,
            c.transposed(), b.transposed(), a.transposed(), start.transposed()};
  }
  /// What it costs: a sum of nothing as much as one product.
  double multiplications() const {
    return static_cast<double>(rows) * static_cast<double>(columns) *
           static_cast<double>(depth > 0 ? depth : 1);
  }
};

/// Products of f32 or of f64. Each element is ((start + r0) + r1) + ..., where r0, r1, ... are the
/// runs of product_run products, each added up from 0 in the order of k with one rounding a step
/// where the level has FMA, else two.
///
/// Rows of c and start are dense. Columns of b come in panels of panel_columns, dense within a row
/// of the panel and panel_columns * b.column_step bytes from each other. The last panel is read in
/// full, too, however few of its columns are wanted.
struct ProductKernel {
  /// `between` is on a cache line and has room for bytes_between().
  void (*multiply)(const ProductAt& product, char* between);
  std::int64_t panel_columns;
  std::int64_t max_bytes_between;
  /// The same for one run at most, of any steps, columns included: for products so small that
  /// bringing b into panels would take longer.
  void (*multiply_few)(const ProductAt& product);
  /// Columns that it takes together where rows of b, c and start are dense: of so few, and any
  /// number of rows, it is quicker. 0: it takes one after the other.
  std::int64_t narrow_columns;

  /// Bytes of sums that wait for the next run: none if there is only one.
  std::int64_t bytes_between(std::int64_t depth) const {
    return depth > product_run ? max_bytes_between : 0;
  }
};

/// The same for elements of any other type, without a start and without panels: any steps, columns
/// included. Integers wrap, bools are and-ed and or-ed, complex numbers are multiplied by the
/// textbook formula; sums are made in the type itself, in runs as above.
using PlainProductFn = void (*)(const ProductAt& product);

/// Of f32 and f64; null for all else.
WEFT_DECLARE_KERNEL(product_kernel, const ProductKernel*(ScalarType type));
/// Of bool, integers and complex numbers; null for all else.
WEFT_DECLARE_KERNEL(plain_product_kernel, PlainProductFn(ScalarType type));

}  // namespace v0
}  // namespace weft
