// SPDX-License-Identifier: Apache-2.0
/// @file
/// If: one of two bodies, by a condition.
#pragma once

#include <weft/base/export.hpp>
#include <weft/graph/graph.hpp>

#include <memory>
#include <string>
#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// One side of an If. Numbers count from 0.
struct Branch {
  std::shared_ptr<const graph::Graph> body;
  std::vector<int> inputs;   ///< by parameter of the body: the input of the If that it is
  std::vector<int> results;  ///< by output of the If: the result of the body that it is
};

/// A node with input 0 the condition (bool, one element) and any number of further inputs, which
/// are numbered with it. Only the side that the condition says runs. Outputs have one element type;
/// where the sides differ in shape, the shape turns up in the run. Throws Error(invalid_argument)
/// that names the If, the side, expected and got, and Error(limit) for bodies more than 64 deep
/// inside each other.
WEFT_API graph::Node if_node(std::string name, Branch then_branch, Branch else_branch,
                             std::vector<graph::Value> inputs);

/// Adds the node as add_node() does and gives the values of its outputs.
WEFT_API std::vector<graph::Value> add_if(graph::Graph& graph, std::string name, Branch then_branch,
                                          Branch else_branch, std::vector<graph::Value> inputs);

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
