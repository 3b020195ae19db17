// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of the division family: out[i] = f(a[i], b[i]), where the quotient is an integer.
#pragma once

#include "kernels/loops/kernel_of.hpp"

namespace weft {
inline namespace v0 {

/// fmod_kernel(type) and so on: the kernel of a function on a type, or null where the function
/// table names no such kind, and for the 16-bit floating types, which compute in f32.
///
/// The kernels for integers divide by 1 where they should divide by 0, and note it: their context
/// is a bool of the call, or null, which they set to true then. The caller puts it into a copy of
/// the kernel, and looks at it after the run. Several threads may set it at once.
WEFT_FOR_EACH_DIVISION(WEFT_DECLARE_KERNEL_OF)

}  // namespace v0
}  // namespace weft
