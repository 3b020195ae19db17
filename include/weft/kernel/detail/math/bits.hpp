// SPDX-License-Identifier: Apache-2.0
/// @file
/// The parts of floating numbers, lane by lane: sign, magnitude, exponent, significand.
#pragma once

#include <weft/kernel/detail/math/scaling.hpp>

#include <limits>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

template <class T>
inline constexpr T infinity = std::numeric_limits<T>::infinity();
template <class T>
inline constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();

/// The sign bit, all others 0.
template <class T, int n>
WEFT_ALWAYS_INLINE Register<T, n> sign_bit(const Register<T, n>& a) noexcept {
  return a & T(-0.0);
}
/// a with its sign turned where that of b is set.
template <class T, int n>
WEFT_ALWAYS_INLINE Register<T, n> turned(const Register<T, n>& a,
                                         const Register<T, n>& b) noexcept {
  return a ^ sign_bit(b);
}
/// a with its sign set where that of b is.
template <class T, int n>
WEFT_ALWAYS_INLINE Register<T, n> with_sign_of(const Register<T, n>& a,
                                               const Register<T, n>& b) noexcept {
  return a | sign_bit(b);
}
/// The magnitude of a with the sign of b.
template <class T, int n>
WEFT_ALWAYS_INLINE Register<T, n> copysign(const Register<T, n>& a,
                                           const Register<T, n>& b) noexcept {
  return turned(abs(a), b);
}

/// x = 2^k * m with 3/4 <= m < 3/2, for positive x; 0, infinity and NaN give something.
template <class T, int n = native_lanes<T>>
struct Split {
  Register<T, n> k, m;
};
template <class T, int n>
WEFT_ALWAYS_INLINE Split<T, n> split(const Register<T, n>& x) noexcept {
  if constexpr (Register<T, n>::has_exponents) {
    const Register<T, n> m = significand_of(x);
    return {exponent_of(x) - exponent_of(m), m};
  } else {
    using Format = FloatFormat<T>;
    using Bits = typename Format::Bits;
    using Whole = typename Register<T, n>::Whole;
    constexpr int digits = Format::fraction_bits;
    constexpr Bits one = Bits{Format::bias} << digits;
    constexpr Bits half = Bits{1} << (digits - 1);  // of the fraction: 3/4 is 1.5 / 2
    constexpr Bits exponent = ~((Bits{1} << digits) - 1);
    // The rounder as bits; a small number added to it is added as a number.
    constexpr Bits origin = (Bits{Format::bias + digits} << digits) + half;
    const auto subnormal = x < std::numeric_limits<T>::min();
    const Register<T, n> normal = select(subnormal, x * T(Bits{1} << digits), x);
    const Whole bits = normal.bits();
    const Whole up = bits + Whole(half);  // half a step more, and exponents change at 3/2
    const auto biased = Register<T, n>::of_bits((up >> digits) + Whole(origin));
    const Whole m = bits - (up & Whole(exponent)) + Whole(one);
    const Register<T, n> bias = select(subnormal, T(Format::bias + digits), T(Format::bias));
    return {(biased - Format::rounder) - bias, Register<T, n>::of_bits(m)};
  }
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
