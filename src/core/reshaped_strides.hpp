// SPDX-License-Identifier: Apache-2.0
/// @file
/// The same elements in another shape.
#pragma once

#include <weft/core/tensor_view.hpp>

#include "base/internal_api.hpp"

#include <optional>

namespace weft {
inline namespace v0 {

/// Strides in which a view's elements have another shape of as many, both being row-major; nothing
/// if there are none. Neighbouring axes of the view that are one walk through memory may be divided
/// anew.
WEFT_INTERNAL_API std::optional<DimVector> reshaped_strides(const TensorView& view, IntSpan shape);

}  // namespace v0
}  // namespace weft
