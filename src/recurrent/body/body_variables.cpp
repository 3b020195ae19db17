// SPDX-License-Identifier: Apache-2.0
#include "recurrent/body/body_variables.hpp"

#include <weft/base/error.hpp>
#include <weft/recurrent/loop.hpp>

#include "base/text.hpp"
#include "recurrent/body/subgraph.hpp"
#include "recurrent/choice/if_operator.hpp"
#include "recurrent/operator/loop_data.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace weft {
inline namespace v0 {
namespace recurrent {

using graph::Graph;
using graph::Node;
using graph::NodeKind;
using graph::Value;

namespace {

bool is(const Node& node, std::string_view op) {
  if (node.kind != NodeKind::operation) return false;
  const graph::Operator* const found = operators().find(node.op, node.opset);
  return found != nullptr && found->name().name == op;
}

/// A variable of a body.
struct Variable {
  std::string id;
  Value read = {};     ///< what reads it; none: nothing does
  Value set = {};      ///< its next value; none: nothing sets it
  Node assign = {};    ///< what sets it
  int parameter = -1;  ///< of the body without variables: what is read
  int result = -1;     ///< likewise: what is set
};

/// A body, and itself without its variables.
struct Body {
  Graph with;
  Graph without;
  std::vector<Variable> variables;

  Variable* find(const std::string& id) {
    const auto found = std::ranges::find(variables, id, &Variable::id);
    return found == variables.end() ? nullptr : &*found;
  }
};

std::vector<Variable> variables_of(const Graph& body) {
  std::vector<Variable> variables;
  for (const int at : body.topological_order()) {
    const Node& node = body.node(at);
    const bool reads = is(node, "ReadValue"), sets = is(node, "Assign");
    if (!reads && !sets) continue;
    const std::string id = node.attributes.text("variable_id");
    auto variable = std::ranges::find(variables, id, &Variable::id);
    if (variable == variables.end())
      variable = variables.insert(variables.end(), Variable{.id = id});
    if (reads) {
      if (!variable->read) variable->read = {at, 0};
      continue;
    }
    if (variable->set) {
      fail(ErrorCode::invalid_argument,
           text(describe(node), ": variable '", id, "' is set twice in one body"));
    }
    if (node.inputs.size() != 1 || !node.inputs[0])
      fail(ErrorCode::invalid_argument, text(describe(node), ": expected one input"));
    variable->set = node.inputs[0];
    variable->assign = node;
    variable->assign.inputs.clear();
  }
  return variables;
}

/// A loop or choice gives its parameters the types that there are outside.
graph::ValueType any_type() { return {ScalarType::f32, graph::PartialShape::unranked()}; }

std::vector<CutInput> parameters_of(const Graph& body) {
  std::vector<CutInput> inputs;
  for (const int id : body.parameters())
    inputs.push_back({{id, 0}, body.node(id).type, body.node(id).name});
  return inputs;
}

/// What is read become parameters, and what is set results, behind those that the body has.
Body split_variables(const Graph& from) {
  Body body{from, Graph(from.name()), variables_of(from)};
  // One place reads each variable, and nobody reads what Assign gives on but what it is given.
  const auto follow = [&](Value& value) {
    while (value && is(body.with.node(value.node), "Assign"))
      value = body.with.node(value.node).inputs.at(0);
    if (value && is(body.with.node(value.node), "ReadValue"))
      value = body.find(body.with.node(value.node).attributes.text("variable_id"))->read;
  };
  for (std::size_t id = 0; id < from.nodes().size(); ++id)
    std::ranges::for_each(body.with.node(static_cast<int>(id)).inputs, follow);

  std::vector<CutInput> inputs = parameters_of(from);
  std::vector<Value> outputs;
  for (const graph::Result& result : from.results())
    follow(outputs.emplace_back(result.value));
  for (Variable& variable : body.variables) {
    if (variable.read) {
      variable.parameter = static_cast<int>(inputs.size());
      inputs.push_back({variable.read, any_type(), variable.id});
    }
    if (variable.set) {
      variable.result = static_cast<int>(outputs.size());
      follow(outputs.emplace_back(variable.set));
    }
  }
  body.without = cut(body.with, inputs, outputs);
  return body;
}

/// Reads a variable in `outer` as the body does. `outside`: what a parameter of the body is there
/// in the first trip; none if that is no whole value.
Value read_outside(const Body& body, const Variable& variable, Graph& outer,
                   const std::function<Value(int)>& outside) {
  Node read = body.with.node(variable.read.node);
  if (!read.inputs.empty() && read.inputs[0]) {
    const Graph first = cut(body.with, parameters_of(body.with), {read.inputs.data(), 1});
    std::vector<Value> copies(first.nodes().size());
    for (const int id : first.topological_order()) {
      Value& copy = copies[static_cast<std::size_t>(id)];
      Node node = first.node(id);
      if (node.kind == NodeKind::parameter) {
        const auto number = std::ranges::find(first.parameters(), id) - first.parameters().begin();
        copy = outside(static_cast<int>(number));
        if (!copy) {
          fail(ErrorCode::invalid_argument,
               text(describe(read), ": the first value of variable '", variable.id,
                    "' depends on parameter ", number, " '", node.name,
                    "' of the body, which is a slice or the number of the trip"));
        }
        continue;
      }
      for (Value& input : node.inputs) {
        if (input) input.node = copies[static_cast<std::size_t>(input.node)].node;
      }
      copy = {outer.add_node(std::move(node)), 0};
    }
    Value& value = read.inputs[0];
    value = first.results()[0].value;
    const Value copy = copies[static_cast<std::size_t>(value.node)];
    value = {copy.node, copy.output + value.output};
  }
  return {outer.add_node(std::move(read)), 0};
}

std::shared_ptr<const Graph> shared(Graph graph) {
  return std::make_shared<const Graph>(std::move(graph));
}

Node loop_without(Node node, const LoopData& data, Graph& outer,
                  std::vector<AssignedOutput>& assigned) {
  Body body = split_variables(*node.bodies[0]);
  if (body.variables.empty()) return node;
  LoopSpec spec = data.spec;
  const auto outside = [&](int parameter) -> Value {
    for (const LoopState& state : spec.states) {
      if (state.parameter == parameter && !state.sliced)
        return node.inputs[static_cast<std::size_t>(state.input)];
    }
    for (const LoopInvariant& invariant : spec.invariants) {
      if (invariant.parameter == parameter)
        return node.inputs[static_cast<std::size_t>(invariant.input)];
    }
    return {};
  };
  for (const Variable& variable : body.variables) {
    const auto input = static_cast<int>(node.inputs.size());
    LoopOutput output{.result = variable.result};
    if (variable.read) {
      const Value first = read_outside(body, variable, outer, outside);
      if (variable.set) {
        output = {.kind = LoopOutputKind::last_state,
                  .state = static_cast<int>(spec.states.size())};
        spec.states.push_back(
            {.input = input, .parameter = variable.parameter, .result = variable.result});
      } else {
        spec.invariants.push_back({.input = input, .parameter = variable.parameter});
      }
      node.inputs.push_back(first);
    }
    if (!variable.set) continue;
    assigned.push_back({variable.assign, static_cast<int>(spec.outputs.size())});
    spec.outputs.push_back(output);
  }
  node.noutputs = static_cast<int>(spec.outputs.size());
  node.bodies[0] = shared(std::move(body.without));
  node.data = std::make_shared<const LoopData>(std::move(spec));
  return node;
}

Node choice_without(Node node, const IfData& data, Graph& outer,
                    std::vector<AssignedOutput>& assigned) {
  Body sides[] = {split_variables(*node.bodies[0]), split_variables(*node.bodies[1])};
  if (sides[0].variables.empty() && sides[1].variables.empty()) return node;
  auto made = std::make_shared<IfData>(data);
  for (std::size_t s = 0; s < 2; ++s)
    made->inputs[s].resize(sides[s].without.parameters().size());
  // Both sides give what one of them sets, be it what there was: so both have each variable.
  std::vector<std::string> ids;
  for (const Body& side : sides) {
    for (const Variable& variable : side.variables) {
      if (std::ranges::find(ids, variable.id) == ids.end()) ids.push_back(variable.id);
    }
  }
  for (const std::string& id : ids) {
    Value outside;
    const Node* assign = nullptr;
    for (std::size_t s = 0; s < 2; ++s) {
      const Variable* const variable = sides[s].find(id);
      if (variable == nullptr) continue;
      if (variable->set) assign = &variable->assign;
      if (!variable->read || outside) continue;
      outside = read_outside(sides[s], *variable, outer, [&](int parameter) {
        return node
            .inputs[static_cast<std::size_t>(data.inputs[s][static_cast<std::size_t>(parameter)])];
      });
    }
    const auto input = static_cast<int>(node.inputs.size());
    if (outside) node.inputs.push_back(outside);
    for (std::size_t s = 0; s < 2; ++s) {
      const Variable* const variable = sides[s].find(id);
      int parameter = -1;
      if (variable != nullptr && variable->read) {
        parameter = variable->parameter;
        made->inputs[s][static_cast<std::size_t>(parameter)] = input;
      }
      if (assign == nullptr) continue;
      if (variable != nullptr && variable->set) {
        made->results[s].push_back(variable->result);
        continue;
      }
      if (!outside) {
        fail(ErrorCode::invalid_argument,
             text(describe(*assign), ": variable '", id,
                  "' is set on one side of an If only, and read on neither"));
      }
      Graph& body = sides[s].without;
      if (parameter < 0) {
        parameter = static_cast<int>(body.parameters().size());
        body.add_parameter(any_type(), id);
        made->inputs[s].push_back(input);
      }
      made->results[s].push_back(
          body.add_result({body.parameters()[static_cast<std::size_t>(parameter)], 0}));
    }
    if (assign != nullptr)
      assigned.push_back({*assign, static_cast<int>(made->results[0].size()) - 1});
  }
  node.noutputs = static_cast<int>(made->results[0].size());
  for (std::size_t s = 0; s < 2; ++s)
    node.bodies[s] = shared(std::move(sides[s].without));
  node.data = std::move(made);
  return node;
}

}  // namespace

Node with_variables_outside(Node node, Graph& outer, std::vector<AssignedOutput>& assigned) {
  if (const auto* loop = dynamic_cast<const LoopData*>(node.data.get()))
    return loop_without(std::move(node), *loop, outer, assigned);
  if (const auto* choice = dynamic_cast<const IfData*>(node.data.get()))
    return choice_without(std::move(node), *choice, outer, assigned);
  return node;
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
