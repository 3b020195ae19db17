// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a frame is made of.
#pragma once

#include <weft/graph/executable.hpp>

#include "graph/compile/program.hpp"
#include "graph/frame/dynamic_outputs.hpp"
#include "graph/frame/frame_geometry.hpp"
#include "graph/frame/frame_memory.hpp"
#include "graph/frame/frame_plan.hpp"
#include "graph/frame/frame_planner.hpp"
#include "graph/frame/frame_resizer.hpp"
#include "graph/frame/value_uses.hpp"

#include <span>
#include <string_view>

namespace weft {
inline namespace v0 {
namespace graph {

/// A plan, what makes and changes it, and whether it can run.
class Frame::Impl {
 public:
  explicit Impl(Executable executable);

  void plan(std::span<const TensorView> parameters, std::span<const ResultPlace> places);
  void run();
  void bind(int root, const void* origin) noexcept {
    all_bound_ = all_bound_ && origin != nullptr;
    plan_.values.root(root).bind(const_cast<void*>(origin));
  }
  void hold(int root) { plan_.hold(root); }
  bool can_step_parameter(int i) const;
  bool can_step_result(int i) const;
  void step_rows(int root, std::int64_t bytes) noexcept { plan_.step_rows(root, bytes); }

  // Throw Error(invalid_argument): if nothing is planned, which `what` needs, and if there is no
  // parameter or result of that number, or the result is not external. They return the number,
  // and the root of a parameter and of an external result.
  void check_planned(std::string_view what) const;
  int planned_parameter(int i, std::string_view what) const;
  int planned_result(int i, std::string_view what) const;
  int planned_external(int i, std::string_view what) const;

  TensorView result(int i) const;
  void* result_data(int i) const;
  int result_parameter(int i) const;
  int same_result(int i) const;

  const Executable& executable() const noexcept { return executable_; }
  const Program& program() const noexcept { return program_; }
  bool is_static() const noexcept { return plan_.is_static; }
  FrameExplanation explain() const;

  FrameCounters counters;
  Variables variables;

 private:
  void plan_segment();
  /// Throws Error(undefined) naming a parameter or external result that is read or written, and at
  /// null.
  void check_bound();

  Executable executable_;
  const Program& program_;
  ValueUses uses_;
  FrameGeometry geometry_;
  FrameMemory memory_;
  FramePlan plan_;
  DynamicOutputs dynamic_outputs_;
  FramePlanner planner_;
  FrameResizer resizer_;
  bool planned_ = false;
  /// No pointer that a run needs is null. Looked at in the first run after a plan, or after a null
  /// was bound.
  bool all_bound_ = false;
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
