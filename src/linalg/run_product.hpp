// SPDX-License-Identifier: Apache-2.0
/// @file
/// Matrix products by address: from any layout and type to blocks of the product kernels.
#pragma once

#include <weft/core/scalar_type.hpp>
#include <weft/linalg/product_provider.hpp>

#include "kernels/product/product.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// A matrix by address; steps in bytes.
struct MatrixAt {
  char* data = nullptr;
  std::int64_t row_step = 0, column_step = 0;

  char* row(std::int64_t i) const { return data == nullptr ? nullptr : data + i * row_step; }
  char* column(std::int64_t j) const { return data == nullptr ? nullptr : data + j * column_step; }
  MatrixAt from_column(std::int64_t j) const { return {column(j), row_step, column_step}; }
  MatrixAt transposed() const { return {data, column_step, row_step}; }
};

struct ProductShape {
  std::int64_t rows, columns, depth;
};

/// How many lines of so many multiplications are worth a thread.
std::int64_t product_grain(double multiplications) noexcept;

/// The type in which products of `type` are added up, f32 for the 16-bit floating types.
ScalarType product_type(ScalarType type) noexcept;

/// Bytes of [depth, columns] in panels. Throws Error(overflow).
std::int64_t panels_bytes(ScalarType type, std::int64_t depth, std::int64_t columns);
/// Lays out b[depth, columns] in panels of product_type(type): panel after panel, each [depth,
/// panel_columns], filled up with zeros.
void pack_panels(ScalarType type, char* panels, const MatrixAt& b, std::int64_t depth,
                 std::int64_t columns);

/// c = start + a · panels, for the floating types. `start` may have null data.
void run_packed_product(ScalarType type, const ProductShape& shape, const MatrixAt& c,
                        const MatrixAt& a, const char* panels, const MatrixAt& start);
/// c = start + a · b for any type; only the floating ones may have a `start` with data.
void run_product(ScalarType type, const ProductShape& shape, const MatrixAt& c, const MatrixAt& a,
                 const MatrixAt& b, const MatrixAt& start = {});

/// c = start + a · b: offered to the provider, then by weft's own kernels. `start` may have null
/// data.
void run_offered_product(const ProductProvider* provider, ScalarType type,
                         const ProductShape& shape, const MatrixAt& c, const MatrixAt& a,
                         const MatrixAt& b, const MatrixAt& start);

}  // namespace v0
}  // namespace weft
