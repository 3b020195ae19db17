// SPDX-License-Identifier: Apache-2.0
/// @file
/// Logarithms, every lane for itself: log and log1p for f32 and f64, and for f64 the logarithm in
/// two words that others are made of.
#pragma once

#include <weft/kernel/detail/math/bits.hpp>
#include <weft/kernel/detail/math/double_word.hpp>
#include <weft/kernel/detail/math/in_double.hpp>

#include <cstddef>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// ln 2 in two parts, k times the first being exact; fits of the series at Chebyshev points.
template <class T>
struct LogConstants;
template <>
struct LogConstants<float> {
  static constexpr float ln2_high = 0.693359375F, ln2_low = -2.12194440054690583e-4F;
  // Of (log(1 + f) - f + f^2 / 2) / f^3, -1/4 <= f <= 1/2; error of the logarithm below 2^-27.
  static constexpr float series[] = {0.333333343F, -0.250000566F,  0.200001404F,
                                     -0.16660817F, 0.142683059F,   -0.12639311F,
                                     0.11680682F,  -0.0956133977F, 0.0428719781F};
};
template <>
struct LogConstants<double> {
  static constexpr double ln2_high = 0.693147180559663, ln2_low = 2.8235290563031577e-13;
  // Of (log((1 + s) / (1 - s)) - 2 s) / s^3 in s^2, s^2 <= 0.04; below 2^-59.
  static constexpr double series[] = {0.6666666666666666,  0.4000000000000794,  0.28571428567275936,
                                      0.2222222304835159,  0.18181737626302938, 0.15388867805613718,
                                      0.13209708242059462, 0.13609030262858499};
};

/// log(1 + f) - f of f64 for -1/4 <= f <= 1/2: with s = f / (2 + f) it is s (f^2 / 2 + s^2 P(s^2))
/// - f^2
/// / 2.
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> log_less_fraction(const Register<double, n>& f) noexcept {
  const Register<double, n> half_square = f * f * 0.5;
  const Register<double, n> s = f / (f + 2.0), z = s * s;
  return s * fma(z, polynomial(z, LogConstants<double>::series), half_square) - half_square;
}

/// k ln 2 + log(1 + f) for whole k and -1/4 <= f <= 1/2.
template <class T, int n>
WEFT_ALWAYS_INLINE Register<T, n> log_of_parts(const Register<T, n>& k,
                                               const Register<T, n>& f) noexcept {
  using C = LogConstants<T>;
  const Register<T, n> half_square = f * f * T(0.5);
  if constexpr (sizeof(T) == 4) {
    // f - f^2 / 2 + f^3 P(f)
    const Register<T, n> tail = f * (half_square * 2) * polynomial(f, C::series);
    const Register<T, n> low = fma(k, C::ln2_low, tail - half_square);
    return fma(k, C::ln2_high, f + low);
  } else {
    // With s = f / (2 + f), log(1 + f) = 2 atanh(s) = f - f^2 / 2 + s (f^2 / 2 + s^2 P(s^2)).
    const Register<T, n> s = f / (f + 2), z = s * s;
    const Register<T, n> tail = s * fma(z, polynomial(z, C::series), half_square);
    const Register<T, n> low = fma(k, C::ln2_low, tail) - half_square;
    return fma(k, C::ln2_high, f + low);
  }
}

/// The results of a logarithm whose argument's distance from its pole, `x`, is not a positive
/// finite number: -infinity at the pole, NaN beyond it, infinity and NaN as they are.
template <class T, int n>
WEFT_ALWAYS_INLINE Register<T, n> with_log_edges(const Register<T, n>& result,
                                                 const Register<T, n>& x) noexcept {
  const RegisterMask<T, n> inside = (x > T(0)) & (x < infinity<T>);
  if (!any(!inside)) return result;
  const Register<T, n> below = select(x < T(0), not_a_number<T>, x);
  return select(inside, result, select(x == T(0), -infinity<T>, below));
}

/// The natural logarithm.
template <class T, int n>
WEFT_ALWAYS_INLINE Register<T, n> log(const Register<T, n>& x) noexcept {
  const Split<T, n> parts = split(x);
  return with_log_edges(log_of_parts(parts.k, parts.m - 1), x);
}

/// log(x) of positive finite x in f64 to the precision of f32, and of 2^-35 with the longer series:
/// k ln 2 + f + f^2 P(f).
template <std::size_t terms, int n>
WEFT_ALWAYS_INLINE Register<double, n> rough_log(const Register<double, n>& x,
                                                 const double (&series)[terms]) noexcept {
  const Split<double, n> parts = split(x);
  const Register<double, n> f = parts.m - 1.0;
  return fma(parts.k, 0.6931471805599453, fma(f * f, polynomial(f, series), f));
}
inline constexpr double log_series_30[] = {
    -0.4999999844521771,  0.33333342165441465, -0.25000289487979965, 0.19999623315295628,
    -0.16652310848496354, 0.14272090613640578, -0.12749929630081472, 0.11754864855603946,
    -0.09126086212933658, 0.0373161867517268};
inline constexpr double log_series_35[] = {
    -0.5000000001950784,  0.333333326387137,   -0.2499999370359298,  0.20000083339113112,
    -0.16667249378407814, 0.14283037505486382, -0.12478156339218657, 0.111242012302032,
    -0.103322607148938,   0.09611618136711851, -0.07085797347681952, 0.026499388154997326};

/// The logarithm to base 2, and to base 10, by constants of their own: 1 / log(base) and log(2) /
/// log(base) in two parts each, k times the first of the latter being exact.
template <class T>
struct Base2;
template <class T>
struct Base10;
template <>
struct Base2<float> {
  static constexpr float scale = 1.44269502F, scale_rest = 1.92596299e-08F;
  static constexpr float power = 1.0F, power_rest = 0.0F;
  // Of (log(1 + f) - f / log(base)) / f^2, -1/4 <= f <= 1/2; below 2^-26.5 of the result.
  static constexpr float series[] = {-0.721347511F, 0.480900079F,  -0.36067456F,
                                     0.288403451F,  -0.240176782F, 0.208933756F,
                                     -0.189888641F, 0.150720194F,  -0.0647730827F};
};
template <>
struct Base10<float> {
  static constexpr float scale = 0.434294492F, scale_rest = -1.01030501e-08F;
  static constexpr float power = 0.301025390625F, power_rest = 4.60503898e-06F;
  static constexpr float series[] = {-0.217147246F,  0.144765347F,   -0.108573861F,
                                     0.0868180841F,  -0.0723004118F, 0.0628953278F,
                                     -0.0571621768F, 0.0453713015F,  -0.0194986407F};
};
template <>
struct Base2<double> {
  static constexpr double scale = 1.4426950408889634, scale_rest = 2.0355273740931033e-17;
  static constexpr double power = 1.0, power_rest = 0.0;
};
template <>
struct Base10<double> {
  static constexpr double scale = 0.4342944819032518, scale_rest = 1.098319650216765e-17;
  static constexpr double power = 0.3010299955494702, power_rest = 1.1451100898021838e-10;
};
template <template <class> class Base, class T, int n>
WEFT_ALWAYS_INLINE Register<T, n> log_to_base(const Register<T, n>& x) noexcept {
  using C = Base<T>;
#if !defined(WEFT_HAS_FMA)
  if constexpr (sizeof(T) == 4) {  // without it, the steps below add up to more than 1.5 ulp
    const auto in_f64 = []<int m>(const Register<double, m>& wide) WEFT_INLINE_LAMBDA {
      return with_log_edges(rough_log(wide, log_series_35) * Base<double>::scale, wide);
    };
    return in_double(in_f64, x);
  }
#endif
  const Split<T, n> parts = split(x);
  const Register<T, n> f = parts.m - 1;
  // f / log(base) in two words, and what the logarithm has less than f.
  const DoubleWord<T, n> scaled = exact_product<T, n>(f, C::scale);
  Register<T, n> low = fma(f, C::scale_rest, scaled.low);
  if constexpr (sizeof(T) == 4) {
    low = fma(f * f, polynomial(f, C::series), low);
  } else {
    low = fma(log_less_fraction(f), C::scale, low);
  }
  const DoubleWord<T, n> sum = ordered_sum(parts.k * C::power, scaled.high);
  const Register<T, n> rest = fma(parts.k, C::power_rest, sum.low + low);
  return with_log_edges(sum.high + rest, x);
}

template <class T, int n>
WEFT_ALWAYS_INLINE Register<T, n> log2(const Register<T, n>& x) noexcept {
  return log_to_base<Base2>(x);
}
template <class T, int n>
WEFT_ALWAYS_INLINE Register<T, n> log10(const Register<T, n>& x) noexcept {
  return log_to_base<Base10>(x);
}

/// log(1 + x), accurate for small x: what 1 + x loses in rounding goes into the fraction.
template <class T, int n>
WEFT_ALWAYS_INLINE Register<T, n> log1p(const Register<T, n>& x) noexcept {
  const DoubleWord<T, n> one_more = exact_sum<T, n>(T(1), x);
  const Split<T, n> parts = split(one_more.high);
  const Register<T, n> f = fma(one_more.low, small_power_of_two(-parts.k), parts.m - 1);
  const Register<T, n> result = with_log_edges(log_of_parts(parts.k, f), one_more.high);
  return with_sign_of(result, x);
}

/// k ln 2 + log(1 + f) in two words, error below 2^-66 of it.
template <int n>
WEFT_ALWAYS_INLINE DoubleWord<double, n> log_words(const Register<double, n>& k,
                                                   const DoubleWord<double, n>& f) noexcept {
  using C = LogConstants<double>;
  // 2 s + s^3 (2/3 + s^2 P(s^2)), s = f / (2 + f).
  constexpr double series[] = {0.39999999999999997, 0.28571428571435764, 0.22222222218460067,
                               0.1818181893024613,  0.1538454240880213,  0.13337185364142076,
                               0.11652734508665301, 0.1219635756978303};
  const DoubleWord<double, n> two = ordered_sum<double, n>(2.0, f.high);
  const DoubleWord<double, n> quotient = f / DoubleWord<double, n>{two.high, two.low + f.low};
  const DoubleWord<double, n> s = ordered_sum(quotient.high, quotient.low);
  const DoubleWord<double, n> z = loose_product(s, s);
  const DoubleWord<double, n> c =
      ordered_sum<double, n>(0.6666666666666666, z.high * polynomial(z.high, series));
  const DoubleWord<double, n> tail =
      loose_product(loose_product(z, s), {c.high, c.low + 3.700743415417188e-17});
  // Every sum has its terms in order of magnitude, or begins with 0.
  const DoubleWord<double, n> fraction = ordered_sum(s.high + s.high, tail.high);
  const DoubleWord<double, n> sum = ordered_sum(k * C::ln2_high, fraction.high);
  const Register<double, n> low = fma(s.low, 2.0, fraction.low) + tail.low;
  return ordered_sum(sum.high, fma(k, C::ln2_low, sum.low + low));
}
/// The logarithm of a positive finite number in two words.
template <int n>
WEFT_ALWAYS_INLINE DoubleWord<double, n> log_words(const Register<double, n>& x) noexcept {
  const Split<double, n> parts = split(x);
  return log_words(parts.k, DoubleWord<double, n>{parts.m - 1.0, 0.0});
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
