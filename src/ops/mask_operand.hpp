// SPDX-License-Identifier: Apache-2.0
/// @file
/// The mask of an operation.
#pragma once

#include <weft/core/tensor_view.hpp>

namespace weft {
inline namespace v0 {

/// A mask, input 1, seen under the shape of input 0. Throws Error: undefined, dtype (not bool),
/// shape (it does not broadcast to that).
TensorView mask_under(IntSpan shape, const TensorView& mask);

}  // namespace v0
}  // namespace weft
