// SPDX-License-Identifier: Apache-2.0
/// @file
/// Elements chosen by a mask of bools, or by not being 0. All element types and strides; results do
/// not depend on threads.
#pragma once

#include <weft/base/export.hpp>
#include <weft/ops/argument.hpp>

namespace weft {
inline namespace v0 {

/// `value` where the mask is true, else `a`; both broadcast. The result has the type of `a`, to
/// which the value (a number or a 0-d tensor) is converted. The output may be `a`. Throws Error:
/// shape, dtype (a mask that is not bool), rank (a value with axes), cast (a value of a higher kind
/// than `a`), overlap, undefined.
WEFT_API Tensor masked_fill(const TensorView& a, const TensorView& mask, const Input& value);
WEFT_API void masked_fill_out(const Output& out, const TensorView& a, const TensorView& mask,
                              const Input& value);

/// The elements of `a` where the mask is true, in C order of the shape to which both broadcast,
/// along one axis. Throws Error: shape, dtype, overlap, undefined. Reads the mask twice, and
/// allocates a count for every 32768 elements.
WEFT_API Tensor masked_select(const TensorView& a, const TensorView& mask);
WEFT_API void masked_select_out(const Output& out, const TensorView& a, const TensorView& mask);

/// The positions of the elements that are not 0 (NaN is not), in C order: an i64 tensor with a row
/// for each of them and a column for each axis of `a`. Throws and allocates as masked_select; an
/// output has to be of i64.
WEFT_API Tensor nonzero(const TensorView& a);
WEFT_API void nonzero_out(const Output& out, const TensorView& a);

}  // namespace v0
}  // namespace weft
