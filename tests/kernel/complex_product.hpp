// SPDX-License-Identifier: Apache-2.0
/// @file
/// The product of complex numbers as users write it, in an ordinary file and in a kernel file.
#pragma once

#include <weft/core/tensor_view.hpp>
#include <weft/iter/tensor_iterator.hpp>
#include <weft/machine/dispatch.hpp>

#include <complex>
#include <cstdint>

namespace test {

struct ComplexProduct {
  template <class T>
  std::complex<T> operator()(std::complex<T> x, std::complex<T> y) const {
    return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
  }
};

/// The product of a line, as a reduction.
struct Product {
  std::complex<float> identity() const { return {1, 0}; }
  std::complex<float> accumulate(std::complex<float> acc, std::complex<float> x) const {
    return ComplexProduct()(acc, x);
  }
  std::complex<float> combine(std::complex<float> a, std::complex<float> b) const {
    return ComplexProduct()(a, b);
  }
  std::complex<float> project(std::complex<float> acc) const { return acc; }
};
/// The product of all so far, as a prefix operation.
struct RunningProduct {
  std::complex<float> identity() const { return {1, 0}; }
  std::complex<float> accumulate(std::complex<float> acc, std::complex<float> x) const {
    return ComplexProduct()(acc, x);
  }
  std::complex<float> project(std::complex<float> acc) const { return acc; }
};

/// Of c64 or c128 by the output's type.
WEFT_DECLARE_KERNEL(complex_product, void(const weft::TensorIterator& iter));

/// Of c64.
WEFT_DECLARE_KERNEL(complex_line_product, void(const weft::TensorIterator& iter));
WEFT_DECLARE_KERNEL(complex_running_product, void(const weft::TensorView& out,
                                                  const weft::TensorView& in, std::int64_t axis));

}  // namespace test
