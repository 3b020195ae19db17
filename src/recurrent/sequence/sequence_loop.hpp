// SPDX-License-Identifier: Apache-2.0
/// @file
/// One direction of a sequence as a loop with a cell in its body.
#pragma once

#include <weft/graph/graph.hpp>

#include "graph/cells/cell_steps.hpp"

#include <string>
#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// What the loop is made of; values are those of the graph that it is added to.
struct SequenceLoop {
  graph::CellKind kind;
  std::string name;
  graph::Attributes attributes;  ///< of the cell; those of a sequence do
  ScalarType dtype = ScalarType::f32;
  bool backwards = false;   ///< from the last step to the first
  graph::Value x;           ///< [batch, steps, inputs]
  graph::Value h, c;        ///< [batch, units]; c: of an LSTM
  graph::Value w, r, b, p;  ///< as the cell has them; b and p may be left out
  /// bool [steps, batch, 1]: whether a row has a step. A row keeps its state where it has none, and
  /// its output there is 0. Left out: all rows have all steps.
  graph::Value mask;
};

/// Adds the loop; gives the outputs of all steps [batch, steps, units], H after the last of them,
/// and C of an LSTM.
std::vector<graph::Value> add_sequence_loop(graph::Graph& graph, const SequenceLoop& sequence);

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
