// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of the comparison family: out[i] = f(a[i], b[i]) as a bool.
#pragma once

#include "kernels/loops/kernel_of.hpp"

namespace weft {
inline namespace v0 {

/// The kernel of a comparison on a type, or null where the function table names no such kind, and
/// for the 16-bit floating types, which compare as f32.
WEFT_FOR_EACH_COMPARISON(WEFT_DECLARE_KERNEL_OF)

}  // namespace v0
}  // namespace weft
