// SPDX-License-Identifier: Apache-2.0
/// @file
/// Running softmax and log_softmax along an axis.
#pragma once

#include <weft/core/tensor_view.hpp>
#include <weft/iter/explain.hpp>
#include <weft/kernel/span_kernel.hpp>

#include "base/internal_api.hpp"
#include "kernels/softmax/softmax.hpp"

namespace weft {
inline namespace v0 {

/// `out` has the shape of `in`, and may be it. Lines along the axis, or columns side by side, are
/// shared among threads; each is one thread's work. Throws Error: undefined, shape, cast, axis,
/// overlap.
WEFT_INTERNAL_API void run_softmax(const TensorView& out, const TensorView& in, std::int64_t axis,
                                   const SoftmaxKernel& kernel, const RunOptions& options = {});

/// The plan of run_softmax, the axis squashed, and how it would go about it.
WEFT_INTERNAL_API Explanation explain_softmax(const TensorView& out, const TensorView& in,
                                              std::int64_t axis, const SoftmaxKernel& kernel,
                                              const RunOptions& options = {});

}  // namespace v0
}  // namespace weft
