// SPDX-License-Identifier: Apache-2.0
// Planning the stages of a loop, and what follows from other slices later on.
#include "graph/compile/program.hpp"
#include "recurrent/body/trip_batch.hpp"
#include "recurrent/static/static_loop.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace recurrent {

namespace {

/// Of rows whose distance turns up in the run: any other than their length will do.
DimVector planned_strides(IntSpan shape, std::int64_t row_elements) {
  return graph::row_strides(shape, row_elements, 2 * row_elements);
}

}  // namespace

TensorView FixedLoop::view_of(Source source) const {
  using enum Source::Kind;
  const auto number = static_cast<std::size_t>(source.number);
  // Good for planning only, where there is no address yet.
  const void* const at = &index_;
  const auto dense = [&](const graph::ValueType& type) {
    return TensorView::trusted(at, type.dtype, type.shape.shape());
  };
  if (source.kind == iterator) {
    const SliceWalk& walk = geometry_.iterators[number];
    const Iterator& it = plan_.iterators[number];
    if (it.packed) return TensorView::trusted(at, walk.dtype, walk.shape);
    if (!it.rows) return walk.slice(at);
    return TensorView::trusted(at, walk.dtype, walk.shape,
                               planned_strides(walk.shape, it.rows->row_elements));
  }
  if (source.kind == state) {
    const graph::ValueType& type = body_.parameter_type(spec_.states[number].parameter);
    const auto found = std::ranges::find(plan_.states, number, &State::number);
    if (found == plan_.states.end() || found->gather < 0) return dense(type);
    const IntSpan shape = type.shape.shape();
    return TensorView::trusted(
        at, type.dtype, shape,
        planned_strides(shape,
                        plan_.gathers[static_cast<std::size_t>(found->gather)].row_elements()));
  }
  if (source.kind == block) return dense(body_.block_types[number]);
  if (source.kind == once) return runtime_.once->result(source.number);
  if (source.kind == index) return index_.view(body_.parameter_type(source.number));
  const int input = spec_.invariants[number].input;
  return call_ != nullptr ? call_->input_view(input)
                          : geometry_.inputs[static_cast<std::size_t>(input)];
}

void FixedLoop::plan_trip() {
  trip_planned_ = false;
  const auto plan = [&](std::optional<graph::Frame>& frame, const Stage& stage, bool external) {
    if (!frame) return;
    views_.clear();
    for (const Source source : stage.parameters)
      views_.push_back(view_of(source));
    std::vector<graph::ResultPlace> places(static_cast<std::size_t>(frame->executable().nresults()),
                                           graph::ResultPlace{.external = external, .strides = {}});
    for (const Gather& gather : plan_.gathers) {
      if (!external || !plan_.writes_rows(gather)) continue;
      const int number = gather.source.number;
      places[static_cast<std::size_t>(number)].strides = planned_strides(
          frame->executable().result_type(number).shape.shape(), gather.row_elements());
    }
    frame->plan(views_, places);
    possible_ = possible_ && frame->is_static();
  };
  plan(runtime_.once, body_.once, false);
  plan(runtime_.trip, body_.trip, true);
  plan(runtime_.head, body_.head, false);
  for (std::size_t i = 0; i < plan_.iterators.size(); ++i) {
    if (plan_.iterators[i].is_read_in_place())
      plan_.iterators[i].strides = geometry_.iterators[i].strides;
  }
  can_step_ = true;
  for (const Iterator& it : plan_.iterators)
    can_step_ = can_step_ && (!it.rows || runtime_.trip->can_step_parameter(it.parameter));
  for (const Gather& gather : plan_.gathers)
    can_step_ = can_step_ && (!plan_.writes_rows(gather) ||
                              runtime_.trip->can_step_result(gather.source.number));
  for (const std::size_t s : plan_.row_states) {
    const int parameter = plan_.states[s].parameter;
    can_step_ = can_step_ && (parameter < 0 || runtime_.trip->can_step_parameter(parameter));
  }
  trip_planned_ = true;
}

bool FixedLoop::may_run_in_rows(const LoopBody& body) {
  return body.trip.program && std::ranges::all_of(body.trip.program->program().nodes,
                                                  [](const graph::ProgramNode& node) {
                                                    return node.formula != nullptr;
                                                  });
}

bool FixedLoop::follow() {
  call_ = nullptr;  // of a run that has thrown
  for (Mover& mover : plan_.movers) {
    const Source source = plan_.variables.source(mover.variable);
    const auto i = static_cast<std::size_t>(source.number);
    if (source.kind == Source::Kind::iterator && !plan_.iterators[i].packed)
      mover.step = geometry_.iterators[i].step_bytes;
  }
  bool same = true;
  for (std::size_t i = 0; i < plan_.iterators.size(); ++i) {
    const Iterator& it = plan_.iterators[i];
    const SliceWalk& walk = geometry_.iterators[i];
    if (it.rows) {
      const auto rows = graph::row_form(walk.shape, walk.strides);
      if (!rows || !rows->has_rows_of(*it.rows)) return false;
    } else if (it.is_read_in_place()) {
      same = same && it.strides == walk.strides;
    }
  }
  if (!same || !trip_planned_) plan_trip();
  return possible_ && can_step_;
}

/// How far apart rows are that trips read and write. First values of states are dense.
void FixedLoop::step_rows() {
  for (std::size_t i = 0; i < plan_.iterators.size(); ++i) {
    const Iterator& it = plan_.iterators[i];
    if (!it.rows) continue;
    const SliceWalk& walk = geometry_.iterators[i];
    runtime_.trip->step_parameter(
        it.parameter, graph::row_form(walk.shape, walk.strides)->step * element_size(walk.dtype));
  }
  for (const Gather& gather : plan_.gathers) {
    if (plan_.writes_rows(gather))
      runtime_.trip->step_result(gather.source.number, gather.collected.row_step());
  }
  for (const std::size_t s : plan_.row_states) {
    const State& state = plan_.states[s];
    const Collected& out = plan_.gathers[static_cast<std::size_t>(state.gather)].collected;
    if (state.parameter >= 0) runtime_.trip->step_parameter(state.parameter, out.row_bytes());
  }
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
