// SPDX-License-Identifier: Apache-2.0
// From a flat network with loop boundaries in it to nested graphs.
#include <weft/base/error.hpp>
#include <weft/recurrent/loop.hpp>
#include <weft/recurrent/network.hpp>

#include "base/text.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace weft::inline v0::recurrent {

using graph::Graph;
using graph::Node;
using graph::NodeKind;
using graph::Value;

/// Finds which loops each value is inside of, and builds the graphs from the inside out.
class NetworkLowering {
 public:
  explicit NetworkLowering(const Network& network) : network_(network), flat_(network.flat_) {}

  Graph run() {
    find_nesting();
    for (std::size_t l = 0; l < network_.loops_.size(); ++l) {
      const bool has_outputs = std::ranges::any_of(network_.loops_[l].boundaries, [&](int node) {
        return layer(node) == Network::Layer::output;
      });
      if (has_outputs) check_loop(static_cast<int>(l));
    }
    Level top{.loop = -1, .outer = nullptr, .graph = Graph(flat_.name())};
    // Parameters keep their numbers, used or not.
    for (const int id : flat_.parameters())
      top.values[{id, 0}] = top.graph.add_parameter(flat_.node(id).type, flat_.node(id).name);
    for (const graph::Result& result : flat_.results()) {
      const std::set<int>& inside = members(result.value);
      if (!inside.empty()) {
        refuse(
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

  template <class... Args>
  [[noreturn]] void refuse(int loop, const Args&... args) const {
    fail(ErrorCode::invalid_argument, text("loop '", name(loop), "': ", args...));
  }
  const std::string& name(int loop) const {
    return network_.loops_[static_cast<std::size_t>(loop)].name;
  }
  const Network::Boundary* boundary(int node) const {
    return static_cast<std::size_t>(node) < network_.boundaries_.size() ? network_.boundary(node)
                                                                        : nullptr;
  }
  std::optional<Network::Layer> layer(int node) const {
    const Network::Boundary* at = boundary(node);
    return at != nullptr ? std::optional(at->layer) : std::nullopt;
  }
  /// Loops that a value is inside of.
  const std::set<int>& members(Value value) const {
    return members_[static_cast<std::size_t>(value.node)];
  }
  bool is_inside(int inner, int outer) const {
    return inside_[static_cast<std::size_t>(inner)].contains(outer);
  }

  // ---- Nesting -----------------------------------------------------------------------------------

  void find_nesting() {
    inside_.resize(network_.loops_.size());
    for (bool grew = true; grew;) {
      find_members();
      grew = false;
      for (std::size_t l = 0; l < network_.loops_.size(); ++l) {
        const int loop = static_cast<int>(l);
        // Whatever the loop reads at its boundary it reads in the loops around it.
        const auto note = [&](Value value) {
          if (!value) return;
          for (const int other : members(value))
            grew = (other != loop && inside_[l].insert(other).second) || grew;
        };
        for (const Network::Limit& limit : network_.loops_[l].limits)
          note(limit.value);
        for (const int node : network_.loops_[l].boundaries) {
          note(flat_.node(node).inputs[0]);
          note(boundary(node)->next);
          note(boundary(node)->length);
        }
        const std::set<int> around = inside_[l];
        for (const int outer : around) {
          for (const int further : inside_[static_cast<std::size_t>(outer)])
            grew = (further != loop && inside_[l].insert(further).second) || grew;
        }
      }
    }
    for (std::size_t a = 0; a < inside_.size(); ++a) {
      for (const int b : inside_[a]) {
        if (is_inside(b, static_cast<int>(a))) {
          refuse(static_cast<int>(a), "and loop '", name(b),
                 "' each use values of the other's inside: they are not nested cleanly");
        }
      }
    }
  }
  void find_members() {
    members_.assign(flat_.nodes().size(), {});
    for (std::size_t id = 0; id < flat_.nodes().size(); ++id) {
      std::set<int>& here = members_[id];
      for (const Value input : flat_.nodes()[id].inputs) {
        if (input) here.insert(members(input).begin(), members(input).end());
      }
      const Network::Boundary* at = boundary(static_cast<int>(id));
      if (at == nullptr) continue;
      const std::set<int>& around = inside_[static_cast<std::size_t>(at->loop)];
      here.insert(around.begin(), around.end());
      if (at->layer == Network::Layer::output) {
        here.erase(at->loop);
      } else {
        here.insert(at->loop);
      }
    }
  }
  /// The innermost of the loops that a value is inside of; -1: none.
  int home(Value value) const {
    int innermost = -1;
    for (const int loop : members(value)) {
      if (innermost < 0 || is_inside(loop, innermost)) {
        innermost = loop;
      } else if (!is_inside(innermost, loop)) {
        refuse(innermost, "and loop '", name(loop), "' meet in ", describe(flat_.node(value.node)),
               ", and neither is inside the other");
      }
    }
    return innermost;
  }

  // ---- Rules -------------------------------------------------------------------------------------

  void check_outside(int loop, Value value, const char* what) const {
    if (members(value).contains(loop)) {
      refuse(loop, what, " (", describe(flat_.node(value.node)),
             ") is computed inside the loop: expected a value from outside");
    }
  }
  void check_loop(int loop) const {
    const Network::Loop& entry = network_.loops_[static_cast<std::size_t>(loop)];
    if (entry.limits.empty())
      refuse(loop, "has no trip limit: expected a count, a condition or both");
    bool counted = false, tested = false;
    for (const Network::Limit& limit : entry.limits) {
      bool& there = limit.kind == TripLimit::count ? counted : tested;
      if (there) {
        refuse(loop, "has two trip limits of one kind: expected at most one ",
               limit.kind == TripLimit::count ? "count" : "condition");
      }
      there = true;
      if (limit.kind == TripLimit::count) {
        check_outside(loop, limit.value, "count");
      } else {
        check_condition(loop, limit.value);
      }
    }
    for (const int node : entry.boundaries)
      check_boundary(loop, node, counted);
  }
  void check_boundary(int loop, int node, bool counted) const {
    const Network::Boundary& at = *boundary(node);
    const Value input = flat_.node(node).inputs[0];
    switch (at.layer) {
      case Network::Layer::iterator:
        check_outside(loop, input, "the tensor of an iterator");
        if (at.reverse && !counted)
          refuse(loop, "has an iterator that runs backwards from the count, and no count");
        break;
      case Network::Layer::recurrence:
        check_outside(loop, input, "the initial value of a recurrence");
        if (!at.next)
          refuse(loop, "has a recurrence of ", describe(flat_.node(input.node)),
                 " without a next value");
        break;
      case Network::Layer::output:
        if (at.form == OutputForm::last_value) {
          if (layer(input.node) != Network::Layer::recurrence ||
              boundary(input.node)->loop != loop) {
            refuse(loop, "has a last value of ", describe(flat_.node(input.node)),
                   ": expected a recurrence of this loop");
          }
        } else if (!at.length) {
          refuse(loop, "has a concatenated output of ", describe(flat_.node(input.node)),
                 " without a length");
        } else {
          check_outside(loop, at.length, "the length of an output");
        }
        break;
    }
  }
  void check_condition(int loop, Value value) const {
    std::vector<int> open = {value.node};
    std::set<int> seen = {value.node};
    while (!open.empty()) {
      const int node = open.back();
      open.pop_back();
      if (const Network::Boundary* at = boundary(node)) {
        if (at->layer == Network::Layer::iterator) refuse(loop, "its condition reads an iterator");
        if (at->layer == Network::Layer::output)
          refuse(loop, "its condition reads the output of a loop");
        if (at->loop != loop)
          refuse(loop, "its condition reads a recurrence of loop '", name(at->loop), "'");
        continue;
      }
      for (const Value input : flat_.node(node).inputs) {
        if (input && seen.insert(input.node).second) open.push_back(input.node);
      }
    }
  }

  // ---- Graphs ------------------------------------------------------------------------------------

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
    if (home(value) != level.loop) return import(level, value);
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

  /// Adds the node of a value and all of this level that it depends on, in the order of the network.
  void make(Level& level, Value value) {
    std::set<int> wanted = {value.node};
    std::vector<int> open = {value.node};
    while (!open.empty()) {
      const int id = open.back();
      open.pop_back();
      if (boundary(id) != nullptr) continue;
      for (const Value input : flat_.node(id).inputs) {
        if (!input || level.values.contains({input.node, input.output})) continue;
        if (flat_.node(input.node).kind == NodeKind::constant || home(input) != level.loop)
          continue;
        if (wanted.insert(input.node).second) open.push_back(input.node);
      }
    }
    for (const int id : wanted) {
      if (level.values.contains({id, 0})) continue;
      if (boundary(id) != nullptr) {
        // What belongs to this level's own loop is there from the start: this is an inner loop's output.
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
    const Network::Loop& entry = network_.loops_[static_cast<std::size_t>(loop)];
    if (inside_[static_cast<std::size_t>(loop)].size() >= most_nested_) {
      fail(ErrorCode::limit,
           text("loop '", entry.name, "': is inside more than ", most_nested_, " loops"));
    }
    Level level{.loop = loop, .outer = &outer, .graph = Graph(entry.name)};
    level.spec.name = entry.name;
    level.spec.negative_count_is_endless = false;
    for (const int node : entry.boundaries) {
      const Network::Boundary& at = *boundary(node);
      if (at.layer == Network::Layer::output) continue;
      const int input = input_of(level, local(outer, flat_.node(node).inputs[0]));
      level.values[{node, 0}] = add_parameter(level, flat_.node(node).op);
      if (at.layer == Network::Layer::iterator) {
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
    for (const Network::Limit& limit : entry.limits) {
      if (limit.kind == TripLimit::count) {
        level.spec.count = input_of(level, local(outer, limit.value));
      } else {
        level.spec.head = level.graph.add_result(local(level, limit.value));
      }
    }
    std::map<int, int> state_of;  // by node of the recurrence
    for (const int node : entry.boundaries) {
      if (boundary(node)->layer != Network::Layer::recurrence) continue;
      const auto number = state_of.size();
      state_of[node] = static_cast<int>(number);
      level.spec.states[number].result = level.graph.add_result(local(level, boundary(node)->next));
    }
    std::vector<int> outputs;
    for (const int node : entry.boundaries) {
      if (boundary(node)->layer != Network::Layer::output) continue;
      outputs.push_back(node);
      add_output(level, node, state_of);
    }
    const std::vector<Value> values =
        add_loop(outer.graph, std::move(level.spec), level.graph, std::move(level.inputs));
    for (std::size_t o = 0; o < outputs.size(); ++o)
      outer.values[{outputs[o], 0}] = values[o];
  }
  void add_output(Level& level, int node, const std::map<int, int>& state_of) {
    const Network::Boundary& at = *boundary(node);
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

  static constexpr std::size_t most_nested_ = 64;

  const Network& network_;
  const Graph& flat_;
  std::vector<std::set<int>> members_;  // by node
  std::vector<std::set<int>> inside_;   // by loop: those around it
};

Graph Network::build() const { return NetworkLowering(*this).run(); }

}  // namespace weft::inline v0::recurrent
