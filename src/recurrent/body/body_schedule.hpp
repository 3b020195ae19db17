// SPDX-License-Identifier: Apache-2.0
/// @file
/// How often each operation of a loop's body has to run.
#pragma once

#include "recurrent/body/loop_body.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// How often a node has to run; later ones include what earlier ones depend on.
enum class When : std::uint8_t { never, once, block, trip };

/// What of a body is needed, and when. All but the arguments are kept; these have to outlive it.
class BodySchedule {
 public:
  BodySchedule(const LoopSpec& spec, const TypedGraph& typed,
               const graph::OperatorRegistry& operators, bool has_condition,
               const HoistOptions& options);

  When when(int node) const { return when_[static_cast<std::size_t>(node)]; }
  /// Whether something that is needed depends on a node.
  bool is_reached(int node) const { return reached_[static_cast<std::size_t>(node)]; }
  /// By result: whether an output, a condition or a state that is live needs it.
  const std::vector<bool>& live_results() const noexcept { return live_; }
  /// By state: whether an output or a condition depends on it.
  const std::vector<bool>& live_states() const noexcept { return state_is_live_; }
  /// What feeds a node that is a parameter; nothing: nothing does.
  const std::optional<Source>& source_of(int node) const {
    return source_of_[static_cast<std::size_t>(node)];
  }
  /// The value whose elements another one shows, maybe in another shape.
  graph::Value elements_of(graph::Value value) const;
  /// By node: whether one of the values depends on it.
  std::vector<bool> reach(const std::vector<graph::Value>& from) const;

 private:
  When& when(int node) { return when_[static_cast<std::size_t>(node)]; }
  const graph::Node& node_of(graph::Value value) const { return graph_.node(value.node); }
  void name_parameters();
  void find_live_results(bool has_condition);
  void find_when();
  std::vector<bool> is_batched(const graph::Node& node) const;
  void plan_blocks();

  const LoopSpec& spec_;
  const TypedGraph& typed_;
  const graph::Graph& graph_;
  const graph::OperatorRegistry& operators_;
  HoistOptions options_;
  std::vector<std::optional<Source>> source_of_;  // of nodes that are parameters
  std::vector<bool> live_;                        // by result
  std::vector<bool> state_is_live_;
  std::vector<bool> reached_;  // by node
  std::vector<When> when_;     // by node
};

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
