// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of the reduction family.
#pragma once

#include <weft/kernel/dispatch.hpp>
#include <weft/kernel/reduction_kernel.hpp>

#include <cstdint>

namespace weft::inline v0 {

enum class ReduceOp : std::uint8_t { sum, amax, argmax };

/// The kernel of a reduction over elements of a type, or null where there is none: sum on types
/// narrower than the accumulator (bool and integers below i64: i64; f16, bf16: f32), amax and
/// argmax on complex, f16 and bf16 (f32). Results have the same type, those of argmax i64.
WEFT_DECLARE_KERNEL(reduce_kernel, const ReductionKernel*(ReduceOp op, ScalarType type));

}  // namespace weft::inline v0
