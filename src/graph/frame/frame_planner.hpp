// SPDX-License-Identifier: Apache-2.0
/// @file
/// Planning a frame, segment by segment.
#pragma once

#include "graph/frame/frame_geometry.hpp"
#include "graph/frame/frame_memory.hpp"
#include "graph/frame/frame_plan.hpp"
#include "graph/frame/retired_kernels.hpp"
#include "graph/frame/value_uses.hpp"

#include <cstddef>

namespace weft {
inline namespace v0 {
namespace graph {

/// Plans for a geometry. What it refers to is the frame's.
class FramePlanner {
 public:
  FramePlanner(const ValueUses& uses, const FrameGeometry& geometry, FramePlan& plan,
               FrameMemory& memory, StepMemory& step_memory, Variables& variables)
      : uses_(uses),
        geometry_(geometry),
        plan_(plan),
        memory_(memory),
        step_memory_(step_memory),
        variables_(variables),
        kernels_(plan.program.nodes.size()) {}

  /// Gives up what is planned.
  void start();
  /// Plans one segment more, up to the last node or to one whose shapes are not known yet. Throws
  /// what operators throw; then nothing of it stays.
  void plan_segment();
  /// Gives up segment `first` and those behind it.
  void drop_segments(std::size_t first);

 private:
  void plan_nodes(Segment& segment, int index);

  const ValueUses& uses_;
  const FrameGeometry& geometry_;
  FramePlan& plan_;
  FrameMemory& memory_;
  StepMemory& step_memory_;
  Variables& variables_;
  RetiredKernels kernels_;
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
