// SPDX-License-Identifier: Apache-2.0
/// @file
/// Running a loop whose body is planned once: what moves from trip to trip are addresses.
#pragma once

#include "kernels/stage/stage.hpp"
#include "recurrent/body/trip_index.hpp"
#include "recurrent/operator/loop_call.hpp"
#include "recurrent/static/static_plan.hpp"

#include <cstdint>
#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// A prepared loop. Every value that passes between trips or stages is a *variable*: its address in
/// the current trip.
class FixedLoop {
 public:
  /// Plans the body. Both must outlive it. `in_rows`: where slices and collected elements are rows
  /// with gaps between them, trips read and write them there, whatever the gaps.
  FixedLoop(const LoopGeometry& geometry, LoopRuntime& runtime, bool in_rows);

  /// Whether it is worth trying with `in_rows`, and then whether the body can do so.
  static bool may_run_in_rows(const LoopBody& body);
  bool can_step_rows() const noexcept { return can_step_; }
  /// False if shapes inside the body depend on data: then it cannot be run this way.
  bool is_possible() const noexcept { return possible_; }

  /// Makes up for what has changed in the geometry, which is like it was. False if it can no longer
  /// be run this way.
  bool follow();

  /// Throws what the body throws; Error(bounds) for a slice that does not exist, Error(shape) for
  /// an output that is too short. Allocates outputs of unknown shape, and buffers, which are kept.
  void run(const LoopCall& call, LoopReport& report);

 private:
  using Mover = StaticPlan::Mover;
  using Writer = StaticPlan::Writer;
  using Copy = StaticPlan::Copy;
  using State = StaticPlan::State;
  using Iterator = StaticPlan::Iterator;
  using Gather = StaticPlan::Gather;

  void plan_trip();
  void step_rows();

  // ---- A run
  void start_values();
  void start_iterators();
  void run_once();
  void open(Collected& collected, std::int64_t places, std::int64_t trips);
  void open_outputs();
  void set_rows();
  std::int64_t fitting_trips() const;
  void plan_block();
  void bind_fixed();
  void bind_fixed(graph::Frame& frame, const Stage& stage);
  char* dense(const TensorView& view, Buffer& buffer);
  TensorView view_of(Source source) const;
  void run_all();
  void produce();
  void open_chunks(std::int64_t& trips);
  void run_trips(std::int64_t trips);
  void copy_elements(const Copy& copy);
  bool head_holds();
  void flush(std::int64_t first);
  void refuse_end(std::int64_t last);
  void finish();
  void finish_gather(Gather& gather);
  void write_last(std::size_t output, const TensorView& value);
  void write_last(std::size_t output, const char* from, const graph::ValueType& type);
  void move_elements(Gather& gather, std::int64_t first, std::int64_t count, const char* from);
  void count_copy(std::int64_t bytes);
  [[noreturn]] void refuse_short(std::size_t output, std::int64_t length) const;

  const LoopGeometry& geometry_;
  const LoopSpec& spec_;
  const LoopBody& body_;
  LoopRuntime& runtime_;
  bool can_step_ = true;
  bool trip_planned_ = false;  // for the geometry there is; not if planning failed
  bool possible_ = true;

  StaticPlan plan_;
  std::vector<char*> next_;  // by state
  CopyBlockFn copy_bytes_ = copy_block_kernel(1);
  std::vector<const char*> last_;  // by watched variable
  std::vector<TensorView> views_;  // scratch

  // Of the current run.
  const LoopCall* call_ = nullptr;
  LoopReport* report_ = nullptr;
  TripLimit limit_;
  std::int64_t most_trips_ = endless;  ///< that outputs of a given length have room for
  std::int64_t available_ = 0;         ///< slices to make blocks of
  std::int64_t produced_trips_ = 0;    ///< trips in a block in this run
  std::int64_t produced_to_ = 0;
  std::int64_t done_ = 0;
  TripIndex index_;
  bool go_ = true;
  bool ended_ = false;
};

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
