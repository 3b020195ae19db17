// SPDX-License-Identifier: Apache-2.0
#include "kernel/complex_product.hpp"

#include <weft/kernel/cpu_kernel.hpp>
#include <weft/kernel/cumulative.hpp>
#include <weft/kernel/reduce.hpp>

namespace test {

void WEFT_KERNEL(complex_product)(const weft::TensorIterator& iter) {
  if (iter.dtype(0) == weft::ScalarType::c64) {
    weft::cpu_kernel(
        iter, [](std::complex<float> x, std::complex<float> y) { return ComplexProduct()(x, y); });
  } else {
    weft::cpu_kernel(iter, [](std::complex<double> x, std::complex<double> y) {
      return ComplexProduct()(x, y);
    });
  }
}

void WEFT_KERNEL(complex_line_product)(const weft::TensorIterator& iter) {
  if (iter.dtype(0) == weft::ScalarType::c64) return weft::cpu_reduce(iter, Product{});
  weft::cpu_reduce(iter, PairProduct{});
}
void WEFT_KERNEL(complex_running_product)(const weft::TensorView& out, const weft::TensorView& in,
                                          std::int64_t axis) {
  if (in.dtype() == weft::ScalarType::c64)
    return weft::cpu_cumulative(out, in, axis, RunningProduct{});
  weft::cpu_cumulative(out, in, axis, RunningPair{});
}

}  // namespace test
