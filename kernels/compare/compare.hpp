// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of the comparison family: out[i] = a[i] op b[i] as a bool.
#pragma once

#include <weft/kernel/dispatch.hpp>
#include <weft/kernel/span_kernel.hpp>

#include <cstdint>

namespace weft::inline v0 {

enum class CompareOp : std::uint8_t { eq, ne, lt, le, gt, ge };

/// The kernel of a comparison on a type, or null where there is none: order on complex numbers, and
/// the 16-bit floating types, which compare as f32. NaN is unequal to everything and neither less
/// nor greater.
WEFT_DECLARE_KERNEL(compare_kernel, const SpanKernel*(CompareOp op, ScalarType type));

}  // namespace weft::inline v0
