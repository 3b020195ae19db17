// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/core/tensor.hpp>
#include <weft/iter/overlap.hpp>
#include <weft/linalg/packed_matrix.hpp>

#include "base/operation.hpp"
#include "core/compiled_types.hpp"
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
    check_compiled(matrix.dtype());
    rows_ = matrix.extent(0);
    columns_ = matrix.extent(1);
    type_ = matrix.dtype();
    provider_ = product_provider();
    if (provider_ != nullptr) {
      memory_ = Tensor::copy_of(matrix);
      return;
    }
    memory_ = Tensor::empty({panels_bytes(type_, rows_, columns_)}, ScalarType::u8);
    const std::int64_t size = element_size(type_);
    const MatrixAt from{static_cast<char*>(matrix.data()), matrix.stride(0) * size,
                        matrix.stride(1) * size};
    pack_panels(type_, static_cast<char*>(memory_.data()), from, rows_, columns_);
  });
}

void PackedMatrix::multiply(std::int64_t rows, const MatrixAt& out, const MatrixAt& a,
                            const MatrixAt& start) const {
  if (rows == 0 || columns_ == 0) return;
  auto* memory = static_cast<char*>(memory_.data());
  if (provider_ == nullptr) {
    run_panel_product(
        {type_, rows, columns_, rows_, out, a, packed_panels(type_, memory, rows_), start},
        *product_kernel(product_type(type_)));
  } else {
    const std::int64_t size = element_size(type_);
    run_product({type_, rows, columns_, rows_, out, a, {memory, columns_ * size, size}, start},
                provider_);
  }
}

void multiply_out(const TensorView& out, const TensorView& a, const PackedMatrix& matrix,
                  const TensorView& start) {
  with_operation("multiply_out", [&] {
    check_operands(out, a, matrix, start);
    const TensorView seen = start_for(out, start);
    PreparedProduct(out, a, matrix, seen).run(out.data(), a.data(), nullptr, seen.data());
  });
}

}  // namespace v0
}  // namespace weft
