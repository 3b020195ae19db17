// SPDX-License-Identifier: Apache-2.0
/// @file
/// The trips of a loop whose body is planned once.
#pragma once

#include "kernels/stage/stage.hpp"
#include "recurrent/operator/loop_call.hpp"
#include "recurrent/static/loop_run.hpp"
#include "recurrent/static/static_plan.hpp"

#include <cstddef>
#include <cstdint>
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
        now_(plan.variables),
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
  void run_stage(graph::Frame& frame);
  void copy();
  void copy_elements(const StaticPlan::Copy& copy);
  void step_states(graph::Frame* frame);
  void move_on();

  LoopRuntime& runtime_;
  StaticPlan& plan_;
  LoopVariables& now_;
  LoopRun& run_;
  CopyBlockFn copy_bytes_ = copy_block_kernel(1);
  std::vector<char*> next_;        // by state
  std::vector<const char*> last_;  // by watched variable
};

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
