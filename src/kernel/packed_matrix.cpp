// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/core/tensor.hpp>
#include <weft/iter/overlap.hpp>
#include <weft/kernel/packed_matrix.hpp>

#include "base/operation.hpp"
#include "kernel/product_axes.hpp"
#include "kernel/run_product.hpp"

namespace weft::inline v0 {
namespace {

MatrixAt matrix_at(const void* data, std::int64_t row_stride, std::int64_t column_stride,
                   std::int64_t size) {
  return {static_cast<char*>(const_cast<void*>(data)), row_stride * size, column_stride * size};
}

void check_operands(const TensorView& out, const TensorView& a, const PackedMatrix& matrix,
                    const TensorView& start) {
  const auto check = [&](const TensorView& view, const char* operand) {
    if (!view.defined()) fail(ErrorCode::undefined, text(operand, ": undefined tensor"));
    if (view.dtype() != matrix.dtype()) {
      fail(ErrorCode::dtype, text(operand, ": expected the matrix's ", name(matrix.dtype()),
                                  ", got ", name(view.dtype())));
    }
  };
  check(out, "output 0");
  check(a, "input 0");
  if (start.defined()) check(start, "start");
  if (a.rank() < 1 || a.shape().back() != matrix.rows()) {
    fail(ErrorCode::shape, text("input 0: expected [..., ", matrix.rows(), "], the matrix having ",
                                matrix.rows(), " rows, got ", a.shape()));
  }
  DimVector wanted(a.shape().begin(), a.shape().end());
  wanted.back() = matrix.columns();
  if (!std::ranges::equal(out.shape(), wanted)) {
    fail(ErrorCode::shape,
         text("output 0: expected shape ", IntSpan(wanted), ", got ", out.shape()));
  }
  check_product_output(out);
  check_product_overlap(out, a, "input 0");
}

/// What is added to the sums, seen under the output's shape.
TensorView start_for(const TensorView& out, const TensorView& start) {
  if (!start.defined()) return start;
  TensorView seen;
  try {
    seen = start.expand(out.shape());
  } catch (const Error& error) {
    fail(error.code(), text("start: ", error.what()));
  }
  const bool same = seen.data() == out.data() && std::ranges::equal(seen.strides(), out.strides());
  if (!same) check_product_overlap(out, start, "start");
  return seen;
}

void multiply_checked(const TensorView& out, const TensorView& a, const PackedMatrix& matrix,
                      const TensorView& given_start) {
  check_operands(out, a, matrix, given_start);
  const TensorView start = start_for(out, given_start);
  const auto last = static_cast<std::size_t>(out.rank() - 1);
  const bool has_start = start.defined();
  ProductAxes axes;
  for (std::size_t axis = 0; axis < last; ++axis) {
    axes.add(out.shape()[axis],
             {out.strides()[axis], a.strides()[axis], 0, has_start ? start.strides()[axis] : 0});
  }
  const ProductAxes::Axis rows = axes.take_rows();
  const double work = static_cast<double>(rows.extent) * static_cast<double>(matrix.rows()) *
                      static_cast<double>(matrix.columns());
  const std::int64_t size = element_size(matrix.dtype());
  const auto shifted = [&](const TensorView& view, std::int64_t elements) {
    return static_cast<char*>(view.data()) + elements * size;
  };
  axes.for_each(work, [&](const ProductAxes::Steps& offsets) {
    matrix.multiply({.rows = rows.extent,
                     .a = shifted(a, offsets[product_a]),
                     .a_row_stride = rows.steps[product_a],
                     .a_depth_stride = a.strides()[last],
                     .out = shifted(out, offsets[product_c]),
                     .out_row_stride = rows.steps[product_c],
                     .out_column_stride = out.strides()[last],
                     .start = has_start ? shifted(start, offsets[product_start]) : nullptr,
                     .start_row_stride = has_start ? rows.steps[product_start] : 0,
                     .start_column_stride = has_start ? start.strides()[last] : 1});
  });
}

}  // namespace

PackedMatrix::PackedMatrix(const TensorView& matrix) {
  with_operation("PackedMatrix", [&] {
    if (!matrix.defined()) fail(ErrorCode::undefined, "undefined matrix");
    if (matrix.rank() != 2) {
      fail(ErrorCode::rank, text("expected a matrix of rank 2, got shape ", matrix.shape()));
    }
    if (!is_floating(matrix.dtype())) {
      fail(ErrorCode::dtype, text("expected f16, bf16, f32 or f64, got ", name(matrix.dtype())));
    }
    const std::int64_t rows = matrix.shape()[0];
    const std::int64_t columns = matrix.shape()[1];
    const ProductProvider* provider = product_provider();
    Tensor memory;
    if (provider != nullptr) {
      memory = Tensor::copy_of(matrix);
    } else {
      memory = Tensor::empty({panels_bytes(matrix.dtype(), rows, columns)}, ScalarType::u8);
      const std::int64_t size = element_size(matrix.dtype());
      pack_panels(matrix.dtype(), static_cast<char*>(memory.data()),
                  matrix_at(matrix.data(), matrix.strides()[0], matrix.strides()[1], size), rows,
                  columns);
    }
    rows_ = rows;
    columns_ = columns;
    type_ = matrix.dtype();
    provider_ = provider;
    memory_ = std::move(memory);
  });
}

void PackedMatrix::multiply(const PackedProduct& p) const {
  const ProductShape shape{p.rows, columns_, rows_};
  if (shape.rows == 0 || shape.columns == 0) return;
  const std::int64_t size = element_size(type_);
  const auto* memory = static_cast<const char*>(memory_.data());
  const MatrixAt c = matrix_at(p.out, p.out_row_stride, p.out_column_stride, size);
  const MatrixAt a = matrix_at(p.a, p.a_row_stride, p.a_depth_stride, size);
  const MatrixAt start = matrix_at(p.start, p.start_row_stride, p.start_column_stride, size);
  if (provider_ == nullptr) {
    run_packed_product(type_, shape, c, a, memory, start);
    return;
  }
  const MatrixAt b = matrix_at(memory, columns_, 1, size);
  run_offered_product(provider_, type_, shape, c, a, b, start);
}

void multiply_out(const TensorView& out, const TensorView& a, const PackedMatrix& matrix,
                  const TensorView& start) {
  with_operation("multiply_out", [&] { multiply_checked(out, a, matrix, start); });
}

}  // namespace weft::inline v0
