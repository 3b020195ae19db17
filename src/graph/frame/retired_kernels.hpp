// SPDX-License-Identifier: Apache-2.0
/// @file
/// Kernels that another plan may adapt.
#pragma once

#include <weft/graph/operator.hpp>

#include "graph/frame/call_list.hpp"

#include <memory>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

/// Makes `kernel` one for this context: as it is, adapted, or another one.
void prepare_kernel(std::unique_ptr<Kernel>& kernel, const Operator& op,
                    const PrepareContext& context);

/// Kernels of plans that are given up, by node. There is room for all from the start, so that
/// giving up a plan cannot fail half-way.
class RetiredKernels {
 public:
  explicit RetiredKernels(std::size_t nodes) : by_node_(nodes) {}

  /// Takes the kernels of calls that are not to be run any more.
  void take(const CallList& calls) noexcept;
  /// A kernel for a node, made of the one that there is if it can be.
  std::unique_ptr<Kernel> prepare(int node, const Operator& op, const PrepareContext& context);

 private:
  std::vector<std::unique_ptr<Kernel>> by_node_;
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
