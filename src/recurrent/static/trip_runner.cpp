// SPDX-License-Identifier: Apache-2.0
#include "recurrent/static/trip_runner.hpp"

#include <weft/ops/copy.hpp>

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace recurrent {

bool TripRunner::head_holds() {
  if (!runtime_.head) return *now_[*plan_.head] != 0;
  for (const StaticPlan::State& state : states_) {
    if (state.head_parameter >= 0)
      runtime_.head->bind_parameter(state.head_parameter, now_[state.variable]);
  }
  runtime_.head->run();
  return *static_cast<const char*>(runtime_.head->result_data(0)) != 0;
}

void TripRunner::run_stage(graph::Frame& frame) {
  for (const StaticPlan::Mover& mover : movers_) {
    if (mover.parameter >= 0) frame.bind_parameter(mover.parameter, now_[mover.variable]);
  }
  for (const StaticPlan::Writer& writer : writers_) {
    if (writer.result >= 0) frame.bind_result(writer.result, now_[writer.variable]);
  }
  frame.run();
}

void TripRunner::copy() {
  for (const StaticPlan::Copy& copy : copies_) {
    if (copy.by_rows) {
      copy_bytes_(now_[copy.to], 1, copy.row_step, now_[copy.from], 1, copy.row_bytes,
                  copy.row_bytes, copy.rows);
    } else {
      copy_elements(copy);
    }
  }
}

/// Copies of a trip that are not plain rows, or so large that several threads have them.
void TripRunner::copy_elements(const StaticPlan::Copy& copy) {
  char* const to = now_[copy.to];
  const char* const from = now_[copy.from];
  if (copy.strided != nullptr) {
    copy_out(TensorView::trusted(static_cast<void*>(to), copy.strided->dtype, copy.strided->shape),
             copy.strided->slice(from));
    return;
  }
  const std::int64_t shape[] = {copy.rows, copy.row_bytes}, steps[] = {copy.row_step, 1};
  copy_out(TensorView::trusted(static_cast<void*>(to), ScalarType::u8, shape, steps),
           TensorView::trusted(from, ScalarType::u8, shape));
}

/// All states step at once: no variable changes before all are read.
void TripRunner::step_states(graph::Frame* frame) {
  for (std::size_t s = 0; s < states_.size(); ++s)
    next_[s] = now_[states_[s].from];
  for (std::size_t s = 0; s < states_.size(); ++s) {
    const StaticPlan::State& state = states_[s];
    now_[state.variable] = next_[s];
    if (state.parameter >= 0) frame->bind_parameter(state.parameter, next_[s]);
  }
  if (run_.done > 0) return;
  for (const std::size_t s : plan_.row_states) {
    const StaticPlan::State& state = states_[s];
    if (state.parameter >= 0)
      frame->step_parameter(state.parameter, plan_.output_of(state).row_step());
  }
}

void TripRunner::move_on() {
  for (const StaticPlan::Mover& mover : movers_)
    now_[mover.variable] += mover.step;
  for (StaticPlan::Writer& writer : writers_) {
    now_[writer.variable] += writer.step;
    if (writer.ring_size == 0 || --writer.ring_left > 0) continue;
    now_[writer.variable] = writer.ring;
    writer.ring_left = writer.ring_size;
  }
  run_.index.set(++run_.done);
}

void TripRunner::run(std::int64_t trips) {
  graph::Frame* const frame = runtime_.trip ? &*runtime_.trip : nullptr;
  const std::int64_t first = run_.done;
  while (!run_.ended && run_.done < first + trips) {
    if (plan_.head && !head_holds()) {
      run_.end(LoopEnd::head);
      break;
    }
    if (frame != nullptr) run_stage(*frame);
    copy();
    for (std::size_t w = 0; w < watched_.size(); ++w)
      last_[w] = now_[watched_[w]];
    if (plan_.condition) run_.go = *now_[*plan_.condition] != 0;
    step_states(frame);
    move_on();
    if (!run_.go) run_.end(LoopEnd::condition);
  }
  // What copies have written, except those of the first two trips.
  const std::int64_t late = std::clamp<std::int64_t>(2, first, run_.done);
  for (const StaticPlan::Copy& copy : copies_) {
    run_.report->bytes_copied += (run_.done - first) * copy.bytes;
    run_.report->bytes_copied_late += (run_.done - late) * copy.bytes;
  }
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
