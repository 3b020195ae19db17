// SPDX-License-Identifier: Apache-2.0
/// @file
/// Calls of a few elements without an iterator.
#pragma once

#include <weft/kernel/span_kernel.hpp>

#include "base/internal_api.hpp"

#include <span>

namespace weft {
inline namespace v0 {

/// Runs a kernel over a few elements that lie anyhow, where making an iterator would take most of
/// the time: all operands are defined and of the kernel's own types (or numbers that become them),
/// the inputs broadcast to the output's shape, and the output is writable, shares no memory with
/// itself, and is an input or overlaps none. False, with nothing done, if it is not that simple.
WEFT_INTERNAL_API bool run_small(const SpanKernel& kernel, const TensorView& out,
                                 std::span<const TensorView* const> inputs);

/// The same for a copy of elements of one type.
WEFT_INTERNAL_API bool copy_small(const TensorView& to, const TensorView& from);

}  // namespace v0
}  // namespace weft
