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

/// A pair of numbers that is used as a complex one, times x + i x / 2 again and again.
struct Pair {
  double parts[2];
  Pair times(double x) const {
    const double y = x / 2;
    return {{parts[0] * x - parts[1] * y, parts[0] * y + parts[1] * x}};
  }
};
struct PairProduct {
  Pair identity() const { return {{1, 0}}; }
  Pair accumulate(Pair acc, double x) const { return acc.times(x); }
  Pair combine(Pair a, Pair b) const {
    return {{a.parts[0] * b.parts[0] - a.parts[1] * b.parts[1],
             a.parts[0] * b.parts[1] + a.parts[1] * b.parts[0]}};
  }
  double project(Pair acc) const { return acc.parts[0]; }
};
struct RunningPair {
  Pair identity() const { return {{1, 0}}; }
  Pair accumulate(Pair acc, double x) const { return acc.times(x); }
  double project(Pair acc) const { return acc.parts[1]; }
};

/// Of c64 or c128 by the output's type.
WEFT_DECLARE_KERNEL(complex_product, void(const weft::TensorIterator& iter));

/// Of c64, and pairs of f64.
WEFT_DECLARE_KERNEL(complex_line_product, void(const weft::TensorIterator& iter));
WEFT_DECLARE_KERNEL(complex_running_product, void(const weft::TensorView& out,
                                                  const weft::TensorView& in, std::int64_t axis));

}  // namespace test
