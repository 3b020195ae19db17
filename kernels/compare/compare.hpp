// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of the comparison family: out[i] = f(a[i], b[i]) as a bool.
#pragma once

#include <weft/kernel/span_kernel.hpp>
#include <weft/machine/dispatch.hpp>
#include <weft/ops/function_table.hpp>

#include "base/internal_api.hpp"

namespace weft {
inline namespace v0 {

/// The kernel of a comparison on a type, or null where the function table names no such kind, and
/// for the 16-bit floating types, which compare as f32.
WEFT_DECLARE_EXPORTED_KERNEL(WEFT_INTERNAL_API, compare_kernel,
                             const SpanKernel*(CompareOp op, ScalarType type));

}  // namespace v0
}  // namespace weft
