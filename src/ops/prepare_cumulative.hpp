// SPDX-License-Identifier: Apache-2.0
/// @file
/// The kernel of a prefix operation on a tensor. Private to the compiled part.
#pragma once

#include <weft/core/tensor_view.hpp>
#include <weft/kernel/cumulative_kernel.hpp>

namespace weft::inline v0 {

/// The kernel that loses nothing before a sum becomes an element of `out`, which may be undefined.
/// Throws Error(undefined).
const CumulativeKernel& cumsum_kernel_for(const TensorView& a, const TensorView& out);

}  // namespace weft::inline v0
