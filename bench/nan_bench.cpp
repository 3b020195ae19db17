// SPDX-License-Identifier: Apache-2.0
// What it costs to leave out NaN: reductions of what is not NaN beside those of all elements.
//
//   nan_bench [--seconds S]
//
// Times are microseconds, the least of rounds in turns, on one thread, of a million f32, which a
// third-level cache holds.
#include <weft/expr/masked.hpp>
#include <weft/ops/masked_lines.hpp>
#include <weft/ops/masked_positions.hpp>
#include <weft/ops/reduce.hpp>
#include <weft/parallel/parallel.hpp>

#include "least_times.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

namespace {

using weft::Expr;
using weft::expr;
using weft::IntSpan;
using weft::ScalarType;
using weft::Tensor;

double seconds_each = 0.1;

/// So many of a thousand are NaN.
Tensor numbers(int nans) {
  std::mt19937 random(1);
  const Tensor a = Tensor::zeros({1024, 1024}, ScalarType::f32);
  for (std::int64_t i = 0; i < a.numel(); ++i) {
    static_cast<float*>(a.data())[i] = static_cast<int>(random() % 1000) < nans
                                           ? NAN
                                           : 1 + 1e-6F * static_cast<float>(random() % 1000);
  }
  return a;
}

void print(const char* name, const char* where, int nans, const std::vector<double>& times) {
  std::printf("%-10s %-8s %3d of 1000  all %9.2f  numbers %9.2f  %6.2f\n", name, where, nans,
              times[0], times[1], times[1] / times[0]);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--seconds") == 0) seconds_each = std::atof(argv[2]);
  const weft::ThreadLimit one_thread(1);
  struct Function {
    const char* name;
    Expr (*all)(Expr, IntSpan, const weft::ReduceOptions&);
    Expr (*numbers)(Expr, IntSpan, const weft::ReduceOptions&);
  };
  const Function functions[] = {
      {"nansum", weft::sum, weft::nansum},    {"nanmean", weft::mean, weft::nanmean},
      {"nanmin", weft::amin, weft::nanmin},   {"nanmax", weft::amax, weft::nanmax},
      {"nanprod", weft::prod, weft::nanprod}, {"nanvar", weft::var, weft::nanvar}};
  const std::vector<std::int64_t> axes[] = {{}, {1}, {0}};
  const char* wheres[] = {"all", "last", "first"};
  const Tensor plain = numbers(0);
  for (const int nans : {0, 100}) {
    const Tensor a = numbers(nans);
    for (const Function& f : functions) {
      for (int k = 0; k < 3; ++k) {
        const IntSpan reduced(axes[k].data(), axes[k].size());
        const Expr all = f.all(expr(plain), reduced, {}), some = f.numbers(expr(a), reduced, {});
        const Tensor to = weft::evaluate(all), to_some = weft::evaluate(some);
        print(f.name, wheres[k], nans,
              bench::least_times(seconds_each, {[&] { weft::evaluate_out(to, all); },
                                                [&] { weft::evaluate_out(to_some, some); }}));
      }
    }
    for (int k = 0; k < 3; ++k) {
      const auto axis = k == 0 ? std::nullopt : std::optional<std::int64_t>(2 - k);
      Tensor to, to_some;
      print("nanargmax", wheres[k], nans,
            bench::least_times(seconds_each, {[&] { weft::argmax_out(to, plain, axis); },
                                              [&] { weft::nanargmax_out(to_some, a, axis); }}));
      if (k == 0) continue;
      to = to_some = Tensor();
      print("nancumsum", wheres[k], nans,
            bench::least_times(seconds_each, {[&] { weft::cumsum_out(to, plain, *axis); },
                                              [&] { weft::nancumsum_out(to_some, a, *axis); }}));
    }
  }
  return 0;
}
