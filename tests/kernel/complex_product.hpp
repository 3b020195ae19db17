// SPDX-License-Identifier: Apache-2.0
/// @file
/// The product of complex numbers as users write it, in an ordinary file and in a kernel file.
#pragma once

#include <weft/iter/tensor_iterator.hpp>
#include <weft/machine/dispatch.hpp>

#include <complex>

namespace test {

struct ComplexProduct {
  template <class T>
  std::complex<T> operator()(std::complex<T> x, std::complex<T> y) const {
    return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
  }
};

/// Of c64 or c128 by the output's type.
WEFT_DECLARE_KERNEL(complex_product, void(const weft::TensorIterator& iter));

}  // namespace test
