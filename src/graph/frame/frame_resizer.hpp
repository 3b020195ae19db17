// SPDX-License-Identifier: Apache-2.0
/// @file
/// Planning a frame again for parameters of other extents.
#pragma once

#include "graph/frame/frame_geometry.hpp"
#include "graph/frame/frame_memory.hpp"
#include "graph/frame/frame_plan.hpp"
#include "graph/frame/value_uses.hpp"

#include <span>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

/// Where only kernels and views are concerned, everything else of the plan stays. What it refers to
/// is the frame's.
class FrameResizer {
 public:
  FrameResizer(const ValueUses& uses, FrameGeometry& geometry, FramePlan& plan, FrameMemory& memory,
               Variables& variables)
      : uses_(uses),
        geometry_(geometry),
        plan_(plan),
        values_(plan.values),
        memory_(memory),
        variables_(variables) {}

  /// Puts geometry and plan right for these parameters, binds them, and returns true; or returns
  /// false, and it has to be planned anew. Allocates nothing as long as kernels do not.
  bool resize(std::span<const TensorView> parameters);

 private:
  bool take_parameters(std::span<const TensorView> parameters);
  bool resize_node(int index);
  bool resize_view(const ProgramNode& node);
  bool resize_kernel(int index, const ProgramNode& node, FrameStep& step);
  bool infer_shapes(const ProgramNode& node);
  bool set_shapes(const ProgramNode& node);
  void prepare_again(const ProgramNode& node, FrameStep& step);
  bool may_change(int value) const;
  bool is_changed(int value) const { return changed_[static_cast<std::size_t>(value)] != 0; }
  void set_changed(int value) { changed_[static_cast<std::size_t>(value)] = 1; }

  const ValueUses& uses_;
  FrameGeometry& geometry_;
  FramePlan& plan_;
  ValueTable& values_;
  FrameMemory& memory_;
  Variables& variables_;
  bool moved_ = false;         // outputs have other sizes
  std::vector<char> changed_;  // by value
  // Of the node at hand.
  std::vector<const TensorView*> inputs_;
  std::vector<DimVector> shapes_;  // of outputs
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
