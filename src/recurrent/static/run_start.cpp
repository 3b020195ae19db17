// SPDX-License-Identifier: Apache-2.0
#include "recurrent/static/run_start.hpp"

#include <weft/base/error.hpp>
#include <weft/ops/copy.hpp>

namespace weft {
inline namespace v0 {
namespace recurrent {

void RunStart::find_slices() {
  LoopReport& report = *run_.report;
  for (std::size_t i = 0; i < plan_.iterators.size(); ++i) {
    StaticPlan::Iterator& it = plan_.iterators[i];
    it.origin =
        geometry_.iterators[i].start(run_.call->input(spec_.iterators[i].input), run_.limit.count);
    plan_.variables[it.variable] = const_cast<char*>(it.origin);
    if (it.needed) ++(it.packed ? report.staged_slices : report.viewed_slices);
  }
}

/// The address of the same elements, row-major: where they are, or in the buffer.
char* RunStart::dense(const TensorView& view, Buffer& buffer) {
  if (is_row_major(view.shape(), view.strides())) return static_cast<char*>(view.data());
  char* copy = buffer.reserve(view.nbytes());
  copy_out(TensorView::trusted(static_cast<void*>(copy), view.dtype(), view.shape()), view);
  run_.count_copy(view.nbytes());
  return copy;
}

TensorView RunStart::first_value(std::size_t state) const {
  const LoopState& entry = spec_.states[state];
  if (!entry.sliced) return run_.call->input_view(entry.input);
  const SliceWalk& walk = *geometry_.states[state];
  if (walk.count == 0) {
    refuse(spec_, ErrorCode::bounds, geometry_.state_name(state).text(),
           ": starts as the first slice of an axis that has none");
  }
  return walk.slice(walk.start(run_.call->input(entry.sliced->input), 0));
}

void RunStart::find_first_values() {
  runtime_.starts.resize(spec_.states.size());
  for (const StaticPlan::State& state : plan_.states) {
    plan_.variables[state.variable] =
        dense(first_value(state.number), runtime_.starts[state.number]);
  }
  run_.report->states = static_cast<int>(plan_.states.size());
  for (StaticPlan::Writer& writer : plan_.writers) {
    if (writer.ring_size == 0) continue;
    writer.ring_left = writer.ring_size;
    plan_.variables[writer.variable] = writer.ring;
  }
}

void RunStart::run_once() {
  if (!runtime_.once || run_.limit.trips == 0) return;
  const std::vector<Source>& parameters = runtime_.body->once.parameters;
  for (std::size_t p = 0; p < parameters.size(); ++p)
    runtime_.once->bind_parameter(static_cast<int>(p), views_.view(parameters[p]).data());
  runtime_.once->run();
}

void RunStart::bind_fixed(graph::Frame& frame, const Stage& stage) {
  using enum Source::Kind;
  for (std::size_t p = 0; p < stage.parameters.size(); ++p) {
    const Source source = stage.parameters[p];
    const int parameter = static_cast<int>(p);
    if (source.kind == invariant) {
      const auto number = static_cast<std::size_t>(source.number);
      frame.bind_parameter(parameter, run_.call->input(spec_.invariants[number].input));
    } else if (source.kind == once) {
      frame.bind_parameter(parameter, runtime_.once->result_data(source.number));
    } else if (source.kind == index) {
      frame.bind_parameter(parameter, views_.view(source).data());
    }
    if (source.kind == invariant || source.kind == once) frame.hold_parameter(parameter);
  }
}

void RunStart::bind_fixed(bool in_blocks) {
  const LoopBody& body = *runtime_.body;
  if (runtime_.trip) bind_fixed(*runtime_.trip, body.trip);
  if (runtime_.head) bind_fixed(*runtime_.head, body.head);
  if (runtime_.block && in_blocks) bind_fixed(*runtime_.block, body.block);
  using enum Source::Kind;
  for (Variable v = 0; v < plan_.variables.size(); ++v) {
    const Source source = plan_.variables.source(v);
    if (source.kind == invariant || source.kind == once || source.kind == index)
      plan_.variables[v] = static_cast<char*>(views_.view(source).data());
  }
  runtime_.fixed_states.resize(plan_.fixed_states.size());
  for (std::size_t i = 0; i < plan_.fixed_states.size(); ++i) {
    const StaticPlan::FixedState& state = plan_.fixed_states[i];
    plan_.variables[state.variable] = dense(views_.view(state.source), runtime_.fixed_states[i]);
  }
}

void RunStart::bind_states() {
  for (const StaticPlan::State& state : plan_.states) {
    char* const first = plan_.variables[state.variable];
    if (state.parameter >= 0) runtime_.trip->bind_parameter(state.parameter, first);
    if (state.head_parameter >= 0) runtime_.head->bind_parameter(state.head_parameter, first);
  }
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
