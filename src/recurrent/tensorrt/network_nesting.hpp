// SPDX-License-Identifier: Apache-2.0
/// @file
/// Which loops of a flat network each value is inside of.
#pragma once

#include <weft/base/error.hpp>
#include <weft/recurrent/network.hpp>

#include "base/text.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// The loops of a network, and what is inside of them: a value is inside the loops whose iterators
/// and recurrences it depends on, but for those that it leaves through a loop output.
class NetworkNesting {
 public:
  /// Throws Error(invalid_argument) for loops that each use values of the other's inside, and for a
  /// loop with outputs that breaks one of the rules of network.hpp. The network has to outlive
  /// this.
  explicit NetworkNesting(const Network& network);

  using Boundary = Network::Boundary;
  using Layer = Network::Layer;
  using Loop = Network::Loop;

  const graph::Graph& flat() const noexcept { return flat_; }
  const Loop& loop(int i) const { return network_.loops_[static_cast<std::size_t>(i)]; }
  /// What stands at a node, or null.
  const Boundary* boundary(int node) const {
    return static_cast<std::size_t>(node) < network_.boundaries_.size() ? network_.boundary(node)
                                                                        : nullptr;
  }
  /// Loops that a value is inside of.
  const std::set<int>& members(graph::Value value) const {
    return members_[static_cast<std::size_t>(value.node)];
  }
  /// The innermost of them; -1: none. Throws Error(invalid_argument) if they are not inside each
  /// other.
  int home(graph::Value value) const;
  /// How many loops a loop is inside of.
  std::size_t depth(int loop) const { return inside_[static_cast<std::size_t>(loop)].size(); }

  template <class... Args>
  [[noreturn]] void refuse(int at, const Args&... args) const {
    fail(ErrorCode::invalid_argument, text("loop '", loop(at).name, "': ", args...));
  }

 private:
  std::optional<Layer> layer(int node) const {
    const Boundary* at = boundary(node);
    return at != nullptr ? std::optional(at->layer) : std::nullopt;
  }
  bool is_inside(int inner, int outer) const {
    return inside_[static_cast<std::size_t>(inner)].contains(outer);
  }
  void find_nesting();
  void find_members();
  void check_clean() const;
  void check_outside(int loop, graph::Value value, const char* what) const;
  void check_loop(int loop) const;
  void check_boundary(int loop, int node, bool counted) const;
  void check_condition(int loop, graph::Value value) const;

  const Network& network_;
  const graph::Graph& flat_;
  std::vector<std::set<int>> members_;  // by node
  std::vector<std::set<int>> inside_;   // by loop: those around it
};

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
