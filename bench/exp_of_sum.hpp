// SPDX-License-Identifier: Apache-2.0
/// @file
/// A formula of two functions as a user's kernel: what a graph of both is measured against.
#pragma once

#include <weft/iter/tensor_iterator.hpp>
#include <weft/machine/dispatch.hpp>

namespace bench {

/// output 0 = exp(input 0 + input 1), in f32.
WEFT_DECLARE_KERNEL(exp_of_sum, void(const weft::TensorIterator& iter));

}  // namespace bench
