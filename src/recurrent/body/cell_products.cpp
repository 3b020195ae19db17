// SPDX-License-Identifier: Apache-2.0
#include "recurrent/body/cell_products.hpp"

#include "graph/cells/expand_cell.hpp"

#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

using graph::Graph;
using graph::Node;
using graph::Value;

namespace {

/// Nodes that depend on one of these parameters.
std::vector<bool> depending_on(const Graph& body, const std::vector<int>& order,
                               const std::vector<int>& parameters) {
  std::vector<bool> depends(body.nodes().size(), false);
  for (const int parameter : parameters)
    depends[static_cast<std::size_t>(body.parameters()[static_cast<std::size_t>(parameter)])] =
        true;
  for (const int id : order) {
    for (const Value input : body.node(id).inputs) {
      if (input && depends[static_cast<std::size_t>(input.node)])
        depends[static_cast<std::size_t>(id)] = true;
    }
  }
  return depends;
}

}  // namespace

int separate_input_products(Graph& body, const LoopSpec& spec) {
  std::vector<int> slices, others = spec.indexes;
  for (const LoopIterator& iterator : spec.iterators)
    slices.push_back(iterator.parameter);
  for (const LoopState& state : spec.states)
    others.push_back(state.parameter);
  const std::vector<int> order = body.topological_order();
  const std::vector<bool> sliced = depending_on(body, order, slices);
  const std::vector<bool> carried = depending_on(body, order, others);
  int cut = 0;
  for (const int id : order) {
    const Node& node = body.node(id);
    if (node.inputs.empty() || !node.inputs[0]) continue;
    const auto x = static_cast<std::size_t>(node.inputs[0].node);
    if (sliced[x] && !carried[x] && graph::expand_cell(body, id)) ++cut;
  }
  return cut;
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
