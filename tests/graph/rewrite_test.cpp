// SPDX-License-Identifier: Apache-2.0
// What is rewritten to take fewer passes gives the same bits.
#include <weft/graph/executable.hpp>

#include "graph/operator_run.hpp"
#include "support/errors.hpp"
#include "support/seed.hpp"

#include <cstring>

namespace {

using test::Dims;
using test::integer;
using test::integers;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;
using weft::graph::Executable;
using weft::graph::Frame;
using weft::graph::Graph;
using weft::graph::Node;
using weft::graph::PlanNote;
using weft::graph::Value;

Tensor random_tensor(test::Random& random, const Dims& shape, ScalarType type = ScalarType::f32) {
  Tensor tensor = Tensor::empty(shape, type);
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    const double value = static_cast<double>(random.integer(-100'000, 100'000)) / 65'537;
    weft::cast_elements(static_cast<char*>(tensor.data()) + i * weft::element_size(type), type, 0,
                        &value, ScalarType::f64, 0, 1);
  }
  return tensor;
}

struct Outcome {
  std::vector<Tensor> results;
  std::vector<PlanNote> notes;

  bool has(const std::string& op) const {
    for (const PlanNote& note : notes) {
      for (const std::string& each : note.nodes) {
        if (each.starts_with(op)) return true;
      }
    }
    return false;
  }
};

Outcome run(const Graph& graph, const std::vector<TensorView>& inputs, bool fuse) {
  Frame frame{Executable(graph, {.fuse = fuse})};
  frame.plan(inputs);
  frame.run();
  Outcome out{{}, frame.explain().notes};
  for (int i = 0; i < frame.executable().nresults(); ++i)
    out.results.push_back(Tensor::copy_of(frame.result(i)));
  return out;
}

/// What it is with everything done; the bits are those of operations one by one.
Outcome checked(const Graph& graph, const std::vector<TensorView>& inputs) {
  Outcome one_by_one = run(graph, inputs, false), out = run(graph, inputs, true);
  for (std::size_t i = 0; i < out.results.size(); ++i) {
    const Tensor &a = out.results[i], &b = one_by_one.results[i];
    CHECK(to_string(a.shape()) == to_string(b.shape()));
    CHECK(std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.nbytes())) == 0);
  }
  return out;
}

int add_split(Graph& graph, Value whole, std::int64_t axis, const Dims& lengths) {
  Node node;
  node.op = "VariadicSplit";
  node.inputs = {whole, graph.add_constant(integer(axis)), graph.add_constant(integers(lengths))};
  node.noutputs = static_cast<int>(lengths.size());
  return graph.add_node(std::move(node));
}

}  // namespace

TEST_CASE("a sum starts the product that it adds to, where that is the same addition", "[graph]") {
  test::Random random(test::seed());
  constexpr std::int64_t columns = 37;
  for (const std::int64_t depth : {1, 5, 256, 257, 600}) {
    for (const Dims& start : {Dims{}, Dims{columns}, Dims{3, 1}, Dims{3, columns}, Dims{1, 3, 1}}) {
      for (const ScalarType type : {ScalarType::f32, ScalarType::f64, ScalarType::f16}) {
        CAPTURE(test::seed(), depth, to_string(weft::IntSpan(start)), name(type));
        const bool transposed = random.chance(50), product_first = random.chance(50);
        Graph graph;
        const Value x = graph.add_parameter({type, {3, depth}});
        const Value s = graph.add_parameter({type, weft::graph::PartialShape(start)});
        const Dims shape = transposed ? Dims{columns, depth} : Dims{depth, columns};
        const Value w = graph.add_constant(random_tensor(random, shape, type));
        const Value product = graph.add("MatMul", {x, w}, {{"transpose_b", transposed}});
        graph.add_result(product_first ? graph.add("Add", {product, s})
                                       : graph.add("Add", {s, product}));
        const Tensor a = random_tensor(random, {3, depth}, type),
                     b = random_tensor(random, start, type);
        const bool same = depth <= 256 && type != ScalarType::f16 && start.size() < 3;
        CHECK(checked(graph, {a, b}).has("MatMulAdd") == same);
      }
    }
  }
}

TEST_CASE("a product that others read as well, or that no constant makes, stays as it is",
          "[graph]") {
  test::Random random(test::seed());
  const Tensor a = random_tensor(random, {3, 4}), b = random_tensor(random, {4, 5}),
               c = random_tensor(random, {5});
  const auto build = [&](bool constant, bool is_result, bool twice) {
    Graph graph;
    const Value x = graph.add_parameter({ScalarType::f32, {3, 4}}),
                y = graph.add_parameter({ScalarType::f32, {4, 5}}),
                s = graph.add_parameter({ScalarType::f32, {5}});
    const Value product = graph.add("MatMul", {x, constant ? graph.add_constant(b) : y});
    graph.add_result(graph.add("Add", {product, twice ? product : s}));
    if (is_result) graph.add_result(product);
    return checked(graph, {a, b, c}).has("MatMulAdd");
  };
  CHECK(build(true, false, false));
  CHECK_FALSE(build(false, false, false));
  CHECK_FALSE(build(true, true, false));
  CHECK_FALSE(build(true, false, true));
}

TEST_CASE("parts of an elementwise value are computed with what reads them", "[graph]") {
  test::Random random(test::seed());
  for (int round = 0; round < test::rounds(30); ++round) {
    CAPTURE(test::seed(), round);
    const std::int64_t axis = random.integer(0, 2);
    Dims whole = {random.integer(1, 3), 32, random.integer(64, 80)};
    whole[static_cast<std::size_t>(axis)] = 60;
    const Dims lengths = random.chance(50) ? Dims{20, 20, 20} : Dims{17, 40, -1};
    Graph graph;
    const Value x = graph.add_parameter({ScalarType::f32, weft::graph::PartialShape(whole)});
    Dims other(whole.begin() + random.integer(0, 1), whole.end());
    for (std::int64_t& extent : other) {
      if (random.chance(30)) extent = 1;
    }
    const Value y = graph.add_parameter({ScalarType::f32, weft::graph::PartialShape(other)});
    const Value sum = graph.add("Add", {x, y});
    const int parts = add_split(graph, sum, random.chance(50) ? axis : axis - 3, lengths);
    const bool same_extents = lengths[0] == 20;
    if (same_extents) {
      const Value product =
          graph.add("Multiply", {graph.add("Sigmoid", {{parts, 0}}), Value{parts, 1}});
      graph.add_result(graph.add("Subtract", {product, Value{parts, 2}}));
    } else {
      for (int i = 0; i < 3; ++i)
        graph.add_result(graph.add("Tanh", {{parts, i}}));
    }
    const Tensor a = random_tensor(random, whole), b = random_tensor(random, other);
    const Outcome out = checked(graph, {a, b});
    if (!same_extents) continue;
    int passes = 0;
    for (const PlanNote& note : out.notes)
      passes += note.kind == PlanNote::Kind::fused ? 1 : 0;
    const bool large = numel(weft::IntSpan(whole)) / 3 >= 1024;
    CHECK(passes == (large ? 1 : 2));
  }
}

TEST_CASE("MatMulAdd by itself", "[graph]") {
  const Tensor a = Tensor::of<float>({1, 2}, {1, 2}), b = Tensor::of<float>({2, 2}, {1, 0, 0, 10}),
               c = Tensor::of<float>({2}, {100, 200});
  for (const std::size_t constants : {std::size_t{1}, std::size_t{9}}) {
    const test::OperatorRun product{.op = "MatMulAdd", .first_constant = constants};
    CHECK(test::numbers_of(product({a, b, c})[0]) == std::vector<double>{101, 220});
    CHECK_ERROR(shape, ("MatMulAdd"), product({a, b, Tensor::zeros({3, 2}, ScalarType::f32)}));
    CHECK_ERROR(dtype, ("MatMulAdd"), product({a, b, Tensor::zeros({2}, ScalarType::f64)}));
    CHECK_ERROR(invalid_argument, ("MatMulAdd"), product({a, b}));
  }
}
