// SPDX-License-Identifier: Apache-2.0
/// @file
/// The functions of complex numbers that are not exact, by the C library.
#pragma once

#include <weft/ops/function_table.hpp>

#include <cmath>
#include <complex>
#include <optional>

namespace test {

/// The result, in the real part where it is real, or nothing for other functions.
template <class W>
std::optional<std::complex<W>> naive_complex(weft::UnaryOp op, std::complex<W> z) {
  using Op = weft::UnaryOp;
  using Z = std::complex<W>;
  switch (op) {
    case Op::exp: return std::exp(z);
    case Op::log: return std::log(z);
    case Op::log2: return std::log(z) * (1 / std::log(W(2)));
    case Op::log10: return std::log(z) * (1 / std::log(W(10)));
    case Op::sqrt: return std::sqrt(z);
    case Op::rsqrt: return Z(1) / std::sqrt(z);
    case Op::sin: return std::sin(z);
    case Op::cos: return std::cos(z);
    case Op::tan: return std::tan(z);
    case Op::asin: return std::asin(z);
    case Op::acos: return std::acos(z);
    case Op::atan: return std::atan(z);
    case Op::sinh: return std::sinh(z);
    case Op::cosh: return std::cosh(z);
    case Op::tanh: return std::tanh(z);
    case Op::asinh: return std::asinh(z);
    case Op::acosh: return std::acosh(z);
    case Op::atanh: return std::atanh(z);
    case Op::sigmoid: {
      const Z divisor = Z(1) + std::exp(-z);
      if (std::abs(divisor) > 0.5F) return Z(1) / divisor;
      const Z half = z / Z(2);  // near a pole, where the sum cancels
      return std::exp(half) / (Z(2) * std::cosh(half));
    }
    case Op::abs: return Z(std::abs(z));
    case Op::angle: return Z(std::arg(z));
    default: return std::nullopt;
  }
}

}  // namespace test
