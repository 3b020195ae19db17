// SPDX-License-Identifier: Apache-2.0
// From a flat network with loop boundaries in it to nested graphs.
#include <weft/base/error.hpp>
#include <weft/recurrent/loop.hpp>
#include <weft/recurrent/network.hpp>

#include "base/text.hpp"
#include "recurrent/tensorrt/network_nesting.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace weft {
inline namespace v0 {
namespace recurrent {

using graph::Graph;
using graph::Node;
using graph::NodeKind;
using graph::Value;

namespace {

/// Builds the graphs from the inside out.
class NetworkLowering {
 public:
  explicit NetworkLowering(const Network& network) : nesting_(network), flat_(nesting_.flat()) {}

  Graph run() {
    Level top{.loop = -1, .outer = nullptr, .graph = Graph(flat_.name())};
    // Parameters keep their numbers, used or not.
    for (const int id : flat_.parameters())
      top.values[{id, 0}] = top.graph.add_parameter(flat_.node(id).type, flat_.node(id).name);
    for (const graph::Result& result : flat_.results()) {
      const std::set<int>& inside = nesting_.members(result.value);
      if (!inside.empty()) {
        nesting_.refuse(
            *inside.begin(), "'", result.name, "' (", describe(flat_.node(result.value.node)),
            ") is inside the loop and cannot be an output of the network: expected a loop output");
      }
      top.graph.add_result(local(top, result.value), result.name, result.layer_id);
    }
    return std::move(top.graph);
  }

 private:
  /// A graph in the making: the network's, or the body of a loop.
  struct Level {
    int loop;
    Level* outer;
    Graph graph;
    std::map<std::pair<int, int>, Value> values = {};  // of the flat network
    LoopSpec spec = {};
    std::vector<Value> inputs = {};  // of the loop, in `outer`
  };

  using Boundary = NetworkNesting::Boundary;
  using Layer = NetworkNesting::Layer;

  const Boundary* boundary(int node) const { return nesting_.boundary(node); }

  /// A value of the network in the graph of this level.
  Value local(Level& level, Value value) {
    const auto found = level.values.find({value.node, value.output});
    if (found != level.values.end()) return found->second;
    const Node& node = flat_.node(value.node);
    if (node.kind == NodeKind::constant) {  // constants stay constants, so that they can be packed
      const Value made = level.graph.add_constant(node.constant, node.name);
      level.values[{value.node, value.output}] = made;
      return made;
    }
    if (nesting_.home(value) != level.loop) return import(level, value);
    make(level, value);
    return level.values.at({value.node, value.output});
  }
  /// A value of a level around this one: the same in every trip.
  Value import(Level& level, Value value) {
    const int input = input_of(level, local(*level.outer, value));
    const Value made = add_parameter(level, flat_.node(value.node).name);
    level.spec.invariants.push_back({.input = input, .parameter = last_parameter(level)});
    level.values[{value.node, value.output}] = made;
    return made;
  }
  static int input_of(Level& level, Value outer) {
    const auto found = std::ranges::find(level.inputs, outer);
    if (found != level.inputs.end()) return static_cast<int>(found - level.inputs.begin());
    level.inputs.push_back(outer);
    return static_cast<int>(level.inputs.size()) - 1;
  }
  static Value add_parameter(Level& level, const std::string& name) {
    // Its type is that of what feeds it.
    return level.graph.add_parameter({ScalarType::f32, graph::PartialShape::unranked()}, name);
  }
  static int last_parameter(const Level& level) {
    return static_cast<int>(level.graph.parameters().size()) - 1;
  }

  /// Adds the node of a value and all of this level that it depends on, in the order of the
  /// network.
  void make(Level& level, Value value) {
    std::set<int> wanted = {value.node};
    std::vector<int> open = {value.node};
    while (!open.empty()) {
      const int id = open.back();
      open.pop_back();
      if (boundary(id) != nullptr) continue;
      for (const Value input : flat_.node(id).inputs) {
        if (!input || level.values.contains({input.node, input.output})) continue;
        if (flat_.node(input.node).kind == NodeKind::constant || nesting_.home(input) != level.loop)
          continue;
        if (wanted.insert(input.node).second) open.push_back(input.node);
      }
    }
    for (const int id : wanted) {
      if (level.values.contains({id, 0})) continue;
      if (boundary(id) != nullptr) {
        // What belongs to this level's own loop is there from the start: this is an inner loop's
        // output.
        make_loop(level, boundary(id)->loop);
        continue;
      }
      Node node = flat_.node(id);
      for (Value& input : node.inputs) {
        if (input) input = local(level, input);
      }
      const int noutputs = node.noutputs;
      const int made = level.graph.add_node(std::move(node));
      for (int output = 0; output < noutputs; ++output)
        level.values[{id, output}] = {made, output};
    }
  }

  void make_loop(Level& outer, int loop) {
    const NetworkNesting::Loop& entry = nesting_.loop(loop);
    if (nesting_.depth(loop) >= max_nested_) {
      fail(ErrorCode::limit,
           text("loop '", entry.name, "': is inside more than ", max_nested_, " loops"));
    }
    Level level{.loop = loop, .outer = &outer, .graph = Graph(entry.name)};
    level.spec.name = entry.name;
    level.spec.negative_count_is_endless = false;
    for (const int node : entry.boundaries) {
      const Boundary& at = *boundary(node);
      if (at.layer == Layer::output) continue;
      const int input = input_of(level, local(outer, flat_.node(node).inputs[0]));
      level.values[{node, 0}] = add_parameter(level, flat_.node(node).op);
      if (at.layer == Layer::iterator) {
        level.spec.iterators.push_back({.input = input,
                                        .parameter = last_parameter(level),
                                        .axis = at.axis,
                                        .from_count = at.reverse,
                                        .limits_trips = false});
      } else {
        level.spec.states.push_back(
            {.input = input, .parameter = last_parameter(level), .fixed_shape = true});
      }
    }
    for (const auto& limit : entry.limits) {
      if (limit.kind == TripLimit::count) {
        level.spec.count = input_of(level, local(outer, limit.value));
      } else {
        level.spec.head = level.graph.add_result(local(level, limit.value));
      }
    }
    std::map<int, int> state_of;  // by node of the recurrence
    for (const int node : entry.boundaries) {
      if (boundary(node)->layer != Layer::recurrence) continue;
      const auto number = state_of.size();
      state_of[node] = static_cast<int>(number);
      level.spec.states[number].result = level.graph.add_result(local(level, boundary(node)->next));
    }
    std::vector<int> outputs;
    for (const int node : entry.boundaries) {
      if (boundary(node)->layer != Layer::output) continue;
      outputs.push_back(node);
      add_output(level, node, state_of);
    }
    const std::vector<Value> values =
        add_loop(outer.graph, std::move(level.spec), level.graph, std::move(level.inputs));
    for (std::size_t o = 0; o < outputs.size(); ++o)
      outer.values[{outputs[o], 0}] = values[o];
  }
  void add_output(Level& level, int node, const std::map<int, int>& state_of) {
    const Boundary& at = *boundary(node);
    const Value value = flat_.node(node).inputs[0];
    LoopOutput output;
    if (at.form == OutputForm::last_value) {
      output.kind = LoopOutputKind::last_state;
      output.state = state_of.at(value.node);
    } else {
      output.kind = LoopOutputKind::stack;
      output.result = level.graph.add_result(local(level, value));
      output.axis = at.axis;
      output.backwards = at.form == OutputForm::reverse;
      output.length = input_of(level, local(*level.outer, at.length));
    }
    level.spec.outputs.push_back(output);
  }

  static constexpr std::size_t max_nested_ = 64;

  const NetworkNesting nesting_;
  const Graph& flat_;
};

}  // namespace

Graph Network::build() const { return NetworkLowering(*this).run(); }

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
