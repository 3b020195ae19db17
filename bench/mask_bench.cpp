// SPDX-License-Identifier: Apache-2.0
// What a mask costs: functions and sums of what it selects beside all of it, of expressions,
// kernels and reduction structs, for random masks and masks in runs. Results are compared with
// where() first.
//
//   mask_bench [--seconds S]
//
// Times are microseconds, the least of rounds in turns, on one thread, of f32 in the second-level
// cache.
#include <weft/expr/masked.hpp>
#include <weft/iter/config.hpp>
#include <weft/kernel/cpu_kernel.hpp>
#include <weft/kernel/reduce.hpp>
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

struct Sum {
  float identity() const { return 0; }
  float accumulate(float sum, float x) const { return sum + x; }
  float combine(float a, float b) const { return a + b; }
  float project(float sum) const { return sum; }
};

weft::TensorIterator iterator(const Tensor& out, const std::vector<Tensor>& inputs, bool reduces) {
  weft::TensorIteratorConfig config;
  config.add_output(out);
  for (const Tensor& input : inputs)
    config.add_input(input);
  return config.check_all_same_dtype(false).resize_outputs(false).is_reduction(reduces).build();
}

struct Function {
  const char* name;
  std::function<void(const Tensor&)> call;  // all elements, by the function
  /// What computes the selected elements: what it makes once is kept.
  std::function<std::function<void()>(const Tensor& out, const Tensor& mask)> masked;
  bool reduces = false;
};

bool measure(const Function& f, int percent, std::int64_t run) {
  const Tensor mask = mask_of(percent, run);
  const Tensor all =
      f.reduces ? Tensor::zeros({1}, ScalarType::f32) : Tensor::zeros({elements}, ScalarType::f32);
  const Tensor some = Tensor::zeros(all.shape(), ScalarType::f32);
  const std::function<void()> select = f.masked(some, mask);
  select();
  f.call(all);
  const bool right =
      f.reduces || same(some, weft::where(mask, all, Tensor::zeros({elements}, ScalarType::f32)));
  if (!right) {
    std::printf("%s: wrong at %d %%\n", f.name, percent);
    return false;
  }
  const std::vector<double> times = least_times({[&] { f.call(all); }, select});
  std::printf("%-10s %4d %%  %-8s %9.2f  masked %9.2f  %6.2f\n", f.name, percent,
              run == 1 ? "random" : "runs", times[0], times[1], times[1] / times[0]);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--seconds") == 0) seconds_each = std::atof(argv[2]);
  const weft::ThreadLimit one_thread(1);
  const Tensor a = Tensor::full({elements}, ScalarType::f32, 0.75),
               b = Tensor::full({elements}, ScalarType::f32, 1.5);
  const auto plus = [](float x, float y) { return x + y; };
  const auto sin = [&](const Tensor& out) { weft::sin_out(out, a); };
  const auto add = [&](const Tensor& out) { weft::add_out(out, a, b); };
  const auto sum = [&](const Tensor& out) { weft::sum_out(out, a, {}, {.keepdim = true}); };
  // An expression whose mask is told in each call, and one that is kept with its mask.
  const auto anew = [](weft::Expr e) {
    return [e = std::move(e)](const Tensor& out, const Tensor& mask) -> std::function<void()> {
      return [=] { weft::evaluate_out(out, masked(e, mask)); };
    };
  };
  const auto kept = [](weft::Expr e) {
    return [e = std::move(e)](const Tensor& out, const Tensor& mask) -> std::function<void()> {
      return [=, all = masked(e, mask)] { weft::evaluate_out(out, all); };
    };
  };
  const auto sum_of = [&](const Tensor& mask) {
    return weft::sum(masked(expr(a), mask), {}, {.keepdim = true});
  };
  const Function functions[] = {
      {"sin", sin, anew(weft::sin(expr(a)))},
      {"add", add, anew(expr(a) + b)},
      {"add, kept", add, kept(expr(a) + b)},
      {"sum", sum,
       [&](const Tensor& out, const Tensor& mask) -> std::function<void()> {
         return [=] { weft::evaluate_out(out, sum_of(mask)); };
       },
       true},
      {"sum, kept", sum,
       [&](const Tensor& out, const Tensor& mask) -> std::function<void()> {
         return [=, all = sum_of(mask)] { weft::evaluate_out(out, all); };
       },
       true},
      {"pow", [&](const Tensor& out) { weft::pow_out(out, a, b); }, anew(weft::pow(expr(a), b))},
      {"tanh", [&](const Tensor& out) { weft::tanh_out(out, a); }, anew(weft::tanh(expr(a)))},
      {"kernel",
       [&](const Tensor& out) {
         weft::cpu_kernel(iterator(out, {a, b}, false), plus);
       },
       [&](const Tensor& out, const Tensor& mask) -> std::function<void()> {
         return [=] { weft::cpu_kernel(iterator(out, {a, b, mask}, false), masked(plus)); };
       }},
      {"struct", [&](const Tensor& out) { weft::cpu_reduce(iterator(out, {a}, true), Sum()); },
       [&](const Tensor& out, const Tensor& mask) -> std::function<void()> {
         return [=] { weft::cpu_reduce(iterator(out, {a, mask}, true), masked(Sum())); };
       },
       true}};
  bool right = true;
  for (const Function& f : functions) {
    for (const int percent : {0, 1, 10, 50, 99, 100}) {
      right = measure(f, percent, 1) && right;
      right = measure(f, percent, 1000) && right;
    }
  }
  return right ? 0 : 1;
}
