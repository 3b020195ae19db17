// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of the scaled family: out[i] = f(a[i], b[i], c[i], value).
#pragma once

#include <weft/kernel/span_kernel.hpp>
#include <weft/machine/dispatch.hpp>
#include <weft/ops/function_table.hpp>

namespace weft {
inline namespace v0 {

/// The kernel of a function on a type, or null where the function table names no such kind. Its
/// context is the value, an element of that type, of f32 for the 16-bit floating types, which the
/// caller puts into a copy of the kernel; as it comes it is 1.
WEFT_DECLARE_KERNEL(scaled_kernel, const SpanKernel*(ScaledOp op, ScalarType type));

}  // namespace v0
}  // namespace weft
