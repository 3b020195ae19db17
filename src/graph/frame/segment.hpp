// SPDX-License-Identifier: Apache-2.0
/// @file
/// A part of a frame's plan.
#pragma once

#include "graph/frame/call_list.hpp"
#include "graph/frame/plan_notes.hpp"
#include "graph/frame/value_table.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

/// What turned up in a run and a segment was planned with.
struct Assumptions {
  std::vector<std::pair<int, Tensor>> values;  ///< on which shapes depend
  std::vector<std::pair<int, DimVector>> shapes;

  /// Notes all shapes that have turned up so far.
  void add_shapes(const ValueTable& table);
  /// True if all is as it was.
  bool hold(const ValueTable& table) const;
};

/// Steps whose geometry is known before the first of them runs.
struct Segment {
  int first_node = 0;
  CallList calls;
  std::int64_t bytes_copied = 0;  ///< in each run
  PlanNotes notes;
  Assumptions assumed;
  std::vector<Tensor> kept;  ///< constants made for it
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
