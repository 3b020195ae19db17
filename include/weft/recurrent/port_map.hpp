// SPDX-License-Identifier: Apache-2.0
/// @file
/// Loops in OpenVINO's terms: a body, a port map, back edges; for Loop also a trip count, an
/// execution condition and the current iteration.
#pragma once

#include <weft/base/export.hpp>
#include <weft/graph/graph.hpp>
#include <weft/recurrent/loop_spec.hpp>
#include <weft/recurrent/port_range.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// Connects an input of the layer with a Parameter of the body. With an axis the Parameter sees one
/// slice in each iteration; with a back edge to it, the input's value (or first slice) in the first
/// iteration only; else the same value always.
struct PortMapInput {
  int input = 0;                          ///< of the layer, from 0
  int parameter = 0;                      ///< of the body, from 0
  std::optional<std::int64_t> axis = {};  ///< negative: from the end
  PortRange range =
      {};  ///< along the axis. Part size left out: the Parameter's declared extent there,
           ///< or else |stride|
};

/// Connects a Result of the body with an output of the layer. With an axis the output is what all
/// iterations gave, joined along it, the last iteration first if the stride is negative; else what
/// the last iteration gave.
struct PortMapOutput {
  int output = 0;  ///< of the layer, from 0
  int result = 0;  ///< of the body, from 0
  std::optional<std::int64_t> axis = {};
  PortRange range = {};
  /// Extent of the output along the axis, if it is declared. Read only where nothing else says how
  /// many iterations there are.
  std::optional<std::int64_t> extent = {};
};

/// A Result that is the value of a Parameter in the next iteration.
struct BackEdge {
  int result = 0;
  int parameter = 0;
};

/// A TensorIterator-1 or Loop-5. One input may feed any number of Parameters, one Result any number
/// of outputs and back edges.
///
///     PortMap map;                                   // running sum over axis 1
///     map.inputs = {{.input = 0, .parameter = 0, .axis = 1}, {.input = 1, .parameter = 1}};
///     map.back_edges = {{.result = 0, .parameter = 1}};
///     map.outputs = {{.output = 0, .result = 0, .axis = 1}};
///     const std::vector<graph::Value> sums = add_loop(outer, map, body, {x, zero});
struct PortMap {
  enum class Kind : std::uint8_t { tensor_iterator, loop };

  Kind kind = Kind::tensor_iterator;
  std::string name;  ///< for messages
  std::vector<PortMapInput> inputs;
  std::vector<PortMapOutput> outputs;
  std::vector<BackEdge> back_edges;

  // Of a Loop, whose first two inputs are the trip count (any negative value: no limit) and the
  // execution condition, which decides on the first iteration. Slices do not limit a Loop: it is an
  // error if it asks for one that does not exist.

  std::optional<int> current_iteration = {};  ///< Parameter that sees the number of the iteration
  std::optional<int> condition = {};  ///< Result that decides on the next iteration; required
};

/// The loop that a port map describes. A TensorIterator has as many iterations as its inputs have
/// slices; without sliced inputs as many as the slices of a joined output whose extent is declared;
/// else one. Throws Error(invalid_argument) that names the loop, the entry (as "port map input 2"),
/// its attribute, expected and got, and what slices_of() throws for a range.
WEFT_API LoopSpec to_loop(const PortMap& map, const graph::Graph& body, int ninputs);

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
