// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of the binary arithmetic family: out[i] = a[i] op b[i], one element type throughout.
#pragma once

#include <weft/kernel/dispatch.hpp>
#include <weft/kernel/span_kernel.hpp>

#include <cstdint>

namespace weft::inline v0 {

enum class BinaryOp : std::uint8_t { add, sub, mul, div };

/// The kernel of an operation on a type, or null where there is none: sub on bool, div on integers
/// and bool. f16 and bf16 compute in f32 and round once.
WEFT_DECLARE_KERNEL(binary_kernel, const SpanKernel*(BinaryOp op, ScalarType type));

}  // namespace weft::inline v0
