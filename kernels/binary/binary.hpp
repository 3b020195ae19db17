// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of the binary family: out[i] = f(a[i], b[i]), one element type throughout.
#pragma once

#include <weft/kernel/span_kernel.hpp>
#include <weft/machine/dispatch.hpp>
#include <weft/ops/function_table.hpp>

#include "base/internal_api.hpp"

namespace weft {
inline namespace v0 {

/// The kernel of a function on a type, or null where the function table names no such kind, and for
/// the 16-bit floating types where the one of f32 is to be taken.
WEFT_DECLARE_EXPORTED_KERNEL(WEFT_INTERNAL_API, binary_kernel,
                             const SpanKernel*(BinaryOp op, ScalarType type));

}  // namespace v0
}  // namespace weft
