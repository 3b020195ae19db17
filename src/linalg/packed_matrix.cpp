// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/core/tensor.hpp>
#include <weft/iter/overlap.hpp>
#include <weft/linalg/packed_matrix.hpp>

#include "base/operation.hpp"
#include "linalg/prepared_product.hpp"

namespace weft {
inline namespace v0 {
namespace {

void check_operands(const TensorView& out, const TensorView& a, const PackedMatrix& matrix,
                    const TensorView& start) {
  const auto check = [&](const TensorView& view, const char* operand) {
    if (!view.defined()) fail(ErrorCode::undefined, text(operand, ": undefined tensor"));
    if (view.dtype() != matrix.dtype()) {
      fail(ErrorCode::dtype, text(operand, ": expected the matrix's ", name(matrix.dtype()),
                                  ", got ", name(view.dtype())));
    }
  };
  if (matrix.columns() > 0 && matrix.rows() > 0 && matrix.bytes() == 0)
    fail(ErrorCode::undefined, "input 1: the matrix was moved from");
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
  PreparedProduct(out, a, matrix, start).run(out.data(), a.data(), nullptr, start.data());
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
      const MatrixAt from{static_cast<char*>(matrix.data()), matrix.strides()[0] * size,
                          matrix.strides()[1] * size};
      pack_panels(matrix.dtype(), static_cast<char*>(memory.data()), from, rows, columns);
    }
    rows_ = rows;
    columns_ = columns;
    type_ = matrix.dtype();
    provider_ = provider;
    memory_ = std::move(memory);
  });
}

void PackedMatrix::multiply(std::int64_t rows, const MatrixAt& out, const MatrixAt& a,
                            const MatrixAt& start) const {
  const ProductShape shape{rows, columns_, rows_};
  if (rows == 0 || columns_ == 0) return;
  auto* memory = static_cast<char*>(memory_.data());
  if (provider_ == nullptr) {
    run_packed_product(type_, shape, out, a, memory, start);
    return;
  }
  const std::int64_t size = element_size(type_);
  run_offered_product(provider_, type_, shape, out, a, {memory, columns_ * size, size}, start);
}

void multiply_out(const TensorView& out, const TensorView& a, const PackedMatrix& matrix,
                  const TensorView& start) {
  with_operation("multiply_out", [&] { multiply_checked(out, a, matrix, start); });
}

}  // namespace v0
}  // namespace weft
