// SPDX-License-Identifier: Apache-2.0
/// @file
/// Reductions of a few elements.
#pragma once

#include <weft/kernel/reduction_kernel.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {

/// How to reduce a few elements of one input into one output, both of the kernel's own types: too
/// little work to plan for. The blocks are those of the plan.
struct SmallReduction {
  bool fits = false;  ///< false if there is more to do than that; the rest is undefined then
  bool by_columns;    ///< kept elements are next to each other in a row of the block
  bool is_packed;     ///< rows do not lie so, and go through a buffer
  std::int64_t kept, reduced;       ///< elements
  std::int64_t inner, inner_bytes;  ///< elements of a row, and bytes from one to the next
  std::int64_t outer, outer_bytes;  ///< rows, and bytes from one to the next
};

SmallReduction choose_small_reduction(const TensorIterator& iter, const ReductionKernel& kernel);
/// Reduced elements of a block; there are two blocks at most.
std::int64_t block_of(const SmallReduction& reduction);
void run_small_reduction(const SmallReduction& reduction, const TensorIterator& iter,
                         const ReductionKernel& kernel);

/// Whether so many elements next to each other become one without an iterator: two or more, and not
/// too many.
bool are_few_in_row(const ReductionKernel& kernel, std::int64_t elements);
/// Reduces them. Precondition: are_few_in_row().
void reduce_few_in_row(const ReductionKernel& kernel, char* output, char* input,
                       std::int64_t elements);

}  // namespace v0
}  // namespace weft
