// SPDX-License-Identifier: Apache-2.0
#include "kernel/scaled_add.hpp"

#include <weft/kernel/cpu_kernel.hpp>
#include <weft/kernel/reduce.hpp>

namespace test {
namespace {

struct SumOfSquares {
  double identity() const { return 0; }
  double accumulate(double acc, float x) const { return acc + static_cast<double>(x) * x; }
  double combine(double a, double b) const { return a + b; }
  double project(double acc) const { return acc; }
};

}  // namespace

void WEFT_KERNEL(scaled_add)(const weft::TensorIterator& iter, double scale) {
  weft::cpu_kernel(iter,
                   [scale](auto a, auto b) { return a * static_cast<decltype(a)>(scale) + b; });
}

void WEFT_KERNEL(sum_of_squares)(const weft::TensorIterator& iter) {
  weft::cpu_reduce(iter, SumOfSquares{});
}

weft::Level WEFT_KERNEL(compiled_level)() {
#if defined(__AVX512F__)
  return weft::Level::avx512;
#elif defined(__AVX2__)
  return weft::Level::avx2;
#elif defined(__aarch64__)
  return weft::Level::neon;
#else
  return weft::Level::baseline;
#endif
}

}  // namespace test
