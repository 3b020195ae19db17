// SPDX-License-Identifier: Apache-2.0
#include "recurrent/static/block_producer.hpp"

#include "recurrent/static/stack_copy.hpp"
#include "recurrent/static/stack_view.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace recurrent {

BlockProducer::BlockProducer(const LoopGeometry& geometry, LoopRuntime& runtime, StaticPlan& plan,
                             LoopRun& run, const SourceViews& views)
    : geometry_(geometry),
      stage_(runtime.body->block),
      runtime_(runtime),
      plan_(plan),
      run_(run),
      views_(views) {
  parameters_.reserve(stage_.parameters.size());  // not in a run
}

/// Trips in a block: as many as there may be, or some less where that leaves a last block, which
/// starts early, less to do again. Small values are not worth the plan that another number takes.
std::int64_t BlockProducer::fitting_trips() const {
  const std::int64_t most = std::min(plan_.block_trips, available_);
  if (!runtime_.block || plan_.block_trips >= max_block_trips) return most;
  const auto again = [&](std::int64_t trips) { return (trips - available_ % trips) % trips; };
  const std::int64_t least = std::max(plan_.min_block_trips, most / 2 + 1);
  std::int64_t best = most;
  for (std::int64_t trips = most; trips >= least; --trips) {
    if (again(trips) < again(best)) best = trips;
  }
  return best;
}

void BlockProducer::plan() {
  available_ = std::min(run_.limit.trips, run_.limit.slices);
  trips_ = fitting_trips();
  produced_to_ = 0;
  if (plan_.needs_blocks) run_.report->block_trips = trips_;
  runtime_.staged.resize(plan_.iterators.size());
  for (std::size_t i = 0; i < plan_.iterators.size(); ++i) {
    if (!plan_.iterators[i].packed) continue;
    const std::int64_t bytes = trips_ * geometry_.iterators[i].slice_bytes;
    plan_.iterators[i].buffer = runtime_.staged[i].reserve(std::max<std::int64_t>(bytes, 1));
  }
  if (runtime_.block && trips_ > 0) plan_stage();
}

void BlockProducer::plan_stage() {
  parameters_.clear();
  for (std::size_t p = 0; p < stage_.parameters.size(); ++p) {
    const Source source = stage_.parameters[p];
    if (source.kind != Source::Kind::iterator) {
      parameters_.push_back(views_.view(source));
      continue;
    }
    // As the stage wants to see slices, the axis of trips in front.
    const graph::ValueType& type = stage_.program->parameter_type(static_cast<int>(p));
    const StaticPlan::Iterator& it = plan_.iterators[static_cast<std::size_t>(source.number)];
    parameters_.push_back(stack_of(static_cast<const void*>(it.packed ? it.buffer : it.origin),
                                   type.dtype, type.shape.extents().subspan(1), trips_));
  }
  runtime_.block->plan(parameters_);
}

std::int64_t BlockProducer::produce_for(std::int64_t trips) {
  if (!plan_.needs_blocks) return trips;
  if (run_.done == produced_to_) produce();
  return std::min(trips, produced_to_ - run_.done);
}

/// The last block starts early enough to be as long as the others, so that it needs no plan of its
/// own.
void BlockProducer::produce() {
  const std::int64_t first = std::min(run_.done, available_ - trips_);
  pack(first);
  produced_to_ = first + trips_;
  if (runtime_.block) run_stage(first);
}

void BlockProducer::pack(std::int64_t first) {
  for (std::size_t i = 0; i < plan_.iterators.size(); ++i) {
    const StaticPlan::Iterator& it = plan_.iterators[i];
    const SliceWalk& walk = geometry_.iterators[i];
    if (!it.packed) continue;
    copy_stack(stack_of(static_cast<void*>(it.buffer), walk.dtype, walk.shape, trips_),
               walk.stacked(it.origin + first * walk.step_bytes, trips_));
    run_.count_copy(trips_ * walk.slice_bytes);
    plan_.variables[it.variable] = it.buffer + (run_.done - first) * walk.slice_bytes;
  }
}

void BlockProducer::run_stage(std::int64_t first) {
  for (std::size_t p = 0; p < stage_.parameters.size(); ++p) {
    const Source source = stage_.parameters[p];
    if (source.kind != Source::Kind::iterator) continue;
    const auto i = static_cast<std::size_t>(source.number);
    const StaticPlan::Iterator& it = plan_.iterators[i];
    if (it.packed) continue;
    runtime_.block->bind_parameter(static_cast<int>(p),
                                   it.origin + first * geometry_.iterators[i].step_bytes);
  }
  runtime_.block->run();
  for (const StaticPlan::Mover& mover : plan_.movers) {
    const Source source = plan_.variables.source(mover.variable);
    if (source.kind != Source::Kind::block) continue;
    plan_.variables[mover.variable] =
        static_cast<char*>(runtime_.block->result_data(source.number)) +
        (run_.done - first) * mover.step;
  }
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
