// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of the family of prefix operations.
#pragma once

#include <weft/kernel/cumulative_kernel.hpp>
#include <weft/kernel/dispatch.hpp>

namespace weft::inline v0 {

/// Prefix sum over elements of a type, or null where there is none: i64, f32, f64, c64 and c128
/// have one. Floating types accumulate in f64, complex ones in c128.
WEFT_DECLARE_KERNEL(cumsum_kernel, const CumulativeKernel*(ScalarType type));

}  // namespace weft::inline v0
