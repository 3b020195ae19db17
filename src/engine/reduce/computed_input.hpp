// SPDX-License-Identifier: Apache-2.0
/// @file
/// Reductions of what is in no memory: it is computed block by block, as it is reduced.
#pragma once

#include <weft/base/function_ref.hpp>
#include <weft/kernel/reduction_kernel.hpp>

#include "base/internal_api.hpp"

#include <cstdint>
#include <span>

namespace weft {
inline namespace v0 {

/// Inputs of a reduction that are in no memory. Along a dim of the iterator so many elements are
/// computed as one row; 0 says nothing. A block that has whole rows takes least time.
struct ComputedRows {
  DimVector elements;  ///< by dim
};

/// A block of a reduction's inputs: which elements of the iteration space, and where they go.
struct ComputedBlock {
  const std::int64_t* begin;    ///< by dim of the iterator
  const std::int64_t* extents;  ///< the same
  const std::int64_t* strides;  ///< the same, in elements, of each input's memory
  char* const* to;              ///< by input
};
/// Computes a block. Several threads may ask at a time.
using ComputeBlock = FunctionRef<void(const ComputedBlock&)>;

/// A kernel that computes rows from operands in memory as it reduces them, along dim 0 of the
/// iterator, or their columns: what it makes of them is what the kernel of the reduction makes of
/// them when they are computed, and all that it does with accumulators is the same. It has loops
/// for spans, for columns (not by blocks), or for both.
struct ComputingKernel {
  const ReductionKernel& kernel;       ///< its inputs are the operands
  std::span<const DimVector> strides;  ///< of each operand, by dim of the iterator, in bytes
  char* const* data;                   ///< of each operand: its element (0, 0, ...)
};

/// How PreparedReduction goes about such inputs.
WEFT_INTERNAL_API Explanation explain_computed_reduction(const TensorIterator& iter,
                                                         const ReductionKernel& kernel,
                                                         const ComputedRows& computed,
                                                         const RunOptions& options = {},
                                                         const ReductionKernel* rows = nullptr);

}  // namespace v0
}  // namespace weft
