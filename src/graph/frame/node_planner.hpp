// SPDX-License-Identifier: Apache-2.0
/// @file
/// Planning nodes one by one.
#pragma once

#include "graph/frame/elementwise_groups.hpp"
#include "graph/frame/frame_plan.hpp"
#include "graph/frame/node_operands.hpp"
#include "graph/frame/retired_kernels.hpp"
#include "graph/frame/segment_writer.hpp"
#include "graph/frame/value_placer.hpp"

#include <cstdint>
#include <span>

namespace weft {
inline namespace v0 {
namespace graph {

/// What becomes of a node: a constant, a view, part of a group, or a kernel.
class NodePlanner {
 public:
  NodePlanner(FramePlan& plan, SegmentWriter& writer, ValuePlacer& placer,
              ElementwiseGroups& groups, RetiredKernels& kernels, Variables& variables)
      : plan_(plan),
        program_(plan.program),
        values_(plan.values),
        writer_(writer),
        placer_(placer),
        groups_(groups),
        kernels_(kernels),
        variables_(variables) {}

  enum class Outcome : std::uint8_t {
    planned,
    ends_segment,  ///< planned, and its shapes turn up in the run
    waits,         ///< nothing is done: its shapes depend on values of this segment
  };
  Outcome plan(int index);

 private:
  Outcome plan_known(int index, const ProgramNode& node, const NodeInference& now);
  bool assume_values(const ProgramNode& node, const NodeInference& now);
  bool fold(const ProgramNode& node, std::span<const ValueType> outputs);
  [[gnu::cold]] bool plan_reduced_chain(int index, const ProgramNode& node,
                                        const ValueType& output);
  bool plan_view(const ProgramNode& node, std::span<const ValueType> outputs);
  void plan_kernel(int index, const ProgramNode& node, std::span<const ValueType> outputs);
  void note(PlanNote::Kind kind, int index) { writer_.segment().notes.add(kind, {&index, 1}); }
  FramePlan::PlannedAs& planned_as(int index) {
    return plan_.planned_as[static_cast<std::size_t>(index)];
  }

  FramePlan& plan_;
  const Program& program_;
  ValueTable& values_;
  SegmentWriter& writer_;
  ValuePlacer& placer_;
  ElementwiseGroups& groups_;
  RetiredKernels& kernels_;
  Variables& variables_;
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
