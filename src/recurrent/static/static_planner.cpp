// SPDX-License-Identifier: Apache-2.0
#include "recurrent/static/static_planner.hpp"

#include "recurrent/static/gather_planner.hpp"

#include <algorithm>
#include <utility>

namespace weft {
inline namespace v0 {
namespace recurrent {

namespace {

int parameter_of(const Stage& stage, Source source) {
  const auto found = std::ranges::find(stage.parameters, source);
  return found == stage.parameters.end() ? -1 : static_cast<int>(found - stage.parameters.begin());
}

std::int64_t bytes_of(const graph::ValueType& type) {
  return numel(type.shape.shape()) * element_size(type.dtype);
}

}  // namespace

StaticPlan StaticPlanner::plan() {
  plan_iterators();
  plan_states();
  GatherPlanner(spec_, body_, in_rows_, plan_).plan();
  plan_trip_results();
  connect_states();
  plan_conditions();
  return std::move(plan_);
}

void StaticPlanner::plan_iterators() {
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < spec_.iterators.size(); ++i) {
    const SliceWalk& walk = geometry_.iterators[i];
    const Source source{Source::Kind::iterator, static_cast<int>(i)};
    const int parameter = parameter_of(body_.trip, source);
    StaticPlan::Iterator it{.variable = plan_.variables.of(source), .parameter = parameter};
    const bool in_block = parameter_of(body_.block, source) >= 0;
    it.packed = (in_block && !walk.stacks_densely()) || (parameter >= 0 && !walk.runs);
    it.needed = parameter >= 0 || in_block ||
                std::ranges::find(body_.results, std::optional(source)) != body_.results.end();
    if (it.packed) bytes += walk.slice_bytes;
    if (in_rows_ && parameter >= 0 && !it.packed && !in_block)
      it.rows = graph::row_form(walk.shape, walk.strides);
    plan_.needs_blocks = plan_.needs_blocks || it.packed;
    plan_.iterators.push_back(it);
    if (it.needed) {
      plan_.movers.push_back(
          {it.variable, parameter, it.packed ? walk.slice_bytes : walk.step_bytes});
    }
  }
  for (std::size_t b = 0; b < body_.block_types.size(); ++b) {
    const Source source{Source::Kind::block, static_cast<int>(b)};
    const std::int64_t step = bytes_of(body_.block_types[b]);
    plan_.movers.push_back({plan_.variables.of(source), parameter_of(body_.trip, source), step});
    bytes += step;
  }
  plan_.needs_blocks = plan_.needs_blocks || body_.block.program.has_value();
  plan_.limit_blocks(bytes, body_.block.program.has_value());
}

void StaticPlanner::plan_states() {
  for (std::size_t j = 0; j < spec_.states.size(); ++j) {
    if (!body_.state_is_live[j]) continue;
    const Source source{Source::Kind::state, static_cast<int>(j)};
    const LoopState& state = spec_.states[j];
    plan_.states.push_back({.number = j,
                            .variable = plan_.variables.of(source),
                            .from = 0,
                            .next = *body_.results[static_cast<std::size_t>(state.result)],
                            .parameter = parameter_of(body_.trip, source),
                            .head_parameter = parameter_of(body_.head, source),
                            .bytes = bytes_of(body_.parameter_type(state.parameter))});
  }
}

/// A buffer of `slots` places, used one after the other.
void StaticPlanner::add_ring(Variable variable, int result, std::int64_t bytes,
                             std::int64_t slots) {
  const std::int64_t step = (bytes + 63) / 64 * 64;
  runtime_.rings.resize(std::max(runtime_.rings.size(), rings_ + 1));
  char* ring = runtime_.rings[rings_++].reserve(std::max<std::int64_t>(slots * step, 1));
  plan_.writers.push_back({variable, result, step, slots, slots, ring});
}

/// Places for results of the trip stage that go nowhere else.
void StaticPlanner::plan_trip_results() {
  const int nresults = body_.trip.program ? body_.trip.program->nresults() : 0;
  for (int t = 0; t < nresults; ++t) {
    const Source source{Source::Kind::trip, t};
    if (plan_.is_written(source)) continue;
    add_ring(plan_.variables.of(source), t, bytes_of(body_.trip.program->result_type(t)),
             1 + plan_.longest_chain(source));
  }
}

/// True if a value's memory stays as it is while it is a state.
bool StaticPlanner::lasts(Source source) const {
  switch (source.kind) {
    case Source::Kind::trip:
    case Source::Kind::state: return true;
    case Source::Kind::iterator: {
      const auto i = static_cast<std::size_t>(source.number);
      return geometry_.iterators[i].dense && !plan_.iterators[i].packed;
    }
    default: return false;
  }
}

void StaticPlanner::connect_states() {
  for (StaticPlan::State& state : plan_.states) {
    if (state.next.kind == Source::Kind::invariant || state.next.kind == Source::Kind::once) {
      state.from = plan_.variables.own();
      plan_.fixed_states.push_back({state.from, state.next});
      continue;
    }
    state.from = plan_.variables.of(state.next);
    if (lasts(state.next)) continue;
    const Variable copy = plan_.variables.own();
    const SliceWalk* walk = nullptr;
    if (state.next.kind == Source::Kind::iterator) {
      const auto i = static_cast<std::size_t>(state.next.number);
      if (!plan_.iterators[i].packed) walk = &geometry_.iterators[i];
    }
    add_ring(copy, -1, state.bytes, 2 + plan_.longest_chain(state.source()));
    plan_.copies.push_back({.to = copy, .from = state.from, .bytes = state.bytes, .strided = walk});
    state.from = copy;
  }
}

/// What the loop itself looks at.
void StaticPlanner::plan_conditions() {
  const auto result = [&](int number) {
    return plan_.variables.of(*body_.results[static_cast<std::size_t>(number)]);
  };
  if (body_.has_condition) plan_.condition = result(*spec_.next_condition);
  if (body_.head_value) {
    // A result of the head's own stage has no variable among those of trips.
    const Source source = *body_.head_value;
    plan_.head =
        source.kind == Source::Kind::trip ? plan_.variables.own() : plan_.variables.of(source);
  }
  for (const LoopOutput& output : spec_.outputs) {
    if (output.kind == LoopOutputKind::last_value) plan_.watched.push_back(result(output.result));
  }
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
