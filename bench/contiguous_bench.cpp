// SPDX-License-Identifier: Apache-2.0
// Dense elementwise calls beside the plainest loop that does the same, one thread: what the engine
// adds to the arithmetic. The loop is compiled with the flags of this file, so it is a yardstick for
// memory-bound sizes only where the compiler's default instructions reach the memory's speed.
#include <weft/ops/binary.hpp>
#include <weft/parallel/parallel.hpp>

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>

namespace {

using weft::ScalarType;
using weft::Tensor;

struct Operands {
  explicit Operands(std::int64_t n)
      : out(Tensor::zeros({n}, ScalarType::f32)),
        a(Tensor::full({n}, ScalarType::f32, 1.5)),
        b(Tensor::full({n}, ScalarType::f32, 2)) {}

  void check() const {
    if (out.at<float>({out.numel() - 1}) == 3.5f) return;
    std::fprintf(stderr, "wrong result\n");
    std::exit(1);
  }

  Tensor out, a, b;
};

void set_bytes(benchmark::State& state) {
  state.SetBytesProcessed(state.iterations() * state.range(0) * 12);
}

void engine(benchmark::State& state) {
  const weft::ThreadLimit one(1);
  const Operands t(state.range(0));
  const weft::TensorView& out = t.out;
  weft::add_out(out, t.a, t.b);
  t.check();
  for (auto _ : state)
    weft::add_out(out, t.a, t.b);
  set_bytes(state);
}
BENCHMARK(engine)->Arg(1 << 12)->Arg(1 << 16)->Arg(1 << 20)->Arg(1 << 24);

void plain_loop(benchmark::State& state) {
  const Operands t(state.range(0));
  auto* out = t.out.data_as<float>();
  const auto* a = t.a.data_as<float>();
  const auto* b = t.b.data_as<float>();
  const auto run = [&] {
    for (std::int64_t i = 0; i < state.range(0); ++i)
      out[i] = a[i] + b[i];
    benchmark::ClobberMemory();
  };
  run();
  t.check();
  for (auto _ : state)
    run();
  set_bytes(state);
}
BENCHMARK(plain_loop)->Arg(1 << 12)->Arg(1 << 16)->Arg(1 << 20)->Arg(1 << 24);

}  // namespace

BENCHMARK_MAIN();
