// SPDX-License-Identifier: Apache-2.0
/// @file
/// A chain and the reduction behind it as a node that is ready to run.
#pragma once

#include <weft/graph/operator.hpp>

#include "expr/computed_chain.hpp"
#include "graph/operators/checks.hpp"
#include "graph/operators/reducing_operator.hpp"
#include "ops/prepare_reduce.hpp"

#include <span>
#include <utility>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

/// Reduces what a chain computes, block by block, to what the reduction is of the chain's output.
class ReducedChainKernel final : public Kernel {
 public:
  /// `out` is where the result is planned; inputs broadcast to `shape`.
  ReducedChainKernel(Chain chain, IntSpan shape, std::span<const TensorView> inputs,
                     NodeReduction reduction, const TensorView& out)
      : chain_(std::move(chain), shape, inputs),
        reduction_(chain_.prepare(call(reduction, out), false)) {}

  void run(const KernelArguments& arguments) override {
    reduction_->bind(0, arguments.outputs[0]);
    chain_.reduce(*reduction_, arguments.inputs);
  }
  std::vector<Explanation::Run> explain() const override {
    return {chain_.explain(reduction_->call())};
  }

 private:
  ReduceCall call(const NodeReduction& reduction, const TensorView& out) const {
    const Output output = out;
    return prepare_computed(reduction.function, {&output, 1}, chain_.output(), reduction.axes,
                            {.keepdim = reduction.keepdim});
  }

  ComputedChain chain_;
  std::unique_ptr<KeptReduction> reduction_;
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
