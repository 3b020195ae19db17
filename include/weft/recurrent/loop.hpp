// SPDX-License-Identifier: Apache-2.0
/// @file
/// Loops as nodes of a graph, and what they report of their runs.
#pragma once

#include <weft/base/export.hpp>
#include <weft/graph/explanation.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/operator_registry.hpp>
#include <weft/recurrent/loop_spec.hpp>
#include <weft/recurrent/port_map.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// standard_operators() with Loop and If: what a graph with loops in it is compiled with.
///
///     graph::Executable program(outer, {.operators = &operators()});
WEFT_API const graph::OperatorRegistry& operators();

/// A node that runs a loop, to be added to a graph (Graph::add_node). Checks the spec, whose name
/// it takes. Throws Error(invalid_argument) as check() does, and Error(limit) for bodies more than
/// 64 deep inside each other.
WEFT_API graph::Node loop_node(LoopSpec spec, std::shared_ptr<const graph::Graph> body,
                               std::vector<graph::Value> inputs);

/// Adds a node that loop_node() or if_node() has made, and gives its index.
///
/// Inputs of a loop that are the same in every trip, and constants of `graph`, become constants of
/// its body: weights can then be packed once. Loops inside likewise; the constants are shared.
///
/// Variables that a body reads and sets (ReadValue, Assign) are read before the node and set behind
/// it, by nodes that are added as well. Each trip of a loop sees what the trip before has set, and
/// the first what the run before has left. A first value that the body computes is computed before
/// the node. Throws Error(invalid_argument) if that depends on a slice or on the number of the
/// trip, and for a variable that one body sets twice, or that one side of an If sets and neither
/// reads.
WEFT_API int add_node(graph::Graph& graph, graph::Node node);

/// Adds the node as add_node() does, and gives the values of its outputs. The body is copied.
WEFT_API std::vector<graph::Value> add_loop(graph::Graph& graph, LoopSpec spec,
                                            const graph::Graph& body,
                                            std::vector<graph::Value> inputs);
WEFT_API std::vector<graph::Value> add_loop(graph::Graph& graph, const PortMap& map,
                                            const graph::Graph& body,
                                            std::vector<graph::Value> inputs);

/// Why a loop had no more trips.
enum class LoopEnd : std::uint8_t {
  not_run,    ///< it has not run yet
  count,      ///< the count was reached
  slices,     ///< there were no more slices
  condition,  ///< the condition was false
  head,       ///< the head was false
  rows,       ///< every row had ended
};

/// What a loop did when it last ran to its end.
struct LoopReport {
  std::string name;
  std::int64_t runs = 0;   ///< so far
  std::int64_t trips = 0;  ///< of the last run
  LoopEnd end = LoopEnd::not_run;
  std::vector<std::string> hoisted;  ///< operations done once, before the first trip
  std::vector<std::string> blocked;  ///< operations done for many trips at a time
  std::int64_t block_trips = 0;      ///< trips in such a block
  /// What became of the operations of every trip: viewed, fused, ... None where shapes change. How
  /// they run is as of when the body was planned for them first.
  std::vector<graph::PlanNote> in_trips;
  int viewed_slices = 0;          ///< iterators whose slices are read where they are
  int staged_slices = 0;          ///< iterators whose slices are packed block by block
  int states = 0;                 ///< carried by exchanging pointers
  int written_in_place = 0;       ///< collected results that the body writes into the output itself
  int written_in_blocks = 0;      ///< those that are copied there, in every trip or block by block
  bool fixed_shapes = true;       ///< else the body is planned anew whenever a shape changes
  std::int64_t bytes_copied = 0;  ///< by the loop in the last run, packing and blocks left out
  std::int64_t bytes_copied_late = 0;  ///< the part of it that fell into the third trip or later
  std::int64_t bytes_held = 0;         ///< buffers of the loop, without those of its body

  /// Some lines for a person.
  WEFT_API std::string to_text() const;
};

/// What the loop of this node did last, in whichever program; copies of a node share it. Throws
/// Error(invalid_argument) if the node is no loop.
WEFT_API LoopReport loop_report(const graph::Node& node);

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
