// SPDX-License-Identifier: Apache-2.0
/// @file
/// Outputs that get a value of every trip.
#pragma once

#include "recurrent/operator/loop_call.hpp"
#include "recurrent/static/loop_run.hpp"
#include "recurrent/static/source_views.hpp"
#include "recurrent/static/static_plan.hpp"

#include <cstddef>
#include <cstdint>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// Opens outputs, brings there what trips leave in buffers, and completes them.
class GatheredOutputs {
 public:
  GatheredOutputs(const LoopGeometry& geometry, LoopRuntime& runtime, StaticPlan& plan,
                  LoopRun& run, const SourceViews& views)
      : geometry_(geometry),
        spec_(geometry.spec),
        body_(*runtime.body),
        runtime_(runtime),
        plan_(plan),
        run_(run),
        views_(views) {}

  /// Before the first trip. Throws Error(shape) for an output that is too short.
  void open();
  /// Most trips that outputs of a given length have room for.
  std::int64_t room() const noexcept { return room_; }
  /// Throws that Error if there is an output with room for no more trips than these.
  void check_room(std::int64_t trips) const;
  /// So many trips, or those of them that buffers have room for.
  std::int64_t make_room_for(std::int64_t trips);
  /// After the trips from `first` on.
  void flush(std::int64_t first);
  /// After the last trip.
  void finish();

 private:
  using Gather = StaticPlan::Gather;

  void read_lengths();
  void open(Gather& gather);
  void open_output(Collected& collected, std::int64_t places, std::int64_t trips) const;
  void set_rows();
  void open_blocks();
  void open_chunk(Gather& gather);
  void finish(Gather& gather);
  void move_chunks(const Gather& gather);
  void copy_after(const Gather& gather);
  void move_elements(const Gather& gather, std::int64_t first, std::int64_t count,
                     const char* from);
  std::int64_t places(const Gather& gather, std::int64_t trips) const;
  [[noreturn]] void refuse_short(std::size_t output, std::int64_t length) const;

  const LoopGeometry& geometry_;
  const LoopSpec& spec_;
  const LoopBody& body_;
  LoopRuntime& runtime_;
  StaticPlan& plan_;
  LoopRun& run_;
  const SourceViews& views_;
  std::int64_t room_ = endless;
};

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
