// SPDX-License-Identifier: Apache-2.0
// What users write beside what the library has and beside plain loops: lambdas and reduction
// structs, in an ordinary file with -O2 and in a kernel file. Results are compared first.
//
//   user_bench [--seconds S] [--only WORD]
//
// Times are microseconds, the least of rounds in turns, on one thread. An ordinary file is measured
// against plain loops with -O3, a kernel file against plain loops of its own level. The library's
// functions run at the level of the machine, or at that of WEFT_ISA: baseline is that of the
// ordinary file.
#include <weft/core/views.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/creation.hpp>
#include <weft/ops/indexing.hpp>
#include <weft/ops/unary.hpp>
#include <weft/parallel/parallel.hpp>

#include "least_times.hpp"
#include "user_cases.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace {

using bench::UserCase;
using bench::UserOperands;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorIteratorConfig;
using weft::TensorView;

double seconds_each = 0.3;
std::string only;

/// In turns, microseconds.
std::vector<double> least_times(const std::vector<std::function<void()>>& runs) {
  return bench::least_times(seconds_each, runs);
}

void print_pair(const std::string& name, const char* left, double a, const char* right, double b) {
  std::printf("%-34s %-9s %10.2f  %-15s %10.2f  %6.2f\n", name.c_str(), left, a, right, b, a / b);
  std::fflush(stdout);
}

Tensor numbers(const std::vector<std::int64_t>& shape, float step = 0.25F) {
  const Tensor values = Tensor::empty(shape, ScalarType::f32);
  for (std::int64_t i = 0; i < values.numel(); ++i)
    values.data_as<float>()[i] = static_cast<float>(i % 61) * step + 0.125F;
  return values;
}
Tensor small_integers(const std::vector<std::int64_t>& shape, ScalarType type) {
  const Tensor values = Tensor::empty(shape, type);
  weft::copy_out(values, numbers(shape, 1));
  return values;
}

TensorIterator elementwise(const TensorView& out, const std::vector<TensorView>& inputs) {
  TensorIteratorConfig config;
  config.add_output(out);
  for (const TensorView& input : inputs)
    config.add_input(input);
  return config.check_all_same_dtype(false).resize_outputs(false).build();
}
TensorIterator reduction(const TensorView& out, const std::vector<TensorView>& inputs) {
  TensorIteratorConfig config;
  config.add_output(out);
  for (const TensorView& input : inputs)
    config.add_input(input);
  config.check_all_same_dtype(false).resize_outputs(false).is_reduction(true);
  return config.enforce_linear_iteration(true).build();
}

bool agree(const Tensor& a, const Tensor& b) {
  if (a.dtype() != ScalarType::f32)
    return std::equal(a.data_as<std::int32_t>(), a.data_as<std::int32_t>() + a.numel(),
                      b.data_as<std::int32_t>());
  for (std::int64_t i = 0; i < a.numel(); ++i) {
    const float x = a.data_as<float>()[i], y = b.data_as<float>()[i];
    if (!(std::abs(x - y) <= 1e-4F * (std::abs(x) + std::abs(y)))) return false;
  }
  return true;
}

/// Both forms of a case beside plain loops, and beside `function`, if there is one.
void measure(UserCase which, const std::string& note, const Tensor& out,
             const std::vector<TensorView>& inputs, bool reduces,
             const std::function<void()>& function = nullptr) {
  const std::string name =
      bench::user_case_names[static_cast<int>(which)] + (note.empty() ? "" : ", " + note);
  if (name.find(only) == std::string::npos) return;
  UserOperands operands{reduces ? reduction(out, inputs) : elementwise(out, inputs), {}};
  operands.views[0] = out;
  std::copy(inputs.begin(), inputs.end(), operands.views + 1);
  const auto in_kernel_file = [&](bool plain) {
    bench::user_case_in_kernel_file.at(weft::current_level())(which, plain, operands);
  };
  const bool has_plain = [&] {
    weft::fill_out(out, 77);
    bench::user_case_by_plain_loops(which, operands);
    return !(out.dtype() == ScalarType::f32 ? out.data_as<float>()[0] == 77
                                            : out.data_as<std::int32_t>()[0] == 77);
  }();
  const Tensor want = out.clone();
  if (!has_plain) {
    bench::user_case_in_kernel_file.at(weft::lowest_level)(which, false, operands);
    weft::copy_out(want, out);
  }
  std::vector<std::function<void()>> runs = {
      [&] { bench::user_case_in_ordinary_file(which, false, operands); },
      [&] { in_kernel_file(false); }, [&] { bench::user_case_by_plain_loops(which, operands); },
      [&] { in_kernel_file(true); }};
  if (!has_plain) runs.resize(2);
  if (function) runs.push_back(function);
  for (const std::function<void()>& run : runs) {
    weft::fill_out(out, 0);
    run();
    if (!agree(out, want)) {
      std::printf("%s: wrong result\n", name.c_str());
      std::exit(1);
    }
  }
  const std::vector<double> times = least_times(runs);
  if (has_plain) {
    print_pair(name, "-O2", times[0], "plain -O3", times[2]);
    print_pair(name, "kernel", times[1], "plain of level", times[3]);
  }
  if (function) {
    print_pair(name, "-O2", times[0], "weft's function", times.back());
    print_pair(name, "kernel", times[1], "weft's function", times.back());
  }
  if (!has_plain && !function) print_pair(name, "-O2", times[0], "kernel", times[1]);
}

void measure_elementwise() {
  const Tensor x = numbers({1000000}, 0.01F), y = numbers({1000000}, 0.02F);
  const Tensor out = Tensor::empty({1000000}, ScalarType::f32);
  measure(UserCase::scaled, "", out, {x}, false);
  measure(UserCase::root, "", out, {x}, false, [&] { weft::sqrt_out(out, x); });
  measure(UserCase::floor, "", out, {x}, false, [&] { weft::floor_out(out, x); });
  measure(UserCase::exp, "", out, {x}, false, [&] { weft::exp_out(out, x); });
  measure(UserCase::log, "", out, {x}, false, [&] { weft::log_out(out, x); });
  measure(UserCase::tanh, "", out, {x}, false, [&] { weft::tanh_out(out, x); });
  measure(UserCase::pow, "", out, {x, y}, false, [&] { weft::pow_out(out, x, y); });
  measure(UserCase::exp_vectors, "", out, {x}, false, [&] { weft::exp_out(out, x); });

  const Tensor bytes = small_integers({3, 480, 640}, ScalarType::u8);
  const Tensor mean = numbers({3, 1, 1}), bias = small_integers({3, 1, 1}, ScalarType::i16);
  measure(UserCase::picture, "", Tensor::empty({3, 480, 640}, ScalarType::f32), {bytes, mean, bias},
          false);

  const Tensor picture = numbers({1026, 1026});
  std::vector<TensorView> views;
  for (std::int64_t i = 0; i < 9; ++i)
    views.push_back(weft::narrow(weft::narrow(picture, 0, i / 3, 1024), 1, i % 3, 1024));
  measure(UserCase::box, "", Tensor::empty({1024, 1024}, ScalarType::f32), views, false);

  // Along a row each step waits for the one before, whoever writes it.
  const std::vector<std::int64_t> steps = {1000, 1024};
  const Tensor a = numbers(steps, 0.01F), b = numbers(steps);
  measure(UserCase::recurrence, "1024 columns", Tensor::empty(steps, ScalarType::f32), {a, b},
          false);
}

void measure_reductions() {
  const std::vector<std::int64_t> shape = {64, 256, 512};
  const Tensor a = numbers(shape), b = numbers(shape, 0.125F);
  const Tensor out = Tensor::empty({64, 1, 512}, ScalarType::f32);
  const Tensor column = numbers({1, 256, 1}), row = numbers({1, 1, 512}), one = numbers({1, 1, 1});
  const Tensor full = numbers(shape), turned = numbers({64, 512, 256});
  const Tensor integers = small_integers(shape, ScalarType::i8);
  const std::pair<const char*, TensorView> weights[] = {{"column", column.expand(shape)},
                                                        {"row", row.expand(shape)},
                                                        {"scalar", one.expand(shape)},
                                                        {"full", full},
                                                        {"i8", integers},
                                                        {"transposed", turned.transpose(1, 2)}};
  for (const auto& [note, w] : weights)
    measure(UserCase::weighted, note, out, {a, b, w}, true);

  const Tensor sum = Tensor::empty({1}, ScalarType::f32);
  const Tensor flat = numbers({1000000}, 0.01F), result = Tensor::empty({1000000}, ScalarType::f32);
  measure(UserCase::deviations, "mean as a tensor", sum, {flat, numbers({1}).expand({1000000})},
          true);
  measure(UserCase::deviations, "full copy", sum,
          {flat, Tensor::full({1000000}, ScalarType::f32, 0.125)}, true);
  measure(UserCase::sum_of_exp, "", sum, {flat}, true);
  if (std::string("sum of exp").find(only) != std::string::npos) {
    const std::vector<double> exp = least_times({[&] { weft::exp_out(result, flat); }});
    std::printf("%-34s %-9s %10.2f\n", "weft::exp of as many", "", exp[0]);
  }
  measure(UserCase::greatest, "rows of 1000", Tensor::empty({1000, 1}, ScalarType::i32),
          {weft::reshape(flat, {1000, 1000})}, true);
  measure(UserCase::greatest, "rows of 10", Tensor::empty({100000, 1}, ScalarType::i32),
          {weft::reshape(flat, {100000, 10})}, true);
  measure(UserCase::greatest, "one row", Tensor::empty({1, 1}, ScalarType::i32),
          {weft::reshape(flat, {1, 1000000})}, true);
  measure(UserCase::windows, "", Tensor::empty({999998, 1}, ScalarType::f32),
          {weft::unfold(flat, 0, 3, 1), numbers({3})}, true);
}

/// log(e^a + e^b), with and without what lets threads share a line.
struct LogSum {
  double identity() const { return -1e30; }
  double accumulate(double a, float x) const { return combined(a, static_cast<double>(x)); }
  float project(double a) const { return static_cast<float>(a); }

 protected:
  static double combined(double a, double b) {
    const double most = a > b ? a : b, least = a > b ? b : a;
    return most + weft::log1p(weft::exp(least - most));
  }
};
struct SharedLogSum : LogSum {
  double accumulate(double a, float x) const { return LogSum::accumulate(a, x); }
  float project(double a) const { return LogSum::project(a); }
  double combine(double a, double b) const { return combined(a, b); }
};

void measure_shared_line() {
  const std::string name = "log-sum along 16 M";
  if (name.find(only) == std::string::npos) return;
  const Tensor x = numbers({16 << 20}, 0.1F), out = Tensor::empty({16 << 20}, ScalarType::f32);
  const Tensor want = out.clone();
  const auto whole = [&] { weft::cpu_cumulative(want, x, 0, LogSum()); };
  const auto shared = [&] { weft::cpu_cumulative(out, x, 0, SharedLogSum()); };
  const auto by_two = [&] {
    const weft::ThreadLimit two(2);
    shared();
  };
  whole();
  shared();
  if (!agree(out, want)) {
    std::printf("%s: wrong result\n", name.c_str());
    std::exit(1);
  }
  const std::vector<double> times = least_times({whole, shared, by_two});
  print_pair(name, "shared", times[1], "in order", times[0]);
  print_pair(name, "2 threads", times[2], "shared, one", times[1]);
}

/// Calls of the library that users compare with their own.
void measure_calls() {
  const auto pair = [](const std::string& name, const char* left, const std::function<void()>& a,
                       const char* right, const std::function<void()>& b) {
    if (name.find(only) == std::string::npos) return;
    const std::vector<double> times = least_times({a, b});
    print_pair(name, left, times[0], right, times[1]);
  };
  const Tensor a = numbers({1000000}), b = numbers({1000000}), sum = a.clone();
  pair(
      "add of 1 M", "new", [&] { weft::add(a, b); }, "add_out", [&] { weft::add_out(sum, a, b); });

  const Tensor few = numbers({8}), more = numbers({8}), few_out = few.clone();
  constexpr int times = 1000;
  const auto repeat = [](const auto& f) {
    return [&f] {
      for (int i = 0; i < times; ++i)
        f();
    };
  };
  const auto with_number = [&] { weft::add_out(few_out, few, 2.0); };
  const auto with_tensor = [&] { weft::add_out(few_out, few, more); };
  pair("add_out of 8, a thousand", "number", repeat(with_number), "tensor", repeat(with_tensor));

  const Tensor bins = Tensor::zeros({256}, ScalarType::f32);
  const Tensor places = Tensor::empty({1000000}, ScalarType::i64);
  const auto by_hand = [&] {
    auto* to = bins.data_as<float>();
    const auto* at = places.data_as<std::int64_t>();
    for (std::int64_t i = 0; i < 1000000; ++i) {
      if (at[i] < -256 || at[i] >= 256) std::abort();
      to[at[i] < 0 ? at[i] + 256 : at[i]] += 1;
    }
  };
  for (const bool random : {true, false}) {
    for (std::int64_t i = 0; i < 1000000; ++i)
      places.data_as<std::int64_t>()[i] = random ? i * 2654435761 / 128 % 256 : 7;
    pair(
        random ? "histogram, random" : "histogram, all equal", "weft",
        [&] { weft::scatter_add_out(bins, bins, 0, places, 1); }, "plain", by_hand);
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--seconds") seconds_each = std::atof(argv[i + 1]);
    if (option == "--only") only = argv[i + 1];
  }
  const weft::ThreadLimit one(1);
  std::printf("level of the library and of kernel files: %s\n",
              std::string(weft::name(weft::current_level())).c_str());
  measure_elementwise();
  measure_reductions();
  measure_calls();
  measure_shared_line();
  return 0;
}
