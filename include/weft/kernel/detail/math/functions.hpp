// SPDX-License-Identifier: Apache-2.0
/// @file
/// The mathematical functions that there are, for one lane or a register of them.
#pragma once

#include <weft/kernel/detail/math/activation.hpp>
#include <weft/kernel/detail/math/arc.hpp>
#include <weft/kernel/detail/math/error_function.hpp>
#include <weft/kernel/detail/math/exponential.hpp>
#include <weft/kernel/detail/math/hyperbolic.hpp>
#include <weft/kernel/detail/math/log_add.hpp>
#include <weft/kernel/detail/math/logarithm.hpp>
#include <weft/kernel/detail/math/power.hpp>
#include <weft/kernel/detail/math/trigonometric.hpp>

/// Calls ONE(name) for each function of one argument, and TWO(name) for each of two.
// clang-format off
#define WEFT_FOR_EACH_MATH_FUNCTION(ONE, TWO)                                       \
  ONE(exp) ONE(exp2) ONE(expm1) ONE(log) ONE(log2) ONE(log10) ONE(log1p)            \
  ONE(sin) ONE(cos) ONE(tan) ONE(asin) ONE(acos) ONE(atan)                          \
  ONE(sinh) ONE(cosh) ONE(tanh) ONE(asinh) ONE(acosh) ONE(atanh)                    \
  ONE(cbrt) ONE(rsqrt) ONE(erf) ONE(erfc)                                           \
  ONE(sigmoid) ONE(silu) ONE(gelu) ONE(gelu_tanh) ONE(softplus) ONE(mish) ONE(selu) \
  TWO(pow) TWO(hypot) TWO(atan2) TWO(xlogy) TWO(logaddexp)
// clang-format on
