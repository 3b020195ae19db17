// SPDX-License-Identifier: Apache-2.0
#include "recurrent/static/gather_planner.hpp"

#include "recurrent/spec/loop_types.hpp"

#include <algorithm>
#include <utility>

namespace weft {
inline namespace v0 {
namespace recurrent {

namespace {

using Gather = StaticPlan::Gather;

/// How a value that is computed in every trip, or before, gets into an output.
Gather::Way way_of(const Gather& gather) {
  using Way = Gather::Way;
  const Source::Kind kind = gather.source.kind;
  if (kind != Source::Kind::trip && kind != Source::Kind::state && kind != Source::Kind::block)
    return Way::after;
  if (!gather.is_open) return Way::chunks;
  if (kind == Source::Kind::block) return Way::blocks;
  const Collected& to = gather.collected;
  if (to.is_direct()) return Way::direct;
  return to.rows() > 0 && to.row_bytes() >= min_run_bytes ? Way::direct : Way::blocks;
}

}  // namespace

/// True if a result of the trip stage goes into one output and, if at all, into states.
bool GatherPlanner::has_one_reader(Source source) const {
  std::ptrdiff_t readers = 0;
  for (std::size_t r = 0; r < body_.results.size(); ++r) {
    if (body_.results[r] != source) continue;
    const int result = static_cast<int>(r);
    if (spec_.next_condition == result) return false;
    for (const LoopOutput& output : spec_.outputs)
      readers += has_result(output) && output.result == result ? 1 : 0;
  }
  return readers == 1 && body_.head_value != source;
}

/// Whether a trip can write its element into the output as rows, and the next read it there:
/// nothing else may use it, since that expects it to be dense.
bool GatherPlanner::stays_in_rows(const Gather& gather) const {
  if (!in_rows_ || gather.source.kind != Source::Kind::trip || !has_one_reader(gather.source))
    return false;
  return std::ranges::all_of(plan_.states, [&](const StaticPlan::State& state) {
    return state.next != gather.source ||
           (state.head_parameter < 0 && body_.head_value != state.source() &&
            std::ranges::count(body_.results, std::optional(state.source())) == 0);
  });
}

Gather GatherPlanner::make(std::size_t output) const {
  const LoopOutput& wanted = spec_.outputs[output];
  const graph::ValueType& type = body_.typed->result_type(wanted.result);
  Gather gather{.collected = Collected(spec_, output, type.dtype, type.shape.shape()),
                .source = *body_.results[static_cast<std::size_t>(wanted.result)],
                .way = Gather::Way::after};
  // Backwards, places are counted from the last trip, which has to be known.
  gather.is_open = body_.has_certain_end() || (wanted.length && !wanted.backwards);
  gather.way = way_of(gather);
  return gather;
}

/// Gives an output's elements a variable and what moves it. The first of a result's outputs that
/// take it as one piece has the trip write there; the others get copies.
void GatherPlanner::connect(Gather& gather) {
  const Source source = gather.source;
  const std::int64_t bytes = gather.collected.element_bytes();
  const int number = static_cast<int>(plan_.gathers.size());
  const bool by_rows = gather.way == Gather::Way::direct && !gather.collected.is_direct();
  const bool in_place = !by_rows || stays_in_rows(gather);
  const bool first = source.kind == Source::Kind::trip && in_place && !plan_.is_written(source);
  if (first) {
    gather.variable = plan_.variables.of(source);
    plan_.min_block_trips = std::max(plan_.min_block_trips, 1 + plan_.longest_chain(source));
  } else {
    gather.variable = plan_.variables.own();
    plan_.copies.push_back({gather.variable, plan_.variables.of(source), bytes});
    if (by_rows) plan_.copies.back().gather = number;
  }
  for (std::size_t s = 0; first && by_rows && s < plan_.states.size(); ++s) {
    if (plan_.states[s].next != source) continue;
    plan_.states[s].gather = number;
    plan_.row_states.push_back(s);
  }
  gather.writer = plan_.writers.size();
  plan_.writers.push_back({gather.variable, first ? source.number : -1, bytes});
}

void GatherPlanner::plan() {
  std::int64_t bytes = 0;
  for (std::size_t o = 0; o < spec_.outputs.size(); ++o) {
    const LoopOutputKind kind = spec_.outputs[o].kind;
    if (kind != LoopOutputKind::stack && kind != LoopOutputKind::join) continue;
    Gather gather = make(o);
    if (gather.way == Gather::Way::blocks && gather.source.kind == Source::Kind::block) {
      gather.variable = plan_.variables.of(gather.source);
    } else if (gather.way != Gather::Way::after) {
      if (gather.way == Gather::Way::blocks) bytes += gather.collected.element_bytes();
      connect(gather);
    }
    plan_.gathers.push_back(std::move(gather));
  }
  plan_.limit_blocks(bytes, body_.block.program.has_value());
  plan_.block_trips = std::max(plan_.block_trips, plan_.min_block_trips);
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
