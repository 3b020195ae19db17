// SPDX-License-Identifier: Apache-2.0
// Kernels as users write them, in an ordinary file: check_loops.cmake compiles this with many sets
// of flags and looks at the loops.
#include <weft/kernel/cpu_kernel.hpp>
#include <weft/kernel/cumulative.hpp>
#include <weft/kernel/reduce.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <tuple>

namespace {

struct Scaled {
  float operator()(float x, float y) const { return x * 2 + y; }
};
struct Root {
  float operator()(float x) const { return std::sqrt(x * x + 1); }
};
struct Floor {
  float operator()(float x) const { return std::floor(x); }
};
struct Ceil {
  double operator()(double x) const { return std::ceil(x); }
};
struct Trunc {
  float operator()(float x) const { return std::trunc(x); }
};
struct Magnitude {
  float operator()(float x) const { return std::fabs(x); }
};
struct Smaller {
  float operator()(float x, float y) const { return std::min(x, y); }
};
struct Larger {
  float operator()(float x, float y) const { return std::max(x, y); }
};
struct Chained {
  float operator()(float x, float y) const { return weft::exp(x) * weft::log(y); }
};
struct Positive {
  float operator()(float x, float y) const { return x > y ? x : 0.0F; }
};
struct Fused {
  float operator()(float x, float y, float z) const { return std::fma(x, y, z); }
};
struct Whole {
  std::int32_t operator()(std::int32_t x) const { return (x + 3) & 255; }
};
struct Picture {
  float operator()(std::uint8_t x, float mean, std::int16_t bias) const {
    return (static_cast<float>(x) - mean) * 0.5F + static_cast<float>(bias);
  }
};
struct Turned {
  std::complex<float> operator()(std::complex<float> x, std::complex<float> y) const {
    return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
  }
};
struct BothEnds {
  std::tuple<float, float> operator()(float x, float y) const {
    return {std::min(x, y), std::max(x, y)};
  }
};

struct SquaredDistance {
  float identity() const { return 0; }
  float accumulate(float sum, float x, float y) const { return sum + (x - y) * (x - y); }
  float combine(float a, float b) const { return a + b; }
  float project(float sum) const { return std::sqrt(sum); }
};
struct Selected {
  float identity() const { return 0; }
  float accumulate(float sum, float x) const { return sum + x; }
  float combine(float a, float b) const { return a + b; }
  float project(float sum) const { return sum; }
};
struct LinesTurned {
  std::complex<float> identity() const { return {1, 0}; }
  std::complex<float> accumulate(std::complex<float> acc, std::complex<float> x) const {
    return Turned()(acc, x);
  }
  std::complex<float> combine(std::complex<float> a, std::complex<float> b) const {
    return Turned()(a, b);
  }
  std::complex<float> project(std::complex<float> acc) const { return acc; }
};
struct FirstAbove {
  float least = 0;
  std::int32_t none = 0;
  std::int32_t identity() const { return none; }
  std::int32_t accumulate(std::int32_t first, float x, std::int64_t index) const {
    const std::int32_t here = x > least ? static_cast<std::int32_t>(index) : none;
    return here < first ? here : first;
  }
  std::int32_t combine(std::int32_t a, std::int32_t b) const { return a < b ? a : b; }
  std::int32_t project(std::int32_t first) const { return first; }
};
struct Decaying {
  float identity() const { return 0; }
  float accumulate(float state, float x) const { return state * 0.9F + x; }
  float project(float state) const { return state; }
};

template <class... Kernels>
void run_all(const weft::TensorIterator& iter) {
  (weft::cpu_kernel(iter, Kernels()), ...);
}

}  // namespace

void run_elementwise(const weft::TensorIterator& iter) {
  run_all<Scaled, Root, Floor, Ceil, Trunc, Magnitude, Smaller, Larger, Chained, Positive, Fused,
          Whole, Picture, Turned>(iter);
  weft::cpu_kernel_multiple_outputs(iter, BothEnds());
}
void run_reductions(const weft::TensorIterator& iter) {
  weft::cpu_reduce(iter, SquaredDistance());
  weft::cpu_reduce(iter, weft::masked(Selected()));
  weft::cpu_reduce(iter, LinesTurned());
  weft::cpu_reduce_indexed(iter, FirstAbove());
}
void run_prefix_operation(const weft::TensorView& out, const weft::TensorView& in) {
  weft::cpu_cumulative(out, in, 0, Decaying());
}
