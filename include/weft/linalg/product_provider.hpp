// SPDX-License-Identifier: Apache-2.0
/// @file
/// Having matrix products computed by somebody else's library.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/scalar_type.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {

/// c[i, j] = sum over k of a[i, k] * b[k, j], plus start[i, j] if there is a start. Strides count
/// elements, may be of any sign, and 0 in a, b and start. `start` may be c itself, with c's
/// strides; nothing else overlaps. All matrices are of one type.
struct MatrixProduct {
  ScalarType type;
  std::int64_t rows, columns, depth;
  const void* a;
  std::int64_t a_row_stride, a_depth_stride;
  const void* b;
  std::int64_t b_depth_stride, b_column_stride;
  void* c;
  std::int64_t c_row_stride, c_column_stride;
  const void* start;
  std::int64_t start_row_stride, start_column_stride;
};

/// A library for matrix products, say a BLAS.
struct ProductProvider {
  const char* name;
  /// Computes the product, on as many threads as num_threads() allows, or returns false and does
  /// nothing: weft's own kernels take it then. Called by many threads at once; may not throw.
  bool (*multiply)(const MatrixProduct& product) noexcept;
};

/// Offers every matrix product from now on to `provider`, which has to live as long as it is set;
/// null (the start value): to nobody. Returns the one before. A matrix that has been packed is
/// offered to the provider that was set when it was packed. What the library promises about
/// roundings holds for its own kernels only.
WEFT_API const ProductProvider* set_product_provider(const ProductProvider* provider) noexcept;
/// The one that is set, or null.
WEFT_API const ProductProvider* product_provider() noexcept;

}  // namespace v0
}  // namespace weft
