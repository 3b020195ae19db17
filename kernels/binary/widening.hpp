// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of binary arithmetic whose inputs are of narrower types than the result.
#pragma once

#include <weft/kernel/span_kernel.hpp>
#include <weft/machine/dispatch.hpp>
#include <weft/ops/function_table.hpp>

namespace weft {
inline namespace v0 {

/// What a widening kernel's context is: the types of its two inputs in memory.
struct WideningInputs {
  ScalarType types[2];
};

/// out[i] = f(T(a[i]), T(b[i])) where the inputs are of types that convert to T, `type`, in a few
/// instructions: then they are converted in registers, which a buffer would cost more than. Null
/// for other functions and types. The caller sets the context, WideningInputs, and with it types[1]
/// and types[2].
WEFT_DECLARE_KERNEL(widening_kernel,
                    const SpanKernel*(BinaryOp op, ScalarType type, WideningInputs inputs));

}  // namespace v0
}  // namespace weft
