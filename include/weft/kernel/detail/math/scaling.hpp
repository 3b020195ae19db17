// SPDX-License-Identifier: Apache-2.0
/// @file
/// Rounding, bounds and powers of two, lane by lane.
#pragma once

#include <weft/kernel/detail/register.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// The layout of a binary floating format, and a number to round by.
template <class T>
struct FloatFormat;
template <>
struct FloatFormat<float> {
  using Bits = std::uint32_t;
  static constexpr int fraction_bits = 23, bias = 127;
  /// 1.5 * 2^23: adding it rounds to an integer, which is left in the low bits.
  static constexpr float rounder = 12582912.0F;
};
template <>
struct FloatFormat<double> {
  using Bits = std::uint64_t;
  static constexpr int fraction_bits = 52, bias = 1023;
  static constexpr double rounder = 6755399441055744.0;  // 1.5 * 2^52
};

/// The nearest integer, ties to even; |x| < 2^22 (f32) or 2^51 (f64).
template <class T, int n>
WEFT_ALWAYS_INLINE Register<T, n> nearest_whole(const Register<T, n>& x) noexcept {
  return (x + FloatFormat<T>::rounder) - FloatFormat<T>::rounder;
}

/// The same of x * factor, rounded once where the level has FMA.
template <class T, int n>
WEFT_ALWAYS_INLINE Register<T, n> nearest_product(const Register<T, n>& x,
                                                  std::type_identity_t<T> factor) noexcept {
  return fma(x, factor, FloatFormat<T>::rounder) - FloatFormat<T>::rounder;
}

/// The larger of x and `least`; NaN stays NaN.
template <class T, int n>
WEFT_ALWAYS_INLINE Register<T, n> at_least(const Register<T, n>& x,
                                           std::type_identity_t<T> least) noexcept {
  return larger_or_second(Register<T, n>(least), x);
}
/// The smaller of x and `most`; NaN stays NaN.
template <class T, int n>
WEFT_ALWAYS_INLINE Register<T, n> at_most(const Register<T, n>& x,
                                          std::type_identity_t<T> most) noexcept {
  return smaller_or_second(Register<T, n>(most), x);
}
/// x kept within bounds; NaN stays NaN.
template <class T, int n>
WEFT_ALWAYS_INLINE Register<T, n> clamped(const Register<T, n>& x, std::type_identity_t<T> least,
                                          std::type_identity_t<T> most) noexcept {
  return at_most(at_least(x, least), most);
}

/// 2^k for each lane, k an integer; 2^k must be a normal number.
template <class T, int n>
WEFT_ALWAYS_INLINE Register<T, n> power_of_two(const Register<T, n>& k) noexcept {
  using Format = FloatFormat<T>;
  // The low bits of the sum are the exponent as it is stored; the shift drops all others.
  const Register<T, n> biased = k + (Format::rounder + T(Format::bias));
  return Register<T, n>::of_bits(biased.bits() << Format::fraction_bits);
}

/// The same, but 2^-100 where 2^k is less: a result below the normal numbers would be slow.
template <class T, int n>
WEFT_ALWAYS_INLINE Register<T, n> small_power_of_two(const Register<T, n>& k) noexcept {
  const Register<T, n> within = at_least(k, -100);
  if constexpr (Register<T, n>::has_exponents) {
    return times_power(Register<T, n>(T(1)), within);
  } else {
    return power_of_two(within);
  }
}

/// x * 2^k, rounded once, for x not far from 1, or 0, and an integer k of at most twice the
/// range of exponents.
template <class T, int n>
WEFT_ALWAYS_INLINE Register<T, n> scaled(const Register<T, n>& x,
                                         const Register<T, n>& k) noexcept {
  if constexpr (Register<T, n>::has_exponents) {
    return times_power(x, k);
  } else {
    // In two steps, the first of which is exact.
    const Register<T, n> half = nearest_whole(k * T(0.5));
    return x * power_of_two(half) * power_of_two(k - half);
  }
}
/// The same, and 0 where `small` is true, which is where it would be 0 anyway. Processors take ten
/// times as long for a result that is too small for them, as e^x of the -infinity of a mask is.
template <class T, int n>
WEFT_ALWAYS_INLINE Register<T, n> scaled_unless(const RegisterMask<T, n>& small,
                                                const Register<T, n>& x,
                                                const Register<T, n>& k) noexcept {
  if constexpr (Register<T, n>::has_exponents) {
    return times_power_unless(small, x, k);
  } else {
    return scaled(zero_where(small, x), k);
  }
}

/// c[0] + c[1] * x + ... by Horner's rule.
template <class T, std::size_t terms, int n>
WEFT_ALWAYS_INLINE Register<T, n> polynomial(const Register<T, n>& x,
                                             const T (&c)[terms]) noexcept {
  Register<T, n> sum(c[terms - 1]);
  if constexpr (n == 1) {
    // Or a loop over elements that calls this would have one in it, and be no vector.
    WEFT_UNROLLED
    for (int i = static_cast<int>(terms) - 2; i >= 0; --i)
      sum = fma(sum, x, c[i]);
  } else {
    for (int i = static_cast<int>(terms) - 2; i >= 0; --i)
      sum = fma(sum, x, c[i]);
  }
  return sum;
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
