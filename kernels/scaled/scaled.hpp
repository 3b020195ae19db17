// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of the scaled family: out[i] = f(a[i], b[i], c[i], value).
#pragma once

#include "kernels/loops/kernel_of.hpp"

namespace weft {
inline namespace v0 {

/// addcmul_kernel(type) and so on: the kernel of a function on a type, or null where the function
/// table names no such kind. Its context is the value, an element of that type, of f32 for the
/// 16-bit floating types, which the caller puts into a copy of the kernel; as it comes it is 1.
WEFT_FOR_EACH_SCALED(WEFT_DECLARE_KERNEL_OF)

}  // namespace v0
}  // namespace weft
