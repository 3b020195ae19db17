// SPDX-License-Identifier: Apache-2.0
/// @file
/// A matrix that many products share, laid out once as the product kernels read it.
///
///     const PackedMatrix w(weights.transpose(0, 1));   // [I, H] from [H, I]: any strides will do
///     multiply_out(out, x, w);                         // out[N, H] = x[N, I] · w
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/tensor.hpp>
#include <weft/linalg/product_provider.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {

struct MatrixAt;

/// A matrix [rows, columns] as the right side of products. Copies share the memory, which is never
/// written again; any number of threads may use it.
class WEFT_API PackedMatrix {
 public:
  PackedMatrix() = default;
  /// Packs a matrix of rank 2, of f16, bf16, f32 or f64, with any strides. Allocates rows * columns
  /// elements (f32 where the type is a 16-bit one), columns rounded up to a panel. Throws Error:
  /// rank, dtype, undefined, overflow.
  explicit PackedMatrix(const TensorView& matrix);

  std::int64_t rows() const noexcept { return rows_; }
  std::int64_t columns() const noexcept { return columns_; }
  ScalarType dtype() const noexcept { return type_; }
  /// Memory held, in bytes.
  std::int64_t bytes() const noexcept { return memory_.nbytes(); }

  /// out[rows, columns()] = start + a · matrix by address, for the library's own loops: nothing is
  /// checked, and nothing allocated but scratch memory, which is kept. `start` may have null
  /// data.
  void multiply(std::int64_t rows, const MatrixAt& out, const MatrixAt& a,
                const MatrixAt& start) const;

 private:
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  ScalarType type_ = ScalarType::f32;
  const ProductProvider* provider_ = nullptr;
  Tensor memory_;  // panels; with a provider a dense row-major copy
};

/// out[..., columns] = a[..., rows] · matrix, plus `start` where defined: a tensor that broadcasts
/// along the leading axes, such as a bias [columns], or `out` itself. All of matrix.dtype(), any
/// strides. Each element is ((start + r0) + r1) + ..., r0, r1, ... being the sums of 256 products
/// each in order, whatever the layouts, threads and level (at baseline with two roundings a step).
/// Split among threads by columns or rows where there is enough to do. Throws Error: shape, dtype,
/// overlap (out with a, or partly with start), undefined.
WEFT_API void multiply_out(const TensorView& out, const TensorView& a, const PackedMatrix& matrix,
                           const TensorView& start = TensorView());

}  // namespace v0
}  // namespace weft
