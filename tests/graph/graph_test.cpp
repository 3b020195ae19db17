// SPDX-License-Identifier: Apache-2.0
#include <weft/graph/graph.hpp>

#include "support/errors.hpp"

#include <algorithm>

using weft::ScalarType;
using weft::Tensor;
using weft::graph::Graph;
using weft::graph::Node;
using weft::graph::NodeKind;
using weft::graph::Value;

namespace {

const weft::graph::ValueType f32_pair{ScalarType::f32, {2}};

int operation(Graph& graph, const char* name, const char* layer, std::vector<Value> inputs) {
  Node node;
  node.op = "Add";
  node.opset = 1;
  node.name = name;
  node.layer_id = layer;
  node.inputs = std::move(inputs);
  return graph.add_node(node);
}

}  // namespace

TEST_CASE("a graph keeps what it is given", "[graph]") {
  Graph graph("g");
  const Value x = graph.add_parameter(f32_pair, "x");
  const Value y = graph.add_constant(Tensor::full({2}, ScalarType::f32, 1), "one");
  const Value sum = graph.add("Add", {x, y});
  graph.add_result(sum, "sum");
  CHECK(graph.nodes().size() == 3);
  CHECK(graph.parameters() == std::vector<int>{0});
  CHECK(graph.node(1).type == f32_pair);
  CHECK(graph.find_parameter("x") == 0);
  CHECK(graph.find_parameter("y") == -1);
  CHECK(graph.find_result("sum") == 0);
  CHECK(graph.topological_order() == std::vector<int>{0, 1, 2});
}

TEST_CASE("inputs come before their users, whatever the order they were added in", "[graph]") {
  Graph graph;
  const int late = operation(graph, "late", "1", {});
  const int early = operation(graph, "early", "2", {});
  const Value x = graph.add_parameter(f32_pair, "x");
  operation(graph, "unused", "3", {x, x});
  graph.set_input(late, 1, x);
  graph.set_input(late, 0, {early, 0});
  graph.set_input(early, 0, x);
  graph.set_input(early, 1, x);
  graph.add_result({late, 0});
  CHECK(graph.topological_order() == std::vector<int>{x.node, early, late});
}

TEST_CASE("a long chain is no matter", "[graph]") {
  Graph graph;
  Value value = graph.add_parameter(f32_pair, "x");
  for (int i = 0; i < 100'000; ++i)
    value = graph.add("Relu", {value});
  graph.add_result(value);
  CHECK(graph.topological_order().size() == 100'001);
}

TEST_CASE("mistakes of structure name the layers", "[graph]") {
  Graph graph("looping");
  const Value x = graph.add_parameter(f32_pair, "x");
  const int a = operation(graph, "a", "11", {x});
  const int b = operation(graph, "b", "12", {{a, 0}, x});
  graph.set_input(a, 1, {b, 0});
  graph.add_result({b, 0}, "r");
  CHECK_ERROR(invalid_argument, ("looping", "cycle", "'a'", "layer 11", "'b'"),
              graph.topological_order());

  Graph dangling;
  const int c = operation(dangling, "c", "5", {{77, 0}});
  dangling.add_result({c, 0});
  CHECK_ERROR(invalid_argument, ("'c'", "layer 5", "node 77"), dangling.topological_order());
  Graph no_output;
  no_output.add_result({no_output.add_parameter(f32_pair, "x").node, 3}, "r");
  CHECK_ERROR(invalid_argument, ("'r'", "output 3"), no_output.topological_order());

  CHECK_ERROR(undefined, ("Constant"), graph.add_constant(Tensor()));
  CHECK_ERROR(invalid_argument, ("no input"), graph.set_input(99, 0, x));

  Graph other("other");
  const Value strange = other.add_parameter({ScalarType::f32, {2}}, "p");
  const Value own = graph.add("Exp", {x});
  CHECK_ERROR(invalid_argument, ("Relu", "input 0", "of another"), graph.add("Relu", {strange}));
  CHECK_ERROR(invalid_argument, ("Result 'r'", "of another"), graph.add_result(strange, "r"));
  CHECK_ERROR(invalid_argument, ("Exp", "input 1", "of another"),
              graph.set_input(own.node, 1, strange));
  CHECK(graph.node(own.node).inputs.size() == 1);
  const Graph copy = graph;
  Graph more = copy;
  more.add_result(own);  // copies have the same values
}

TEST_CASE("bodies are checked, to a depth", "[graph]") {
  auto inner = std::make_shared<Graph>("inner");
  const Value x = inner->add_parameter(f32_pair, "x");
  inner->add_result(x);
  for (int depth = 0; depth < 70; ++depth) {
    auto outer = std::make_shared<Graph>("outer");
    Node node;
    node.op = "Loop";
    node.inputs = {outer->add_parameter(f32_pair, "x")};
    node.bodies = {inner};
    outer->add_result({outer->add_node(node), 0});
    inner = outer;
  }
  CHECK_ERROR(limit, ("nested"), inner->check());
  CHECK_NOTHROW(inner->check(100));
}
