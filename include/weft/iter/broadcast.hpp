// SPDX-License-Identifier: Apache-2.0
/// @file
/// Stage "byte strides": one operand seen under the common shape.
#pragma once

#include <weft/base/export.hpp>
#include <weft/iter/geometry.hpp>

namespace weft {
inline namespace v0 {

/// Writes operand `operand`'s byte strides for every axis of geometry.shape. Axes are aligned at
/// the last; a missing leading axis, and an axis of extent 1 under a larger extent, get 0.
/// Precondition: shape.size() == strides.size() <= ndim, and the products fit (they do for the
/// geometry of a TensorView).
/// @post for every index i of the common shape, sum(i[d] * stride(d, operand)) is the byte offset
/// of the element that
///       broadcasting assigns to i.
WEFT_API void broadcast_strides(Geometry& geometry, int operand, IntSpan shape, IntSpan strides,
                                std::int64_t element_bytes);

}  // namespace v0
}  // namespace weft
