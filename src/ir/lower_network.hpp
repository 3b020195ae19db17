// SPDX-License-Identifier: Apache-2.0
/// @file
/// From a network of layers to a graph of nodes.
#pragma once

#include <weft/graph/graph.hpp>
#include <weft/ir/document.hpp>

#include "ir/constants.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace weft {
inline namespace v0 {
namespace ir {

/// A network as a graph, and which of its parameters and results the layers have become.
struct LoweredNetwork {
  static constexpr int none = -1;

  graph::Graph graph;
  std::vector<int> parameter_of;  ///< by layer
  std::vector<int> result_of;     ///< by layer
};

/// Operations become nodes of the same name with the attributes as text; Parameters and Results
/// come in the network's order. Throws Error that names the layer: an input without an edge, an
/// operation set that is none, and what constants and bodies throw.
LoweredNetwork lower_network(const Network& network, Constants& constants);

/// The node of a TensorIterator, Loop or If, with its bodies lowered.
graph::Node lower_loop(const Layer& layer, std::vector<graph::Value> inputs, Constants& constants);
graph::Node lower_if(const Layer& layer, std::vector<graph::Value> inputs, Constants& constants);

/// The operation set that a layer names: 5 for "opset5"; 0 if it names none. Throws Error(parse).
int opset_of(const Layer& layer);

}  // namespace ir
}  // namespace v0
}  // namespace weft
