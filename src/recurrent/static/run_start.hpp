// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a run does before its first trip.
#pragma once

#include "recurrent/operator/loop_call.hpp"
#include "recurrent/static/loop_run.hpp"
#include "recurrent/static/source_views.hpp"
#include "recurrent/static/static_plan.hpp"

namespace weft {
inline namespace v0 {
namespace recurrent {

/// Finds slices and first values, and addresses that are the same in all trips.
class RunStart {
 public:
  RunStart(const LoopGeometry& geometry, LoopRuntime& runtime, StaticPlan& plan, LoopRun& run,
           const SourceViews& views)
      : geometry_(geometry),
        spec_(geometry.spec),
        runtime_(runtime),
        plan_(plan),
        run_(run),
        views_(views) {}

  void find_slices();
  /// First values of states, and the first places of rings. Throws Error(bounds) for a slice that
  /// there is not.
  void find_first_values();
  /// The stage of what is the same in every trip.
  void run_once();
  /// Has stages read what stays where it is. `in_blocks`: that of blocks is planned.
  void bind_fixed(bool in_blocks);
  /// Has stages read first values, after bind_fixed().
  void bind_states();

 private:
  void bind_fixed(graph::Frame& frame, const Stage& stage);
  char* dense(const TensorView& view, Buffer& buffer);
  TensorView first_value(std::size_t state) const;

  const LoopGeometry& geometry_;
  const LoopSpec& spec_;
  LoopRuntime& runtime_;
  StaticPlan& plan_;
  LoopRun& run_;
  const SourceViews& views_;
};

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
