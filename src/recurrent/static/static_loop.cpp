// SPDX-License-Identifier: Apache-2.0
// The trips of a loop whose body is planned once.
#include "recurrent/static/static_loop.hpp"

#include <weft/base/error.hpp>
#include <weft/ops/copy.hpp>

#include "recurrent/static/stack_copy.hpp"
#include "recurrent/static/stack_view.hpp"
#include "recurrent/static/static_planner.hpp"

#include <algorithm>
#include <cstring>

namespace weft {
inline namespace v0 {
namespace recurrent {

FixedLoop::FixedLoop(const LoopGeometry& geometry, LoopRuntime& runtime, bool in_rows)
    : geometry_(geometry),
      spec_(geometry.spec),
      body_(*runtime.body),
      runtime_(runtime),
      plan_(StaticPlanner(geometry, runtime, in_rows).plan()),
      next_(plan_.states.size()),
      last_(plan_.watched.size()) {
  plan_trip();
}

void FixedLoop::run(const LoopCall& call, LoopReport& report) {
  call_ = &call;
  report_ = &report;
  done_ = 0;
  index_.set(0);
  produced_to_ = 0;
  go_ = true;
  ended_ = false;
  most_trips_ = endless;
  limit_ = call.trip_limit(body_.has_certain_end());
  if (body_.has_certain_end() && limit_.trips == endless)
    refuse(spec_, ErrorCode::invalid_argument, "nothing ends it: no count, and no condition");
  report.end = limit_.end;
  if (spec_.first_condition) go_ = call.flag(*spec_.first_condition);
  start_iterators();
  start_values();
  run_once();
  open_outputs();
  plan_block();
  bind_fixed();
  run_all();
  finish();
  call_ = nullptr;
}

void FixedLoop::count_copy(std::int64_t bytes) {
  report_->bytes_copied += bytes;
  if (done_ >= 2) report_->bytes_copied_late += bytes;
}

void FixedLoop::run_all() {
  const std::int64_t last = std::min({limit_.trips, limit_.slices, most_trips_, body_.max_trips});
  bool has_blocks = false;
  for (const Gather& gather : plan_.gathers)
    has_blocks = has_blocks || gather.way == Gather::Way::blocks;
  while (!ended_) {
    if (done_ == last) {
      if (last < limit_.trips) refuse_end(last);
      return;
    }
    std::int64_t trips = last - done_;
    if (plan_.needs_blocks) {
      if (done_ == produced_to_) produce();
      trips = std::min(trips, produced_to_ - done_);
    }
    if (has_blocks) trips = std::min(trips, plan_.block_trips);
    open_chunks(trips);
    for (Gather& gather : plan_.gathers) {
      if (gather.way != Gather::Way::blocks) continue;
      if (gather.source.kind != Source::Kind::block)
        plan_.variables[gather.variable] = runtime_.blocks[gather.collected.output()].data();
      gather.block = plan_.variables[gather.variable];
    }
    const std::int64_t first = done_;
    run_trips(trips);
    for (const Copy& copy : plan_.copies) {
      report_->bytes_copied += (done_ - first) * copy.bytes;
      report_->bytes_copied_late +=
          (done_ - std::clamp<std::int64_t>(2, first, done_)) * copy.bytes;
    }
    flush(first);
  }
}

/// Slices or room are used up before the loop has ended, unless its head says otherwise.
void FixedLoop::refuse_end(std::int64_t last) {
  if (plan_.head && !head_holds()) {
    report_->end = LoopEnd::head;
    return;
  }
  if (last == limit_.slices) call_->refuse_missing_slice(limit_, last);
  if (last == body_.max_trips)
    refuse(spec_, ErrorCode::limit, "makes more than ", last, " trips, which is what is allowed");
  for (const Gather& gather : plan_.gathers) {
    const auto& length = spec_.outputs[gather.collected.output()].length;
    if (length && call_->integer(*length) == last) refuse_short(gather.collected.output(), last);
  }
}

/// Packs slices and computes values for the next block of trips. The last block starts early enough
/// to be as long as the others, so that it needs no plan of its own.
void FixedLoop::produce() {
  const std::int64_t first = std::min(done_, available_ - produced_trips_);
  for (std::size_t i = 0; i < plan_.iterators.size(); ++i) {
    Iterator& it = plan_.iterators[i];
    const SliceWalk& walk = geometry_.iterators[i];
    if (!it.packed) continue;
    copy_stack(stack_of(static_cast<void*>(it.buffer), walk.dtype, walk.shape, produced_trips_),
               walk.stacked(it.origin + first * walk.step_bytes, produced_trips_));
    count_copy(produced_trips_ * walk.slice_bytes);
    plan_.variables[it.variable] = it.buffer + (done_ - first) * walk.slice_bytes;
  }
  produced_to_ = first + produced_trips_;
  if (!runtime_.block) return;
  for (std::size_t p = 0; p < body_.block.parameters.size(); ++p) {
    const Source source = body_.block.parameters[p];
    if (source.kind != Source::Kind::iterator) continue;
    const auto i = static_cast<std::size_t>(source.number);
    if (!plan_.iterators[i].packed) {
      runtime_.block->bind_parameter(
          static_cast<int>(p),
          plan_.iterators[i].origin + first * geometry_.iterators[i].step_bytes);
    }
  }
  runtime_.block->run();
  for (const Mover& mover : plan_.movers) {
    const Source source = plan_.variables.source(mover.variable);
    if (source.kind != Source::Kind::block) continue;
    plan_.variables[mover.variable] =
        static_cast<char*>(runtime_.block->result_data(source.number)) +
        (done_ - first) * mover.step;
  }
}

bool FixedLoop::head_holds() {
  if (!runtime_.head) return *plan_.variables[*plan_.head] != 0;
  for (const State& state : plan_.states) {
    if (state.head_parameter >= 0)
      runtime_.head->bind_parameter(state.head_parameter, plan_.variables[state.variable]);
  }
  runtime_.head->run();
  return *static_cast<const char*>(runtime_.head->result_data(0)) != 0;
}

/// Copies of a trip that are not plain rows, or so large that several threads have them.
void FixedLoop::copy_elements(const Copy& copy) {
  char* const to = plan_.variables[copy.to];
  const char* const from = plan_.variables[copy.from];
  if (copy.strided != nullptr) {
    copy_out(TensorView::trusted(static_cast<void*>(to), copy.strided->dtype, copy.strided->shape),
             copy.strided->slice(from));
    return;
  }
  const std::int64_t shape[] = {copy.rows, copy.row_bytes}, steps[] = {copy.row_step, 1};
  copy_out(TensorView::trusted(static_cast<void*>(to), ScalarType::u8, shape, steps),
           TensorView::trusted(from, ScalarType::u8, shape));
}

void FixedLoop::run_trips(std::int64_t trips) {
  graph::Frame* const frame = runtime_.trip ? &*runtime_.trip : nullptr;
  for (; trips > 0; --trips) {
    if (plan_.head && !head_holds()) {
      report_->end = LoopEnd::head;
      ended_ = true;
      return;
    }
    if (frame != nullptr) {
      for (const Mover& mover : plan_.movers) {
        if (mover.parameter >= 0)
          frame->bind_parameter(mover.parameter, plan_.variables[mover.variable]);
      }
      for (const Writer& writer : plan_.writers) {
        if (writer.result >= 0) frame->bind_result(writer.result, plan_.variables[writer.variable]);
      }
      frame->run();
    }
    for (const Copy& copy : plan_.copies) {
      if (copy.by_rows) {
        copy_bytes_(plan_.variables[copy.to], 1, copy.row_step, plan_.variables[copy.from], 1,
                    copy.row_bytes, copy.row_bytes, copy.rows);
      } else {
        copy_elements(copy);
      }
    }
    for (std::size_t w = 0; w < plan_.watched.size(); ++w)
      last_[w] = plan_.variables[plan_.watched[w]];
    if (plan_.condition) go_ = *plan_.variables[*plan_.condition] != 0;
    // All states step at once: no variable changes before all are read.
    for (std::size_t s = 0; s < plan_.states.size(); ++s)
      next_[s] = plan_.variables[plan_.states[s].from];
    for (std::size_t s = 0; s < plan_.states.size(); ++s) {
      plan_.variables[plan_.states[s].variable] = next_[s];
      if (plan_.states[s].parameter >= 0)
        frame->bind_parameter(plan_.states[s].parameter, next_[s]);
    }
    if (done_ == 0) {
      for (const std::size_t s : plan_.row_states) {
        const Collected& out =
            plan_.gathers[static_cast<std::size_t>(plan_.states[s].gather)].collected;
        if (plan_.states[s].parameter >= 0)
          frame->step_parameter(plan_.states[s].parameter, out.row_step());
      }
    }
    for (const Mover& mover : plan_.movers)
      plan_.variables[mover.variable] += mover.step;
    for (Writer& writer : plan_.writers) {
      plan_.variables[writer.variable] += writer.step;
      if (writer.ring_size == 0 || --writer.ring_left > 0) continue;
      plan_.variables[writer.variable] = writer.ring;
      writer.ring_left = writer.ring_size;
    }
    index_.set(++done_);
    if (!go_) {
      report_->end = LoopEnd::condition;
      ended_ = true;
      return;
    }
  }
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
