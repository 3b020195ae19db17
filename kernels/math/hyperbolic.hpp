// SPDX-License-Identifier: Apache-2.0
/// @file
/// Hyperbolic functions but tanh, their inverses, and activations made of e^x, for f64; every lane
/// for itself.
#pragma once

#include "kernels/math/exponential.hpp"
#include "kernels/math/logarithm.hpp"

namespace weft::inline v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Half of e^|x| - 1, and of e^|x|, in two words: what does not overflow before the result does.
WEFT_ALWAYS_INLINE DoubleWord<double> half_expm1(const Register<double>& x) noexcept {
  const ScaledDoubleWord<double> e = scaled_expm1(at_most(abs(x), 711.0));
  return scaled(ordered_sum(e.value.high, e.value.low), e.k - 1.0);
}
WEFT_ALWAYS_INLINE Register<double> sinh(const Register<double>& x) noexcept {
  // h + h / (2 h + 1), h = (e^|x| - 1) / 2; where h is large, 1/2 more does not count.
  const DoubleWord<double> h = half_expm1(x);
  const Register<double> one(1.0);
  const RegisterMask<double> large = h.high > 1.0e30;
  const DoubleWord<double> within =
      select(large, DoubleWord<double>{one, Register<double>(0.0)}, h);
  const DoubleWord<double> twice{within.high * 2.0, within.low * 2.0};
  const DoubleWord<double> quotient = within / (twice + one);
  const DoubleWord<double> sum = exact_sum(h.high, quotient.high);
  const Register<double> value = sum.high + (sum.low + (h.low + quotient.low));
  return turned(select(large, h.high, value), x);
}
WEFT_ALWAYS_INLINE Register<double> cosh(const Register<double>& x) noexcept {
  const ReducedExp<double> e = reduced_exp(at_most(abs(x), 711.0));
  const DoubleWord<double> sum = ordered_sum<double>(1.0, e.high);
  const DoubleWord<double> half = scaled(ordered_sum(sum.high, sum.low + e.low), e.k - 1.0);
  return half.high + (half.low + 0.25 / half.high);
}

/// log(a + b) in two words for a sum that is at least 1 and kept in two words.
WEFT_ALWAYS_INLINE DoubleWord<double> log_of_sum(const DoubleWord<double>& a) noexcept {
  const Split<double> parts = split(a.high);
  const DoubleWord<double> f = exact_sum(parts.m - 1.0, a.low * small_power_of_two(-parts.k));
  return log_words(parts.k, f);
}
/// sqrt(a) in two words, for a between 1e-200 and 1e200, or 0.
WEFT_ALWAYS_INLINE DoubleWord<double> sqrt_words(const DoubleWord<double>& a) noexcept {
  const Register<double> root = sqrt(a.high);
  const Register<double> rest = remainder(a.high, root, root) + a.low;
  return {root, rest / at_least(root + root, 1.0e-150)};
}
WEFT_ALWAYS_INLINE Register<double> asinh(const Register<double>& x) noexcept {
  // log(a + sqrt(a^2 + 1)); far out log(2 a), close by a.
  const DoubleWord<double> zero{0.0, 0.0}, ln2{0.6931471805599453, 2.3190468138462996e-17};
  const Register<double> a = abs(x), near = at_most(a, 1.0e9);
  const RegisterMask<double> far = a > 1.0e9;
  const DoubleWord<double> root = sqrt_words(exact_product(near, near) + Register<double>(1.0));
  const DoubleWord<double> large{at_most(a, std::numeric_limits<double>::max()), zero.low};
  const DoubleWord<double> sum = select(far, large, ordered_sum(root.high, root.low) + near);
  const Register<double> value = rounded(log_of_sum(sum) + select(far, ln2, zero));
  return turned(select((a < 1.0e-9) | (a == infinity<double>) | isnan(a), a, value), x);
}
WEFT_ALWAYS_INLINE Register<double> acosh(const Register<double>& x) noexcept {
  // log(x + sqrt(x^2 - 1)); far out log(2 x).
  const DoubleWord<double> zero{0.0, 0.0}, ln2{0.6931471805599453, 2.3190468138462996e-17};
  const Register<double> near = clamped(x, 1.0, 1.0e9);
  const RegisterMask<double> far = x > 1.0e9;
  const DoubleWord<double> root = sqrt_words(exact_product(near, near) + Register<double>(-1.0));
  const DoubleWord<double> large{at_most(x, std::numeric_limits<double>::max()), zero.low};
  const DoubleWord<double> sum = select(far, large, ordered_sum(root.high, root.low) + near);
  const Register<double> value = rounded(log_of_sum(sum) + select(far, ln2, zero));
  return select(x < 1.0, not_a_number<double>, select(x == infinity<double>, x, value));
}
WEFT_ALWAYS_INLINE Register<double> atanh(const Register<double>& x) noexcept {
  // log((1 + a) / (1 - a)) / 2; close by a.
  const Register<double> a = abs(x), within = at_most(a, 0x1.fffffffffffffp-1), one(1.0);
  const DoubleWord<double> quotient = ordered_sum(one, within) / ordered_sum(one, -within);
  const DoubleWord<double> log = log_of_sum(ordered_sum(quotient.high, quotient.low));
  Register<double> value = select(a < 1.0e-9, a, rounded(log) * 0.5);
  value = select(a == 1.0, infinity<double>, select(a > 1.0, not_a_number<double>, value));
  return turned(select(isnan(a), a, value), x);
}

/// log(1 + e^x).
WEFT_ALWAYS_INLINE Register<double> softplus(const Register<double>& x) noexcept {
  const Register<double> rest = log1p(exp(-abs(x)));
  return select(x > 0.0, x + rest, rest);
}
/// x tanh(log(1 + e^x)) = x e^x (e^x + 2) / (e^x (e^x + 2) + 2), e^x = 2^k p; the power comes last.
WEFT_ALWAYS_INLINE Register<double> mish(const Register<double>& x) noexcept {
  const Register<double> within = clamped(x, sigmoid_least<double>, 40.0);
  const ReducedExp<double> e = reduced_exp(within);
  const DoubleWord<double> sum = ordered_sum<double>(1.0, e.high);
  const DoubleWord<double> p = ordered_sum(sum.high, sum.low + e.low);
  const Register<double> power = small_power_of_two(e.k), two(2.0);
  const DoubleWord<double> whole{p.high * power, p.low * power};
  const DoubleWord<double> more = whole + two;
  const DoubleWord<double> quotient = p * more / (whole * more + two);
  const DoubleWord<double> ordered = ordered_sum(quotient.high, quotient.low);
  return select((x > 40.0) | (x == 0.0), x, scaled(rounded(ordered * within), e.k));
}
/// x above 0, scale (e^x - 1) elsewhere.
WEFT_ALWAYS_INLINE Register<double> scaled_elu(const Register<double>& x,
                                               const Register<double>& scale) noexcept {
  return select(x > 0.0, x, scale * expm1(x));
}
/// The elu that keeps mean 0 and variance 1 (Klambauer et al. 2017).
WEFT_ALWAYS_INLINE Register<double> selu(const Register<double>& x) noexcept {
  constexpr double scale = 1.0507009873554805, alpha_scale = 1.7580993408473768;
  return select(x > 0.0, scale * x, alpha_scale * expm1(x));
}
/// x / (1 + e^(-2 u)), u = sqrt(2 / pi) (x + 0.044715 x^3), which is gelu with a tanh.
WEFT_ALWAYS_INLINE Register<double> gelu_tanh(const Register<double>& x) noexcept {
  const Register<double> within = clamped(x, -24.0, 10.0);
  // 2 u = x (c + d x^2), to two words: it is an exponent.
  const DoubleWord<double> c{1.5957691216057308, -9.96930880911092e-17};
  const DoubleWord<double> d{0.07135481627260025, -6.175149918155315e-19};
  const DoubleWord<double> u = (exact_product(within, within) * d + c) * within;
  const RegisterMask<double> out = u.high < sigmoid_least<double>;
  const Register<double> high = select(out, sigmoid_least<double>, u.high);
  const Register<double> capped = at_most(high, sigmoid_most<double>);
  const Register<double> low = select(high == capped, select(out, 0.0, -u.low), 0.0);
  return select(x > 10.0, x, times_sigmoid(within, capped, low));
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace weft::inline v0
