// SPDX-License-Identifier: Apache-2.0
/// @file
/// Triangles of matrices, and the identity. Matrices are the last two axes; those in front count
/// them.
///
/// Diagonal k is that of the elements at (i, i + k): 0 is the main one, 1 the one above it; any
/// number is taken. An output is allocated if it is an undefined Tensor, and replaced if it is one
/// of another shape. Nothing else is allocated up to rank 8 but scratch memory, which is kept.
/// Throw Error before anything is written: shape, cast, overflow, overlap, undefined, and as each
/// of them says.
#pragma once

#include <weft/base/export.hpp>
#include <weft/ops/argument.hpp>

#include <cstdint>
#include <optional>

namespace weft {
inline namespace v0 {

/// The elements on and below diagonal k, zeros above. Any element type and strides. The result has
/// the type of `a`; an output may have any that this converts to without losing its kind, and may
/// be `a` itself, but may share memory with it in no other way. Throws Error(rank) for fewer than
/// two axes.
WEFT_API Tensor tril(const TensorView& a, std::int64_t k = 0);
WEFT_API void tril_out(const Output& out, const TensorView& a, std::int64_t k = 0);

/// The same with the elements on and above diagonal k, and zeros below.
WEFT_API Tensor triu(const TensorView& a, std::int64_t k = 0);
WEFT_API void triu_out(const Output& out, const TensorView& a, std::int64_t k = 0);

/// A matrix of ones on diagonal k and zeros elsewhere, with as many columns as rows if not said.
/// Throws Error(shape) for numbers below 0.
WEFT_API Tensor eye(std::int64_t rows, std::optional<std::int64_t> columns = std::nullopt,
                    std::int64_t k = 0, ScalarType type = ScalarType::f32);
WEFT_API void eye_out(const Output& out, std::int64_t rows,
                      std::optional<std::int64_t> columns = std::nullopt, std::int64_t k = 0);

}  // namespace v0
}  // namespace weft
