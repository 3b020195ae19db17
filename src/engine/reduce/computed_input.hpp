// SPDX-License-Identifier: Apache-2.0
/// @file
/// Reductions of what is in no memory: it is computed block by block, as it is reduced.
#pragma once

#include <weft/base/function_ref.hpp>
#include <weft/kernel/reduction_kernel.hpp>

#include "base/internal_api.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// A block of a reduction's inputs: which elements of the iteration space, and where they go.
struct ComputedBlock {
  const std::int64_t* begin;    ///< by dim of the iterator
  const std::int64_t* extents;  ///< the same
  const std::int64_t* strides;  ///< the same, in elements, of each input's memory
  char* const* to;              ///< by input
};
/// Computes a block. Several threads may ask at a time.
using ComputeBlock = FunctionRef<void(const ComputedBlock&)>;

/// run_reduction of inputs of which the iterator has types, shape and strides, as of dense tensors
/// of one shape, and no memory: what would be there is computed. The result is what run_reduction
/// gives of those. A block takes at most 256 KiB of a thread's scratch memory. Throws as
/// run_reduction, and what `compute` throws.
WEFT_INTERNAL_API void run_computed_reduction(const TensorIterator& iter,
                                              const ReductionKernel& kernel, ComputeBlock compute,
                                              const RunOptions& options = {});

/// How it would do that.
WEFT_INTERNAL_API Explanation explain_computed_reduction(const TensorIterator& iter,
                                                         const ReductionKernel& kernel,
                                                         const RunOptions& options = {});

}  // namespace v0
}  // namespace weft
