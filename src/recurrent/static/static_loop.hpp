// SPDX-License-Identifier: Apache-2.0
/// @file
/// Running a loop whose body is planned once: what moves from trip to trip are addresses.
#pragma once

#include "recurrent/operator/loop_call.hpp"
#include "recurrent/static/block_producer.hpp"
#include "recurrent/static/gathered_outputs.hpp"
#include "recurrent/static/last_outputs.hpp"
#include "recurrent/static/loop_run.hpp"
#include "recurrent/static/run_start.hpp"
#include "recurrent/static/source_views.hpp"
#include "recurrent/static/stage_frames.hpp"
#include "recurrent/static/static_plan.hpp"
#include "recurrent/static/trip_runner.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// A prepared loop. Every value that passes between trips or stages is a *variable*: its address in
/// the current trip. Its parts refer to each other, so it stays where it was made.
class FixedLoop {
 public:
  /// Plans the body. Both must outlive it. `in_rows`: where slices and collected elements are rows
  /// with gaps between them, trips read and write them there, whatever the gaps.
  FixedLoop(const LoopGeometry& geometry, LoopRuntime& runtime, bool in_rows);
  FixedLoop(const FixedLoop&) = delete;
  FixedLoop& operator=(const FixedLoop&) = delete;

  /// Whether it is worth trying with `in_rows`, and then whether the body can do so.
  static bool may_run_in_rows(const LoopBody& body);
  bool can_step_rows() const noexcept { return frames_.can_step_rows(); }
  /// False if shapes inside the body depend on data: then it cannot be run this way.
  bool is_possible() const noexcept { return frames_.is_possible(); }

  /// Makes up for what has changed in the geometry, which is like it was. False if it can no longer
  /// be run this way.
  bool follow();

  /// Throws what the body throws; Error(bounds) for a slice that does not exist, Error(shape) for
  /// an output that is too short. Allocates outputs of unknown shape, and buffers, which are kept.
  void run(const LoopCall& call, LoopReport& report);

 private:
  void start(const LoopCall& call, LoopReport& report);
  void run_trips();
  void refuse_end(std::int64_t last);
  void finish();

  const LoopSpec& spec_;
  const LoopBody& body_;
  LoopRun run_;
  StaticPlan plan_;
  SourceViews views_;
  StageFrames frames_;
  RunStart start_;
  BlockProducer blocks_;
  GatheredOutputs gathered_;
  TripRunner trips_;
  LastOutputs last_;
};

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
