// SPDX-License-Identifier: Apache-2.0
#include <weft/graph/executable.hpp>
#include <weft/graph/split.hpp>

#include <map>

namespace weft::inline v0::graph {
namespace {

/// What a value depends on.
enum class Depends : std::uint8_t { constants, listed, others };

class Splitter {
 public:
  Splitter(const Graph& graph, const OperatorRegistry& operators)
      : graph_(graph), operators_(operators), order_(graph.topological_order()) {}

  SplitGraph split(std::span<const int> parameters, FunctionRef<bool(const Node&)> wanted) {
    classify(parameters);
    choose(wanted);
    SplitGraph out{Graph(graph_.name()), {}, Graph(graph_.name()), {}};
    for (std::size_t i = 0; i < graph_.parameters().size(); ++i) {
      const int id = graph_.parameters()[i];
      in_rest_.emplace(id, out.rest.add_node(graph_.node(id)));
      if (at(in_ahead_part_, id) == 0) continue;
      in_ahead_.emplace(id, out.ahead.add_node(graph_.node(id)));
      out.ahead_parameters.push_back(static_cast<int>(i));
    }
    for (const int id : order_) {
      if (at(in_ahead_part_, id) != 0) copy(id, out.ahead, in_ahead_);
      if (at(ahead_, id) != 0) out.moved.push_back(describe(graph_.node(id)));
    }
    pass_on(out);
    for (const int id : order_) {
      if (at(in_rest_part_, id) != 0) copy(id, out.rest, in_rest_);
    }
    for (const Result& result : graph_.results())
      out.rest.add_result(value_in_rest(result.value), result.name, result.layer_id);
    return out;
  }

 private:
  using Flags = std::vector<std::uint8_t>;
  using Key = std::pair<int, int>;

  template <class T>
  static T& at(std::vector<T>& list, int id) {
    return list[static_cast<std::size_t>(id)];
  }
  template <class T>
  static const T& at(const std::vector<T>& list, int id) {
    return list[static_cast<std::size_t>(id)];
  }

  void classify(std::span<const int> parameters) {
    depends_.assign(graph_.nodes().size(), Depends::constants);
    for (const int id : graph_.parameters())
      at(depends_, id) = Depends::others;
    for (const int listed : parameters)
      at(depends_, graph_.parameters().at(static_cast<std::size_t>(listed))) = Depends::listed;
    for (const int id : order_) {
      const Node& node = graph_.node(id);
      if (node.kind != NodeKind::operation) continue;
      Depends most = operators_.at(node)->is_pure() ? Depends::constants : Depends::others;
      for (const Value input : node.inputs) {
        if (input) most = std::max(most, at(depends_, input.node));
      }
      at(depends_, id) = most;
    }
  }

  /// From users to inputs: which operations are computed ahead, and what each part has to have.
  void choose(FunctionRef<bool(const Node&)> wanted) {
    ahead_.assign(graph_.nodes().size(), 0);
    in_ahead_part_ = in_rest_part_ = ahead_;
    for (const Result& result : graph_.results())
      at(in_rest_part_, result.value.node) = 1;
    for (auto id = order_.rbegin(); id != order_.rend(); ++id) {
      const Node& node = graph_.node(*id);
      const bool movable = node.kind == NodeKind::operation && at(depends_, *id) == Depends::listed;
      if (movable && (at(in_ahead_part_, *id) != 0 || wanted(node))) {
        at(ahead_, *id) = at(in_ahead_part_, *id) = 1;
        at(in_rest_part_, *id) = 0;
      }
      for (const Value input : node.inputs) {
        if (!input) continue;
        if (at(in_ahead_part_, *id) != 0) at(in_ahead_part_, input.node) = 1;
        if (at(in_rest_part_, *id) != 0) at(in_rest_part_, input.node) = 1;
      }
    }
  }

  void copy(int id, Graph& to, std::map<int, int>& made) {
    if (made.contains(id)) return;
    Node node = graph_.node(id);
    for (Value& input : node.inputs) {
      if (!input) continue;
      input = &made == &in_rest_ ? value_in_rest(input) : Value{made.at(input.node), input.output};
    }
    made.emplace(id, to.add_node(std::move(node)));
  }

  /// Values of `ahead` that the rest reads become its results, and parameters of the rest.
  void pass_on(SplitGraph& out) {
    std::vector<Key> keys;
    const auto pass = [&](Value value) {
      if (!value || at(ahead_, value.node) == 0) return;
      if (!passed_.emplace(Key(value.node, value.output), Value()).second) return;
      keys.emplace_back(value.node, value.output);
      out.ahead.add_result({in_ahead_.at(value.node), value.output});
    };
    for (const int id : order_) {
      if (at(in_rest_part_, id) == 0) continue;
      for (const Value input : graph_.node(id).inputs)
        pass(input);
    }
    for (const Result& result : graph_.results())
      pass(result.value);
    if (keys.empty()) return;
    const Executable types(out.ahead, {.operators = &operators_, .fuse = false});
    for (int i = 0; i < types.nresults(); ++i) {
      passed_[keys[static_cast<std::size_t>(i)]] = out.rest.add_parameter(types.result_type(i));
    }
  }

  Value value_in_rest(Value value) const {
    if (at(ahead_, value.node) != 0) return passed_.at(Key(value.node, value.output));
    return {in_rest_.at(value.node), value.output};
  }

  const Graph& graph_;
  const OperatorRegistry& operators_;
  std::vector<int> order_;
  std::vector<Depends> depends_;
  Flags ahead_;                            // operations computed ahead
  Flags in_ahead_part_, in_rest_part_;     // nodes that a part has
  std::map<int, int> in_ahead_, in_rest_;  // nodes of the whole -> of the parts
  std::map<Key, Value> passed_;            // values of `ahead` -> parameters of the rest
};

}  // namespace

SplitGraph split(const Graph& graph, std::span<const int> parameters,
                 const OperatorRegistry& operators, FunctionRef<bool(const Node&)> wanted) {
  return Splitter(graph, operators).split(parameters, wanted);
}

SplitGraph split(const Graph& graph, std::span<const int> parameters,
                 const OperatorRegistry& operators) {
  return split(graph, parameters, operators, [](const Node&) { return true; });
}

}  // namespace weft::inline v0::graph
