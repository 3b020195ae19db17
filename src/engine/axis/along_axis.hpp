// SPDX-License-Identifier: Apache-2.0
/// @file
/// What operations along one axis check, and their iterator.
#pragma once

#include <weft/iter/config.hpp>

#include "base/internal_api.hpp"

namespace weft {
inline namespace v0 {

/// The columns, out over in, that are left when an axis is squashed, for an operation along it from
/// in_type to out_type. Throws Error: undefined, shape, cast, axis, overlap.
WEFT_INTERNAL_API TensorIterator plan_along_axis(const TensorView& out, const TensorView& in,
                                                 std::int64_t axis, ScalarType out_type,
                                                 ScalarType in_type);

}  // namespace v0
}  // namespace weft
