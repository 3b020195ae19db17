// SPDX-License-Identifier: Apache-2.0
/// @file
/// a - b * trunc(a / b) of floating numbers, exactly, in a few operations where the quotient is not
/// huge.
#pragma once

#include "kernels/scalar/arithmetic.hpp"
#include "kernels/scalar/rounding.hpp"

namespace weft {
inline namespace v0 {

/// True where quick_fmod is not right; it is everywhere else, for NaN too.
WEFT_ALWAYS_INLINE bool needs_exact_fmod(float a, float b) noexcept {
  return magnitude(a) >= magnitude(b) * 0x1p28F;
}
WEFT_ALWAYS_INLINE bool needs_exact_fmod(double a, double b) noexcept {
  const double x = magnitude(a), y = magnitude(b);
  // As int, for a loop without branches.
  return (static_cast<int>(x >= y * 0x1p52) | static_cast<int>(x > 0x1p990) |
          static_cast<int>(y < 0x1p-900)) != 0;
}

/// In double nothing is rounded: two floats' quotient is at least 2^-24 away from an integer
/// that it is not, so it does not become that; and it has at most 28 bits, b has 24.
WEFT_ALWAYS_INLINE float quick_fmod(float a, float b) noexcept {
  const double x = a, y = b;
  const auto rest = static_cast<float>(x - trunc_of(x / y) * y);
  return magnitude(a) < magnitude(b) ? a : with_sign(rest, a);  // b infinite, among others
}

/// The quotient may round up to the next integer, which makes the remainder negative. The
/// product is high + low exactly (after Dekker, by halves of 26 bits), and so are the differences:
/// high is near x, and the remainder is a multiple of the last place of y and below y.
WEFT_ALWAYS_INLINE double quick_fmod(double a, double b) noexcept {
  const double x = magnitude(a), y = magnitude(b);
  const double quotient = trunc_of(x / y);
  constexpr double splitter = 0x1p27 + 1;
  const double q = splitter * quotient, d = splitter * y;
  const double q1 = q - (q - quotient), q2 = quotient - q1;
  const double y1 = d - (d - y), y2 = y - y1;
  const double high = quotient * y;
  const double low = ((q1 * y1 - high) + q1 * y2 + q2 * y1) + q2 * y2;
  const double rest = (x - high) - low;
  return x < y ? a : with_sign(rest < 0 ? rest + y : rest, a);
}

WEFT_ALWAYS_INLINE float exact_fmod(float a, float b) noexcept { return __builtin_fmodf(a, b); }
WEFT_ALWAYS_INLINE double exact_fmod(double a, double b) noexcept { return __builtin_fmod(a, b); }

}  // namespace v0
}  // namespace weft
