// SPDX-License-Identifier: Apache-2.0
/// @file
/// Copies of the elements of several trips.
#pragma once

#include <weft/core/tensor_view.hpp>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// to = from, of one element type and shape, the axis of trips in front. Few elements that are
/// numbers at a constant distance, each on a line of its own say, are copied with nothing to be
/// planned before.
void copy_stack(const TensorView& to, const TensorView& from);

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
