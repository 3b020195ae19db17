// SPDX-License-Identifier: Apache-2.0
// How much memory operations take besides their operands: the buffers of each thread, and no copy
// of an operand. A program of its own, since the peak is one of the whole process and never falls.
#include <weft/core/memory.hpp>
#include <weft/expr/expr.hpp>
#include <weft/operators.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/reduce.hpp>
#include <weft/parallel/parallel.hpp>

#include "support/arena.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace {

using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

/// A line of /proc/self/status in KiB; -1 where there is none.
long status_kib(const std::string& name) {
#if !defined(__SANITIZE_ADDRESS__)
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long value = 0;
    if (word == name && status >> value) return value;
  }
#else
  static_cast<void>(name);  // shadow memory counts too
#endif
  return -1;
}
long peak_kib() { return status_kib("VmHWM:"); }
/// Makes what is there now the peak; false where the system can't do that.
bool reset_peak() {
  return static_cast<bool>(std::ofstream("/proc/self/clear_refs") << 5 << std::flush);
}

/// By how much the peak grows, the least of some tries: what a worker takes once, such as a heap of
/// its own, it takes when it first gets a part of the work, and that may be late.
template <class Run>
long growth_kib(long limit, const Run& run) {
  constexpr int tries = 5;
  long least = std::numeric_limits<long>::max();
  for (int i = 0; i < tries && least > limit; ++i) {
    weft::release_kept_memory();
    if (!reset_peak() && i > 0) break;  // it would be the peak of the first try
    const long before = peak_kib();
    run();
    least = std::min(least, peak_kib() - before);
  }
  return least;
}

constexpr std::int64_t rows = 2048;
constexpr std::int64_t columns = 4096;
/// Beside what threads may take: what oneTBB and the C library need for tasks, and the kernel's own
/// inexactness in counting pages.
constexpr long allowance_kib = 256;
constexpr long thread_kib = 256;
/// Of an expression: the block that is reduced, of a long line whole spans of 256 KiB, and besides
/// what a call takes to reduce and to bring operands together.
constexpr long expression_thread_kib = 256 + 192;

/// Every page of them is there.
struct Operands {
  Tensor f32 = Tensor::full({rows, columns}, ScalarType::f32, 1.5);
  Tensor i32 = Tensor::full({columns, rows}, ScalarType::i32, 2);
  Tensor f64 = Tensor::zeros({rows, columns}, ScalarType::f64);
  Tensor sums = Tensor::zeros({rows}, ScalarType::f64);
};

void run_all(const Operands& o) {
  const TensorView transposed = o.i32.transpose(0, 1);
  weft::add_out(TensorView(o.f64), o.f32, transposed);
  weft::copy_out(TensorView(o.f64), transposed);
  weft::mul_out(TensorView(o.f64), transposed, o.f64);
  const TensorView sums = o.sums;
  const std::int64_t axes[] = {1};
  weft::sum_out(sums, o.f32, axes);
}

}  // namespace

TEST_CASE("peak memory: operations on operands of other types and orders", "[memory][resident]") {
  if (peak_kib() < 0) return;
  const Operands operands;
  const Operands small{Tensor::full({8, 8}, ScalarType::f32, 1),
                       Tensor::full({8, 8}, ScalarType::i32, 1),
                       Tensor::zeros({8, 8}, ScalarType::f64), Tensor::zeros({8}, ScalarType::f64)};
  for (const int threads : {1, 2, 4}) {
    test::in_arena(threads, [&] {
      // Threads have started and the code has been read, but no large buffer has been used.
      weft::parallel_for(1000, 1, [](std::int64_t, std::int64_t) {});
      run_all(small);
      const long limit = allowance_kib + threads * thread_kib;
      INFO(threads << " threads");
      CHECK(growth_kib(limit, [&] { run_all(operands); }) <= limit);
      CHECK(operands.f64.at<double>({rows - 1, columns - 1}) == 4);
      CHECK(operands.sums.at<double>({rows - 1}) == 1.5 * columns);
    });
  }
}

TEST_CASE("peak memory: expressions", "[memory][resident]") {
  if (peak_kib() < 0) return;
  const Operands operands;
  const auto run = [](const Operands& o) {
    using weft::expr;
    const weft::Expr x = expr(o.f32) * expr(o.i32).transpose(0, 1) - 1;
    weft::evaluate_out(TensorView(o.f64), weft::tanh(x) * 0.5 + x);
    weft::mean_out(TensorView(o.sums), x * x, 1);
    const weft::Expr from_mean = x - weft::mean(x, 0, {.keepdim = true});
    weft::evaluate_out(TensorView(o.f64), from_mean / weft::amax(x));
  };
  for (const int threads : {1, 2, 4}) {
    test::in_arena(threads, [&] {
      // The code of all that is a megabyte: it is read, and no buffer is there.
      run(operands);
      const long limit = allowance_kib + threads * expression_thread_kib;
      INFO(threads << " threads");
      CHECK(growth_kib(limit, [&] { run(operands); }) <= limit);
      CHECK(operands.sums.at<double>({rows - 1}) == 4);
      CHECK(operands.f64.at<double>({rows - 1, columns - 1}) == 0);
    });
  }
}

TEST_CASE("peak memory: a copy of an operand would be seen", "[memory][resident]") {
  if (peak_kib() < 0) return;
  const Operands operands;
  // More than the other test has taken, where that peak stays.
  const Tensor more = Tensor::full({rows, columns}, ScalarType::f64, 1);
  reset_peak();
  const long before = peak_kib();
  const Tensor copy = weft::contiguous(operands.i32.transpose(0, 1));
  CHECK(peak_kib() - before > rows * columns * 4 / 1024 / 2);
}
