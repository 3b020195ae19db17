// SPDX-License-Identifier: Apache-2.0
/// @file
/// The stages of a loop, planned.
#pragma once

#include "recurrent/operator/loop_call.hpp"
#include "recurrent/static/source_views.hpp"
#include "recurrent/static/static_plan.hpp"

#include <optional>
#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// Plans the stages that run once, in every trip, and at its head, for the geometry that there is.
class StageFrames {
 public:
  StageFrames(const LoopGeometry& geometry, LoopRuntime& runtime, StaticPlan& plan,
              const SourceViews& views)
      : geometry_(geometry), runtime_(runtime), plan_(plan), views_(views) {}

  void plan();
  /// Makes up for what has changed in the geometry, which is like it was. False if the loop can no
  /// longer be run this way.
  bool follow();
  /// False if shapes inside the body depend on data.
  bool is_possible() const noexcept { return is_possible_; }
  /// False if the trip stage cannot have rows at any distance that are planned as rows.
  bool can_step_rows() const noexcept { return can_step_; }
  /// The stride of rows that trips read and write, in this run: outputs are open. First values
  /// of states are dense.
  void step_rows();

 private:
  void plan(std::optional<graph::Frame>& frame, const Stage& stage, bool external);
  bool all_can_step() const;

  const LoopGeometry& geometry_;
  LoopRuntime& runtime_;
  StaticPlan& plan_;
  const SourceViews& views_;
  bool is_planned_ = false;  // for the geometry there is; not if planning failed
  bool is_possible_ = true;
  bool can_step_ = true;
  std::vector<TensorView> parameters_;  // scratch
};

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
