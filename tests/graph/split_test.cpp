// SPDX-License-Identifier: Apache-2.0
#include <weft/graph/executable.hpp>
#include <weft/graph/split.hpp>

#include "support/errors.hpp"
#include "support/seed.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;
using weft::graph::Executable;
using weft::graph::Graph;
using weft::graph::split;
using weft::graph::SplitGraph;
using weft::graph::standard_operators;
using weft::graph::Value;
using weft::graph::ValueType;

namespace {

const ValueType f32_pair{ScalarType::f32, {2}};

/// What the two parts give, one after the other.
std::vector<Tensor> run_parts(const SplitGraph& parts, const std::vector<Tensor>& inputs) {
  std::vector<TensorView> ahead, rest(inputs.begin(), inputs.end());
  for (const int p : parts.ahead_parameters)
    ahead.push_back(inputs[static_cast<std::size_t>(p)]);
  const std::vector<Tensor> passed = Executable(parts.ahead).run(ahead);
  rest.insert(rest.end(), passed.begin(), passed.end());
  return Executable(parts.rest).run(rest);
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && std::ranges::equal(a.shape(), b.shape()) &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.nbytes())) == 0;
}

}  // namespace

TEST_CASE("what depends on some parameters only is computed ahead", "[graph]") {
  Graph graph;
  const Value x = graph.add_parameter(f32_pair, "x"), w = graph.add_parameter(f32_pair, "w");
  const Value c = graph.add_constant(Tensor::full({2}, ScalarType::f32, 2));
  const Value hoisted = graph.add("Multiply", {graph.add("Relu", {w}), graph.add("Exp", {c})});
  graph.add_result(graph.add("Add", {x, hoisted}), "sum");
  graph.add_result(hoisted, "hoisted");
  graph.add_result(c, "constant");
  const SplitGraph parts = split(graph, std::vector{1});
  CHECK(parts.worthwhile());
  CHECK(parts.moved == std::vector<std::string>{"Relu", "Multiply"});
  CHECK(parts.ahead_parameters == std::vector{1});
  CHECK(parts.ahead.results().size() == 1);
  CHECK(parts.rest.parameters().size() == 3);
  const std::vector<Tensor> inputs = {Tensor::of<float>({2}, {1, 2}),
                                      Tensor::of<float>({2}, {3, -4})};
  const std::vector<Tensor> whole =
      Executable(graph).run(std::vector<TensorView>(inputs.begin(), inputs.end()));
  const std::vector<Tensor> split_up = run_parts(parts, inputs);
  for (std::size_t i = 0; i < whole.size(); ++i)
    CHECK(same_bits(whole[i], split_up[i]));
}

TEST_CASE("only what is wanted, and what it needs", "[graph]") {
  Graph graph;
  const Value x = graph.add_parameter(f32_pair, "x"), h = graph.add_parameter(f32_pair, "h");
  const Value relu = graph.add("Relu", {x});
  const Value product = graph.add("Multiply", {relu, x});
  const Value cheap = graph.add("Negative", {x});
  graph.add_result(graph.add("Add", {graph.add("Add", {product, h}), cheap}));
  const auto products = [](const weft::graph::Node& node) { return node.op == "Multiply"; };
  const SplitGraph parts = split(graph, std::vector{0}, standard_operators(), products);
  CHECK(parts.moved == std::vector<std::string>{"Relu", "Multiply"});
  CHECK(parts.ahead.results().size() == 1);

  const SplitGraph none = split(graph, std::vector<int>{});
  CHECK_FALSE(none.worthwhile());
  CHECK(none.rest.parameters().size() == 2);
}

TEST_CASE("both parts of any graph give what the whole gives", "[graph]") {
  WEFT_RANDOM(random);
  for (int round = 0; round < 50; ++round) {
    INFO("round " << round);
    Graph graph;
    std::vector<Value> values;
    std::vector<Tensor> inputs;
    for (int i = 0; i < 4; ++i) {
      values.push_back(graph.add_parameter(f32_pair));
      inputs.push_back(Tensor::of<float>({2}, {static_cast<float>(i) - 1, 0.5F}));
    }
    values.push_back(graph.add_constant(Tensor::full({2}, ScalarType::f32, 3)));
    for (int i = 0; i < 20; ++i) {
      const char* names[] = {"Add", "Multiply", "Maximum", "Negative"};
      const auto which = static_cast<std::size_t>(random.integer(0, 3));
      std::vector<Value> operands = {random.pick(values)};
      if (which != 3) operands.push_back(random.pick(values));
      values.push_back(graph.add(names[which], operands));
    }
    for (int i = 0; i < 4; ++i)
      graph.add_result(random.pick(values));
    std::vector<int> listed;
    for (int i = 0; i < 4; ++i) {
      if (random.chance(50)) listed.push_back(i);
    }
    const SplitGraph parts = split(graph, listed);
    const std::vector<Tensor> whole =
        Executable(graph).run(std::vector<TensorView>(inputs.begin(), inputs.end()));
    const std::vector<Tensor> split_up = run_parts(parts, inputs);
    for (std::size_t i = 0; i < whole.size(); ++i)
      CHECK(same_bits(whole[i], split_up[i]));
  }
}
