// SPDX-License-Identifier: Apache-2.0
#include "graph/frame/retired_kernels.hpp"

#include <utility>

namespace weft {
inline namespace v0 {
namespace graph {

void prepare_kernel(std::unique_ptr<Kernel>& kernel, const Operator& op,
                    const PrepareContext& context) {
  if (kernel != nullptr && kernel->adapt(context)) return;
  // The old kernel lives until there is a new one: what it has packed can be shared.
  std::unique_ptr<Kernel> made = op.prepare(context);
  kernel = std::move(made);
}

void RetiredKernels::take(const CallList& calls) noexcept {
  for (const auto& step : calls.steps()) {
    if (step->node >= 0) by_node_[static_cast<std::size_t>(step->node)] = std::move(step->kernel);
  }
}

std::unique_ptr<Kernel> RetiredKernels::prepare(int node, const Operator& op,
                                                const PrepareContext& context) {
  std::unique_ptr<Kernel> kernel = std::move(by_node_[static_cast<std::size_t>(node)]);
  prepare_kernel(kernel, op, context);
  return kernel;
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
