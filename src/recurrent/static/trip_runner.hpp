// SPDX-License-Identifier: Apache-2.0
/// @file
/// The trips of a loop whose body is planned once.
#pragma once

#include <weft/base/export.hpp>

#include "kernels/stage/stage.hpp"
#include "recurrent/operator/loop_call.hpp"
#include "recurrent/static/loop_run.hpp"
#include "recurrent/static/static_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// Runs trips: binds addresses, runs the stage, moves on.
class TripRunner {
 public:
  TripRunner(LoopRuntime& runtime, StaticPlan& plan, LoopRun& run)
      : runtime_(runtime),
        plan_(plan),
        now_(plan.variables.addresses()),
        movers_(plan.movers),
        writers_(plan.writers),
        copies_(plan.copies),
        states_(plan.states),
        watched_(plan.watched),
        run_(run),
        next_(plan.states.size()),
        last_(plan.watched.size()) {}

  /// So many trips, unless head or condition end the loop. All that they read is ready.
  void run(std::int64_t trips);
  /// Whether the head has another trip.
  bool head_holds();
  /// Where watched variable number i was in the last trip.
  const char* last(std::size_t i) const { return last_[i]; }

 private:
  // Parts of run(), inlined there: a trip of a small body takes a hundred nanoseconds, and calls of
  // these would be a fifth of it.
  WEFT_ALWAYS_INLINE void run_stage(graph::Frame& frame);
  WEFT_ALWAYS_INLINE void copy();
  WEFT_ALWAYS_INLINE void step_states(graph::Frame* frame);
  WEFT_ALWAYS_INLINE void move_on();
  void copy_elements(const StaticPlan::Copy& copy);

  LoopRuntime& runtime_;
  StaticPlan& plan_;
  // Of the plan: a trip is short, and they are looked at in each.
  std::span<char*> now_;  // by variable
  std::span<const StaticPlan::Mover> movers_;
  std::span<StaticPlan::Writer> writers_;
  std::span<const StaticPlan::Copy> copies_;
  std::span<const StaticPlan::State> states_;
  std::span<const Variable> watched_;
  LoopRun& run_;
  CopyBlockFn copy_bytes_ = copy_block_kernel(1);
  std::vector<char*> next_;        // by state
  std::vector<const char*> last_;  // by watched variable
};

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
