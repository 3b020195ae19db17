// SPDX-License-Identifier: Apache-2.0
/// @file
/// The mathematical functions of the table by the C library, in a wider type than is tested.
#pragma once

#include <weft/ops/function_table.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>

namespace test {

/// A type with at least ten more digits.
template <class T>
using Wider = std::conditional_t<sizeof(T) == 4, double, long double>;

/// The result of one of the functions that are not exact, or nothing.
template <class W>
std::optional<W> naive_math(weft::UnaryOp op, W a) {
  using Op = weft::UnaryOp;
  constexpr W root_half = 0.70710678118654752440084436210484903928L;
  constexpr W root_two_over_pi = 0.79788456080286535587989211986876373695L;
  constexpr W selu_scale = 1.0507009873554804934193349852946L;
  constexpr W selu_alpha = 1.6732632423543772848170429916717L;
  const bool low_end = std::isinf(a) && a < 0;
  switch (op) {
    case Op::rsqrt: return 1 / std::sqrt(a);
    case Op::exp: return std::exp(a);
    case Op::exp2: return std::exp2(a);
    case Op::expm1: return std::expm1(a);
    case Op::tanh: return std::tanh(a);
    case Op::sigmoid: return 1 / (1 + std::exp(-a));
    // The limit, where the formula would be an infinity times 0.
    case Op::silu: return low_end ? W(-0.0) : a / (1 + std::exp(-a));
    case Op::log: return std::log(a);
    case Op::log2: return std::log2(a);
    case Op::log10: return std::log10(a);
    case Op::log1p: return std::log1p(a);
    case Op::sin: return std::sin(a);
    case Op::cos: return std::cos(a);
    case Op::tan: return std::tan(a);
    case Op::asin: return std::asin(a);
    case Op::acos: return std::acos(a);
    case Op::atan: return std::atan(a);
    case Op::sinh: return std::sinh(a);
    case Op::cosh: return std::cosh(a);
    case Op::asinh: return std::asinh(a);
    case Op::acosh: return std::acosh(a);
    case Op::atanh: return std::atanh(a);
    case Op::erf: return std::erf(a);
    case Op::erfc: return std::erfc(a);
    case Op::lgamma: return std::lgamma(a);
    case Op::cbrt: return std::cbrt(a);
    case Op::gelu: return low_end ? W(-0.0) : a * std::erfc(-a * root_half) / 2;
    case Op::gelu_tanh: {
      const W u = root_two_over_pi * (a + W(0.044715L) * a * a * a);
      return low_end ? W(-0.0) : a / (1 + std::exp(-2 * u));
    }
    case Op::selu: return a > 0 ? selu_scale * a : selu_alpha * selu_scale * std::expm1(a);
    case Op::softplus: return std::log1p(std::exp(-std::fabs(a))) + (a > 0 ? a : W(0));
    case Op::mish: {
      const W e = std::exp(std::min(a, W(100))), n = e * (e + 2);
      return low_end ? W(-0.0) : a * (n / (n + 2));
    }
    case Op::softsign: return std::isinf(a) ? std::copysign(W(1), a) : a / (1 + std::fabs(a));
    case Op::angle: return std::isnan(a) ? a : a < 0 ? W(3.14159265358979323846L) : W(0);
    default: return std::nullopt;
  }
}

template <class W>
std::optional<W> naive_math(weft::BinaryOp op, W a, W b) {
  using Op = weft::BinaryOp;
  switch (op) {
    case Op::pow: return std::pow(a, b);
    case Op::atan2: return std::atan2(a, b);
    case Op::hypot: return std::hypot(a, b);
    case Op::xlogy: return a == 0 && !std::isnan(b) ? W(0) : a * std::log(b);
    case Op::elu: return a > 0 ? a : b * std::expm1(a);
    case Op::logaddexp: {
      const W most = std::max(a, b), least = std::min(a, b);
      if (std::isnan(a) || std::isnan(b)) return a + b;
      return std::isinf(most) ? most : most + std::log1p(std::exp(least - most));
    }
    default: return std::nullopt;
  }
}

/// True for functions that are not exact for floating types.
inline bool is_inexact(weft::UnaryOp op) { return naive_math(op, 1.0).has_value(); }
inline bool is_inexact(weft::BinaryOp op) { return naive_math(op, 1.0, 1.0).has_value(); }
template <class Op>
bool is_inexact(Op /*exact*/) {
  return false;
}

/// The same of a function by its line of the table.
inline bool is_inexact(const weft::FunctionInfo& function) {
  const auto is_in = [&]<class Op>(const auto& functions, Op) {
    int op = 0;
    for (const weft::FunctionInfo& other : functions) {
      if (std::string_view(other.name) == function.name && is_inexact(static_cast<Op>(op)))
        return true;
      ++op;
    }
    return false;
  };
  return is_in(weft::unary_functions, weft::UnaryOp()) ||
         is_in(weft::binary_functions, weft::BinaryOp());
}

}  // namespace test
