// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of the unary family: out[i] = f(a[i]).
#pragma once

#include "kernels/loops/kernel_of.hpp"

namespace weft {
inline namespace v0 {

/// exp_kernel(type) and so on: the kernel of a function on a type, or null where the function table
/// names no such kind, and for the 16-bit floating types where the one of f32 is to be taken.
WEFT_FOR_EACH_UNARY(WEFT_DECLARE_KERNEL_OF)

}  // namespace v0
}  // namespace weft
