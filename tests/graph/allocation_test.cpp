// SPDX-License-Identifier: Apache-2.0
// A run of a planned frame does not touch the heap, and memory stays flat whatever the lengths.
#include <weft/graph/executable.hpp>

#include "support/allocation_counter.hpp"
#include "support/catch.hpp"
#include "support/seed.hpp"

#include <array>

using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;
using weft::graph::Executable;
using weft::graph::Frame;
using weft::graph::Graph;
using weft::graph::ResultPlace;
using weft::graph::Value;

namespace {

/// relu(x + h) * x, in another shape and back.
Graph body(std::int64_t rows) {
  Graph graph;
  const Value x = graph.add_parameter({ScalarType::f32, {rows, 3}});
  const Value h = graph.add_parameter({ScalarType::f32, {rows, 3}});
  const Value flat = graph.add_constant(Tensor::of<std::int64_t>({1}, {-1}));
  const Value same = graph.add("ShapeOf", {x});
  const Value sum = graph.add("Reshape", {graph.add("Add", {x, h}), flat});
  graph.add_result(
      graph.add("Multiply", {graph.add("Reshape", {graph.add("Relu", {sum}), same}), x}));
  return graph;
}

}  // namespace

TEST_CASE("runs with pointers bound anew allocate nothing", "[graph]") {
  for (const std::int64_t rows : {1, 2, 700}) {
    Frame frame{Executable(body(rows))};
    const Tensor x = Tensor::zeros({rows, 3}, ScalarType::f32);
    const std::array<Tensor, 2> h = {x.clone(), x.clone()};
    frame.plan(std::array<TensorView, 2>{x, h[0]}, std::array{ResultPlace{.external = true}});
    frame.bind_result(0, h[1].data());
    frame.run();
    const std::int64_t copied = frame.counters().bytes_copied;
    const long count = test::allocations([&] {
      for (std::size_t i = 0; i < 100; ++i) {
        frame.bind_parameter(1, h[(i + 1) % 2].data());
        frame.bind_result(0, h[i % 2].data());
        frame.run();
      }
    });
    CHECK(count == 0);
    CHECK(frame.counters().bytes_copied == copied);
    CHECK(copied == 0);
  }
}

TEST_CASE("runs whose shapes are data allocate nothing while they stay", "[graph]") {
  Graph graph;
  const Value x = graph.add_parameter({ScalarType::f32, {4, 3}});
  const Value shape = graph.add_parameter({ScalarType::i64, {2}});
  graph.add_result(graph.add("Add", {graph.add("Reshape", {x, graph.add("Relu", {shape})}),
                                     graph.add_constant(Tensor::full({}, ScalarType::f32, 1))}));
  Frame frame{Executable(graph)};
  const Tensor data = Tensor::zeros({4, 3}, ScalarType::f32);
  const Tensor extents = Tensor::of<std::int64_t>({2}, {2, 6});
  frame.plan(std::array<TensorView, 2>{data, extents});
  frame.run();
  const std::int64_t plans = frame.counters().plans;
  CHECK(test::allocations([&] { frame.run(); }) == 0);
  CHECK(frame.counters().plans == plans);
  extents.data_as<std::int64_t>()[0] = 3;
  extents.data_as<std::int64_t>()[1] = 4;
  frame.run();
  CHECK(frame.result(0).extent(1) == 4);
  CHECK(frame.counters().plans > plans);
}

TEST_CASE("runs that move, sort and search allocate nothing", "[graph]") {
  Graph graph;
  const Value x = graph.add_parameter({ScalarType::f32, {4, 6}});
  const Value places = graph.add_parameter({ScalarType::i32, {2}});
  const Value shifts = graph.add_parameter({ScalarType::i32, {1}});
  const auto integers = [&](std::int64_t a, std::int64_t b) {
    return graph.add_constant(Tensor::of<std::int64_t>({2}, {a, b}));
  };
  const Value rolled = graph.add("Roll", {x, shifts, places});
  const Value turned = graph.add("Reverse", {rolled, places});
  const Value padded =
      graph.add("Pad", {turned, integers(1, -1), integers(0, 3)}, {{"pad_mode", "symmetric"}});
  graph.add_result(graph.add("Diff", {graph.add("Tril", {padded})}));
  const Value sorted = graph.add("Sort", {padded});
  graph.add_result(graph.add("ArgSort", {padded}, {{"index_element_type", "i32"}}));
  graph.add_result(graph.add("SearchSorted", {sorted, padded}, {{"output_type", "i32"}}));
  const Value borders = graph.add_constant(Tensor::of<double>({2}, {0.5, 1.5}));
  graph.add_result(graph.add("Bucketize", {padded, borders}));
  const Value two = graph.add_constant(Tensor::full({}, ScalarType::i64, 2));
  graph.add_result(graph.add("TopK", {padded, two}, {{"axis", std::int64_t{1}}}));
  graph.add_result(
      graph.add("TopK", {padded, two}, {{"axis", std::int64_t{0}}, {"sort", "index"}}));
  Frame frame{Executable(graph)};
  const Tensor data = Tensor::zeros({4, 6}, ScalarType::f32);
  const Tensor axes = Tensor::of<std::int32_t>({2}, {0, 1});
  const Tensor shift = Tensor::of<std::int32_t>({1}, {1});
  frame.plan(std::array<TensorView, 3>{data, axes, shift});
  frame.run();
  frame.run();
  CHECK(test::allocations([&] { frame.run(); }) == 0);
  CHECK(frame.result(0).extent(1) == 7);
}

TEST_CASE("planning again for what was planned for allocates nothing", "[graph]") {
  Frame frame{Executable(body(4))};
  const std::array<TensorView, 2> inputs = {Tensor::zeros({4, 3}, ScalarType::f32),
                                            Tensor::zeros({4, 3}, ScalarType::f32)};
  frame.plan(inputs);
  CHECK(test::allocations([&] { frame.plan(inputs); }) == 0);
  CHECK(frame.counters().plans == 1);
}

TEST_CASE("memory for random lengths is that of the longest", "[graph]") {
  WEFT_RANDOM(random);
  Frame frame{Executable(body(-1))};
  const Tensor x = Tensor::zeros({512, 3}, ScalarType::f32);
  const auto run = [&](std::int64_t rows) {
    const TensorView part = x.slice(0, 0, rows);
    frame.plan(std::array<TensorView, 2>{part, part});
    frame.run();
  };
  run(512);
  const std::int64_t bytes = frame.counters().arena_bytes;
  for (int i = 0; i < 10'000; ++i)
    run(random.integer(1, 512));
  CHECK(frame.counters().arena_bytes == bytes);
  CHECK(frame.counters().allocations == 1);
}

TEST_CASE("allocation failures: a frame whose plan failed can be planned again", "[graph]") {
  // Kernels of their own, a product with a constant that is packed, and a shape that turns up in
  // the run.
  Graph graph;
  const std::int64_t unknown = weft::graph::PartialShape::unknown;
  const Value x = graph.add_parameter({ScalarType::f32, {unknown, 3}});
  const Value w = graph.add_constant(Tensor::full({3, 4}, ScalarType::f32, 0.5));
  const Value product = graph.add("MatMul", {x, w});
  const Value axis = graph.add_constant(Tensor::of<std::int64_t>({1}, {1}));
  graph.add_result(graph.add("Softmax", {product}, {{"axis", std::int64_t{1}}}));
  graph.add_result(graph.add("ReduceSum", {graph.add("Relu", {product}), axis}));
  graph.add_result(graph.add("Reshape", {product, graph.add("ShapeOf", {product})}));
  const Executable executable(graph);
  const auto rows = [](std::int64_t n) { return Tensor::full({n, 3}, ScalarType::f32, 2); };
  const auto check = [&](Frame& frame, std::int64_t n) {
    const Tensor in = rows(n);
    frame.plan(std::array<TensorView, 1>{in});
    frame.run();
    CHECK(frame.result(0).at<float>({n - 1, 3}) == 0.25F);
    CHECK(frame.result(1).at<float>({n - 1}) == 12);
    CHECK(frame.result(2).at<float>({n - 1, 0}) == 3);
  };
  Frame frame(executable);
  check(frame, 2);
  std::int64_t n = 3;
  const long failures = test::fail_each_allocation(
      [&] {
        const Tensor in = rows(++n);
        frame.plan(std::array<TensorView, 1>{in});
        frame.run();
      },
      [&] {
        check(frame, n);  // the very plan that failed
        check(frame, 2);
      });
  CHECK(failures > 10);
  check(frame, 5);
}

TEST_CASE("allocation failures: a graph has no parameter without a node", "[graph]") {
  Graph graph;
  std::size_t parameters = 0;
  for (int round = 0; round < 9; ++round) {
    test::fail_each_allocation(
        [&] {
          graph.add_parameter({ScalarType::f32, {1}});
          ++parameters;
        },
        [&] {
          CHECK(graph.parameters().size() == parameters);
          CHECK(graph.nodes().size() == parameters);
        });
  }
  CHECK(graph.parameters().size() == parameters);
}
