// SPDX-License-Identifier: Apache-2.0
// What a mask costs: functions and a sum of what it selects beside all of it, for random masks and
// masks in runs. Results are compared with where() first.
//
//   mask_bench [--seconds S]
//
// Times are microseconds, the least of rounds in turns, on one thread, of f32 in the second-level
// cache.
#include <weft/expr/masked.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/reduce.hpp>
#include <weft/ops/ternary.hpp>
#include <weft/ops/unary.hpp>
#include <weft/parallel/parallel.hpp>

#include "least_times.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace {

using weft::expr;
using weft::masked;
using weft::ScalarType;
using weft::Tensor;

double seconds_each = 0.1;
constexpr std::int64_t elements = 60'000;

/// So many percent of the elements, each by itself or in runs.
Tensor mask_of(int percent, std::int64_t run) {
  std::mt19937 random(1);
  const Tensor mask = Tensor::zeros({elements}, ScalarType::boolean);
  for (std::int64_t i = 0; i < elements; i += run) {
    const bool is = static_cast<int>(random() % 100) < percent;
    for (std::int64_t k = i; k < std::min(i + run, elements); ++k)
      static_cast<bool*>(mask.data())[k] = is;
  }
  return mask;
}

/// In turns, microseconds.
std::vector<double> least_times(const std::vector<std::function<void()>>& runs) {
  return bench::least_times(seconds_each, runs);
}

bool same(const Tensor& a, const Tensor& b) {
  return std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.nbytes())) == 0;
}

struct Function {
  const char* name;
  std::function<void(const Tensor&)> call;  // all elements, by the function
  weft::Expr lazy;
  bool reduces = false;
};

bool measure(const Function& f, int percent, std::int64_t run) {
  const Tensor mask = mask_of(percent, run);
  Tensor all =
      f.reduces ? Tensor::zeros({}, ScalarType::f32) : Tensor::zeros({elements}, ScalarType::f32);
  const Tensor some = Tensor::zeros(all.shape(), ScalarType::f32);
  const weft::Expr lazy = f.reduces ? weft::sum(masked(f.lazy, mask)) : masked(f.lazy, mask);
  weft::evaluate_out(some, lazy);
  f.call(all);
  const bool right =
      f.reduces || same(some, weft::where(mask, all, Tensor::zeros({elements}, ScalarType::f32)));
  if (!right) {
    std::printf("%s: wrong at %d %%\n", f.name, percent);
    return false;
  }
  const std::vector<double> times =
      least_times({[&] { f.call(all); }, [&] { weft::evaluate_out(some, lazy); }});
  std::printf("%-6s %4d %%  %-8s %9.2f  masked %9.2f  %6.2f\n", f.name, percent,
              run == 1 ? "random" : "runs", times[0], times[1], times[1] / times[0]);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--seconds") == 0) seconds_each = std::atof(argv[2]);
  const weft::ThreadLimit one_thread(1);
  const Tensor a = Tensor::full({elements}, ScalarType::f32, 0.75),
               b = Tensor::full({elements}, ScalarType::f32, 1.5);
  const Function functions[] = {
      {"sin", [&](const Tensor& out) { weft::sin_out(out, a); }, weft::sin(expr(a))},
      {"add", [&](const Tensor& out) { weft::add_out(out, a, b); }, expr(a) + b},
      {"sum", [&](const Tensor& out) { weft::sum_out(out, a); }, expr(a), true},
      {"pow", [&](const Tensor& out) { weft::pow_out(out, a, b); }, weft::pow(expr(a), b)},
      {"tanh", [&](const Tensor& out) { weft::tanh_out(out, a); }, weft::tanh(expr(a))}};
  bool right = true;
  for (const Function& f : functions) {
    for (const int percent : {0, 1, 10, 50, 99, 100}) {
      right = measure(f, percent, 1) && right;
      right = measure(f, percent, 1000) && right;
    }
  }
  return right ? 0 : 1;
}
