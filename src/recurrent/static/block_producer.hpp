// SPDX-License-Identifier: Apache-2.0
/// @file
/// Values that are made ready for a block of trips at a time.
#pragma once

#include "recurrent/operator/loop_call.hpp"
#include "recurrent/static/loop_run.hpp"
#include "recurrent/static/source_views.hpp"
#include "recurrent/static/static_plan.hpp"

#include <cstdint>
#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// Packs slices, and computes what depends on slices only.
class BlockProducer {
 public:
  BlockProducer(const LoopGeometry& geometry, LoopRuntime& runtime, StaticPlan& plan, LoopRun& run,
                const SourceViews& views);

  /// For this run: buffers, and the stage of blocks.
  void plan();
  /// Trips in a block of this run; 0 if there are none.
  std::int64_t trips() const noexcept { return trips_; }
  /// So many trips, or those of them that everything is ready for.
  std::int64_t produce_for(std::int64_t trips);

 private:
  std::int64_t fitting_trips() const;
  void plan_stage();
  void produce();
  void pack(std::int64_t first);
  void run_stage(std::int64_t first);

  const LoopGeometry& geometry_;
  const Stage& stage_;
  LoopRuntime& runtime_;
  StaticPlan& plan_;
  LoopRun& run_;
  const SourceViews& views_;
  std::int64_t available_ = 0;  // slices to make blocks of
  std::int64_t trips_ = 0;
  std::int64_t produced_to_ = 0;
  std::vector<TensorView> parameters_;  // scratch
};

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
