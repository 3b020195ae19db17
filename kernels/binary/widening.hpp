// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of binary arithmetic whose inputs are of narrower types than the result.
#pragma once

#include <weft/kernel/span_kernel.hpp>
#include <weft/machine/dispatch.hpp>
#include <weft/ops/function_table.hpp>

namespace weft {
inline namespace v0 {

/// The functions that have such kernels.
#define WEFT_FOR_EACH_WIDENING(F) F(add) F(sub) F(mul) F(div)

/// What a widening kernel's context is: the types of its two inputs in memory.
struct WideningInputs {
  ScalarType types[2];
};

using WideningKernelOf = const SpanKernel*(ScalarType type, WideningInputs inputs);

/// add_widening_kernel(type, inputs) and so on:
/// out[i] = f(T(a[i]), T(b[i])) where the inputs are of types that convert to T, `type`, in a few
/// instructions: then they are converted in registers, which a buffer would cost more than. Null
/// for other types. The caller sets the context, WideningInputs, and with it types[1]
/// and types[2].
#define WEFT_DECLARE_WIDENING(NAME) WEFT_DECLARE_KERNEL(NAME##_widening_kernel, WideningKernelOf);
WEFT_FOR_EACH_WIDENING(WEFT_DECLARE_WIDENING)
#undef WEFT_DECLARE_WIDENING

}  // namespace v0
}  // namespace weft
