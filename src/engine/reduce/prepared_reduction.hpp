// SPDX-License-Identifier: Apache-2.0
/// @file
/// Reductions that are planned once and run at any address.
#pragma once

#include "engine/reduce/computed_input.hpp"
#include "engine/reduce/reduce_plan.hpp"
#include "engine/reduce/small_reduction.hpp"

#include <optional>

namespace weft {
inline namespace v0 {

/// What is found out about the geometry of a reduction, for runs at any addresses. It is right for
/// any number of threads, and quickest for as many as there were when it was made.
class WEFT_INTERNAL_API PreparedReduction {
 public:
  /// `computed`: of inputs the iterator has types, shape and strides, as of dense tensors of one
  /// shape, and no memory. What would be there is computed, by `rows` if these can. Throws as
  /// run_reduction.
  PreparedReduction(const TensorIterator& iter, const ReductionKernel& kernel,
                    const RunOptions& options, const ComputedRows* computed = nullptr,
                    const ReductionKernel* rows = nullptr);

  /// Runs for an iterator of that geometry and those kernels. Inputs in no memory are computed by
  /// the last two, and the result is what run_reduction gives of those: a block takes at most 256
  /// KiB of a thread's scratch memory, rows that `rows` computes take none. Throws what `compute`
  /// throws.
  void run(const TensorIterator& iter, const ReductionKernel& kernel,
           const ComputeBlock* compute = nullptr, const ComputingKernel* rows = nullptr) const;

 private:
  SmallReduction small_;
  std::optional<ReducePlan> plan_;
  bool by_rows_ = false;
};

}  // namespace v0
}  // namespace weft
