// SPDX-License-Identifier: Apache-2.0
#include <weft/graph/executable.hpp>

#include "support/errors.hpp"
#include "support/seed.hpp"

#include <algorithm>
#include <vector>

using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;
using weft::graph::Executable;
using weft::graph::Frame;
using weft::graph::Graph;
using weft::graph::ResultPlace;
using weft::graph::Value;
using weft::graph::ValueType;

namespace {

ValueType f32(weft::graph::PartialShape shape) { return {ScalarType::f32, std::move(shape)}; }

std::vector<float> values(const TensorView& view) {
  const Tensor dense = Tensor::copy_of(view);
  return {dense.data_as<float>(), dense.data_as<float>() + dense.numel()};
}

using Floats = std::vector<float>;

}  // namespace

TEST_CASE("a graph runs", "[graph]") {
  Graph graph;
  const Value x = graph.add_parameter(f32({2, 3}), "x");
  const Value half = graph.add_constant(Tensor::of<float>({3}, {1, 2, 3}));
  graph.add_result(graph.add("Multiply", {graph.add("Add", {x, half}), half}), "y");
  const Executable executable(graph);
  CHECK(executable.result_type(0) == f32({2, 3}));
  const Tensor input = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const std::vector<Tensor> results = executable.run(std::vector<TensorView>{input});
  CHECK(values(results[0]) == Floats{2, 8, 18, 5, 14, 27});
}

TEST_CASE("a frame refuses what it has no place for", "[graph]") {
  Graph graph;
  graph.add_result(graph.add("Relu", {graph.add_parameter(f32({3}), "x")}));
  Frame frame{Executable(graph)};
  const Tensor input = Tensor::of<float>({3}, {-1, 2, 3});
  const std::vector<TensorView> inputs = {input};
  float out[3] = {};
  // Before there is a plan.
  CHECK_ERROR(invalid_argument, ("planned before bind_parameter"), frame.bind_parameter(0, out));
  CHECK_ERROR(invalid_argument, ("planned before hold_parameter"), frame.hold_parameter(0));
  CHECK_ERROR(invalid_argument, ("planned before bind_result"), frame.bind_result(0, out));
  CHECK_ERROR(invalid_argument, ("planned before result_data"), frame.result_data(0));
  CHECK_ERROR(invalid_argument, ("planned before result_parameter"), frame.result_parameter(0));
  CHECK_ERROR(invalid_argument, ("planned before can_step_result"), frame.can_step_result(0));
  CHECK_ERROR(invalid_argument, ("planned before it runs"), frame.run());
  // Numbers that there are not.
  frame.plan(inputs);
  for (const int i : {-1, 1, 7}) {
    CHECK_ERROR(invalid_argument, ("parameter", "below 1"), frame.bind_parameter(i, out));
    CHECK_ERROR(invalid_argument, ("parameter", "below 1"), frame.hold_parameter(i));
    CHECK_ERROR(invalid_argument, ("parameter", "below 1"), frame.can_step_parameter(i));
    CHECK_ERROR(invalid_argument, ("parameter", "below 1"), frame.step_parameter(i, 8));
    CHECK_ERROR(invalid_argument, ("result", "below 1"), frame.bind_result(i, out));
    CHECK_ERROR(invalid_argument, ("result", "below 1"), frame.can_step_result(i));
    CHECK_ERROR(invalid_argument, ("result", "below 1"), frame.step_result(i, 8));
    CHECK_ERROR(invalid_argument, ("result", "below 1"), frame.result_data(i));
    CHECK_ERROR(invalid_argument, ("result", "below 1"), frame.result_parameter(i));
    CHECK_ERROR(invalid_argument, ("result"), frame.same_result(i));
    CHECK_ERROR(invalid_argument, ("result"), frame.result(i));
  }
  // A place that is the frame's, and null.
  CHECK_ERROR(invalid_argument, ("result 0", "not planned as external"), frame.bind_result(0, out));
  CHECK_ERROR(invalid_argument, ("result 0", "not planned as external"), frame.step_result(0, 8));
  frame.bind_parameter(0, nullptr);
  CHECK_ERROR(undefined, ("parameter 0", "null"), frame.run());
  frame.bind_parameter(0, input.data());
  frame.run();
  CHECK(values(frame.result(0)) == Floats{0, 2, 3});
  // An external result that nobody has bound.
  frame.plan(inputs, std::vector<ResultPlace>{{.external = true}});
  CHECK_ERROR(undefined, ("external result 0", "not bound"), frame.run());
  frame.bind_result(0, out);
  frame.run();
  CHECK(out[2] == 3);
  // Places whose elements share memory, and strides of another shape.
  for (const std::int64_t stride : {0, 1}) {
    Graph squares;
    squares.add_result(squares.add("Relu", {squares.add_parameter(f32({2, 3}), "x")}));
    Frame square{Executable(squares)};
    const Tensor six = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
    const auto plan = [&](const weft::DimVector& strides) {
      square.plan(std::vector<TensorView>{six},
                  std::vector<ResultPlace>{{.external = true, .strides = strides}});
    };
    CHECK_ERROR(overlap, ("result 0", "[2, 3]", "memory of its own"), plan({stride, 1}));
    CHECK_ERROR(rank, ("result 0", "[2, 3]", "one for each extent"), plan({1}));
  }
  Frame other = std::move(frame);
  CHECK_ERROR(invalid_argument, ("moved from"), frame.run());  // NOLINT(bugprone-use-after-move)
  CHECK_ERROR(invalid_argument, ("moved from"), frame.plan(inputs));
  CHECK_ERROR(invalid_argument, ("moved from"), frame.bind_parameter(0, out));
  other.run();
}

TEST_CASE("pointers are bound anew, and strides are those planned for", "[graph]") {
  Graph graph;
  const Value x = graph.add_parameter(f32({3}), "x"), y = graph.add_parameter(f32({3}), "y");
  graph.add_result(graph.add("Subtract", {x, y}));
  graph.add_result(graph.add("Relu", {graph.add("Subtract", {x, y})}));
  Frame frame{Executable(graph)};
  const Tensor table = Tensor::of<float>({3, 4}, {1, 2, 3, 4, 10, 20, 30, 40, 5, 6, 7, 8});
  const Tensor row = Tensor::of<float>({3}, {3, 3, 9});
  Tensor out = Tensor::zeros({3, 4}, ScalarType::f32);
  frame.plan(std::vector<TensorView>{table.select(1, 0), row},
             std::vector<ResultPlace>{{.external = true, .strides = {4}}, {}});
  for (int i = 0; i < 4; ++i) {
    frame.bind_parameter(0, table.select(1, i).data());
    frame.bind_result(0, out.select(1, i).data());
    frame.run();
    const float* column = frame.result(1).data_as<float>();
    for (int k = 0; k < 3; ++k) {
      const float difference = table.at<float>({k, i}) - row.at<float>({k});
      CHECK(out.at<float>({k, i}) == difference);
      CHECK(column[k] == std::max(difference, 0.0F));
    }
  }
  CHECK(frame.counters().plans == 1);
  CHECK(frame.counters().runs == 4);
  CHECK(frame.counters().bytes_copied == 0);
}

TEST_CASE("views cost nothing, and results are put where they are wanted", "[graph]") {
  Graph graph;
  const Value x = graph.add_parameter(f32({2, 3}), "x");
  const Value flat = graph.add_constant(Tensor::of<std::int64_t>({1}, {-1}));
  const Value sum = graph.add("Add", {x, x});
  const Value reshaped = graph.add("Reshape", {sum, flat});
  graph.add_result(reshaped, "flat");
  graph.add_result(graph.add("Reshape", {x, flat}), "same");
  Frame frame{Executable(graph)};
  const Tensor input = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  Tensor out = Tensor::zeros({6}, ScalarType::f32);
  frame.plan(std::vector<TensorView>{input}, std::vector<ResultPlace>{{.external = true}, {}});
  frame.bind_result(0, out.data());
  frame.run();
  CHECK(values(out) == Floats{2, 4, 6, 8, 10, 12});
  CHECK(frame.result(0).data() == out.data());
  CHECK(frame.result(1).data() == input.data());
  CHECK(frame.result_parameter(1) == 0);
  CHECK(frame.result_parameter(0) == -1);
  CHECK(frame.counters().bytes_copied == 0);

  // Bound elsewhere, a result that is a parameter has to be copied.
  frame.plan(std::vector<TensorView>{input}, std::vector<ResultPlace>{{}, {.external = true}});
  frame.bind_result(1, out.data());
  frame.run();
  CHECK(values(out) == Floats{1, 2, 3, 4, 5, 6});
  CHECK(frame.counters().bytes_copied == 24);
}

TEST_CASE("shapes that change are planned for anew", "[graph]") {
  Graph graph;
  const Value x = graph.add_parameter(f32({-1, 2}), "x");
  graph.add_result(graph.add("Add", {x, graph.add_constant(Tensor::of<float>({2}, {10, 20}))}));
  const Executable executable(graph);
  CHECK(executable.result_type(0) == f32({-1, 2}));
  Frame frame(executable);
  for (const std::int64_t rows : {3, 3, 1, 0, 5, 3}) {
    const Tensor input = Tensor::full({rows, 2}, ScalarType::f32, 1);
    frame.plan(std::vector<TensorView>{input});
    frame.run();
    Floats expected;
    for (std::int64_t i = 0; i < rows; ++i)
      expected.insert(expected.end(), {11, 21});
    CHECK(values(frame.result(0)) == expected);
  }
  CHECK(frame.counters().plans == 5);
  CHECK(frame.is_static());
}

TEST_CASE("kernels and views follow extents that change", "[graph]") {
  WEFT_RANDOM(random);
  const auto integers = [](Graph& graph, std::initializer_list<std::int64_t> list) {
    return graph.add_constant(
        Tensor::of<std::int64_t>({static_cast<std::int64_t>(list.size())}, list));
  };
  // With an elementwise operation, or one that depends on a shape, the graph is planned anew.
  for (int form = 0; form < 4; ++form) {
    Graph graph;
    const Value x = graph.add_parameter(f32({-1, 6}), "x"),
                y = graph.add_parameter(f32({6, -1}), "y");
    const Value weights = graph.add_constant(Tensor::full({6, 4}, ScalarType::f32, 0.5));
    Value product = graph.add("MatMul", {x, weights});
    if (form == 1) product = graph.add("Relu", {product});
    const Value parts = graph.add("Reshape", {product, integers(graph, {-1, 2, 2})});
    const Value sums = graph.add("ReduceSum", {parts, integers(graph, {1})});
    const Value turned = graph.add("Transpose", {y, integers(graph, {1, 0})});
    graph.add_result(graph.add("MatMul", {turned, weights}));
    graph.add_result(graph.add("Unsqueeze", {sums, integers(graph, {0})}));
    graph.add_result(form == 2 ? graph.add("Reshape", {sums, graph.add("ShapeOf", {sums})}) : sums);
    const Executable executable(graph);
    Frame frame(executable);
    const bool external = form == 3;
    std::vector<float> place(400);
    std::int64_t plans = 0;
    for (int run = 0; run < 30; ++run) {
      const std::int64_t rows = random.integer(0, 20), columns = random.integer(0, 20);
      Floats numbers;
      for (std::int64_t i = 0; i < 6 * (rows + columns); ++i)
        numbers.push_back(static_cast<float>(random.integer(-9, 9)));
      const std::span<const float> memory(numbers);
      const std::vector<TensorView> inputs = {TensorView(memory.first(6 * rows), {rows, 6}),
                                              TensorView(memory.last(6 * columns), {6, columns})};
      frame.plan(inputs, std::vector<ResultPlace>{{.external = external}, {}, {}});
      if (external) frame.bind_result(0, place.data());
      frame.run();
      const std::vector<Tensor> fresh = executable.run(inputs);
      for (int i = 0; i < 3; ++i) {
        CAPTURE(form, run, i, rows, columns);
        const TensorView got = frame.result(i);
        REQUIRE(std::ranges::equal(got.shape(), fresh[static_cast<std::size_t>(i)].shape()));
        REQUIRE(values(got) == values(fresh[static_cast<std::size_t>(i)]));
      }
      if (run == 0) plans = frame.counters().plans;
    }
    CHECK((frame.counters().plans == plans) == (form == 0 || form == 3));
  }
}

TEST_CASE("rows may have any stride where calls take them", "[graph]") {
  constexpr std::int64_t rows = 4, width = 16;
  Graph graph;
  const Value x = graph.add_parameter(f32({rows, width}), "x"),
              y = graph.add_parameter(f32({rows, width}), "y"),
              z = graph.add_parameter(f32({rows, width}), "z");
  graph.add_result(graph.add("Add", {x, y}));
  graph.add_result(graph.add("MatMul", {z, z}, {{"transpose_b", true}}));
  Frame frame{Executable(graph)};
  Floats from(1000), to(1000);
  for (std::size_t i = 0; i < from.size(); ++i)
    from[i] = static_cast<float>(i);
  const Tensor ones = Tensor::full({rows, width}, ScalarType::f32, 1);
  const TensorView pitched(std::span<const float>(from), {rows, width}, {2 * width, 1});
  const std::vector<TensorView> views = {pitched, ones, pitched};
  const std::vector<ResultPlace> places = {{.external = true, .strides = {3 * width, 1}}, {}};
  const auto check = [&](std::int64_t in, std::int64_t out) {
    std::ranges::fill(to, -1.0F);
    frame.bind_result(0, to.data());
    frame.run();
    Floats expected(to.size(), -1);
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t i = 0; i < width; ++i)
        expected[static_cast<std::size_t>(r * out + i)] = static_cast<float>(r * in + i + 1);
    }
    CHECK(to == expected);
  };
  for (int round = 0; round < 2; ++round) {
    frame.plan(views, places);  // puts the rows back
    CHECK(frame.can_step_parameter(0));
    CHECK_FALSE(frame.can_step_parameter(1));  // one dense row
    CHECK_FALSE(frame.can_step_parameter(2));  // a product
    CHECK(frame.can_step_result(0));
    CHECK_FALSE(frame.can_step_result(1));
    check(2 * width, 3 * width);
    for (const std::int64_t step : {width, 5 * width, 2 * width + 3}) {
      frame.step_parameter(0, step * 4);
      frame.step_result(0, (step + 1) * 4);
      check(step, step + 1);
    }
  }
}

TEST_CASE("shapes that depend on shapes are known while planning", "[graph]") {
  Graph graph;
  const Value x = graph.add_parameter(f32({-1, -1}), "x"), y = graph.add_parameter(f32({-1}), "y");
  graph.add_result(graph.add("Reshape", {y, graph.add("ShapeOf", {x})}));
  Frame frame{Executable(graph)};
  const Tensor like = Tensor::zeros({2, 2}, ScalarType::f32);
  const Tensor data = Tensor::of<float>({4}, {1, 2, 3, 4});
  frame.plan(std::vector<TensorView>{like, data});
  CHECK(frame.is_static());
  frame.run();
  CHECK(std::ranges::equal(frame.result(0).shape(), like.shape()));
  CHECK(frame.result(0).data() == data.data());
}

TEST_CASE("shapes that depend on data are planned for in the run", "[graph]") {
  Graph graph;
  const Value x = graph.add_parameter(f32({-1}), "x");
  const Value target = graph.add_parameter({ScalarType::i64, {2}}, "target");
  const Value one = graph.add_constant(Tensor::of<std::int64_t>({2}, {1, -1}));
  const Value twice = graph.add("Add", {x, x});
  // The target is computed, so its value is there only after a first part has run.
  const Value computed = graph.add("Add", {target, one});
  graph.add_result(graph.add("Add", {graph.add("Reshape", {twice, computed}), x}));
  Frame frame{Executable(graph)};
  const Tensor data = Tensor::of<float>({2}, {1, 2});
  Tensor shape = Tensor::of<std::int64_t>({2}, {0, 3});
  const Tensor out = Tensor::zeros({1, 2}, ScalarType::f32);
  for (int i = 0; i < 3; ++i) {
    frame.plan(std::vector<TensorView>{data, shape}, std::vector<ResultPlace>{{.external = true}});
    CHECK_FALSE(frame.is_static());
    frame.bind_result(0, out.data());
    frame.run();
    CHECK(values(frame.result(0)) == Floats{3, 6});
    CHECK(values(out) == Floats{3, 6});
  }
  CHECK(frame.counters().plans == 2);
  // Another value, of another shape.
  Graph other;
  const Value a = other.add_parameter(f32({4}), "a");
  const Value b = other.add_parameter({ScalarType::i64, {-1}}, "b");
  other.add_result(other.add("Relu", {other.add("Reshape", {a, b})}));
  Frame changing{Executable(other)};
  const Tensor four = Tensor::of<float>({4}, {1, 2, 3, 4});
  Tensor to = Tensor::of<std::int64_t>({2}, {2, 2});
  changing.plan(std::vector<TensorView>{four, to});
  changing.run();
  CHECK(std::ranges::equal(changing.result(0).shape(), std::vector<std::int64_t>{2, 2}));
  to.data_as<std::int64_t>()[0] = 4;
  to.data_as<std::int64_t>()[1] = 1;
  changing.run();
  CHECK(std::ranges::equal(changing.result(0).shape(), std::vector<std::int64_t>{4, 1}));
  CHECK(values(changing.result(0)) == Floats{1, 2, 3, 4});
  changing.run();
  CHECK(changing.counters().plans == 3);
}

TEST_CASE("what depends on constants only is computed once, and what nobody reads never",
          "[graph]") {
  Graph graph;
  const Value x = graph.add_parameter(f32({2}), "x"), unused = graph.add_parameter(f32({2}), "u");
  const Value c = graph.add_constant(Tensor::of<float>({2}, {1, 4}));
  const Value root = graph.add("Sqrt", {c});
  graph.add("Add", {unused, x});
  graph.add_result(graph.add("Add", {x, root}));
  graph.add_result(root);
  const Executable executable(graph);
  CHECK(executable.parameter_is_used(0));
  CHECK_FALSE(executable.parameter_is_used(1));
  const Tensor data = Tensor::of<float>({2}, {1, 2});
  const std::vector<Tensor> results = executable.run(std::vector<TensorView>{data, data});
  CHECK(values(results[0]) == Floats{2, 4});
  CHECK(values(results[1]) == Floats{1, 2});
}

TEST_CASE("a run that fails in its second part can be repeated", "[graph]") {
  Graph graph;
  const Value data = graph.add_parameter(f32({4}), "data");
  const Value target = graph.add_parameter({ScalarType::i64, {2}}, "target");
  graph.add_result(
      graph.add("Relu", {graph.add("Reshape", {graph.add("Add", {data, data}), target})}));
  Frame frame{Executable(graph)};
  const Tensor four = Tensor::of<float>({4}, {1, 2, 3, 4});
  Tensor shape = Tensor::of<std::int64_t>({2}, {3, 3});
  frame.plan(std::vector<TensorView>{four, shape});
  for (int round = 0; round < 2; ++round) {
    shape.data_as<std::int64_t>()[1] = 3;
    CHECK_ERROR(shape, ("Reshape", "[3, 3]"), frame.run());
    CHECK_ERROR(shape, ("Reshape", "[3, 3]"), frame.run());
    shape.data_as<std::int64_t>()[0] = 2;
    shape.data_as<std::int64_t>()[1] = 2;
    frame.run();
    CHECK(values(frame.result(0)) == Floats{2, 4, 6, 8});
    CHECK(std::ranges::equal(frame.result(0).shape(), std::vector<std::int64_t>{2, 2}));
    shape.data_as<std::int64_t>()[0] = 3;
  }
}

TEST_CASE("constants of any type are folded", "[graph]") {
  Graph graph;
  const Value two = graph.add_constant(Tensor::of<std::int64_t>({1}, {2}));
  const Value four = graph.add("Add", {graph.add("Multiply", {two, two}), two});
  const Value whole = graph.add("Subtract", {four, two});
  const Value less = graph.add("Less", {two, whole});
  graph.add_result(graph.add("Select", {less, whole, two}));
  const std::vector<Tensor> results = Executable(graph).run(std::vector<TensorView>{});
  CHECK(results[0].at<std::int64_t>({0}) == 4);
}

TEST_CASE("mistakes name the layer", "[graph]") {
  Graph graph("model");
  weft::graph::Node node;
  node.op = "Frobnicate";
  node.opset = 9;
  node.name = "strange";
  node.layer_id = "42";
  const Value x = graph.add_parameter(f32({2}), "x");
  node.inputs = {x};
  graph.add_result({graph.add_node(node), 0});
  CHECK_ERROR(invalid_argument, ("Frobnicate", "opset9", "'strange'", "layer 42"),
              Executable(graph));

  graph.node(1).op = "Add";
  CHECK_ERROR(invalid_argument, ("'strange'", "layer 42", "2 inputs"), Executable(graph));
  graph.set_input(1, 1, graph.add_parameter(f32({3}), "y"));
  CHECK_ERROR(shape, ("'strange'", "[2]", "[3]"), Executable(graph));
  graph.set_input(1, 1, graph.add_parameter({ScalarType::i32, {2}}, "z"));
  CHECK_ERROR(dtype, ("'strange'", "f32", "i32"), Executable(graph));
  graph.set_input(1, 1, x);
  const Executable executable(graph);
  const Tensor good = Tensor::zeros({2}, ScalarType::f32),
               bad = Tensor::zeros({3}, ScalarType::f32);
  CHECK_ERROR(invalid_argument, ("model", "expected 3 parameters"),
              executable.run(std::vector<TensorView>{good}));
  CHECK_ERROR(shape, ("'x'", "f32[2]", "f32[3]"),
              executable.run(std::vector<TensorView>{bad, bad, good}));
}

TEST_CASE("an integer divided by zero is an error with the layer's name", "[graph]") {
  Graph graph;
  const ValueType type{ScalarType::i32, {2}};
  const Value a = graph.add_parameter(type, "a"), b = graph.add_parameter(type, "b");
  graph.add_result(graph.add("Divide", {a, b}));
  const Executable executable(graph);
  const Tensor x = Tensor::of<std::int32_t>({2}, {-7, 7}),
               y = Tensor::of<std::int32_t>({2}, {2, 2});
  const std::vector<Tensor> results = executable.run(std::vector<TensorView>{x, y});
  CHECK(results[0].at<std::int32_t>({0}) == -4);
  CHECK(results[0].at<std::int32_t>({1}) == 3);
  const Tensor zero = Tensor::zeros({2}, ScalarType::i32);
  CHECK_ERROR(division, ("Divide"), executable.run(std::vector<TensorView>{x, zero}));
}

TEST_CASE("numbers that name nothing are errors", "[graph]") {
  Graph graph;
  const Value x = graph.add_parameter({ScalarType::f32, {2}});
  graph.add_result(graph.add("Relu", {x}));
  const Executable executable(graph);
  Frame frame(executable);
  for (const int i : {-1, 1, 1000}) {
    CHECK_ERROR(invalid_argument, ("parameter", "below 1"), executable.parameter_name(i));
    CHECK_ERROR(invalid_argument, ("parameter"), executable.parameter_type(i));
    CHECK_ERROR(invalid_argument, ("parameter"), executable.parameter_is_used(i));
    CHECK_ERROR(invalid_argument, ("result"), executable.result_name(i));
    CHECK_ERROR(invalid_argument, ("result"), executable.result_type(i));
    CHECK_ERROR(invalid_argument, ("result"), frame.result(i));
  }
  CHECK(!frame.result(0).defined());
  CHECK_ERROR(invalid_argument, ("node 2"), graph.node(2));
  CHECK_ERROR(invalid_argument, ("node -1"), graph.node(-1));
  for (const int rank : {-1, 65, 1 << 30})
    CHECK_ERROR(rank, ("rank"), weft::graph::PartialShape::of_rank(rank));
  CHECK_ERROR(axis, ("0-d"), weft::graph::PartialShape({}).extent(0));
  weft::graph::OperatorRegistry registry;
  CHECK_ERROR(invalid_argument, ("null"), registry.add(nullptr));
  weft::graph::Node node;
  node.op = "Loop";
  node.bodies = {nullptr};
  graph.add_result({graph.add_node(std::move(node)), 0});
  CHECK_ERROR(invalid_argument, ("Loop", "body"), graph.check(3));
}

TEST_CASE("results that are parameters or constants are read-only", "[graph]") {
  const std::vector<float> memory = {1, 2};
  const TensorView given(std::span<const float>(memory), {2});
  Graph graph;
  const Value x = graph.add_parameter({ScalarType::f32, {2}});
  graph.add_result(x);
  graph.add_result(graph.add_constant(Tensor::of<float>({1}, {5})));
  graph.add_result(graph.add("Relu", {x}));
  Frame frame{Executable(graph)};
  frame.plan(std::vector<TensorView>{given});
  frame.run();
  CHECK(frame.result(0).read_only());
  CHECK(frame.result(1).read_only());
  CHECK(frame.result(1).at<float>({0}) == 5);
  CHECK(!frame.result(2).read_only());
}
