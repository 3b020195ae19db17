// SPDX-License-Identifier: Apache-2.0
// What a loop whose body is planned once does before its first trip: first values, values of all
// trips, and addresses that stay.
#include <weft/base/error.hpp>
#include <weft/ops/copy.hpp>

#include "recurrent/static/stack_view.hpp"
#include "recurrent/static/static_loop.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace recurrent {

void FixedLoop::start_iterators() {
  for (std::size_t i = 0; i < plan_.iterators.size(); ++i) {
    Iterator& it = plan_.iterators[i];
    it.origin = geometry_.iterators[i].start(call_->input(spec_.iterators[i].input), limit_.trips);
    plan_.variables[it.variable] = const_cast<char*>(it.origin);
    if (it.needed) ++(it.packed ? report_->staged_slices : report_->viewed_slices);
  }
}

/// The address of the same elements, row-major: where they are, or in the buffer.
char* FixedLoop::dense(const TensorView& view, Buffer& buffer) {
  if (is_row_major(view.shape(), view.strides())) return static_cast<char*>(view.data());
  char* copy = buffer.reserve(view.nbytes());
  copy_out(TensorView::trusted(static_cast<void*>(copy), view.dtype(), view.shape()), view);
  count_copy(view.nbytes());
  return copy;
}

void FixedLoop::start_values() {
  runtime_.starts.resize(spec_.states.size());
  for (State& state : plan_.states) {
    const LoopState& entry = spec_.states[state.number];
    TensorView first;
    if (entry.sliced) {
      const SliceWalk& walk = *geometry_.states[state.number];
      if (walk.count == 0) {
        refuse(spec_, ErrorCode::bounds, geometry_.state_name(state.number).text(),
               ": starts as the first slice of an axis that has none");
      }
      first = walk.slice(walk.start(call_->input(entry.sliced->input), 0));
    } else {
      first = call_->input_view(entry.input);
    }
    plan_.variables[state.variable] = dense(first, runtime_.starts[state.number]);
  }
  report_->states = static_cast<int>(plan_.states.size());
  for (Writer& writer : plan_.writers) {
    if (writer.ring_size == 0) continue;
    writer.ring_left = writer.ring_size;
    plan_.variables[writer.variable] = writer.ring;
  }
}

void FixedLoop::run_once() {
  if (!runtime_.once || limit_.trips == 0) return;
  for (std::size_t p = 0; p < body_.once.parameters.size(); ++p)
    runtime_.once->bind_parameter(static_cast<int>(p), view_of(body_.once.parameters[p]).data());
  runtime_.once->run();
}

/// Trips in a block: as many as there may be, or some less where that leaves a last block, which
/// starts early, less to do again. Small values are not worth the plan that another number takes.
std::int64_t FixedLoop::fitting_trips() const {
  const std::int64_t most = std::min(plan_.block_trips, available_);
  if (!runtime_.block || plan_.block_trips >= most_block_trips) return most;
  const auto again = [&](std::int64_t trips) { return (trips - available_ % trips) % trips; };
  std::int64_t best = most;
  for (std::int64_t trips = most; trips >= std::max(plan_.least_block_trips, most / 2 + 1);
       --trips) {
    if (again(trips) < again(best)) best = trips;
  }
  return best;
}

void FixedLoop::plan_block() {
  available_ = std::min(limit_.trips, limit_.slices);
  produced_trips_ = fitting_trips();
  if (plan_.needs_blocks) report_->block_trips = produced_trips_;
  runtime_.staged.resize(plan_.iterators.size());
  runtime_.blocks.resize(spec_.outputs.size());
  for (std::size_t i = 0; i < plan_.iterators.size(); ++i) {
    if (!plan_.iterators[i].packed) continue;
    const std::int64_t bytes = produced_trips_ * geometry_.iterators[i].slice_bytes;
    plan_.iterators[i].buffer = runtime_.staged[i].reserve(std::max<std::int64_t>(bytes, 1));
  }
  for (const Gather& gather : plan_.gathers) {
    if (gather.way != Gather::Way::blocks || gather.source.kind == Source::Kind::block) continue;
    const std::int64_t bytes = plan_.block_trips * gather.collected.element_bytes();
    plan_.variables[gather.variable] =
        runtime_.blocks[gather.collected.output()].reserve(std::max<std::int64_t>(bytes, 1));
  }
  if (!runtime_.block || produced_trips_ == 0) return;
  views_.clear();
  for (std::size_t p = 0; p < body_.block.parameters.size(); ++p) {
    const Source source = body_.block.parameters[p];
    if (source.kind != Source::Kind::iterator) {
      views_.push_back(view_of(source));
      continue;
    }
    // As the stage wants to see slices, the axis of trips in front.
    const graph::ValueType& type = body_.block.program->parameter_type(static_cast<int>(p));
    const auto i = static_cast<std::size_t>(source.number);
    const Iterator& it = plan_.iterators[i];
    views_.push_back(stack_of(static_cast<const void*>(it.packed ? it.buffer : it.origin),
                              type.dtype, type.shape.extents().subspan(1), produced_trips_));
  }
  runtime_.block->plan(views_);
}

void FixedLoop::bind_fixed(graph::Frame& frame, const Stage& stage) {
  using enum Source::Kind;
  for (std::size_t p = 0; p < stage.parameters.size(); ++p) {
    const Source source = stage.parameters[p];
    if (source.kind == invariant) {
      frame.bind_parameter(
          static_cast<int>(p),
          call_->input(spec_.invariants[static_cast<std::size_t>(source.number)].input));
    } else if (source.kind == once) {
      frame.bind_parameter(static_cast<int>(p), runtime_.once->result_data(source.number));
    } else if (source.kind == index) {
      frame.bind_parameter(static_cast<int>(p), view_of(source).data());
    }
    if (source.kind == invariant || source.kind == once) frame.hold_parameter(static_cast<int>(p));
  }
}

void FixedLoop::bind_fixed() {
  if (limit_.trips == 0) return;
  if (runtime_.trip) bind_fixed(*runtime_.trip, body_.trip);
  if (runtime_.head) bind_fixed(*runtime_.head, body_.head);
  if (runtime_.block && produced_trips_ > 0) bind_fixed(*runtime_.block, body_.block);
  using enum Source::Kind;
  for (Variable v = 0; v < plan_.variables.size(); ++v) {
    const Source source = plan_.variables.source(v);
    if (source.kind == invariant || source.kind == once || source.kind == index)
      plan_.variables[v] = static_cast<char*>(view_of(source).data());
  }
  runtime_.fixed_states.resize(plan_.fixed_states.size());
  for (std::size_t i = 0; i < plan_.fixed_states.size(); ++i) {
    plan_.variables[plan_.fixed_states[i].variable] =
        dense(view_of(plan_.fixed_states[i].source), runtime_.fixed_states[i]);
  }
  step_rows();
  for (const State& state : plan_.states) {
    if (state.parameter >= 0)
      runtime_.trip->bind_parameter(state.parameter, plan_.variables[state.variable]);
    if (state.head_parameter >= 0)
      runtime_.head->bind_parameter(state.head_parameter, plan_.variables[state.variable]);
  }
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
