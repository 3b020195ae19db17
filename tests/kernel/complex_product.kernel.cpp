// SPDX-License-Identifier: Apache-2.0
#include "kernel/complex_product.hpp"

#include <weft/kernel/cpu_kernel.hpp>

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

}  // namespace test
