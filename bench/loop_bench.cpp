// SPDX-License-Identifier: Apache-2.0
// What a trip of a loop costs besides its work: bodies of few operations on few numbers, forwards,
// backwards, along either axis, with and without outputs, of known and of unknown length; and
// bodies with work that can be taken out of the trips. Results are checked before anything is
// timed.
#include <weft/graph/executable.hpp>
#include <weft/recurrent/loop.hpp>

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;
using weft::graph::Executable;
using weft::graph::Frame;
using weft::graph::Graph;
using weft::graph::PartialShape;
using weft::graph::Value;
using namespace weft::recurrent;

void require(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "wrong result: %s\n", what);
  std::exit(1);
}

/// s' = s + x, and then `operations` - 1 more that leave it as it is.
Graph running_sum(const PartialShape& shape, int operations) {
  Graph body("running sum");
  const Value x = body.add_parameter({ScalarType::f32, shape});
  const Value s = body.add_parameter({ScalarType::f32, shape});
  Value sum = body.add("Add", {s, x});
  const Value zero = body.add_constant(Tensor::zeros({1}, ScalarType::f32));
  for (int i = 1; i < operations; ++i)
    sum = i % 2 == 0 ? body.add("Relu", {sum}) : body.add("Maximum", {sum, zero});
  body.add_result(sum);
  return body;
}

LoopSpec scan(std::int64_t axis, bool backwards, bool collects) {
  LoopSpec spec;
  spec.name = "scan";
  spec.iterators = {{.input = 0, .parameter = 0, .axis = axis}};
  if (backwards) spec.iterators[0].range = {-1, 0, -1};
  spec.states = {{.input = 1, .parameter = 1, .result = 0}};
  spec.outputs = {{.kind = LoopOutputKind::last_state, .state = 0}};
  if (collects) {
    spec.outputs.push_back(
        {.kind = LoopOutputKind::stack, .result = 0, .axis = axis, .backwards = backwards});
  }
  return spec;
}

/// A loop with the memory to run it.
class Prepared {
 public:
  Prepared(const LoopSpec& spec, const Graph& body, std::vector<Tensor> inputs)
      : inputs_(std::move(inputs)), frame_(compile(spec, body)) {
    frame_.plan(std::vector<TensorView>(inputs_.begin(), inputs_.end()));
  }
  void run() { frame_.run(); }
  TensorView result(int i) const { return frame_.result(i); }

 private:
  Executable compile(const LoopSpec& spec, const Graph& body) const {
    Graph graph;
    std::vector<Value> values;
    for (const Tensor& input : inputs_)
      values.push_back(graph.add_parameter({input.dtype(), input.shape()}));
    for (const Value output : add_loop(graph, spec, body, values))
      graph.add_result(output);
    return Executable(graph, {.operators = &operators()});
  }

  std::vector<Tensor> inputs_;
  Frame frame_;
};

void time_trips(benchmark::State& state, Prepared& loop, std::int64_t trips) {
  for (auto _ : state)
    loop.run();
  state.SetItemsProcessed(state.iterations() * trips);
  state.counters["a_trip"] =
      benchmark::Counter(static_cast<double>(trips), benchmark::Counter::kIsIterationInvariantRate |
                                                         benchmark::Counter::kInvert);
}

/// Arguments: width, operations, axis, backwards, collects.
void trip(benchmark::State& state) {
  const std::int64_t width = state.range(0), axis = state.range(2), trips = 1000;
  Tensor x = Tensor::full({trips, width}, ScalarType::f32, 0.5);
  if (axis == 1) x = Tensor::full({width, trips}, ScalarType::f32, 0.5);
  Prepared loop(scan(axis, state.range(3) != 0, state.range(4) != 0),
                running_sum({width}, static_cast<int>(state.range(1))),
                {x, Tensor::zeros({width}, ScalarType::f32)});
  loop.run();
  require(loop.result(0).at<float>({width - 1}) == 500, "the sum of a thousand halves");
  time_trips(state, loop, trips);
}
BENCHMARK(trip)
    ->ArgNames({"width", "operations", "axis", "backwards", "collects"})
    ->Args({2, 1, 0, 0, 1})
    ->Args({2, 1, 0, 1, 1})
    ->Args({2, 1, 1, 0, 1})
    ->Args({2, 1, 1, 1, 1})
    ->Args({2, 1, 0, 0, 0})
    ->Args({2, 5, 0, 0, 1})
    ->Args({2, 20, 0, 0, 1})
    ->Args({256, 1, 0, 0, 1})
    ->Args({256, 1, 1, 0, 1})
    ->Args({1024, 20, 0, 0, 1});

/// The usual second axis: of batch x trips x features, so that a slice is a row of features for
/// each of the batch. Arguments: batch, features, axis.
void trip_of_rows(benchmark::State& state) {
  const std::int64_t batch = state.range(0), features = state.range(1), trips = 1000;
  Tensor x = Tensor::full({trips, batch, features}, ScalarType::f32, 0.5);
  if (state.range(2) == 1) x = Tensor::full({batch, trips, features}, ScalarType::f32, 0.5);
  Prepared loop(scan(state.range(2), false, true), running_sum({batch, features}, 1),
                {x, Tensor::zeros({batch, features}, ScalarType::f32)});
  loop.run();
  require(loop.result(0).at<float>({batch - 1, features - 1}) == 500,
          "the sum of a thousand halves");
  time_trips(state, loop, trips);
}
BENCHMARK(trip_of_rows)
    ->ArgNames({"batch", "features", "axis"})
    ->ArgsProduct({{1, 8}, {32, 256}, {0, 1}});

/// Ends when a condition says so: the length of its output is not known before.
void trip_until_condition(benchmark::State& state) {
  constexpr std::int64_t trips = 1000;
  Graph body("until");
  const Value s = body.add_parameter({ScalarType::f32, {2}});
  const Value i = body.add_parameter({ScalarType::i64, {}});
  const Value one = body.add_constant(Tensor::full({}, ScalarType::f32, 1));
  const Value most = body.add_constant(Tensor::full({}, ScalarType::i64, trips - 1));
  body.add_result(body.add("Add", {s, one}));
  body.add_result(body.add("Less", {i, most}));
  LoopSpec spec;
  spec.name = "until";
  spec.states = {{.input = 0, .parameter = 0, .result = 0}};
  spec.indexes = {1};
  spec.next_condition = 1;
  spec.outputs = {{.kind = LoopOutputKind::stack, .result = 0}};
  Prepared loop(spec, body, {Tensor::zeros({2}, ScalarType::f32)});
  loop.run();
  require(loop.result(0).extent(0) == trips, "the number of trips");
  time_trips(state, loop, trips);
}
BENCHMARK(trip_until_condition);

/// One trip, with the state outside: what a stream pays for each element.
void single_trip(benchmark::State& state) {
  Prepared loop(scan(0, false, false), running_sum({2}, 1),
                {Tensor::full({1, 2}, ScalarType::f32, 0.5), Tensor::zeros({2}, ScalarType::f32)});
  loop.run();
  require(loop.result(0).at<float>({0}) == 0.5F, "one half");
  time_trips(state, loop, 1);
}
BENCHMARK(single_trip);

/// Lengths that alternate between `trips` and one more, or (`changes` 0) stay. With a batch, slices
/// are along the second axis, and the stride of its rows is the length.
void changing_length(benchmark::State& state) {
  const std::int64_t trips = state.range(0), batch = state.range(1), width = state.range(2);
  const bool changes = state.range(3) != 0;
  const std::int64_t axis = batch == 0 ? 0 : 1;
  const auto with_axis = [&](std::int64_t extent) {
    return axis == 0 ? weft::DimVector{extent, width} : weft::DimVector{batch, extent, width};
  };
  const weft::DimVector element =
      axis == 0 ? weft::DimVector{width} : weft::DimVector{batch, width};
  Graph graph;
  const Value x = graph.add_parameter({ScalarType::f32, with_axis(PartialShape::unknown)});
  const Value start = graph.add_constant(Tensor::zeros(element, ScalarType::f32));
  for (const Value output :
       add_loop(graph, scan(axis, false, true), running_sum(element, 1), {x, start}))
    graph.add_result(output);
  Frame frame{Executable(graph, {.operators = &operators()})};
  const Tensor data[] = {Tensor::full(with_axis(trips), ScalarType::f32, 0.5),
                         Tensor::full(with_axis(trips + 1), ScalarType::f32, 0.5)};
  std::vector<TensorView> inputs(1);
  std::int64_t round = 0;
  const auto run = [&] {
    const std::int64_t more = changes ? ++round % 2 : 0;
    inputs[0] = data[more];
    frame.plan(inputs);
    frame.run();
    return 0.5F * static_cast<float>(trips + more);
  };
  for (int i = 0; i < 2; ++i) {
    const float expected = run();
    require(*frame.result(0).data_as<float>() == expected, "the sum of halves");
  }
  for (auto _ : state)
    benchmark::DoNotOptimize(run());
  state.SetItemsProcessed(state.iterations() * trips);
}
BENCHMARK(changing_length)
    ->ArgNames({"trips", "batch", "width", "changes"})
    ->ArgsProduct({{10, 100}, {0}, {2, 64}, {0, 1}})
    ->ArgsProduct({{10, 100}, {8}, {32}, {0, 1}});

/// A product that is the same in every trip (`what` 0) or of the slice alone (1), inside the loop
/// as it would be written (`by_hand` 0), or before it (1).
void product_taken_out(benchmark::State& state) {
  constexpr std::int64_t trips = 200, n = 128;
  const bool of_slices = state.range(0) == 1, by_hand = state.range(1) == 1;
  const auto matrix = [](double value) { return Tensor::full({n, n}, ScalarType::f32, value); };
  const std::int64_t rows = of_slices ? 1 : n;
  Graph body("product");
  const Value s = body.add_parameter({ScalarType::f32, {rows, n}});
  const Value x = body.add_parameter({ScalarType::f32, {rows, n}});
  const Value w = body.add_constant(matrix(0.01));
  const Value product = by_hand ? x : body.add("MatMul", {x, w});
  body.add_result(body.add("Add", {s, product}));
  LoopSpec spec;
  spec.name = "product";
  spec.states = {{.input = 0, .parameter = 0, .result = 0}};
  spec.outputs = {{.kind = LoopOutputKind::last_state, .state = 0}};
  if (of_slices) {
    spec.iterators = {{.input = 1, .parameter = 1}};
  } else {
    spec.invariants = {{.input = 1, .parameter = 1}};
    spec.most_trips = trips;
  }
  Graph graph;
  const PartialShape shape = of_slices ? PartialShape{trips, 1, n} : PartialShape{n, n};
  const Value start = graph.add_parameter({ScalarType::f32, {rows, n}});
  Value input = graph.add_parameter({ScalarType::f32, shape});
  if (by_hand) input = graph.add("MatMul", {input, graph.add_constant(matrix(0.01))});
  graph.add_result(add_loop(graph, spec, body, {start, input})[0]);
  Frame frame{Executable(graph, {.operators = &operators()})};
  const Tensor zero = Tensor::zeros({rows, n}, ScalarType::f32);
  const Tensor data = Tensor::full(shape.shape(), ScalarType::f32, 1);
  frame.plan(std::vector<TensorView>{zero, data});
  frame.run();
  require(std::fabs(frame.result(0).at<float>({0, 0}) - trips * n * 0.01F) < 0.1F, "the product");
  for (auto _ : state)
    frame.run();
  state.SetItemsProcessed(state.iterations() * trips);
}
BENCHMARK(product_taken_out)->ArgNames({"of_slices", "by_hand"})->ArgsProduct({{0, 1}, {0, 1}});

}  // namespace

BENCHMARK_MAIN();
