// SPDX-License-Identifier: Apache-2.0
/// @file
/// Many quotients by one integer.
#pragma once

#include <weft/kernel/vectorized.hpp>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Quotients by an integer below 2^50, with the bits of a division, which takes eight times as
/// long as a multiplication. a times 1 / n is off by less than two units in its last place. What
/// it leaves of a is exact where it is rounded once, and so is the correction but for its last
/// rounding, since no quotient by such a number is closer to the middle of two numbers than 2^-51
/// of their distance (Markstein, 1990). Of subnormal quotients that does not hold.
class IntegerDivisor {
 public:
  explicit IntegerDivisor(double n) noexcept : n_(n), reciprocal_(1 / n) {}

  WEFT_ALWAYS_INLINE double quotient(double a) const noexcept {
#if defined(__FMA__) || defined(__aarch64__)
    const double near = a * reciprocal_;
    const double rest = __builtin_fma(-near, n_, a);
    // Of infinities and by 0 nothing is left that is a number; and 0 keeps its sign.
    return __builtin_islessgreater(rest, 0.0) ? __builtin_fma(rest, reciprocal_, near) : near;
#else
    return a / n_;
#endif
  }

 private:
  double n_;
  [[maybe_unused]] double reciprocal_;
};

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
