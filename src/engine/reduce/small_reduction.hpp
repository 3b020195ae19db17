// SPDX-License-Identifier: Apache-2.0
/// @file
/// Reductions of a few elements.
#pragma once

#include <weft/kernel/reduction_kernel.hpp>

#include "base/internal_api.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// How to reduce a few elements, all of the kernel's own types: too little work to plan for. The
/// blocks are those of the plan.
struct SmallReduction {
  struct Side {
    std::int64_t count;
    int dim;  ///< of the iterator; beyond them for a single element
  };

  bool fits = false;  ///< false if there is more to do than that; the rest is undefined then
  bool by_columns;    ///< kept elements are next to each other in a row of the block
  bool is_packed;     ///< rows of the only input are not dense, and go through a buffer
  Side kept, reduced;
  std::int64_t block;  ///< reduced elements of a block: two of columns at most, one of several
                       ///< rows, any number of a single row

  const Side& row() const noexcept { return by_columns ? kept : reduced; }
  const Side& rows() const noexcept { return by_columns ? reduced : kept; }
};

/// Chooses. `computed`: inputs are, as a whole; of these, and where the caller wants small shares,
/// fewer elements are a small reduction.
SmallReduction choose_small_reduction(const TensorIterator& iter, const ReductionKernel& kernel,
                                      const RunOptions& options, bool computed);
/// Inputs are where the iterator says, or, if they are computed, at these addresses.
void run_small_reduction(const SmallReduction& reduction, const TensorIterator& iter,
                         const ReductionKernel& kernel, char* const* computed = nullptr);

/// If so many elements next to each other become one without an iterator, one or more and not too
/// many: how many of them the kernel takes at a time. Else 0.
WEFT_INTERNAL_API std::int64_t part_of_few_in_row(const ReductionKernel& kernel,
                                                  std::int64_t elements);
/// Reduces them, `part` at a time, as that says.
WEFT_INTERNAL_API void reduce_few_in_row(const ReductionKernel& kernel, char* output, char* input,
                                         std::int64_t elements, std::int64_t part);

}  // namespace v0
}  // namespace weft
