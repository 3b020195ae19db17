// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a frame has planned.
#pragma once

#include "graph/compile/program.hpp"
#include "graph/frame/segment.hpp"
#include "graph/frame/value_table.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

/// Where values are, and the segments that compute them.
struct FramePlan {
  explicit FramePlan(const Program& of) : program(of), values(of) {}

  /// Nothing is planned yet: there are only parameters and constants.
  void start(std::span<const TensorView> parameters);
  /// Forgets segment `first` and those behind it.
  void drop_segments(std::size_t first);

  /// Result i, in its place if it is a copy. Not before start().
  const ValueState& result(int i) const;
  /// Tells kernels that what is at a root stays the same until it is told again.
  void hold(int root);
  /// `view`: of the root's elements, in rows. True if all that reads or writes them is calls that
  /// take those rows as they are.
  bool can_step_rows(int root, const TensorView& view) const;
  void step_rows(int root, std::int64_t bytes) noexcept;

  /// How a node is planned, if it can be planned again by itself.
  struct PlannedAs {
    bool is_view = false;
    FrameStep* step = nullptr;  ///< of a kernel that reads its inputs where they are
  };

  const Program& program;
  ValueTable values;
  std::vector<std::unique_ptr<Segment>> segments;
  std::vector<PlannedAs> planned_as;       ///< by node
  std::vector<ValueState> copied_results;  ///< by result: external ones that are copies
  int next_node = 0;                       ///< that is not planned yet
  bool complete = false;                   ///< all nodes and results are planned
  bool is_static = true;                   ///< all shapes were known before a run
  bool stepped = false;                    ///< rows have another stride than planned
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
