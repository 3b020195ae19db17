// SPDX-License-Identifier: Apache-2.0
/// @file
/// The logarithm of the gamma function, every lane for itself. Fits at Chebyshev points.
#pragma once

#include <weft/kernel/detail/math/logarithm.hpp>
#include <weft/kernel/detail/math/trigonometric.hpp>

#include <math.h>  // lgamma_r, which is no function of C++: lgamma sets a variable of the program

#include <cstddef>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

template <int n>
WEFT_ALWAYS_INLINE Register<double, n> rough_log(const Register<double, n>& x) noexcept {
  return rough_log(x, log_series_35);
}

/// log gamma(x) of f32 numbers 0 < x < 3: of u = x, x + 1 or x - 1 between 1 and 2 it is (u - 1) (u
/// - 2) times a smooth function, which keeps results near the zeros at 1 and 2 accurate; by gamma(u
/// + 1) = u gamma(u) a logarithm comes to it or goes from it.
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> small_lgamma(const Register<double, n>& x) noexcept {
  // In u - 1.5; error below 2^-35 of it.
  constexpr double series[] = {
      0.48312895054215604,   -0.14595989572843138,   0.06291140062002577,   -0.031308508137616625,
      0.016797127325785408,  -0.009424970421393503,  0.005445780410890373,  -0.003220843779276923,
      0.0019304843301379648, -0.0011078351988454372, 0.0006687055460387239, -0.0006074453207930458,
      0.0003872262019314418};
  const RegisterMask<double, n> below = x < 1.0, above = x >= 2.0;
  const Register<double, n> u = select(below, x + 1.0, select(above, x - 1.0, x));
  // At the zeros 0.0, not -0.0.
  const Register<double, n> value = (1.0 - u) * (2.0 - u) * polynomial(u - 1.5, series);
  if (!any(below | above)) return value;
  const Register<double, n> log = rough_log(select(below, x, select(above, u, 1.0)));
  return value + select(below, -log, log);
}
/// The same for x >= 3, by Stirling's series from 8 on; up to there x (x + 1) ... (x + 4) is
/// divided out.
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> large_lgamma(const Register<double, n>& x) noexcept {
  const RegisterMask<double, n> low = x < 8.0;
  const Register<double, n> w = select(low, x + 5.0, x), inverse = 1.0 / w, z = inverse * inverse;
  const Register<double, n> series =
      inverse * fma(z, fma(z, 0.0007936507936507937, -0.002777777777777778), 0.08333333333333333);
  const Register<double, n> value = fma(w - 0.5, rough_log(w), (series + 0.9189385332046728) - w);
  if (!any(low)) return value;
  const Register<double, n> v = at_most(x, 8.0);
  const Register<double, n> product = v * (v + 1.0) * ((v + 2.0) * (v + 3.0)) * (v + 4.0);
  return select(low, value - rough_log(product), value);
}

/// For f32 numbers above -2. Below 0 by gamma(x) gamma(1 - x) = pi / sin(pi x); there are no zeros
/// where terms would cancel.
struct LGammaOfSingle {
  template <int n>
  WEFT_ALWAYS_INLINE Register<double, n> operator()(const Register<double, n>& x) const noexcept {
    const RegisterMask<double, n> negative = x < 0.0;
    const Register<double, n> z = select(negative, 1.0 - x, x);
    const RegisterMask<double, n> large = z >= 3.0;
    Register<double, n> value = small_lgamma(clamped(z, 1.0e-300, 3.0));
    if (any(large)) value = select(large, large_lgamma(z), value);
    if (any(negative)) {
      const Register<double, n> rest = x - nearest_whole(at_least(x, -2.0));
      const Register<double, n> sine =
          abs(half_turn_sine(rest * 3.141592653589793, Register<double, n>(0.0)));
      value = select(negative, rough_log(3.141592653589793 / sine) - value, value);
    }
    // At 0 and integers below, and at infinity.
    const RegisterMask<double, n> pole = (x == infinity<double>) | (x == 0.0) | (x == -1.0);
    return select(pole, infinity<double>, select(isnan(x), x, value));
  }
};
template <int n>
WEFT_ALWAYS_INLINE Register<float, n> lgamma(const Register<float, n>& x) noexcept {
  const RegisterMask<float, n> far = x <= -2.0F;
  const Register<float, n> value = in_double(LGammaOfSingle(), x);
  if (!any(far)) return value;
  // One by one, by the C library in double.
  constexpr int lanes = Register<float, n>::lanes;
  alignas(64) float from[std::size_t{lanes}], to[std::size_t{lanes}];
  x.store(from);
  value.store(to);
  for (int i = 0; i < lanes; ++i) {
    int sign = 0;
    if (from[i] <= -2.0F) to[i] = static_cast<float>(::lgamma_r(from[i], &sign));
  }
  return Register<float, n>::load(to);
}
/// log gamma(x) of f64 numbers 0 < x < 8. With w the whole part of x and u = x - w + 1 it is (u -
/// 1) (u - 2) times a smooth function, less log(x) below 1, and with log((x - 1) ... (x - w + 1))
/// from 2 on: in two words, near the zeros at 1 and 2 as elsewhere.
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> lgamma_to_8(const Register<double, n>& x) noexcept {
  // In u - 1.5; error below 2^-61 of it.
  constexpr double first = 0.4831289505409809, first_rest = 1.6718818997178506e-17;
  constexpr double series[] = {
      -0.14595989591430608,    0.06291140107456494,     -0.031308487501009494,
      0.016797098631185916,    -0.009425622448625905,   0.005446457844650585,
      -0.003212074069736748,   0.0019229161355079497,   -0.0011644146716071257,
      0.0007115223848906008,   -0.00043799193485690124, 0.00027127505354773154,
      -0.00016892719402703723, 0.00010564474884131882,  -6.609271409301556e-05,
      4.1635136148902716e-05,  -2.7356444761067124e-05, 1.734263784459851e-05,
      -8.07952925042159e-06,   5.129828644815147e-06,   -7.970873319492813e-06,
      5.1046182161001864e-06};
  const Register<double, n> nearest = nearest_whole(x);
  const Register<double, n> w = nearest - select(nearest > x, 1.0, 0.0);
  const Register<double, n> t = (x - w) - 0.5;
  const DoubleWord<double, n> smooth = ordered_sum<double, n>(first, t * polynomial(t, series));
  // At the zeros 0.0, not -0.0.
  const DoubleWord<double, n> value = exact_product(w - x, (w + 1.0) - x) *
                                      DoubleWord<double, n>{smooth.high, smooth.low + first_rest};
  const RegisterMask<double, n> below = x < 1.0, above = x >= 2.0;
  if (!any(below | above)) return rounded(value);
  DoubleWord<double, n> product{x - 1.0, 0.0};
  for (int i = 2; i <= 6 && any(x >= i + 1.0); ++i) {
    const Register<double, n> factor = x - static_cast<double>(i);
    product = select(factor >= 1.0, product * factor, product);
  }
  const Split<double, n> parts = split(select(below, x, select(above, product.high, 1.0)));
  const Register<double, n> low = select(above, product.low, 0.0);
  const Register<double, n> scale = power_of_two(-clamped(parts.k, 0.0, 20.0));
  const DoubleWord<double, n> log = log_words(parts.k, ordered_sum(parts.m - 1.0, low * scale));
  return rounded(value + select(below, -log, log));
}
/// The same for 8 <= x < 1e290, by Stirling's series: (x - 1/2) (log(x) - 1) + log(2 pi) / 2 - 1/2
/// + P(1 / x^2) / x.
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> lgamma_from_8(const Register<double, n>& x) noexcept {
  constexpr double series[] = {
      0.08333333333333333,  -0.0027777777777776747, 0.0007936507935117282, -0.0005952380234291253,
      0.000841732526802233, -0.0019149659121622845, 0.006208136766203285,  -0.020855820837011485};
  const Register<double, n> inverse = 1.0 / x;
  const Register<double, n> tail = inverse * polynomial(inverse * inverse, series);
  const DoubleWord<double, n> constants = ordered_sum<double, n>(0.4189385332046727, tail);
  const DoubleWord<double, n> value =
      ordered_sum<double, n>(x, -0.5) * (log_words(x) + Register<double, n>(-1.0));
  return rounded(value +
                 DoubleWord<double, n>{constants.high, constants.low + 1.672820965058541e-17});
}
/// Below 0, where zeros lie close to poles, by the C library in long double.
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> lgamma(const Register<double, n>& x) noexcept {
  const RegisterMask<double, n> plain = (x > 0.0) & (x < 1.0e290);
  const Register<double, n> within = select(plain, x, 1.5);
  const RegisterMask<double, n> large = within >= 8.0;
  Register<double, n> value = lgamma_to_8(select(large, Register<double, n>(1.5), within));
  if (any(large)) value = select(large, lgamma_from_8(within), value);
  if (!any(!plain)) return value;
  constexpr int lanes = Register<double, n>::lanes;
  alignas(64) double from[std::size_t{lanes}], to[std::size_t{lanes}];
  x.store(from);
  value.store(to);
  for (int i = 0; i < lanes; ++i) {
    int sign = 0;
    if (!(from[i] > 0 && from[i] < 1.0e290))
      to[i] = static_cast<double>(::lgammal_r(from[i], &sign));
  }
  return Register<double, n>::load(to);
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
