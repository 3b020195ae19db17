// SPDX-License-Identifier: Apache-2.0
#include "recurrent/body/loop_body.hpp"

#include <weft/base/error.hpp>

#include "recurrent/body/body_schedule.hpp"
#include "recurrent/body/trip_batch.hpp"
#include "recurrent/spec/loop_types.hpp"

#include <algorithm>
#include <optional>

namespace weft {
inline namespace v0 {
namespace recurrent {

using graph::Node;
using graph::NodeKind;
using graph::Value;

namespace {

class Divider {
 public:
  Divider(const LoopSpec& spec, std::shared_ptr<const TypedGraph> typed,
          const graph::OperatorRegistry& operators, bool first_is_true, const HoistOptions& options)
      : spec_(spec), graph_(typed->graph()), operators_(operators) {
    body_.has_condition = !condition_always_true(spec, graph_, first_is_true);
    schedule_.emplace(spec, *typed, operators, body_.has_condition, options);
    body_.state_is_live = schedule_->live_states();
    body_.typed = std::move(typed);
  }

  LoopBody run() {
    make_stages();
    return std::move(body_);
  }

 private:
  const TypedGraph& typed() const { return *body_.typed; }
  When when(int node) const { return schedule_->when(node); }
  Value elements_of(Value value) const { return schedule_->elements_of(value); }
  const std::vector<bool>& live() const { return schedule_->live_results(); }
  const Node& node_of(Value value) const { return graph_.node(value.node); }

  /// Values computed in `at` that something later, or a result, reads.
  std::vector<Value> handed_on(When at) {
    std::vector<Value> out;
    const auto add = [&](Value value) {
      if (!value || node_of(value).kind != NodeKind::operation || when(value.node) != at) return;
      if (std::ranges::find(out, value) == out.end()) out.push_back(value);
    };
    for (const int id : typed().order()) {
      if (!schedule_->is_reached(id) || when(id) <= at) continue;
      std::ranges::for_each(graph_.node(id).inputs, add);
    }
    for (std::size_t r = 0; r < live().size(); ++r) {
      if (live()[r]) add(elements_of(graph_.results()[r].value));
    }
    return out;
  }
  /// Constants that results are, folded or not.
  std::vector<Value> constant_results() {
    std::vector<Value> out;
    for (std::size_t r = 0; r < live().size(); ++r) {
      if (!live()[r]) continue;
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
      const std::optional<Source>& source = schedule_->source_of(id);
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
    body_.results.resize(live().size());
    for (std::size_t r = 0; r < live().size(); ++r) {
      if (live()[r])
        body_.results[r] = source_of(elements_of(graph_.results()[r].value), available, trip);
    }
    body_.trip = make_stage(trip, available);
    for (const int id : typed().order()) {
      if (graph_.node(id).kind != NodeKind::operation) continue;
      if (!schedule_->is_reached(id)) continue;
      if (when(id) == When::once) body_.hoisted.push_back(describe(graph_.node(id)));
      if (when(id) == When::block) body_.blocked.push_back(describe(graph_.node(id)));
    }
  }
  Source source_of(Value value, std::span<const std::pair<Value, Source>> available,
                   std::vector<Value>& trip) const {
    for (const auto& [there, source] : available) {
      if (there == value) return source;
    }
    if (node_of(value).kind == NodeKind::parameter) return *schedule_->source_of(value.node);
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
      const std::optional<Source>& source = schedule_->source_of(id);
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
    const std::vector<bool> reached = schedule_->reach({value});
    for (std::size_t i = 0; i < spec_.iterators.size(); ++i) {
      const int parameter = spec_.iterators[i].parameter;
      const int node = graph_.parameters()[static_cast<std::size_t>(parameter)];
      if (!reached[static_cast<std::size_t>(node)]) continue;
      refuse(spec_, ErrorCode::invalid_argument, "the head reads ",
             EntryName("iterator", i, graph_, parameter).text(),
             ": it is computed once more than there are trips");
    }
    const Value outputs[] = {value};
    body_.head_value = Source{Source::Kind::trip, 0};
    if (node_of(value).kind == NodeKind::parameter) {
      body_.head_value = schedule_->source_of(value.node);
      return;
    }
    body_.head = make_stage(outputs, {});
  }

  const LoopSpec& spec_;
  const graph::Graph& graph_;
  const graph::OperatorRegistry& operators_;
  std::optional<BodySchedule> schedule_;
  LoopBody body_;
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

LoopBody divide_body(const LoopSpec& spec, std::shared_ptr<const TypedGraph> typed,
                     const graph::OperatorRegistry& operators, bool first_is_true,
                     const HoistOptions& options) {
  LoopBody body = Divider(spec, std::move(typed), operators, first_is_true, options).run();
  body.max_bytes = operators.max_bytes();
  body.max_trips = operators.max_trips();
  return body;
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
