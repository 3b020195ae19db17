// SPDX-License-Identifier: Apache-2.0
#include "recurrent/loop_body.hpp"

#include <weft/base/error.hpp>

#include "recurrent/batch.hpp"
#include "recurrent/loop_types.hpp"

#include <algorithm>
#include <array>

namespace weft::inline v0::recurrent {

using graph::Node;
using graph::NodeKind;
using graph::Value;

namespace {

/// How often a node has to run; later ones include what earlier ones depend on.
enum class When : std::uint8_t { never, once, block, trip };

class Divider {
 public:
  Divider(const LoopSpec& spec, std::shared_ptr<const TypedGraph> typed,
          const graph::OperatorRegistry& operators, bool first_is_true, const HoistOptions& options)
      : spec_(spec), graph_(typed->graph()), operators_(operators), options_(options) {
    body_.typed = std::move(typed);
    body_.has_condition = !condition_always_true(spec, graph_, first_is_true);
  }

  LoopBody run() {
    name_parameters();
    find_live_results();
    find_when();
    if (options_.block) plan_blocks();
    make_stages();
    return std::move(body_);
  }

 private:
  const TypedGraph& typed() const { return *body_.typed; }
  When& when(int node) { return when_[static_cast<std::size_t>(node)]; }
  const Node& node_of(Value value) const { return graph_.node(value.node); }

  void name_parameters() {
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

  /// The value whose elements a result shows, maybe in another shape.
  Value elements_of(Value value) const {
    static constexpr std::array<std::string_view, 4> shape_only = {"Identity", "Reshape", "Squeeze",
                                                                   "Unsqueeze"};
    for (;;) {
      const Node& node = node_of(value);
      if (node.kind != NodeKind::operation || node.inputs.empty() || !node.inputs[0]) return value;
      if (std::ranges::find(shape_only, node.op) == shape_only.end()) return value;
      const bool same_shape = node.op == "Identity";
      if (!same_shape && !(typed().type(value).shape.is_static() &&
                           typed().type(node.inputs[0]).shape.is_static())) {
        return value;
      }
      value = node.inputs[0];
    }
  }

  /// Results that outputs and conditions need, and those of the states that these depend on.
  void find_live_results() {
    std::vector<bool> live(graph_.results().size(), false);
    const auto need = [&](int result) { live[static_cast<std::size_t>(result)] = true; };
    for (const LoopOutput& output : spec_.outputs) {
      if (output.result >= 0) need(output.result);
      if (output.kind == LoopOutputKind::last_state)
        need(spec_.states[static_cast<std::size_t>(output.state)].result);
      if (output.kind == LoopOutputKind::condition && spec_.next_condition) {
        need(*spec_.next_condition);
      }
    }
    if (body_.has_condition) need(*spec_.next_condition);
    body_.state_is_live.assign(spec_.states.size(), false);
    for (const LoopOutput& output : spec_.outputs) {
      if (output.kind == LoopOutputKind::last_state)
        body_.state_is_live[static_cast<std::size_t>(output.state)] = true;
    }
    for (bool grew = true; grew;) {
      grew = false;
      std::vector<Value> wanted;
      for (std::size_t r = 0; r < live.size(); ++r) {
        if (live[r]) wanted.push_back(graph_.results()[r].value);
      }
      if (spec_.head)
        wanted.push_back(graph_.results()[static_cast<std::size_t>(*spec_.head)].value);
      const std::vector<bool> reached = reach(wanted);
      for (std::size_t j = 0; j < spec_.states.size(); ++j) {
        const LoopState& state = spec_.states[j];
        const int node = graph_.parameters()[static_cast<std::size_t>(state.parameter)];
        if (!reached[static_cast<std::size_t>(node)]) continue;
        grew = grew || !body_.state_is_live[j] || !live[static_cast<std::size_t>(state.result)];
        body_.state_is_live[j] = true;
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
  std::vector<bool> reach(const std::vector<Value>& from) const {
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

  void find_when() {
    when_.assign(graph_.nodes().size(), When::never);
    for (const int id : typed().order()) {
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
          !(options_.block && can_batch(typed(), id, is_batched(node), operators_))) {
        latest = When::trip;
      }
      when(id) = latest;
    }
  }
  std::vector<bool> is_batched(const Node& node) {
    std::vector<bool> batched;
    for (const Value input : node.inputs)
      batched.push_back(input && when(input.node) == When::block);
    return batched;
  }

  /// Operations are done for blocks of trips up to the last that is worth it on each way.
  void plan_blocks() {
    std::vector<bool> worth(graph_.nodes().size(), false);
    for (const int id : typed().order()) {
      const Node& node = graph_.node(id);
      if (node.kind != NodeKind::operation || when(id) != When::block) continue;
      worth[static_cast<std::size_t>(id)] =
          reached_[static_cast<std::size_t>(id)] && is_worth_batching(typed(), id, operators_);
    }
    // Inputs of what is worth it are computed there too; the rest waits for its trip.
    const std::vector<int>& order = typed().order();
    for (auto id = order.rbegin(); id != order.rend(); ++id) {
      if (!worth[static_cast<std::size_t>(*id)]) continue;
      for (const Value input : graph_.node(*id).inputs) {
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

  /// Values computed in `at` that something later, or a result, reads.
  std::vector<Value> handed_on(When at) {
    std::vector<Value> out;
    const auto add = [&](Value value) {
      if (!value || node_of(value).kind != NodeKind::operation || when(value.node) != at) return;
      if (std::ranges::find(out, value) == out.end()) out.push_back(value);
    };
    for (const int id : typed().order()) {
      if (!reached_[static_cast<std::size_t>(id)] || when(id) <= at) continue;
      std::ranges::for_each(graph_.node(id).inputs, add);
    }
    for (std::size_t r = 0; r < live_.size(); ++r) {
      if (live_[r]) add(elements_of(graph_.results()[r].value));
    }
    return out;
  }
  /// Constants that results are, folded or not.
  std::vector<Value> constant_results() {
    std::vector<Value> out;
    for (std::size_t r = 0; r < live_.size(); ++r) {
      if (!live_[r]) continue;
      const Value value = elements_of(graph_.results()[r].value);
      if (node_of(value).kind != NodeKind::parameter && when(value.node) == When::never &&
          std::ranges::find(out, value) == out.end()) {
        out.push_back(value);
      }
    }
    return out;
  }

  /// A stage that computes `outputs` of parameters and of values that are there.
  Stage make_stage(std::span<const Value> outputs,
                   std::span<const std::pair<Value, Source>> available) {
    Stage stage;
    if (outputs.empty()) return stage;
    std::vector<CutInput> inputs;
    std::vector<Source> sources;
    for (const auto& [value, source] : available) {
      inputs.push_back({value, typed().type(value), node_of(value).name});
      sources.push_back(source);
    }
    for (const int id : graph_.parameters()) {
      const std::optional<Source>& source = source_of_[static_cast<std::size_t>(id)];
      if (!source) continue;
      inputs.push_back({{id, 0}, typed().type({id, 0}), graph_.node(id).name});
      sources.push_back(*source);
    }
    // Only those that it reads.
    const graph::Executable all(cut(graph_, inputs, outputs), {.operators = &operators_});
    std::vector<CutInput> used;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!all.parameter_is_used(static_cast<int>(i))) continue;
      used.push_back(inputs[i]);
      stage.parameters.push_back(sources[i]);
    }
    if (used.size() == inputs.size()) {
      stage.program = all;
    } else {
      stage.program.emplace(cut(graph_, used, outputs),
                            graph::CompileOptions{.operators = &operators_});
    }
    return stage;
  }

  void make_stages() {
    std::vector<std::pair<Value, Source>> available;
    std::vector<Value> once = handed_on(When::once);
    for (const Value value : constant_results())
      once.push_back(value);
    body_.once = make_stage(once, {});
    for (std::size_t i = 0; i < once.size(); ++i)
      available.emplace_back(once[i], Source{Source::Kind::once, static_cast<int>(i)});

    const std::vector<Value> blocks = handed_on(When::block);
    body_.block = make_block_stage(blocks, available);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      available.emplace_back(blocks[i], Source{Source::Kind::block, static_cast<int>(i)});
      body_.block_types.push_back(typed().type(blocks[i]));
    }

    make_head();
    std::vector<Value> trip;
    body_.results.resize(live_.size());
    for (std::size_t r = 0; r < live_.size(); ++r) {
      if (live_[r])
        body_.results[r] = source_of(elements_of(graph_.results()[r].value), available, trip);
    }
    body_.trip = make_stage(trip, available);
    for (const int id : typed().order()) {
      if (graph_.node(id).kind != NodeKind::operation) continue;
      if (!reached_[static_cast<std::size_t>(id)]) continue;
      if (when(id) == When::once) body_.hoisted.push_back(describe(graph_.node(id)));
      if (when(id) == When::block) body_.blocked.push_back(describe(graph_.node(id)));
    }
  }
  Source source_of(Value value, std::span<const std::pair<Value, Source>> available,
                   std::vector<Value>& trip) const {
    for (const auto& [there, source] : available) {
      if (there == value) return source;
    }
    if (node_of(value).kind == NodeKind::parameter)
      return *source_of_[static_cast<std::size_t>(value.node)];
    auto found = std::ranges::find(trip, value);
    if (found == trip.end()) {
      trip.push_back(value);
      found = trip.end() - 1;
    }
    return {Source::Kind::trip, static_cast<int>(found - trip.begin())};
  }

  Stage make_block_stage(const std::vector<Value>& outputs,
                         std::span<const std::pair<Value, Source>> available) {
    Stage stage;
    if (outputs.empty()) return stage;
    BatchedGraph batched(typed(), operators_);
    for (const auto& [value, source] : available)
      batched.add_fixed(value, source);
    for (const int id : graph_.parameters()) {
      const std::optional<Source>& source = source_of_[static_cast<std::size_t>(id)];
      if (!source) continue;
      if (source->kind == Source::Kind::iterator) batched.add_batched({id, 0}, *source);
      if (source->kind == Source::Kind::invariant) batched.add_fixed({id, 0}, *source);
    }
    return batched.finish(outputs);
  }

  /// What the head reads must be there before the trip is known to take place.
  void make_head() {
    if (!spec_.head) return;
    const Value value = elements_of(graph_.results()[static_cast<std::size_t>(*spec_.head)].value);
    const std::vector<bool> reached = reach({value});
    for (std::size_t i = 0; i < spec_.iterators.size(); ++i) {
      const int parameter = spec_.iterators[i].parameter;
      const int node = graph_.parameters()[static_cast<std::size_t>(parameter)];
      if (!reached[static_cast<std::size_t>(node)]) continue;
      refuse(spec_, ErrorCode::invalid_argument, "the head reads ",
             entry_name("iterator", i, graph_, parameter),
             ": it is computed once more than there are trips");
    }
    const Value outputs[] = {value};
    body_.head_value = Source{Source::Kind::trip, 0};
    if (node_of(value).kind == NodeKind::parameter) {
      body_.head_value = source_of_[static_cast<std::size_t>(value.node)];
      return;
    }
    body_.head = make_stage(outputs, {});
  }

  const LoopSpec& spec_;
  const graph::Graph& graph_;
  const graph::OperatorRegistry& operators_;
  HoistOptions options_;
  LoopBody body_;
  std::vector<std::optional<Source>> source_of_;  // of nodes that are parameters
  std::vector<bool> live_;                        // by result
  std::vector<bool> reached_;                     // by node: something live depends on it
  std::vector<When> when_;                        // by node
};

}  // namespace

bool LoopBody::has_fixed_shapes(const LoopSpec& spec) const {
  for (std::size_t j = 0; j < spec.states.size(); ++j) {
    if (state_is_live[j] && !parameter_type(spec.states[j].parameter).shape.is_static())
      return false;
  }
  for (std::size_t r = 0; r < results.size(); ++r) {
    if (results[r] && !typed->result_type(static_cast<int>(r)).shape.is_static()) return false;
  }
  return true;
}

void LoopBody::check_bytes(const LoopSpec& spec, std::int64_t bytes) const {
  if (bytes > max_bytes)
    refuse(spec, ErrorCode::limit, "collects ", bytes, " bytes, allowed are ", max_bytes);
}

LoopBody take_apart(const LoopSpec& spec, std::shared_ptr<const TypedGraph> typed,
                    const graph::OperatorRegistry& operators, bool first_is_true,
                    const HoistOptions& options) {
  LoopBody body = Divider(spec, std::move(typed), operators, first_is_true, options).run();
  body.max_bytes = operators.max_bytes();
  body.max_trips = operators.max_trips();
  return body;
}

}  // namespace weft::inline v0::recurrent
