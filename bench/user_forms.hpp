// SPDX-License-Identifier: Apache-2.0
/// @file
/// The cases of user_cases.hpp in weft. Each file that includes this has a copy of its own.
#pragma once

#include <weft/kernel/vectorized_math.hpp>

#include "user_cases.hpp"

namespace bench {
namespace {

struct WeightedSquares {
  double identity() const { return 0; }
  double accumulate(double sum, float x, float y, float w) const {
    return sum + static_cast<double>((x - y) * (x - y) * w);
  }
  double combine(double a, double b) const { return a + b; }
  float project(double sum) const { return static_cast<float>(sum); }
};
struct Deviations {
  double identity() const { return 0; }
  double accumulate(double sum, float x, float mean) const {
    return sum + static_cast<double>((x - mean) * (x - mean));
  }
  double combine(double a, double b) const { return a + b; }
  float project(double sum) const { return static_cast<float>(sum); }
};
struct SumOfExp {
  float identity() const { return 0; }
  template <class V>
  V accumulate(V sum, V x) const {
    return sum + weft::exp(x);
  }
  float combine(float a, float b) const { return a + b; }
  float project(float sum) const { return sum; }
};
struct Greatest {
  struct Best {
    float value;
    std::int32_t place;
  };
  Best identity() const { return {-__builtin_inff(), 0}; }
  Best accumulate(Best best, float x, std::int64_t index) const {
    return x > best.value ? Best{x, static_cast<std::int32_t>(index)} : best;
  }
  Best combine(Best a, Best b) const {
    const bool second = b.value > a.value || (b.value == a.value && b.place < a.place);
    return second ? b : a;
  }
  std::int32_t project(Best best) const { return best.place; }
};
struct Windows {
  float identity() const { return 0; }
  float accumulate(float sum, float x, float w) const { return sum + x * w; }
  float combine(float a, float b) const { return a + b; }
  float project(float sum) const { return sum; }
};
struct Recurrence {
  float identity() const { return 0; }
  float accumulate(float h, float a, float b) const { return a * h + b; }
  float project(float h) const { return h; }
};

void run_in_weft(UserCase which, const UserOperands& operands) {
  const weft::TensorIterator& iter = operands.iter;
  switch (which) {
    case UserCase::scaled: return weft::cpu_kernel(iter, [](float x) { return x * 2 + 1; });
    case UserCase::root: return weft::cpu_kernel(iter, [](float x) { return __builtin_sqrtf(x); });
    case UserCase::floor:
      return weft::cpu_kernel(iter, [](float x) { return __builtin_floorf(x); });
    case UserCase::exp: return weft::cpu_kernel(iter, [](float x) { return weft::exp(x); });
    case UserCase::log: return weft::cpu_kernel(iter, [](float x) { return weft::log(x); });
    case UserCase::tanh: return weft::cpu_kernel(iter, [](float x) { return weft::tanh(x); });
    case UserCase::pow:
      return weft::cpu_kernel(iter, [](float x, float y) { return weft::pow(x, y); });
    case UserCase::exp_vectors: return weft::cpu_kernel(iter, [](auto x) { return weft::exp(x); });
    case UserCase::weighted: return weft::cpu_reduce(iter, WeightedSquares());
    case UserCase::deviations: return weft::cpu_reduce(iter, Deviations());
    case UserCase::sum_of_exp: return weft::cpu_reduce(iter, SumOfExp());
    case UserCase::greatest: return weft::cpu_reduce_indexed(iter, Greatest());
    case UserCase::picture:
      return weft::cpu_kernel(iter, [](std::uint8_t x, float mean, std::int16_t bias) {
        return (static_cast<float>(x) - mean) * 0.5F + static_cast<float>(bias);
      });
    case UserCase::box:
      return weft::cpu_kernel(
          iter, [](float a, float b, float c, float d, float e, float f, float g, float h,
                   float i) { return ((a + b + c) + (d + e + f) + (g + h + i)) * 0.111F; });
    case UserCase::windows: return weft::cpu_reduce(iter, Windows());
    case UserCase::recurrence:
      return weft::cpu_cumulative({operands.views[0]}, {operands.views[1], operands.views[2]}, 0,
                                  Recurrence());
  }
}

}  // namespace
}  // namespace bench
