// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of the binary family: out[i] = f(a[i], b[i]), one element type throughout.
#pragma once

#include "kernels/loops/kernel_of.hpp"

namespace weft {
inline namespace v0 {

/// add_kernel(type) and so on: the kernel of a function on a type, or null where the function table
/// names no such kind, and for the 16-bit floating types where the one of f32 is to be taken.
WEFT_FOR_EACH_BINARY(WEFT_DECLARE_KERNEL_OF)

}  // namespace v0
}  // namespace weft
