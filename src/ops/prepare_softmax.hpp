// SPDX-License-Identifier: Apache-2.0
/// @file
/// The kernel of softmax on a tensor.
#pragma once

#include "base/internal_api.hpp"
#include "engine/axis/run_softmax.hpp"

namespace weft {
inline namespace v0 {

/// The kernel that loses nothing before a result becomes an element of `out`, which may be
/// undefined. Throws Error(undefined), and Error(dtype) for complex types.
WEFT_INTERNAL_API const SoftmaxKernel& softmax_kernel_for(SoftmaxOp op, const TensorView& a,
                                                          const TensorView& out);

/// The type of a new result.
ScalarType softmax_result_type(ScalarType type) noexcept;

}  // namespace v0
}  // namespace weft
