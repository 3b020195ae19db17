// SPDX-License-Identifier: Apache-2.0
/// @file
/// The kernel of a prefix operation on a tensor.
#pragma once

#include <weft/core/tensor_view.hpp>

#include "base/internal_api.hpp"
#include "kernels/cumulative/cumulative.hpp"

namespace weft {
inline namespace v0 {

/// "cumsum"; "cummax" of both its results.
const char* name(CumulativeOp op);

/// The kernel that loses nothing before a result becomes an element of `out`, which may be
/// undefined. Throws Error(undefined), and Error(dtype) for types on which the operation is not
/// defined.
WEFT_INTERNAL_API const CumulativeKernel& cumulative_kernel_for(CumulativeOp op,
                                                                const TensorView& a,
                                                                const TensorView& out);

/// The type of a new result.
ScalarType cumulative_result_type(CumulativeOp op, ScalarType type) noexcept;

}  // namespace v0
}  // namespace weft
