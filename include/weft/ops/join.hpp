// SPDX-License-Identifier: Apache-2.0
/// @file
/// Several tensors made one.
///
/// Inputs may be of any element types and strides. The result has their common type, by the rules
/// of promotion (core/promotion.hpp); an output may have any type that this converts to without
/// losing its kind, and inputs are converted to it at once. It is allocated if it is an undefined
/// Tensor, and replaced if it is one of another shape. It may share memory with an input that
/// already stands in its place there, which is left as it is, and with no other. Beside the result
/// nothing is allocated for up to four inputs of rank 8 but scratch memory, which is kept. Throw
/// Error before anything is written: invalid_argument (no inputs), rank, shape, axis, cast,
/// overflow, overlap, undefined.
#pragma once

#include <weft/base/export.hpp>
#include <weft/ops/inputs.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {

/// The inputs one after the other along an axis they all have. Their extents along the others are
/// equal.
WEFT_API Tensor concat(const Inputs& inputs, std::int64_t axis = 0);
WEFT_API void concat_out(const Output& out, const Inputs& inputs, std::int64_t axis = 0);

/// The inputs, all of one shape, as the slices of a new axis, which is `axis` of the result:
/// stack({a, b}).select(0, 1) is b. Numbers are tensors of no axes: stack({1, 2}) is a vector.
WEFT_API Tensor stack(const Inputs& inputs, std::int64_t axis = 0);
WEFT_API void stack_out(const Output& out, const Inputs& inputs, std::int64_t axis = 0);

}  // namespace v0
}  // namespace weft
