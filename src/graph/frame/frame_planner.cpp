// SPDX-License-Identifier: Apache-2.0
#include "graph/frame/frame_planner.hpp"

#include "graph/frame/arena_layout.hpp"
#include "graph/frame/elementwise_groups.hpp"
#include "graph/frame/node_planner.hpp"
#include "graph/frame/segment_writer.hpp"
#include "graph/frame/value_placer.hpp"

#include <memory>

namespace weft {
inline namespace v0 {
namespace graph {

void FramePlanner::start() {
  for (const auto& segment : plan_.segments)
    kernels_.take(segment->calls);
  plan_.start(geometry_.parameters());
}

void FramePlanner::drop_segments(std::size_t first) {
  for (std::size_t s = first; s < plan_.segments.size(); ++s)
    kernels_.take(plan_.segments[s]->calls);
  plan_.drop_segments(first);
}

void FramePlanner::plan_segment() {
  const std::size_t index = plan_.segments.size();
  plan_.segments.push_back(std::make_unique<Segment>());
  Segment& segment = *plan_.segments.back();
  segment.first_node = plan_.next_node;
  try {
    // Shapes that turned up in the run so far hold for this segment only as long as they stay.
    segment.assumed.add_shapes(plan_.values);
    plan_nodes(segment, static_cast<int>(index));
  } catch (...) {
    drop_segments(index);  // the next run starts here again
    throw;
  }
}

void FramePlanner::plan_nodes(Segment& segment, int index) {
  using Outcome = NodePlanner::Outcome;
  SegmentWriter writer(segment, index, plan_.values);
  ValuePlacer placer(uses_, geometry_, plan_, writer);
  ElementwiseGroups groups(uses_, plan_, writer, placer);
  NodePlanner nodes(plan_, writer, placer, groups, kernels_, variables_);
  const int end = static_cast<int>(plan_.program.nodes.size());
  Outcome outcome = Outcome::planned;
  while (plan_.next_node < end && outcome == Outcome::planned) {
    outcome = nodes.plan(plan_.next_node);
    if (outcome != Outcome::waits) ++plan_.next_node;
  }
  groups.close_all();
  if (outcome == Outcome::planned) {
    placer.place_results();
    plan_.complete = true;
  } else {
    plan_.is_static = false;
  }
  placer.keep_needed();
  lay_out_arena(plan_.values.roots(), index, plan_.program.operators, memory_);
  writer.connect(step_memory_);
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
