// SPDX-License-Identifier: Apache-2.0
// What values cost: functions and reductions of infinities, zeros, numbers out of their range and
// below it, beside those of numbers around 1.
//
//   value_bench [--least RATIO] [--seconds S]
//
// One thread, 2,048 elements, which the first-level cache holds. Of each function and element type:
// nanoseconds for plain numbers, and the ratio for those values where it is RATIO (2.5) at least.
// A function whose results are not those of single elements is told first, and the program fails.
#include <weft/ops/copy.hpp>
#include <weft/ops/reduce.hpp>
#include <weft/ops/softmax.hpp>
#include <weft/ops/unary.hpp>
#include <weft/parallel/parallel.hpp>

#include "least_times.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace {

using weft::ScalarType;
using weft::Tensor;

constexpr std::int64_t count = 2048;
double least_ratio = 2.5, seconds_each = 0.002;

/// A kind of values: those between two numbers, of which some of a hundred are another one.
struct Values {
  const char* name;
  double from, to;
  int percent = 0;
  double other = 0;
};
constexpr double inf = INFINITY;
const Values plain{"plain", 0.5, 1.5};
const Values kinds[] = {
    {"below 0", -1.5, -0.5},     {"around 0", -1, 1},          {"-20 to 20", -20, 20},
    {"-300 to 0", -300, 0},      {"-1e9", 0.5, 1.5, 50, -1e9}, {"-inf", -1, 1, 50, -inf},
    {"inf", 0.5, 1.5, 10, inf},  {"NaN", 0.5, 1.5, 10, NAN},   {"zeros", 0, 0},
    {"half zeros", 0, 1, 50, 0}, {"subnormal", 1e-40, 1e-39},  {"tiny", 5e-38, 1e-37},
};

Tensor make(const Values& values, ScalarType type) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> between(0, 1);
  const Tensor doubles = Tensor::zeros({count}, ScalarType::f64);
  for (std::int64_t i = 0; i < count; ++i) {
    const double x = values.from + (values.to - values.from) * between(random);
    doubles.data_as<double>()[i] =
        static_cast<int>(random() % 100) < values.percent ? values.other : x;
  }
  return weft::contiguous(doubles, type);
}

/// Whether elements are what they are of a call for each alone.
bool is_right(const std::function<Tensor(const weft::TensorView&)>& f, const Tensor& a) {
  const auto doubles = [](const weft::TensorView& t) {
    return weft::contiguous(t, ScalarType::f64);
  };
  const Tensor all = doubles(f(a));
  for (std::int64_t i = 0; i < count; i += 97) {
    const double x = doubles(f(a.slice(0, i, i + 1))).data_as<double>()[0];
    const double y = all.data_as<double>()[i];
    if (x != y && !(x != x && y != y)) return false;
  }
  return true;
}

void report(const char* name, ScalarType type, const std::function<void(const Tensor&)>& f) {
  std::vector<Tensor> operands{make(plain, type)};
  for (const Values& values : kinds)
    operands.push_back(make(values, type));
  std::vector<std::function<void()>> calls;
  for (const Tensor& operand : operands)
    calls.emplace_back([&f, &operand] { f(operand); });
  const std::vector<double> times = bench::least_times(seconds_each, calls);
  std::string slow;
  for (std::size_t k = 1; k < times.size(); ++k) {
    const double ratio = times[k] / times[0];
    if (ratio < least_ratio) continue;
    char text[64];
    std::snprintf(text, sizeof(text), "  %s %.1f", kinds[k - 1].name, ratio);
    slow += text;
  }
  if (!slow.empty())
    std::printf("%-4s %-12s %8.0f%s\n", std::string(weft::name(type)).c_str(), name,
                1000 * times[0], slow.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--least") == 0) least_ratio = std::atof(argv[i + 1]);
    if (std::strcmp(argv[i], "--seconds") == 0) seconds_each = std::atof(argv[i + 1]);
  }
  const weft::ThreadLimit one_thread(1);
  struct Function {
    const char* name;
    void (*out)(const weft::Output&, const weft::Input&);
  };
#define WEFT_FUNCTION(NAME, ...) {#NAME, &weft::NAME##_out},
  const Function functions[] = {
      WEFT_FOR_EACH_EXPONENTIAL(WEFT_FUNCTION) WEFT_FOR_EACH_LOGARITHM(WEFT_FUNCTION)
          WEFT_FOR_EACH_TRIGONOMETRIC(WEFT_FUNCTION) WEFT_FOR_EACH_HYPERBOLIC(WEFT_FUNCTION)
              WEFT_FOR_EACH_SPECIAL(WEFT_FUNCTION){"sqrt", &weft::sqrt_out},
      {"rsqrt", &weft::rsqrt_out},
      {"reciprocal", &weft::reciprocal_out}};
#undef WEFT_FUNCTION
  struct Reduction {
    const char* name;
    std::function<void(const Tensor&)> of;
  };
  const Reduction reductions[] = {{"sum", [](const Tensor& a) { weft::sum(a); }},
                                  {"prod", [](const Tensor& a) { weft::prod(a); }},
                                  {"var", [](const Tensor& a) { weft::var(a); }},
                                  {"norm", [](const Tensor& a) { weft::norm(a); }},
                                  {"amax", [](const Tensor& a) { weft::amax(a); }},
                                  {"logsumexp", [](const Tensor& a) { weft::logsumexp(a); }},
                                  {"softmax", [](const Tensor& a) { weft::softmax(a, 0); }}};
  bool right = true;
  for (const ScalarType type :
       {ScalarType::f32, ScalarType::f64, ScalarType::f16, ScalarType::bf16}) {
    for (const Function& f : functions) {
      const auto result = [&](const weft::TensorView& a) {
        Tensor out;
        f.out(out, a);
        return out;
      };
      for (const Values& values : kinds) {
        if (is_right(result, make(values, type))) continue;
        std::printf("%s of %s: not the same alone\n", f.name, values.name);
        right = false;
      }
      Tensor out;
      report(f.name, type, [&](const Tensor& a) { f.out(out, a); });
    }
    for (const Reduction& r : reductions)
      report(r.name, type, r.of);
  }
  return right ? 0 : 1;
}
