// SPDX-License-Identifier: Apache-2.0
/// @file
/// The demonstration's kernel.
#pragma once

#include <weft/iter/tensor_iterator.hpp>
#include <weft/kernel/span_kernel.hpp>
#include <weft/machine/dispatch.hpp>

namespace weft::cli {

/// output 0 = (input 0 - input 1) * input 2, in f32 whatever the types in memory: input 0 is the
/// picture, 1 the mean and 2 the reciprocal of the standard deviation. Shapes, strides, threads and
/// conversion are the iterator's business.
WEFT_DECLARE_KERNEL(normalize, void(const TensorIterator& iter));

/// The same as a SpanKernel, for explain_run().
WEFT_DECLARE_KERNEL(normalize_spans, SpanKernel());

}  // namespace weft::cli
