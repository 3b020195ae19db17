// SPDX-License-Identifier: Apache-2.0
/// @file
/// Matrix products of whole tensors, prepared once for a geometry and run at any address.
#pragma once

#include <weft/core/tensor_view.hpp>
#include <weft/iter/geometry.hpp>
#include <weft/linalg/packed_matrix.hpp>

#include "base/internal_api.hpp"
#include "linalg/run_product.hpp"

#include <array>
#include <cstdint>

namespace weft {
inline namespace v0 {

/// c[..., M, N] = start + a[..., M, K] · b[..., K, N], the leading axes broadcast to those of c.
/// Checks nothing. Leading axes become rows of one product where the right factor stands still
/// along them; a loop goes over the others.
class WEFT_INTERNAL_API PreparedProduct {
 public:
  /// For any type; without a start.
  PreparedProduct(const TensorView& c, const TensorView& a, const TensorView& b)
      : PreparedProduct(c, a, b, nullptr, TensorView()) {}
  /// c[..., N] = start + a[..., K] · matrix. `start`, if defined, broadcasts to c. Refers to the
  /// matrix.
  PreparedProduct(const TensorView& c, const TensorView& a, const PackedMatrix& matrix,
                  const TensorView& start)
      : PreparedProduct(c, a, TensorView(), &matrix,
                        start.defined() ? start.expand(c.shape()) : start) {}

  /// Addresses of the elements (0, 0, ...); null where there is no such operand.
  void run(void* c, const void* a, const void* b, const void* start) const;

 private:
  /// The operands in their fixed order.
  enum Operand : std::uint8_t { result, left, right, initial };
  using Addresses = std::array<char*, 4>;

  PreparedProduct(const TensorView& c, const TensorView& a, const TensorView& b,
                  const PackedMatrix* packed, const TensorView& start);
  /// One product of the batch.
  void run_one(std::int64_t i, Addresses data) const;

  ProductAt product_{};  // without addresses
  const PackedMatrix* packed_;
  Geometry batch_;  // the axes that are no rows
};

/// Throws Error(overlap) if the result of a product meets an operand; `operand` names it.
void check_product_overlap(const TensorView& c, const TensorView& other, const char* operand);
/// Throws Error(overlap) if elements of the result meet, Error(invalid_argument) if it is
/// read-only.
void check_product_output(const TensorView& c);

}  // namespace v0
}  // namespace weft
