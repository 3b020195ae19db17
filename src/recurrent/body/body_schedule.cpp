// SPDX-License-Identifier: Apache-2.0
#include "recurrent/body/body_schedule.hpp"

#include "recurrent/body/trip_batch.hpp"
#include "recurrent/spec/loop_types.hpp"

#include <algorithm>
#include <array>

namespace weft {
inline namespace v0 {
namespace recurrent {

using graph::Node;
using graph::NodeKind;
using graph::Value;

BodySchedule::BodySchedule(const LoopSpec& spec, const TypedGraph& typed,
                           const graph::OperatorRegistry& operators, bool has_condition,
                           const HoistOptions& options)
    : spec_(spec), typed_(typed), graph_(typed.graph()), operators_(operators), options_(options) {
  name_parameters();
  find_live_results(has_condition);
  find_when();
  if (options_.block) plan_blocks();
}

void BodySchedule::name_parameters() {
  source_of_.resize(graph_.nodes().size());
  const auto name = [&](int parameter, Source::Kind kind, std::size_t number) {
    const int node = graph_.parameters()[static_cast<std::size_t>(parameter)];
    source_of_[static_cast<std::size_t>(node)] = Source{kind, static_cast<int>(number)};
  };
  for (std::size_t i = 0; i < spec_.iterators.size(); ++i)
    name(spec_.iterators[i].parameter, Source::Kind::iterator, i);
  for (std::size_t i = 0; i < spec_.states.size(); ++i)
    name(spec_.states[i].parameter, Source::Kind::state, i);
  for (std::size_t i = 0; i < spec_.invariants.size(); ++i)
    name(spec_.invariants[i].parameter, Source::Kind::invariant, i);
  for (const int parameter : spec_.indexes)
    name(parameter, Source::Kind::index, static_cast<std::size_t>(parameter));
}

Value BodySchedule::elements_of(Value value) const {
  static constexpr std::array<std::string_view, 4> shape_only = {"Identity", "Reshape", "Squeeze",
                                                                 "Unsqueeze"};
  for (;;) {
    const Node& node = node_of(value);
    if (node.kind != NodeKind::operation || node.inputs.empty() || !node.inputs[0]) return value;
    if (std::ranges::find(shape_only, node.op) == shape_only.end()) return value;
    const bool same_shape = node.op == "Identity";
    if (!same_shape &&
        !(typed_.type(value).shape.is_static() && typed_.type(node.inputs[0]).shape.is_static())) {
      return value;
    }
    value = node.inputs[0];
  }
}

/// Results that outputs and conditions need, and those of the states that these depend on.
void BodySchedule::find_live_results(bool has_condition) {
  std::vector<bool> live(graph_.results().size(), false);
  const auto need = [&](int result) { live[static_cast<std::size_t>(result)] = true; };
  for (const LoopOutput& output : spec_.outputs) {
    if (has_result(output)) need(output.result);
    if (output.kind == LoopOutputKind::last_state)
      need(spec_.states[static_cast<std::size_t>(output.state)].result);
    if (output.kind == LoopOutputKind::condition && spec_.next_condition) {
      need(*spec_.next_condition);
    }
  }
  if (has_condition) need(*spec_.next_condition);
  state_is_live_.assign(spec_.states.size(), false);
  for (const LoopOutput& output : spec_.outputs) {
    if (output.kind == LoopOutputKind::last_state)
      state_is_live_[static_cast<std::size_t>(output.state)] = true;
  }
  for (bool grew = true; grew;) {
    grew = false;
    std::vector<Value> wanted;
    for (std::size_t r = 0; r < live.size(); ++r) {
      if (live[r]) wanted.push_back(graph_.results()[r].value);
    }
    if (spec_.head) wanted.push_back(graph_.results()[static_cast<std::size_t>(*spec_.head)].value);
    const std::vector<bool> reached = reach(wanted);
    for (std::size_t j = 0; j < spec_.states.size(); ++j) {
      const LoopState& state = spec_.states[j];
      const int node = graph_.parameters()[static_cast<std::size_t>(state.parameter)];
      if (!reached[static_cast<std::size_t>(node)]) continue;
      grew = grew || !state_is_live_[j] || !live[static_cast<std::size_t>(state.result)];
      state_is_live_[j] = true;
      need(state.result);
    }
  }
  live_ = live;
  std::vector<Value> wanted;
  for (std::size_t r = 0; r < live.size(); ++r) {
    if (live[r]) wanted.push_back(elements_of(graph_.results()[r].value));
  }
  reached_ = reach(wanted);
}

std::vector<bool> BodySchedule::reach(const std::vector<Value>& from) const {
  std::vector<bool> reached(graph_.nodes().size(), false);
  std::vector<int> open;
  const auto visit = [&](Value value) {
    if (!value || reached[static_cast<std::size_t>(value.node)]) return;
    reached[static_cast<std::size_t>(value.node)] = true;
    open.push_back(value.node);
  };
  std::ranges::for_each(from, visit);
  while (!open.empty()) {
    const int node = open.back();
    open.pop_back();
    std::ranges::for_each(graph_.node(node).inputs, visit);
  }
  return reached;
}

void BodySchedule::find_when() {
  when_.assign(graph_.nodes().size(), When::never);
  for (const int id : typed_.order()) {
    const Node& node = graph_.node(id);
    if (node.kind == NodeKind::parameter) {
      using enum Source::Kind;
      const std::optional<Source>& source = source_of_[static_cast<std::size_t>(id)];
      if (!source) continue;
      when(id) = source->kind == invariant  ? When::once
                 : source->kind == iterator ? When::block
                                            : When::trip;
      continue;
    }
    if (node.kind != NodeKind::operation) continue;
    When latest = When::never;
    for (const Value input : node.inputs) {
      if (input) latest = std::max(latest, when(input.node));
    }
    const bool pure = operators_.at(node)->is_pure();
    if (!pure || (latest == When::once && !options_.once)) latest = When::trip;
    if (latest == When::block &&
        !(options_.block && can_batch(typed_, id, is_batched(node), operators_))) {
      latest = When::trip;
    }
    when(id) = latest;
  }
}

std::vector<bool> BodySchedule::is_batched(const Node& node) const {
  std::vector<bool> batched;
  for (const Value input : node.inputs)
    batched.push_back(input && when(input.node) == When::block);
  return batched;
}

/// Operations are done for blocks of trips up to the last that is worth it on each way.
void BodySchedule::plan_blocks() {
  std::vector<bool> worth(graph_.nodes().size(), false);
  for (const int id : typed_.order()) {
    const Node& node = graph_.node(id);
    if (node.kind != NodeKind::operation || when(id) != When::block) continue;
    worth[static_cast<std::size_t>(id)] =
        reached_[static_cast<std::size_t>(id)] && is_worth_batching(typed_, id, operators_);
  }
  // Inputs of what is worth it are computed there too; the rest waits for its trip.
  const std::vector<int>& order = typed_.order();
  for (std::size_t at = order.size(); at-- > 0;) {
    const int id = order[at];
    if (!worth[static_cast<std::size_t>(id)]) continue;
    for (const Value input : graph_.node(id).inputs) {
      if (input && when(input.node) == When::block &&
          graph_.node(input.node).kind == NodeKind::operation) {
        worth[static_cast<std::size_t>(input.node)] = true;
      }
    }
  }
  for (const int id : order) {
    if (graph_.node(id).kind == NodeKind::operation && when(id) == When::block &&
        !worth[static_cast<std::size_t>(id)]) {
      when(id) = When::trip;
    }
  }
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
