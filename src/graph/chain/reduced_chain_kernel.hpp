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
      : chain_(std::move(chain), shape, inputs), reduction_(std::move(reduction)), out_(out) {
    chain_.prepare(prepare(out_));
  }

  void run(const KernelArguments& arguments) override {
    chain_.reduce(prepare(rebound(out_, arguments.outputs[0])), arguments.inputs, false);
  }
  std::vector<Explanation::Run> explain() const override { return {chain_.explain(prepare(out_))}; }

 private:
  ReduceCall prepare(const TensorView& out) const {
    const Output output = out;
    return prepare_computed(reduction_.function, {&output, 1}, chain_.output(), reduction_.axes,
                            {.keepdim = reduction_.keepdim});
  }

  ComputedChain chain_;
  NodeReduction reduction_;
  TensorView out_;
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
