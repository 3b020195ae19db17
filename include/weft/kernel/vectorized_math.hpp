// SPDX-License-Identifier: Apache-2.0
/// @file
/// Mathematical functions of Vectorized values, with one text for all levels.
#pragma once

#include <weft/kernel/vectorized.hpp>

#include <cstdint>

namespace weft::inline v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Constants of exp by type.
template <class T>
struct ExpConstants;
template <>
struct ExpConstants<float> {
  using Bits = std::int32_t;
  static constexpr float most = 89.0f,
                         least =
                             -104.0f;  // beyond: infinity and zero, rounded from what these give
  static constexpr float log2e = 1.44269504088896341f;
  static constexpr float ln2_high = 0.693359375f;  // 9 bits: k * ln2_high is exact for |k| < 2^15
  static constexpr float ln2_low = -2.12194440054690583e-4f;
  static constexpr float rounder =
      12582912.0f;  // 1.5 * 2^23: adding it leaves the nearest integer in the low bits
  static constexpr int fraction_bits = 23, bias = 127, terms = 8;
};
template <>
struct ExpConstants<double> {
  using Bits = std::int64_t;
  static constexpr double most = 710.0, least = -746.0;
  static constexpr double log2e = 1.44269504088896340736;
  static constexpr double ln2_high = 0.693147180369123816490;  // 33 bits
  static constexpr double ln2_low = 1.90821492927058770002e-10;
  static constexpr double rounder = 6755399441055744.0;  // 1.5 * 2^52
  static constexpr int fraction_bits = 52, bias = 1023, terms = 14;
};

/// 2^k for each lane, k given as `rounder + k` in floating point; any k for which the result is a
/// normal number.
template <class T>
WEFT_ALWAYS_INLINE xsimd::batch<T> power_of_two(
    const xsimd::batch<typename ExpConstants<T>::Bits>& k) noexcept {
  using C = ExpConstants<T>;
  return xsimd::bitwise_cast<xsimd::batch<T>>((k + typename C::Bits{C::bias}) << C::fraction_bits);
}

/// e^x, every lane for itself. x = k ln 2 + r with |r| <= ln 2 / 2 (ln 2 in two parts after Cody
/// and Waite), e^r by its Taylor series (error below 2^-27 for f32 with 8 terms, below 2^-57 for
/// f64 with 14), times 2^k in two steps so that results down to the least subnormal come out. NaN
/// stays NaN.
template <class T>
  requires std::is_floating_point_v<T>
WEFT_ALWAYS_INLINE Vectorized<T> exp(const Vectorized<T>& given) noexcept {
  using C = ExpConstants<T>;
  using Bits = typename C::Bits;
  Vectorized<T> x = select(given > Vectorized<T>(C::most), Vectorized<T>(C::most), given);
  x = select(x < Vectorized<T>(C::least), Vectorized<T>(C::least), x);
  const Vectorized<T> shifted = fma(x, Vectorized<T>(C::log2e), Vectorized<T>(C::rounder));
  const Vectorized<T> k = shifted - Vectorized<T>(C::rounder);
  // r = high + low, high being exact. Both go on separately: rounding their sum would cost a sixth
  // of an ulp.
  const Vectorized<T> high = fma(k, Vectorized<T>(-C::ln2_high), x);
  const Vectorized<T> low = k * Vectorized<T>(-C::ln2_low);
  const Vectorized<T> r = high + low;
  // Horner from the highest term 1/n! down to 1/2; the coefficients are exact quotients rounded
  // once.
  T factorial[C::terms];
  factorial[0] = T(1);
  for (int n = 1; n < C::terms; ++n)
    factorial[n] = factorial[n - 1] * T(n);
  Vectorized<T> q(T(1) / factorial[C::terms - 1]);
  for (int n = C::terms - 2; n >= 2; --n)
    q = fma(q, r, Vectorized<T>(T(1) / factorial[n]));
  // The large terms come last, when little is left to be rounded, so that the error stays below
  // 1 ulp without FMA, too.
  const Vectorized<T> p = (fma(q, r * r, low) + high) + Vectorized<T>(T(1));
  Vectorized<T> result;
  for (int i = 0; i < Vectorized<T>::registers; ++i) {
    const auto bits = xsimd::bitwise_cast<xsimd::batch<Bits>>(shifted[i]);
    const auto whole = bits - xsimd::bitwise_cast<xsimd::batch<Bits>>(xsimd::batch<T>(C::rounder));
    const auto half = whole >> 1;
    result[i] = p[i] * power_of_two<T>(half) * power_of_two<T>(whole - half);
  }
  return result;
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace weft::inline v0
