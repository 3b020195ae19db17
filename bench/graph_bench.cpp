// SPDX-License-Identifier: Apache-2.0
// What a run of a small planned graph costs: a chain of elementwise operations on a few floats, with a
// parameter and a result bound anew each time, as a loop does.
#include <weft/graph/executable.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <cstdlib>
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

}  // namespace

BENCHMARK_MAIN();
