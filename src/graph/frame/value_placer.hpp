// SPDX-License-Identifier: Apache-2.0
/// @file
/// Where values are put that a segment computes.
#pragma once

#include "graph/frame/frame_geometry.hpp"
#include "graph/frame/frame_plan.hpp"
#include "graph/frame/segment_writer.hpp"
#include "graph/frame/value_uses.hpp"

namespace weft {
inline namespace v0 {
namespace graph {

/// Puts values into the arena, or to where results are wanted.
class ValuePlacer {
 public:
  ValuePlacer(const ValueUses& uses, const FrameGeometry& geometry, FramePlan& plan,
              SegmentWriter& writer)
      : uses_(uses), geometry_(geometry), plan_(plan), values_(plan.values), writer_(writer) {}

  /// Memory for a value that the next call computes; the strides are those of its external place if
  /// the kernel takes them, which is that of output number `output` of `node`, or of a chain.
  ValueState& place_output(int value, const ValueType& type, const ProgramNode* node, int output);
  /// A row-major copy of a value, made in the segment.
  ValueState dense_copy(const ValueState& from, int for_node);
  /// After the last node. Results that are to be somewhere: their memory is put there, or a copy is
  /// made.
  void place_results();
  /// What later segments read, and results, stay.
  void keep_needed();

 private:
  TensorView named_place(int result, ScalarType dtype, IntSpan shape);
  int add_arena_root(int value, const TensorView& view);
  bool move_result(const ValueState& at, int result);

  const ValueUses& uses_;
  const FrameGeometry& geometry_;
  FramePlan& plan_;
  ValueTable& values_;
  SegmentWriter& writer_;
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
