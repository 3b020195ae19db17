// SPDX-License-Identifier: Apache-2.0
// What a run of a small planned graph costs: a chain of elementwise operations on a few floats,
// with a parameter and a result bound anew each time, as a loop does. And what graphs of large
// operands cost beside the same calls.
#include <weft/graph/executable.hpp>
#include <weft/iter/config.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/creation.hpp>
#include <weft/ops/unary.hpp>

#include "exp_of_sum.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <vector>

namespace {

using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;
using weft::graph::CompileOptions;
using weft::graph::Executable;
using weft::graph::Frame;
using weft::graph::Graph;
using weft::graph::ResultPlace;
using weft::graph::Value;

/// x and h, `operations` times one of add and multiply.
Graph chain(std::int64_t n, int operations) {
  Graph graph;
  const Value x = graph.add_parameter({ScalarType::f32, {n}}, "x");
  Value h = graph.add_parameter({ScalarType::f32, {n}}, "h");
  for (int i = 0; i < operations; ++i)
    h = graph.add(i % 2 == 0 ? "Add" : "Multiply", {h, x});
  graph.add_result(h);
  return graph;
}

/// Arguments: elements, operations, fused or one by one.
void trip(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  Frame frame{
      Executable(chain(n, static_cast<int>(state.range(1))), {.fuse = state.range(2) != 0})};
  const Tensor x = Tensor::full({n}, ScalarType::f32, 1);
  const std::array<Tensor, 2> h = {Tensor::zeros({n}, ScalarType::f32),
                                   Tensor::zeros({n}, ScalarType::f32)};
  frame.plan(std::vector<TensorView>{x, h[0]}, std::vector<ResultPlace>{{.external = true}});
  frame.bind_result(0, h[1].data());
  frame.run();
  float expected = 0;
  for (int i = 0; i < state.range(1); ++i)
    expected = i % 2 == 0 ? expected + 1 : expected * 1;
  if (h[1].at<float>({n - 1}) != expected) std::abort();
  std::size_t from = 0;
  for (auto _ : state) {
    frame.bind_parameter(0, x.data());
    frame.bind_parameter(1, h[from].data());
    frame.bind_result(0, h[1 - from].data());
    frame.run();
    from = 1 - from;
  }
  state.SetItemsProcessed(state.iterations() * n * state.range(1));
}
BENCHMARK(trip)
    ->ArgNames({"n", "operations", "fuse"})
    ->Args({2, 1, 1})
    ->Args({2, 20, 1})
    ->Args({2, 20, 0})
    ->Args({1024, 20, 1})
    ->Args({1024, 20, 0})
    ->Args({65536, 20, 1})
    ->Args({65536, 20, 0})
    ->Args({1 << 20, 20, 1})
    ->Args({1 << 20, 20, 0});

/// The elementwise part of an LSTM cell, over `n` units. Gates in the order f, i, c, o.
Graph gates(std::int64_t n) {
  Graph graph;
  std::vector<Value> sums;
  for (const char* gate : {"f", "i", "c", "o"})
    sums.push_back(graph.add_parameter({ScalarType::f32, {n}}, gate));
  const Value cell = graph.add_parameter({ScalarType::f32, {n}}, "C");
  const Value kept = graph.add("Multiply", {graph.add("Sigmoid", {sums[0]}), cell});
  const Value added =
      graph.add("Multiply", {graph.add("Sigmoid", {sums[1]}), graph.add("Tanh", {sums[2]})});
  const Value next = graph.add("Add", {kept, added});
  graph.add_result(
      graph.add("Multiply", {graph.add("Sigmoid", {sums[3]}), graph.add("Tanh", {next})}), "H");
  graph.add_result(next, "C");
  return graph;
}

std::vector<TensorView> views(const std::vector<Tensor>& tensors) {
  return {tensors.begin(), tensors.end()};
}

void lstm_gates(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  Frame frame{Executable(gates(n))};
  const std::vector<Tensor> inputs(5, Tensor::full({n}, ScalarType::f32, 0.5));
  frame.plan(views(inputs));
  for (auto _ : state)
    frame.run();
  state.SetItemsProcessed(state.iterations() * n);
}
BENCHMARK(lstm_gates)->Arg(4)->Arg(64)->Arg(256)->Arg(4096);

/// Another length with each run, as for sequences of any length: what planning costs.
void another_length(benchmark::State& state) {
  Frame frame{Executable(gates(-1))};
  const std::vector<Tensor> longer(5, Tensor::zeros({64}, ScalarType::f32));
  const std::vector<Tensor> shorter(5, Tensor::zeros({48}, ScalarType::f32));
  const std::vector<TensorView> inputs[] = {views(longer), views(shorter)};
  std::size_t which = 0;
  for (auto _ : state) {
    frame.plan(inputs[which]);
    frame.run();
    which = 1 - which;
  }
}
BENCHMARK(another_length);

// ---- Squares of n x n floats, a graph beside the calls of the same functions

enum class Way : std::uint8_t { call, graph, kernel };

struct Squares {
  explicit Squares(std::int64_t n)
      : a(Tensor::full({n, n}, ScalarType::f32, 0.5)),
        b(Tensor::full({n, n}, ScalarType::f32, 0.25)),
        sum(Tensor::zeros({n, n}, ScalarType::f32)),
        result(Tensor::zeros({n, n}, ScalarType::f32)) {
    a.data_as<float>()[(n - 1) * n] = 1;
  }
  Tensor a, b, sum, result;
};
/// The same ones for all ways: where memory lies decides on more than the way where it fills a
/// cache.
Squares& squares_of(std::int64_t n) {
  static std::unique_ptr<Squares> last;
  if (last == nullptr || last->b.extent(0) != n) last = std::make_unique<Squares>(n);
  std::fill_n(last->result.data_as<float>(), n * n, 0.0F);  // what another way has written
  return *last;
}

/// A frame that adds two squares, and takes the exponential of that if `with_exp`.
Frame planned(const Squares& squares, const TensorView& a, TensorView result, bool with_exp) {
  const std::int64_t n = squares.b.extent(0);
  Graph graph;
  const Value x = graph.add_parameter({ScalarType::f32, {n, n}}, "a");
  const Value y = graph.add_parameter({ScalarType::f32, {n, n}}, "b");
  const Value sum = graph.add("Add", {x, y});
  graph.add_result(with_exp ? graph.add("Exp", {sum}) : sum);
  Frame frame{Executable(graph)};
  frame.plan(std::vector<TensorView>{a, squares.b}, std::vector<ResultPlace>{{.external = true}});
  frame.bind_result(0, result.data());
  return frame;
}

void check(const Squares& squares, bool transposed, bool with_exp) {
  const std::int64_t last = squares.b.extent(0) - 1;
  const float sum = 1.25F;  // where a is 1
  const float got =
      transposed ? squares.result.at<float>({0, last}) : squares.result.at<float>({last, 0});
  if (std::abs(got - (with_exp ? std::exp(sum) : sum)) > 1e-5F) std::abort();
}

/// Arguments: n, transposed or dense, way.
void add_squares(benchmark::State& state) {
  Squares& squares = squares_of(state.range(0));
  const bool transposed = state.range(1) != 0;
  const TensorView a = transposed ? squares.a.transpose(0, 1) : TensorView(squares.a);
  Frame frame = planned(squares, a, squares.result, false);
  const bool by_graph = static_cast<Way>(state.range(2)) == Way::graph;
  const auto run = [&] { by_graph ? frame.run() : weft::add_out(squares.result, a, squares.b); };
  run();
  check(squares, transposed, false);
  for (auto _ : state)
    run();
  state.SetItemsProcessed(state.iterations() * squares.a.numel());
}

/// exp(a.T + b). Arguments: n, way; two calls, a graph, or one call of a user's kernel.
void exp_of_sum(benchmark::State& state) {
  Squares& squares = squares_of(state.range(0));
  const TensorView a = squares.a.transpose(0, 1);
  Frame frame = planned(squares, a, squares.result, true);
  const auto iter = weft::TensorIteratorConfig()
                        .add_output(squares.result)
                        .add_input(a)
                        .add_input(squares.b)
                        .build();
  const auto run = [&] {
    switch (static_cast<Way>(state.range(1))) {
      case Way::call:
        weft::add_out(squares.sum, a, squares.b);
        weft::exp_out(squares.result, squares.sum);
        break;
      case Way::graph: frame.run(); break;
      case Way::kernel: bench::exp_of_sum(iter); break;
    }
  };
  run();
  check(squares, true, true);
  for (auto _ : state)
    run();
  state.SetItemsProcessed(state.iterations() * squares.a.numel());
}

// ---- Reductions of chains -----------------------------------------------------------------------

enum class Formula : std::int8_t { mean_square, layer_norm, softmax };

/// A formula of rows in basic operators.
Graph of_rows(Formula formula, std::int64_t rows, std::int64_t columns) {
  Graph graph;
  const Value x = graph.add_parameter({ScalarType::f32, {rows, columns}}, "x");
  const Tensor last = Tensor::full({1}, ScalarType::i64, 1);
  const auto reduce = [&](const char* op, Value of) {
    return graph.add(op, {of, graph.add_constant(last)}, {{"keep_dims", true}});
  };
  const auto number = [&](double value) {
    return graph.add_constant(Tensor::full({}, ScalarType::f32, value));
  };
  if (formula == Formula::softmax) {
    const Value power = graph.add("Exp", {graph.add("Subtract", {x, reduce("ReduceMax", x)})});
    graph.add_result(graph.add("Divide", {power, reduce("ReduceSum", power)}));
    return graph;
  }
  const Value moved = graph.add("Subtract", {x, reduce("ReduceMean", x)});
  const Value variance = reduce("ReduceMean", graph.add("Multiply", {moved, moved}));
  if (formula == Formula::mean_square) {
    graph.add_result(variance);
    return graph;
  }
  const Value deviation = graph.add("Sqrt", {graph.add("Add", {variance, number(1e-5)})});
  graph.add_result(graph.add("Divide", {moved, deviation}));
  return graph;
}

/// Arguments: formula, rows, columns, fused or one by one.
void rows(benchmark::State& state) {
  const auto formula = static_cast<Formula>(state.range(0));
  const std::int64_t rows = state.range(1), columns = state.range(2);
  Frame frame{Executable(of_rows(formula, rows, columns), {.fuse = state.range(3) != 0})};
  const Tensor x = Tensor::empty({rows, columns}, ScalarType::f32);
  auto* elements = static_cast<float*>(x.data());
  for (std::int64_t i = 0; i < x.numel(); ++i)
    elements[i] = static_cast<float>(i % 7);
  frame.plan(std::vector<TensorView>{x});
  frame.run();
  // Of the first row.
  double sum = 0, square = 0, power = 0;
  for (std::int64_t i = 0; i < columns; ++i) {
    sum += elements[i];
    square += elements[i] * elements[i];
    power += std::exp(elements[i] - 6);
  }
  const double mean = sum / static_cast<double>(columns);
  const double variance = square / static_cast<double>(columns) - mean * mean;
  const double expected = formula == Formula::mean_square  ? variance
                          : formula == Formula::layer_norm ? -mean / std::sqrt(variance + 1e-5)
                                                           : std::exp(-6) / power;
  const double got = *static_cast<const float*>(frame.result(0).data());
  if (std::abs(got - expected) > 1e-4 * (1 + std::abs(expected))) std::abort();
  for (auto _ : state)
    frame.run();
  state.SetItemsProcessed(state.iterations() * x.numel());
}
BENCHMARK(rows)
    ->ArgNames({"formula", "rows", "columns", "fuse"})
    ->ArgsProduct({{0, 1, 2}, {64, 1024, 8192}, {768}, {0, 1}});

void each_square(benchmark::internal::Benchmark* bench,
                 std::vector<std::vector<std::int64_t>> arguments) {
  for (const std::int64_t n : {64, 256, 1000, 1024, 2000, 4096}) {
    for (std::vector<std::int64_t> more : arguments) {
      more.insert(more.begin(), n);
      bench->Args(more);
    }
  }
}
BENCHMARK(add_squares)->ArgNames({"n", "transposed", "way"})->Apply([](auto* bench) {
  each_square(bench, {{1, 0}, {1, 1}, {0, 0}, {0, 1}});
});
BENCHMARK(exp_of_sum)->ArgNames({"n", "way"})->Apply([](auto* bench) {
  each_square(bench, {{0}, {1}, {2}});
});

}  // namespace

BENCHMARK_MAIN();
