// SPDX-License-Identifier: Apache-2.0
#include "recurrent/static/stage_frames.hpp"

#include "parallel/thread_worth.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// `external`: results are written to where the loop wants them.
void StageFrames::plan(std::optional<graph::Frame>& frame, const Stage& stage, bool external) {
  if (!frame) return;
  parameters_.clear();
  for (const Source source : stage.parameters)
    parameters_.push_back(views_.view(source));
  std::vector<graph::ResultPlace> places(static_cast<std::size_t>(frame->executable().nresults()),
                                         graph::ResultPlace{.external = external, .strides = {}});
  for (const StaticPlan::Gather& gather : plan_.gathers) {
    if (!external || !plan_.writes_rows(gather)) continue;
    const int number = gather.source.number;
    places[static_cast<std::size_t>(number)].strides = planned_strides(
        frame->executable().result_type(number).shape.shape(), gather.row_elements());
  }
  frame->plan(parameters_, places);
  is_possible_ = is_possible_ && frame->is_static();
}

void StageFrames::plan() {
  const AwakeThreads awake;
  is_planned_ = false;
  const LoopBody& body = *runtime_.body;
  plan(runtime_.once, body.once, false);
  plan(runtime_.trip, body.trip, true);
  plan(runtime_.head, body.head, false);
  for (std::size_t i = 0; i < plan_.iterators.size(); ++i) {
    StaticPlan::Iterator& it = plan_.iterators[i];
    if (it.is_read_in_place()) it.strides = geometry_.iterators[i].strides;
  }
  can_step_ = all_can_step();
  is_planned_ = true;
}

bool StageFrames::all_can_step() const {
  const auto can_step = [&](int parameter) {
    return parameter < 0 || runtime_.trip->can_step_parameter(parameter);
  };
  return std::ranges::all_of(
             plan_.iterators,
             [&](const StaticPlan::Iterator& it) { return !it.rows || can_step(it.parameter); }) &&
         std::ranges::all_of(plan_.gathers,
                             [&](const StaticPlan::Gather& gather) {
                               return !plan_.writes_rows(gather) ||
                                      runtime_.trip->can_step_result(gather.source.number);
                             }) &&
         std::ranges::all_of(plan_.row_states,
                             [&](std::size_t s) { return can_step(plan_.states[s].parameter); });
}

bool StageFrames::follow() {
  for (StaticPlan::Mover& mover : plan_.movers) {
    const Source source = plan_.variables.source(mover.variable);
    const auto i = static_cast<std::size_t>(source.number);
    if (source.kind == Source::Kind::iterator && !plan_.iterators[i].packed)
      mover.step = geometry_.iterators[i].step_bytes;
  }
  bool same = true;
  for (std::size_t i = 0; i < plan_.iterators.size(); ++i) {
    const StaticPlan::Iterator& it = plan_.iterators[i];
    const SliceWalk& walk = geometry_.iterators[i];
    if (it.rows) {
      const auto rows = graph::row_form(walk.shape, walk.strides);
      if (!rows || !rows->has_rows_of(*it.rows)) return false;
    } else if (it.is_read_in_place()) {
      same = same && it.strides == walk.strides;
    }
  }
  if (!same || !is_planned_) plan();
  return is_possible_ && can_step_;
}

void StageFrames::step_rows() {
  for (std::size_t i = 0; i < plan_.iterators.size(); ++i) {
    const StaticPlan::Iterator& it = plan_.iterators[i];
    if (!it.rows) continue;
    const SliceWalk& walk = geometry_.iterators[i];
    runtime_.trip->step_parameter(
        it.parameter, graph::row_form(walk.shape, walk.strides)->step * element_size(walk.dtype));
  }
  for (const StaticPlan::Gather& gather : plan_.gathers) {
    if (plan_.writes_rows(gather))
      runtime_.trip->step_result(gather.source.number, gather.collected.row_step());
  }
  for (const std::size_t s : plan_.row_states) {
    const StaticPlan::State& state = plan_.states[s];
    if (state.parameter >= 0)
      runtime_.trip->step_parameter(state.parameter, plan_.output_of(state).row_bytes());
  }
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
