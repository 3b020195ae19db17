// SPDX-License-Identifier: Apache-2.0
/// @file
/// Mathematical functions of Vectorized values, with one text for all levels: exp, and what others
/// are made of. (weft's own kernels have more of them: kernels/math/.)
#pragma once

#include <weft/kernel/detail/vectorized_register.hpp>

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
template <class T>
WEFT_ALWAYS_INLINE Register<T> nearest_whole(const Register<T>& x) noexcept {
  return (x + FloatFormat<T>::rounder) - FloatFormat<T>::rounder;
}

/// The same of x * factor, rounded once where the level has FMA.
template <class T>
WEFT_ALWAYS_INLINE Register<T> nearest_product(const Register<T>& x,
                                               std::type_identity_t<T> factor) noexcept {
  return fma(x, factor, FloatFormat<T>::rounder) - FloatFormat<T>::rounder;
}

/// The larger of a and b in each lane; b where they are equal or one is NaN. That is what the
/// instructions do; of xsimd::max, the operand depends on the version.
template <class T>
WEFT_ALWAYS_INLINE xsimd::batch<T> larger_or_second(const xsimd::batch<T>& a,
                                                    const xsimd::batch<T>& b) noexcept {
  using Batch [[maybe_unused]] = xsimd::batch<T>;
  if constexpr (std::is_integral_v<T>) {
    return xsimd::max(a, b);
  } else {
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4) return Batch(_mm512_max_ps(a, b));
    if constexpr (sizeof(T) == 8) return Batch(_mm512_max_pd(a, b));
#elif defined(__AVX__)
    if constexpr (sizeof(T) == 4) return Batch(_mm256_max_ps(a, b));
    if constexpr (sizeof(T) == 8) return Batch(_mm256_max_pd(a, b));
#elif defined(__SSE2__)
    if constexpr (sizeof(T) == 4) return Batch(_mm_max_ps(a, b));
    if constexpr (sizeof(T) == 8) return Batch(_mm_max_pd(a, b));
#else
    return xsimd::select(a > b, a, b);
#endif
  }
}
/// The smaller of a and b in each lane; b where they are equal or one is NaN. That is what the
/// instructions do; of xsimd::min, the operand depends on the version.
template <class T>
WEFT_ALWAYS_INLINE xsimd::batch<T> smaller_or_second(const xsimd::batch<T>& a,
                                                     const xsimd::batch<T>& b) noexcept {
  using Batch [[maybe_unused]] = xsimd::batch<T>;
  if constexpr (std::is_integral_v<T>) {
    return xsimd::min(a, b);
  } else {
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4) return Batch(_mm512_min_ps(a, b));
    if constexpr (sizeof(T) == 8) return Batch(_mm512_min_pd(a, b));
#elif defined(__AVX__)
    if constexpr (sizeof(T) == 4) return Batch(_mm256_min_ps(a, b));
    if constexpr (sizeof(T) == 8) return Batch(_mm256_min_pd(a, b));
#elif defined(__SSE2__)
    if constexpr (sizeof(T) == 4) return Batch(_mm_min_ps(a, b));
    if constexpr (sizeof(T) == 8) return Batch(_mm_min_pd(a, b));
#else
    return xsimd::select(a < b, a, b);
#endif
  }
}

/// The larger of x and `least`; NaN stays NaN.
template <class T>
WEFT_ALWAYS_INLINE Register<T> at_least(const Register<T>& x,
                                        std::type_identity_t<T> least) noexcept {
  return Register<T>(larger_or_second(xsimd::batch<T>(least), x.value));
}
/// The smaller of x and `most`; NaN stays NaN.
template <class T>
WEFT_ALWAYS_INLINE Register<T> at_most(const Register<T>& x,
                                       std::type_identity_t<T> most) noexcept {
  return Register<T>(smaller_or_second(xsimd::batch<T>(most), x.value));
}
/// x kept within bounds; NaN stays NaN.
template <class T>
WEFT_ALWAYS_INLINE Register<T> clamped(const Register<T>& x, std::type_identity_t<T> least,
                                       std::type_identity_t<T> most) noexcept {
  return at_most(at_least(x, least), most);
}

/// 2^k for each lane, k an integer; 2^k must be a normal number.
template <class T>
WEFT_ALWAYS_INLINE Register<T> power_of_two(const Register<T>& k) noexcept {
  using Format = FloatFormat<T>;
  // The low bits of the sum are the exponent as it is stored; the shift drops all others.
  const Register<T> biased = k + (Format::rounder + T(Format::bias));
  return Register<T>(
      bits_as<T>(bits_as<typename Format::Bits>(biased.value) << Format::fraction_bits));
}

/// The same, but any small number where 2^k is less than 2^-100.
template <class T>
WEFT_ALWAYS_INLINE Register<T> small_power_of_two(const Register<T>& k) noexcept {
#if defined(__AVX512F__)
  using Batch = xsimd::batch<T>;
  if constexpr (sizeof(T) == 4) return Register<T>(Batch(_mm512_scalef_ps(Batch(1), k.value)));
  if constexpr (sizeof(T) == 8) return Register<T>(Batch(_mm512_scalef_pd(Batch(1), k.value)));
#else
  return power_of_two(at_least(k, -100));
#endif
}

/// x * 2^k, rounded once, for x not far from 1, or 0, and an integer k of at most twice the
/// range of exponents.
template <class T>
WEFT_ALWAYS_INLINE Register<T> scaled(const Register<T>& x, const Register<T>& k) noexcept {
#if defined(__AVX512F__)
  using Batch = xsimd::batch<T>;
  if constexpr (sizeof(T) == 4) return Register<T>(Batch(_mm512_scalef_ps(x.value, k.value)));
  if constexpr (sizeof(T) == 8) return Register<T>(Batch(_mm512_scalef_pd(x.value, k.value)));
#else
  // In two steps, the first of which is exact.
  const Register<T> half = nearest_whole(k * T(0.5));
  return x * power_of_two(half) * power_of_two(k - half);
#endif
}

/// c[0] + c[1] * x + ... by Horner's rule.
template <class T, int terms>
WEFT_ALWAYS_INLINE Register<T> polynomial(const Register<T>& x, const T (&c)[terms]) noexcept {
  Register<T> sum(c[terms - 1]);
  for (int i = terms - 2; i >= 0; --i)
    sum = fma(sum, x, c[i]);
  return sum;
}

/// Constants of exp by type.
template <class T>
struct ExpConstants;
template <>
struct ExpConstants<float> {
  // Beyond these: infinity and zero, rounded from what these give.
  static constexpr float least = -104.0F, most = 89.0F;
  static constexpr float log2e = 1.44269504088896341F;
  static constexpr float ln2_high = 0.693359375F;  // 9 bits: k * ln2_high is exact for |k| < 2^15
  static constexpr float ln2_low = -2.12194440054690583e-4F;
  // Of (e^r - 1 - r) / r^2, error of e^r below 2^-30.8.
  static constexpr float series[] = {0.5F,           0.166666672F,   0.041666463F,
                                     0.00833331048F, 0.00139337312F, 0.000198910799F};
  // The same with an error of e^r below 2^-27.9, for where 1 is added.
  static constexpr float short_series[] = {0.49999994F, 0.166665211F, 0.041668389F, 0.00836871564F,
                                           0.00138145487F};
};
template <>
struct ExpConstants<double> {
  static constexpr double least = -746.0, most = 710.0;
  static constexpr double log2e = 1.44269504088896340736;
  static constexpr double ln2_high = 0.693147180369123816490;  // 33 bits
  static constexpr double ln2_low = 1.90821492927058770002e-10;
  // Error of e^r below 2^-61.
  static constexpr double series[] = {
      0.5,
      0.1666666666666667,
      0.04166666666666667,
      0.008333333333326084,
      0.0013888888888883711,
      0.0001984126987500228,
      2.480158732567746e-05,
      2.755725517000089e-06,
      2.755727347871858e-07,
      2.5105312729622103e-08,
      2.09147553258932e-09,
  };
  static constexpr const auto& short_series = series;
};

/// e^x = 2^k * (1 + high + low), |high| <= ln 2 / 2, low in the order of an ulp of 1 beside it.
template <class T>
struct ReducedExp {
  Register<T> k, high, low;
};

/// Takes ln 2 out of x + rest, in two parts after Cody and Waite; e^r - 1 of what is left is r and
/// r^2 times a polynomial, fitted at Chebyshev points. `rest` is below an ulp of x; |k| must be
/// below 2^15 (f32) or 2^20 (f64).
template <class T, int terms>
WEFT_ALWAYS_INLINE ReducedExp<T> reduced_exp(const Register<T>& x, const Register<T>& rest,
                                             const T (&series)[terms]) noexcept {
  using C = ExpConstants<T>;
  const Register<T> k = nearest_product(x, C::log2e);
  // r = high + low, high being exact. Both go on separately: rounding their sum would cost a sixth
  // of an ulp.
  const Register<T> high = fma(k, -C::ln2_high, x);
  const Register<T> low = fma(k, -C::ln2_low, rest);
  const Register<T> r = high + low;
  return {k, high, fma(polynomial(r, series), r * r, low)};
}
template <class T>
WEFT_ALWAYS_INLINE ReducedExp<T> reduced_exp(const Register<T>& x,
                                             const Register<T>& rest = T(0)) noexcept {
  return reduced_exp(x, rest, ExpConstants<T>::series);
}

/// e^x, every lane for itself, within 1 ulp. Multiplied by 2^k so that results down to the least
/// subnormal are rounded once. NaN stays NaN.
template <class T>
WEFT_ALWAYS_INLINE Register<T> exp(const Register<T>& x) noexcept {
  using C = ExpConstants<T>;
  const ReducedExp<T> e = reduced_exp<T>(clamped(x, C::least, C::most), T(0), C::short_series);
  // The large terms come last, when little is left to be rounded.
  return scaled((e.low + e.high) + 1, e.k);
}
template <class T>
  requires std::is_floating_point_v<T>
WEFT_ALWAYS_INLINE Vectorized<T> exp(const Vectorized<T>& x) noexcept {
  Vectorized<T> result;
  for (int i = 0; i < Vectorized<T>::registers; ++i)
    result[i] = exp(Register<T>(x[i])).value;
  return result;
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
