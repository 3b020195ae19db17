// SPDX-License-Identifier: Apache-2.0
/// @file
/// Asking beforehand whether a prefix operation can run. Private to the compiled part.
#pragma once

#include <weft/kernel/cumulative_kernel.hpp>

namespace weft::inline v0 {

/// Throws what run_cumulative would, and does nothing else.
void check_cumulative(const TensorView& out, const TensorView& in, std::int64_t axis,
                      const CumulativeKernel& kernel);

}  // namespace weft::inline v0
