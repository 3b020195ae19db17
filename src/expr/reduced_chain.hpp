// SPDX-License-Identifier: Apache-2.0
/// @file
/// A chain that is computed in registers as its result is reduced.
#pragma once

#include "expr/fused_steps.hpp"
#include "kernels/fused/fused.hpp"
#include "ops/kept_reduction.hpp"

#include <memory>
#include <span>
#include <vector>

namespace weft {
inline namespace v0 {

/// A chain that is one fused program and a reduction of it, or the sum of what a mask selects of an
/// input. Only a few rows of it are in memory at a time. Its kernel reduces spans or columns.
class ReducedChain {
 public:
  /// Null if it cannot be that. `strides` are those of the chain's inputs, by axis of `shape` and
  /// in bytes; `call` is the reduction of a dense tensor of that shape.
  static std::unique_ptr<ReducedChain> make(const Chain& chain, IntSpan shape,
                                            std::span<const DimVector> strides,
                                            const ReduceCall& call);
  ReducedChain(const ReducedChain&) = delete;
  ReducedChain& operator=(const ReducedChain&) = delete;

  /// Inputs of the chain are at these addresses. `compute` is for what the kernel does not reduce.
  void run(KeptReduction& reduction, const ComputeBlock& compute, const void* const* inputs) const;
  const ReductionKernel& kernel() const noexcept { return kernel_; }

 private:
  /// What make() is given.
  struct ChainInputs {
    const Chain& chain;
    IntSpan shape;
    std::span<const DimVector> strides;
    const TensorIterator& iter;
  };
  ReducedChain() = default;
  // The two ways. False if it cannot be done so; what is set then is set anew by the other.
  bool select(const ChainInputs& inputs, const ReductionKernel& kernel);
  bool compute(const ChainInputs& inputs, const ReductionKernel& kernel);
  /// Takes terms of the chain for operands.
  bool set_operands(const ChainInputs& inputs, const std::vector<int>& terms);

  FusedReduction fused_;  // of what a mask selects, its LoopsInMemory counts
  ReductionKernel kernel_;
  std::vector<FusedInput> operands_;
  std::vector<DimVector> strides_;  // of operands, by dim of the iterator
};

}  // namespace v0
}  // namespace weft
