// SPDX-License-Identifier: Apache-2.0
/// @file
/// From how many elements on a second thread pays.
#pragma once

#include <weft/iter/tensor_iterator.hpp>
#include <weft/kernel/span_kernel.hpp>

#include "base/internal_api.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// Least elements for a thread, where one takes `ns` nanoseconds: as many as are worth it, and
/// Tuning::min_thread_elements.
WEFT_INTERNAL_API std::int64_t least_elements_a_thread(double ns);
/// The same by estimated time: `cost` as in SpanKernel, `bytes` of all operands' elements
/// at one place, of which `staged` go through buffers.
WEFT_INTERNAL_API std::int64_t least_elements_a_thread(float cost, std::int64_t bytes, int staged);

/// The same of an iteration, unless the options say how many; of a serial call, more than any has.
std::int64_t estimate_grain(const TensorIterator& iter, float cost, const RunOptions& options,
                            int staged);

}  // namespace v0
}  // namespace weft
