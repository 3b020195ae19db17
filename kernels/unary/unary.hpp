// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of the unary family: out[i] = f(a[i]).
#pragma once

#include <weft/kernel/dispatch.hpp>
#include <weft/kernel/span_kernel.hpp>

#include <cstdint>

namespace weft::inline v0 {

enum class UnaryOp : std::uint8_t { neg, abs, sqrt, exp };

/// The kernel of a function on a type, or null where there is none: neg and abs on bool, sqrt and
/// exp on integers and bool, and the 16-bit floating types, which compute in f32. abs of a complex
/// type gives its real type.
WEFT_DECLARE_KERNEL(unary_kernel, const SpanKernel*(UnaryOp op, ScalarType type));

}  // namespace weft::inline v0
