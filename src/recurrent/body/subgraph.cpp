// SPDX-License-Identifier: Apache-2.0
#include "recurrent/body/subgraph.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace recurrent {

using graph::Graph;
using graph::Node;
using graph::NodeKind;
using graph::Value;

Graph cut(const Graph& whole, std::span<const CutInput> inputs, std::span<const Value> outputs) {
  Graph part(whole.name());
  std::vector<Value> parameters;
  for (const CutInput& input : inputs)
    parameters.push_back(part.add_parameter(input.type, input.name));

  std::vector<int> copies(whole.nodes().size(), -1);
  const auto copy_of = [&](Value value) {
    if (!value) return Value{};
    const auto found = std::ranges::find(inputs, value, &CutInput::value);
    if (found != inputs.end()) return parameters[static_cast<std::size_t>(found - inputs.begin())];
    return Value{copies[static_cast<std::size_t>(value.node)], value.output};
  };
  const auto is_cut = [&](Value value) {
    return !value || std::ranges::find(inputs, value, &CutInput::value) != inputs.end();
  };
  // Depth first with a stack of our own, since a graph may be as deep as it likes.
  std::vector<std::pair<int, std::size_t>> path;
  for (const Value output : outputs) {
    if (is_cut(output) || copies[static_cast<std::size_t>(output.node)] >= 0) continue;
    path.emplace_back(output.node, 0);
    while (!path.empty()) {
      const int id = path.back().first;
      const Node& node = whole.node(id);
      if (path.back().second == node.inputs.size()) {
        Node made = node;
        for (Value& input : made.inputs)
          input = copy_of(input);
        if (copies[static_cast<std::size_t>(id)] < 0)
          copies[static_cast<std::size_t>(id)] = part.add_node(std::move(made));
        path.pop_back();
        continue;
      }
      const Value input = node.inputs[path.back().second++];
      if (!is_cut(input) && copies[static_cast<std::size_t>(input.node)] < 0)
        path.emplace_back(input.node, 0);
    }
  }
  for (const Value output : outputs)
    part.add_result(copy_of(output));
  return part;
}

TypedGraph::TypedGraph(const Graph& graph, std::span<const graph::ValueType> parameters,
                       const graph::OperatorRegistry& operators)
    : graph_(graph), order_(graph.topological_order()), types_(graph.nodes().size()) {
  std::vector<CutInput> inputs;
  for (std::size_t i = 0; i < graph_.parameters().size(); ++i) {
    const int id = graph_.parameters()[i];
    Node& node = graph_.node(id);
    node.type = parameters[i];
    types_[static_cast<std::size_t>(id)] = {node.type};
    inputs.push_back({{id, 0}, node.type, node.name});
  }
  std::vector<Value> values;
  for (const int id : order_) {
    const Node& node = graph_.node(id);
    if (node.kind == NodeKind::constant) types_[static_cast<std::size_t>(id)] = {node.type};
    if (node.kind != NodeKind::operation) continue;
    for (int output = 0; output < node.noutputs; ++output)
      values.push_back({id, output});
  }
  const graph::Executable all(cut(graph_, inputs, values), {.operators = &operators});
  for (std::size_t i = 0; i < values.size(); ++i) {
    types_[static_cast<std::size_t>(values[i].node)].push_back(
        all.result_type(static_cast<int>(i)));
  }
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
