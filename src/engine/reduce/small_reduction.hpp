// SPDX-License-Identifier: Apache-2.0
/// @file
/// Reductions of a few elements.
#pragma once

#include <weft/kernel/reduction_kernel.hpp>

namespace weft {
inline namespace v0 {

/// A few elements of one input into one output, both of the kernel's own types: too little work to plan
/// for. The same blocks as those of the plan, of which there is one for each output. False, with
/// nothing done, if there is more to do than that.
bool reduce_few(const TensorIterator& iter, const ReductionKernel& kernel);

/// The same of two or more elements next to each other, which become one, without an iterator.
bool reduce_few_in_row(const ReductionKernel& kernel, char* output, char* input,
                       std::int64_t elements);

}  // namespace v0
}  // namespace weft
