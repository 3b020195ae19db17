// SPDX-License-Identifier: Apache-2.0
/// @file
/// Variables that the bodies of loops and choices read and set.
#pragma once

#include <weft/graph/graph.hpp>

#include <string>
#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// An output of a node that is the next value of a variable.
struct AssignedOutput {
  graph::Node assign;  ///< as it stood in the body, without its input
  int output;
};

/// Takes the variables out of the bodies of a node that is to be added to `outer`, where their
/// values are read (ReadValue) and become inputs of the node; what its bodies set (Assign) become
/// outputs behind those that it has, listed in `assigned`. Between the trips of a loop a variable
/// is a state: every trip sees what the trip before has set. Nodes without such bodies stay as they
/// are.
///
/// A first value that is computed in a body is computed outside, once. Throws
/// Error(invalid_argument) if it depends on slices or on the number of the trip, for a variable
/// that one body sets twice, and for one that only one side of an If sets and that nothing there
/// reads.
graph::Node with_variables_outside(graph::Node node, graph::Graph& outer,
                                   std::vector<AssignedOutput>& assigned);

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
