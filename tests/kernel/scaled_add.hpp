// SPDX-License-Identifier: Apache-2.0
/// @file
/// A user's kernel file, as weft_add_kernels builds it.
#pragma once

#include <weft/iter/tensor_iterator.hpp>
#include <weft/machine/dispatch.hpp>

namespace test {

/// out = a * scale + b, for f32 or f64 by the output's type.
WEFT_DECLARE_KERNEL(scaled_add, void(const weft::TensorIterator& iter, double scale));
/// Sum of squares of f32 in f64.
WEFT_DECLARE_KERNEL(sum_of_squares, void(const weft::TensorIterator& iter));
/// Which level this is.
WEFT_DECLARE_KERNEL(compiled_level, weft::Level());

}  // namespace test
