// SPDX-License-Identifier: Apache-2.0
/// @file
/// Parts of graphs as graphs of their own.
#pragma once

#include <weft/graph/executable.hpp>
#include <weft/graph/graph.hpp>

#include <span>
#include <string>
#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// A value at which a graph is cut: it becomes a parameter of the part.
struct CutInput {
  graph::Value value;
  graph::ValueType type;
  std::string name;
};

/// The part of `graph` that lies between `inputs` and `outputs`: what the outputs depend on, up to
/// the inputs, which become its parameters in this order; the outputs become its results. Constants
/// are shared. Every parameter of `graph` that the outputs depend on has to be cut off by the
/// inputs.
graph::Graph cut(const graph::Graph& graph, std::span<const CutInput> inputs,
                 std::span<const graph::Value> outputs);

/// `graph` with other types of its parameters, and the types of all its values that follow from
/// them.
class TypedGraph {
 public:
  TypedGraph(const graph::Graph& graph, std::span<const graph::ValueType> parameters,
             const graph::OperatorRegistry& operators);

  const graph::Graph& graph() const noexcept { return graph_; }
  /// Nodes that results depend on, inputs before users.
  const std::vector<int>& order() const noexcept { return order_; }
  const graph::ValueType& type(graph::Value value) const {
    return types_[static_cast<std::size_t>(value.node)][static_cast<std::size_t>(value.output)];
  }
  const graph::ValueType& result_type(int i) const {
    return type(graph_.results()[static_cast<std::size_t>(i)].value);
  }

 private:
  graph::Graph graph_;
  std::vector<int> order_;
  std::vector<std::vector<graph::ValueType>> types_;  // by node and output
};

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
