// SPDX-License-Identifier: Apache-2.0
/// @file
/// Logarithms, every lane for itself: log and log1p for f32 and f64, and for f64 the logarithm in
/// two words that others are made of.
#pragma once

#include "kernels/math/bits.hpp"
#include "kernels/math/double_word.hpp"

namespace weft::inline v0 {
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

/// k ln 2 + log(1 + f) for whole k and -1/4 <= f <= 1/2.
template <class T>
WEFT_ALWAYS_INLINE Register<T> log_of_parts(const Register<T>& k, const Register<T>& f) noexcept {
  using C = LogConstants<T>;
  const Register<T> half_square = f * f * T(0.5);
  if constexpr (sizeof(T) == 4) {
    // f - f^2 / 2 + f^3 P(f)
    const Register<T> tail = f * (half_square * 2) * polynomial(f, C::series);
    const Register<T> low = fma(k, C::ln2_low, tail - half_square);
    return fma(k, C::ln2_high, f + low);
  } else {
    // With s = f / (2 + f), log(1 + f) = 2 atanh(s) = f - f^2 / 2 + s (f^2 / 2 + s^2 P(s^2)).
    const Register<T> s = f / (f + 2), z = s * s;
    const Register<T> tail = s * fma(z, polynomial(z, C::series), half_square);
    const Register<T> low = fma(k, C::ln2_low, tail) - half_square;
    return fma(k, C::ln2_high, f + low);
  }
}

/// The results of a logarithm whose argument's distance from its pole, `x`, is not a positive finite
/// number: -infinity at the pole, NaN beyond it, infinity and NaN as they are.
template <class T>
WEFT_ALWAYS_INLINE Register<T> with_log_edges(const Register<T>& result,
                                              const Register<T>& x) noexcept {
  const RegisterMask<T> inside = (x > T(0)) & (x < infinity<T>);
  if (!any(!inside)) return result;
  const Register<T> below = select(x < T(0), not_a_number<T>, x);
  return select(inside, result, select(x == T(0), -infinity<T>, below));
}

/// The natural logarithm.
template <class T>
WEFT_ALWAYS_INLINE Register<T> log(const Register<T>& x) noexcept {
  const Split<T> parts = split(x);
  return with_log_edges(log_of_parts(parts.k, parts.m - 1), x);
}

/// log(1 + x), accurate for small x: what 1 + x loses in rounding goes into the fraction.
template <class T>
WEFT_ALWAYS_INLINE Register<T> log1p(const Register<T>& x) noexcept {
  const DoubleWord<T> one_more = exact_sum<T>(T(1), x);
  const Split<T> parts = split(one_more.high);
  const Register<T> f = fma(one_more.low, small_power_of_two(-parts.k), parts.m - 1);
  const Register<T> result = with_log_edges(log_of_parts(parts.k, f), one_more.high);
  return with_sign_of(result, x);
}

/// k ln 2 + log(1 + f) in two words, error below 2^-66 of it.
WEFT_ALWAYS_INLINE DoubleWord<double> log_words(const Register<double>& k,
                                                const DoubleWord<double>& f) noexcept {
  using C = LogConstants<double>;
  // 2 s + s^3 (2/3 + s^2 P(s^2)), s = f / (2 + f).
  constexpr double series[] = {0.39999999999999997, 0.28571428571435764, 0.22222222218460067,
                               0.1818181893024613,  0.1538454240880213,  0.13337185364142076,
                               0.11652734508665301, 0.1219635756978303};
  const DoubleWord<double> two = ordered_sum<double>(2.0, f.high);
  const DoubleWord<double> quotient = f / DoubleWord<double>{two.high, two.low + f.low};
  const DoubleWord<double> s = ordered_sum(quotient.high, quotient.low);
  const DoubleWord<double> z = s * s;
  const DoubleWord<double> third{0.6666666666666666, 3.700743415417188e-17};
  const Register<double> rest = z.high * polynomial(z.high, series);
  const DoubleWord<double> c = third + DoubleWord<double>{rest, 0.0};
  const DoubleWord<double> tail = z * s * c;
  const DoubleWord<double> log_of_fraction = DoubleWord<double>{s.high * 2.0, s.low * 2.0} + tail;
  return DoubleWord<double>{k * C::ln2_high, k * C::ln2_low} + log_of_fraction;
}
/// The logarithm of a positive finite number in two words.
WEFT_ALWAYS_INLINE DoubleWord<double> log_words(const Register<double>& x) noexcept {
  const Split<double> parts = split(x);
  return log_words(parts.k, DoubleWord<double>{parts.m - 1.0, 0.0});
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace weft::inline v0
