// SPDX-License-Identifier: Apache-2.0
// What share of the machine's multiply-adds do matrix products reach, by shape, layout and threads?
// "packed" multiplies by a PackedMatrix, "matmul" by a matrix as it lies, "transposed" by the
// transpose of one. share_of_peak counts all threads that take part.
#include <weft/linalg/packed_matrix.hpp>
#include <weft/ops/matmul.hpp>

#include "peak.hpp"
#include "study.hpp"

#include <memory>

namespace bench {
namespace {

double peak(ScalarType type) {
  static const double f32 = peak_multiply_adds(ScalarType::f32);
  static const double f64 = peak_multiply_adds(ScalarType::f64);
  return type == ScalarType::f64 ? f64 : f32;
}

struct Size {
  std::int64_t m, k, n;
};

struct Matrices {
  Matrices(ScalarType type, Size s)
      : a(filled({s.m, s.k}, type, 1)),
        b(filled({s.k, s.n}, type, 2)),
        turned(Tensor::copy_of(b.transpose(0, 1))),
        c(Tensor::zeros({s.m, s.n}, type)),
        packed(b) {}

  static Tensor filled(weft::IntSpan shape, ScalarType type, std::int64_t first) {
    Tensor t = Tensor::empty(shape, type);
    weft::dispatch_types<float, double, weft::float16, weft::bfloat16>(type, [&]<class T>() {
      for (std::int64_t i = 0; i < t.numel(); ++i)
        static_cast<T*>(t.data())[i] = T(pattern<float>(i + first));
    });
    return t;
  }
  /// Integers below 2^24, so every order of additions gives the same.
  void check() const {
    weft::dispatch_types<float, double, weft::float16, weft::bfloat16>(c.dtype(), [&]<class T>() {
      for (std::int64_t i = 0; i < c.extent(0); i += 1 + c.extent(0) / 7) {
        for (std::int64_t j = 0; j < c.extent(1); ++j) {
          double sum = 0;
          for (std::int64_t k = 0; k < a.extent(1); ++k)
            sum += static_cast<double>(static_cast<float>(a.at<T>({i, k}))) *
                   static_cast<double>(static_cast<float>(b.at<T>({k, j})));
          if (static_cast<float>(c.at<T>({i, j})) != static_cast<float>(T(static_cast<float>(sum))))
            die("wrong product");
        }
      }
    });
  }

  Tensor a, b, turned, c;
  weft::PackedMatrix packed;
};

template <class Run>
void add(const std::string& series, ScalarType type, Size s, int threads, Run run) {
  const std::string name = series + "/type:" + std::string(weft::name(type)) +
                           "/m:" + std::to_string(s.m) + "/k:" + std::to_string(s.k) +
                           "/n:" + std::to_string(s.n) + "/threads:" + std::to_string(threads);
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    current_case() = name;
    const weft::ThreadLimit limit(threads);
    const Matrices matrices(type, s);
    run(matrices);
    matrices.check();
    for (auto _ : state) {
      run(matrices);
      benchmark::ClobberMemory();
    }
    const auto work = static_cast<double>(s.m * s.k * s.n);
    using benchmark::Counter;
    state.counters["multiply_adds"] =
        Counter(work, Counter::kIsIterationInvariantRate, Counter::kIs1000);
    state.counters["share_of_peak"] =
        Counter(work / peak(type) / threads, Counter::kIsIterationInvariantRate);
  })->UseRealTime();
}

void add_all(ScalarType type, Size s, int threads) {
  add("packed", type, s, threads,
      [](const Matrices& m) { weft::multiply_out(m.c, m.a, m.packed); });
  add("matmul", type, s, threads,
      [](const Matrices& m) { weft::matmul_out(TensorView(m.c), m.a, m.b); });
  add("transposed", type, s, threads,
      [](const Matrices& m) { weft::matmul_out(TensorView(m.c), m.a, m.turned.transpose(0, 1)); });
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  using weft::ScalarType;
  for (const std::int64_t m : {1, 2, 4, 8, 25, 32, 128})
    bench::add_all(ScalarType::f32, {m, 512, 1024}, 1);
  bench::add_all(ScalarType::f32, {1, 16, 16}, 1);
  bench::add_all(ScalarType::f32, {1, 64, 256}, 1);
  bench::add_all(ScalarType::f32, {1, 256, 1024}, 1);
  bench::add_all(ScalarType::f32, {100, 100, 100}, 1);
  bench::add_all(ScalarType::f32, {1024, 1024, 1024}, 1);
  bench::add_all(ScalarType::f32, {2000, 300, 1}, 1);
  bench::add_all(ScalarType::f64, {32, 512, 1024}, 1);
  bench::add_all(ScalarType::f16, {32, 512, 1024}, 1);
  bench::add_all(ScalarType::bf16, {32, 512, 1024}, 1);
  for (const std::int64_t m : {1, 8, 32, 1024})
    bench::add_all(ScalarType::f32, {m, 512, 1024}, 2);
  return bench::run_cases(argc, argv, "0.03");
}
