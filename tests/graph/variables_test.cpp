// SPDX-License-Identifier: Apache-2.0
#include <weft/graph/executable.hpp>

#include "support/errors.hpp"

#include <vector>

using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;
using weft::graph::Attributes;
using weft::graph::Executable;
using weft::graph::Frame;
using weft::graph::Graph;
using weft::graph::Node;
using weft::graph::Value;

namespace {

const weft::graph::ValueType f32_pair{ScalarType::f32, {2}};

Value variable(Graph& graph, const char* op, std::vector<Value> inputs, Attributes attributes) {
  Node node;
  node.op = op;
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
  const Value value{graph.add_node(node), 0};
  if (node.op == "Assign") graph.add_sink(value.node);
  return value;
}

}  // namespace

TEST_CASE("a running sum that lasts from run to run", "[graph]") {
  Graph graph;
  const Value x = graph.add_parameter(f32_pair, "x");
  const Value first = graph.add_constant(Tensor::of<float>({2}, {100, 200}));
  const Value sum =
      graph.add("Add", {variable(graph, "ReadValue", {first}, {{"variable_id", "s"}}), x});
  variable(graph, "Assign", {sum}, {{"variable_id", "s"}});
  graph.add_result(graph.add("Negative", {sum}));
  const Executable executable(graph);
  Frame frame(executable);
  const Tensor one = Tensor::of<float>({2}, {1, 2});
  frame.plan(std::vector<TensorView>{one});
  for (int i = 1; i <= 4; ++i) {
    frame.run();
    CHECK(frame.result(0).at<float>({0}) == static_cast<float>(-100 - i));
    CHECK(frame.result(0).at<float>({1}) == static_cast<float>(-200 - 2 * i));
  }
  REQUIRE(frame.variables().find("s") != nullptr);
  CHECK(frame.variables().find("s")->at<float>({0}) == 104);
  frame.variables().clear();
  frame.run();
  CHECK(frame.result(0).at<float>({0}) == -101);
  // Frames share nothing.
  CHECK(executable.run(std::vector<TensorView>{one})[0].at<float>({0}) == -101);
}

TEST_CASE("what is set is read in the next run only, and zeros before the first", "[graph]") {
  Graph graph;
  const Value x = graph.add_parameter(f32_pair, "x");
  const Value set = variable(graph, "Assign", {x}, {{"variable_id", "v"}});
  // Read after it is set.
  const Value old =
      variable(graph, "ReadValue", {},
               {{"variable_id", "v"}, {"variable_type", "f32"}, {"variable_shape", "2"}});
  graph.add_result(set);
  graph.add_result(old);
  Frame frame{Executable(graph)};
  for (const float value : {1.0F, 2.0F, 3.0F}) {
    const Tensor data = Tensor::full({2}, ScalarType::f32, value);
    frame.plan(std::vector<TensorView>{data});
    frame.run();
    CHECK(frame.result(0).at<float>({0}) == value);
    CHECK(frame.result(1).at<float>({1}) == value - 1);
  }
}

TEST_CASE("a variable of another shape is refused", "[graph]") {
  Graph graph;
  const Value x = graph.add_parameter({ScalarType::f32, {-1}}, "x");
  graph.add_result(variable(graph, "ReadValue", {x}, {{"variable_id", "v"}}));
  variable(graph, "Assign", {x}, {{"variable_id", "v"}});
  Frame frame{Executable(graph)};
  const Tensor data = Tensor::zeros({3}, ScalarType::f32);
  frame.plan(std::vector<TensorView>{data});
  frame.run();
  const TensorView shorter = data.slice(0, 0, 2);
  frame.plan(std::vector<TensorView>{shorter});
  CHECK_ERROR(shape, ("ReadValue", "'v'", "f32[3]", "f32[2]"), frame.run());
  CHECK_ERROR(invalid_argument, ("no node"), graph.add_sink(77));
}
