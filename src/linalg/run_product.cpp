// SPDX-License-Identifier: Apache-2.0
#include "linalg/run_product.hpp"

#include <weft/base/checked.hpp>
#include <weft/core/tensor.hpp>
#include <weft/parallel/parallel.hpp>

#include "linalg/panel_product.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

/// Up to so many rows, a matrix whose rows are dense is read in place: each element is needed once.
constexpr std::int64_t few_rows = 8;

void run_plain(PlainProductFn multiply, const ProductShape& shape, const MatrixAt& c,
               const MatrixAt& a, const MatrixAt& b) {
  const double line = 8.0 * static_cast<double>(shape.columns) *
                      static_cast<double>(std::max<std::int64_t>(shape.depth, 1));
  parallel_for(shape.rows, product_grain(line), [&](std::int64_t begin, std::int64_t end) {
    multiply({.rows = end - begin,
              .columns = shape.columns,
              .depth = shape.depth,
              .a = a.row(begin),
              .a_row_step = a.row_step,
              .a_depth_step = a.column_step,
              .b = b.data,
              .b_depth_step = b.row_step,
              .b_column_step = b.column_step,
              .c = c.row(begin),
              .c_row_step = c.row_step,
              .c_column_step = c.column_step});
  });
}

/// c = a · b for f32 and f64 (and halves), packing some columns of b at a time.
void run_packing(ScalarType type, const ProductShape& shape, const MatrixAt& c, const MatrixAt& a,
                 const MatrixAt& b, const MatrixAt& start) {
  constexpr std::int64_t most_bytes = 1 << 20;
  constexpr std::int64_t on_stack = 1 << 14;
  const std::int64_t width = product_kernel(product_type(type))->panel_columns;
  const std::int64_t panel = panels_bytes(type, shape.depth, width);
  const std::int64_t step =
      width * std::max<std::int64_t>(most_bytes / std::max<std::int64_t>(panel, 1), 1);
  const std::int64_t most = std::min(step, shape.columns);
  const std::int64_t bytes = panels_bytes(type, shape.depth, most);
  alignas(64) char small[on_stack];
  Tensor large;
  char* panels = small;
  if (bytes > on_stack) {
    large = Tensor::empty({bytes}, ScalarType::u8);
    panels = static_cast<char*>(large.data());
  }
  for (std::int64_t j = 0; j < shape.columns; j += most) {
    const ProductShape part{shape.rows, std::min(most, shape.columns - j), shape.depth};
    pack_panels(type, panels, b.from_column(j), shape.depth, part.columns);
    run_packed_product(type, part, c.from_column(j), a, panels, start.from_column(j));
  }
}

/// The operands of a product whose right side lies in any way.
struct Unpacked {
  ProductShape shape;
  MatrixAt c, a, b, start;

  /// c^T = start^T + b^T a^T, which has the same sums.
  Unpacked transposed() const {
    return {{shape.columns, shape.rows, shape.depth},
            c.transposed(),
            b.transposed(),
            a.transposed(),
            start.transposed()};
  }
};

void run_unpacked(ScalarType type, Unpacked p) {
  const std::int64_t size = element_size(type);
  const std::int64_t width = product_kernel(product_type(type))->panel_columns;
  // Transposed where that writes dense rows, or where there would be less than half a panel.
  const bool dense_rows = p.shape.columns == 1 || p.c.column_step == size;
  const bool dense_columns = p.shape.rows == 1 || p.c.row_step == size;
  const bool is_narrow = 2 * p.shape.columns <= width && p.shape.rows > p.shape.columns;
  if (dense_columns && (!dense_rows || is_narrow)) p = p.transposed();
  if (p.shape.columns == 1) p.c.column_step = size;
  if (p.shape.depth == 1) p.a.column_step = size;
  if (p.shape.rows > few_rows || p.b.column_step != size || product_type(type) != type) {
    run_packing(type, p.shape, p.c, p.a, p.b, p.start);
    return;
  }
  // Few rows: whole panels are read where they lie.
  const std::int64_t whole = p.shape.columns / width * width;
  PanelProduct{.type = type,
               .kernel = product_kernel(type),
               .shape = {p.shape.rows, whole, p.shape.depth},
               .c = p.c,
               .a = p.a,
               .start = p.start,
               .b = p.b.data,
               .b_depth_step = p.b.row_step,
               .b_panel_step = width * size}
      .run();
  if (whole == p.shape.columns) return;
  run_packing(type, {p.shape.rows, p.shape.columns - whole, p.shape.depth}, p.c.from_column(whole),
              p.a, p.b.from_column(whole), p.start.from_column(whole));
}

}  // namespace

void run_packed_product(ScalarType type, const ProductShape& shape, const MatrixAt& c,
                        const MatrixAt& a, const char* panels, const MatrixAt& start) {
  const ScalarType sums = product_type(type);
  const ProductKernel* kernel = product_kernel(sums);
  const std::int64_t row = kernel->panel_columns * element_size(sums);
  PanelProduct{.type = type,
               .kernel = kernel,
               .shape = shape,
               .c = c,
               .a = a,
               .start = start,
               .b = panels,
               .b_depth_step = row,
               .b_panel_step = row * shape.depth}
      .run();
}

void run_product(ScalarType type, const ProductShape& shape, const MatrixAt& c, const MatrixAt& a,
                 const MatrixAt& b, const MatrixAt& start) {
  if (shape.rows == 0 || shape.columns == 0) return;
  if (const PlainProductFn plain = plain_product_kernel(type)) {
    run_plain(plain, shape, c, a, b);
  } else {
    run_unpacked(type, {shape, c, a, b, start});
  }
}

void run_offered_product(const ProductProvider* provider, ScalarType type,
                         const ProductShape& shape, const MatrixAt& c, const MatrixAt& a,
                         const MatrixAt& b, const MatrixAt& start) {
  const std::int64_t size = element_size(type);
  const MatrixProduct product{.type = type,
                              .rows = shape.rows,
                              .columns = shape.columns,
                              .depth = shape.depth,
                              .a = a.data,
                              .a_row_stride = a.row_step / size,
                              .a_depth_stride = a.column_step / size,
                              .b = b.data,
                              .b_depth_stride = b.row_step / size,
                              .b_column_stride = b.column_step / size,
                              .c = c.data,
                              .c_row_stride = c.row_step / size,
                              .c_column_stride = c.column_step / size,
                              .start = start.data,
                              .start_row_stride = start.row_step / size,
                              .start_column_stride = start.column_step / size};
  if (provider != nullptr && provider->multiply(product)) return;
  run_product(type, shape, c, a, b, start);
}

}  // namespace v0
}  // namespace weft
