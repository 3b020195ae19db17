// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of the mathematical functions, by groups as they are compiled. Callers ask
/// unary_kernel and binary_kernel, which know whose an operation is.
#pragma once

#include <weft/kernel/span_kernel.hpp>
#include <weft/machine/dispatch.hpp>
#include <weft/ops/function_table.hpp>

namespace weft {
inline namespace v0 {

/// The kernels of WEFT_FOR_EACH_EXPONENTIAL, and so on; null as those of unary_kernel.
WEFT_DECLARE_KERNEL(exponential_kernel, const SpanKernel*(UnaryOp op, ScalarType type));
WEFT_DECLARE_KERNEL(logarithm_kernel, const SpanKernel*(UnaryOp op, ScalarType type));
WEFT_DECLARE_KERNEL(trigonometric_kernel, const SpanKernel*(UnaryOp op, ScalarType type));
WEFT_DECLARE_KERNEL(hyperbolic_kernel, const SpanKernel*(UnaryOp op, ScalarType type));
WEFT_DECLARE_KERNEL(special_kernel, const SpanKernel*(UnaryOp op, ScalarType type));
WEFT_DECLARE_KERNEL(power_kernel, const SpanKernel*(BinaryOp op, ScalarType type));

}  // namespace v0
}  // namespace weft
