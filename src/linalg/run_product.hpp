// SPDX-License-Identifier: Apache-2.0
/// @file
/// Matrix products by address: from any layout and type to blocks of the product kernels.
#pragma once

#include <weft/core/scalar_type.hpp>
#include <weft/linalg/product_provider.hpp>

#include "base/internal_api.hpp"
#include "kernels/product/product.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// The type in which products of `type` are added up, f32 for the 16-bit floating types.
WEFT_INTERNAL_API ScalarType product_type(ScalarType type) noexcept;
/// Nanoseconds that a product takes on one thread, about: its multiplications, and fetching b.
double product_time_ns(const ProductAt& product) noexcept;
/// Columns of a panel, for the floating types.
std::int64_t panel_columns(ScalarType type) noexcept;

/// Bytes of [depth, columns] in panels. Throws Error(overflow).
std::int64_t panels_bytes(ScalarType type, std::int64_t depth, std::int64_t columns);
/// Lays out b[depth, columns] in panels of product_type(type): panel after panel, each [depth,
/// panel_columns], filled up with zeros.
void pack_panels(ScalarType type, char* panels, const MatrixAt& b, std::int64_t depth,
                 std::int64_t columns);

/// The panels that pack_panels() has made of a matrix of that many rows, as the b of a product.
MatrixAt packed_panels(ScalarType type, char* panels, std::int64_t depth) noexcept;

/// Computes a product of a floating type whose b is in panels, or lies like panels.
void run_panel_product(const ProductAt& product, const ProductKernel& kernel);
/// Computes a product of any type: by the provider, if there is one and it takes it, else by weft's
/// own kernels. Only one of a floating type may have a start.
void run_product(const ProductAt& product, const ProductProvider* provider);

}  // namespace v0
}  // namespace weft
