// SPDX-License-Identifier: Apache-2.0
// What a call costs before any data moves: building plans, running bound ones again, whole calls on
// tiny tensors. Results are checked before anything is timed.
#include <weft/iter/config.hpp>
#include <weft/kernel/cpu_kernel.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/reduce.hpp>

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>

namespace {

using weft::ScalarType;
using weft::Tensor;
using weft::TensorIteratorConfig;
using weft::TensorView;

void require(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "wrong result: %s\n", what);
  std::exit(1);
}

/// out = a + b over `n` dense floats.
struct Dense {
  explicit Dense(std::int64_t n)
      : out(Tensor::zeros({n}, ScalarType::f32)),
        a(Tensor::full({n}, ScalarType::f32, 1.5)),
        b(Tensor::full({n}, ScalarType::f32, 2)) {}

  Tensor out, a, b;
};

void build_three_dense(benchmark::State& state) {
  Dense t(64);
  const TensorView& out = t.out;
  for (auto _ : state) {
    auto iter = TensorIteratorConfig().add_output(out).add_input(t.a).add_input(t.b).build();
    benchmark::DoNotOptimize(&iter);
  }
}
BENCHMARK(build_three_dense);

void build_three_mixed_4d(benchmark::State& state) {
  const Tensor a = Tensor::full({5, 9, 8, 7}, ScalarType::f32, 1);
  const Tensor b = Tensor::full({9, 1, 7}, ScalarType::f32, 1);
  const Tensor out = Tensor::zeros({5, 9, 8, 7}, ScalarType::f32);
  const TensorView transposed = a.as_strided({5, 9, 8, 7}, {1, 35, 315, 5});
  const TensorView& to = out;
  for (auto _ : state) {
    auto iter = TensorIteratorConfig().add_output(to).add_input(transposed).add_input(b).build();
    benchmark::DoNotOptimize(&iter);
  }
}
BENCHMARK(build_three_mixed_4d);

void rerun_bound_plan(benchmark::State& state) {
  Dense t(state.range(0));
  const TensorView& out = t.out;
  auto iter = TensorIteratorConfig().add_output(out).add_input(t.a).add_input(t.b).build();
  const auto run = [&] {
    iter.bind(0, t.out.data()).bind(1, t.a.data()).bind(2, t.b.data());
    weft::cpu_kernel(iter, [](float x, float y) -> float { return x + y; });
  };
  run();
  require(t.out.at<float>({0}) == 3.5f, "rerun");
  for (auto _ : state)
    run();
}
BENCHMARK(rerun_bound_plan)->Arg(1)->Arg(16)->Arg(64);

void add_out_dense(benchmark::State& state) {
  Dense t(state.range(0));
  const TensorView& out = t.out;
  weft::add_out(out, t.a, t.b);
  require(t.out.at<float>({0}) == 3.5f, "add_out");
  for (auto _ : state)
    weft::add_out(out, t.a, t.b);
}
BENCHMARK(add_out_dense)->Arg(1)->Arg(64)->Arg(1000);

void sum_out_small(benchmark::State& state) {
  Dense t(64);
  const Tensor out = Tensor::zeros({}, ScalarType::f32);
  const TensorView& to = out;
  weft::sum_out(to, t.a, {0});
  require(out.at<float>({}) == 96.0f, "sum_out");
  for (auto _ : state)
    weft::sum_out(to, t.a, {0});
}
BENCHMARK(sum_out_small);

}  // namespace

BENCHMARK_MAIN();
