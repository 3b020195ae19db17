// SPDX-License-Identifier: Apache-2.0
/// @file
/// A chain as a node that is ready to run.
#pragma once

#include <weft/graph/operator.hpp>

#include "expr/prepared_chain.hpp"

#include <memory>
#include <span>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

class ChainKernel final : public Kernel {
 public:
  ChainKernel(const Chain& chain, std::span<const TensorView> outputs,
              std::span<const TensorView> inputs)
      : chain_(chain, outputs, inputs) {}

  PreparedChain& chain() noexcept { return chain_; }

  void run(const KernelArguments& arguments) override {
    chain_.run(arguments.outputs, arguments.inputs);
  }
  std::vector<Explanation::Run> explain() const override { return {chain_.explain()}; }

 private:
  PreparedChain chain_;
};

/// Prepares a chain. Outputs are of one shape, to which inputs broadcast; any strides.
inline std::unique_ptr<ChainKernel> prepare_chain(const Chain& chain,
                                                  std::span<const TensorView> outputs,
                                                  std::span<const TensorView> inputs) {
  return std::make_unique<ChainKernel>(chain, outputs, inputs);
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
