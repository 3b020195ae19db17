// SPDX-License-Identifier: Apache-2.0
/// @file
/// Hyperbolic functions but tanh, and their inverses; every lane for itself.
#pragma once

#include "kernels/math/exponential.hpp"
#include "kernels/math/logarithm.hpp"
#include "kernels/math/widened.hpp"

namespace weft {
inline namespace v0 {
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
/// log(1 + 2 a / (1 - a)) / 2 for a = |x|; f32 below 1/2 by a series. Beyond 1, NaN comes of
/// itself.
WEFT_ALWAYS_INLINE Register<double> atanh(const Register<double>& x) noexcept {
  // 2 a / (1 - a) as 2 a + 2 a^2 / (1 - a), which rounds less where a is small.
  const Register<double> a = abs(x), twice = a + a, less = 1.0 - a;
  const Register<double> y = select(a < 0.5, twice + twice * a / less, twice / less);
  return turned(log1p(y) * 0.5, x);
}
WEFT_ALWAYS_INLINE Register<float> atanh(const Register<float>& x) noexcept {
  // Of (atanh(a) - a) / a^3 in a^2 <= 1/4; error below 2^-27 of the result.
  constexpr float series[] = {0.333333015F, 0.200025097F,  0.14222908F,
                              0.118225001F, 0.0514071882F, 0.17661868F};
  const Register<float> a = abs(x), z = a * a;
  const Register<float> near = fma(a * z, polynomial(z, series), a);
  const RegisterMask<float> small = a < 0.5F;
  if (!any(!small)) return turned(near, x);
  const Register<float> far = log1p((a + a) / (1.0F - a)) * 0.5F;
  return turned(select(small, near, far), x);
}

/// The parts of sinh and cosh of an f32 number: of r = x - k ln 2, and (2^k + 2^-k) / 2 and (2^k -
/// 2^-k)
/// / 2. Where k is 0, the result is that of r.
struct HyperbolicParts {
  Register<double> sinh, cosh, cosh_of_k, sinh_of_k;
};
WEFT_ALWAYS_INLINE HyperbolicParts hyperbolic_parts(const Register<double>& x) noexcept {
  constexpr double sinh_series[] = {0.1666666675467219, 0.008333288947045563,
                                    0.00019904947910251458};
  constexpr double cosh_series[] = {0.5000000079735687, 0.04166626567394218, 0.001394629776984388};
  const Register<double> within = clamped(x, -100.0, 100.0);
  const Register<double> k = nearest_product(within, 1.4426950408889634);
  const Register<double> r = fma(k, -0.6931471805599453, within), z = r * r;
  const Register<double> up = power_of_two(k - 1.0), down = power_of_two(-k - 1.0);
  return {fma(r * z, polynomial(z, sinh_series), r), fma(z, polynomial(z, cosh_series), 1.0),
          up + down, up - down};
}
struct SinhOfSingle {
  WEFT_ALWAYS_INLINE Register<double> operator()(const Register<double>& x) const noexcept {
    const HyperbolicParts p = hyperbolic_parts(x);
    return select(x == 0.0, x, fma(p.sinh, p.cosh_of_k, p.cosh * p.sinh_of_k));
  }
};
struct CoshOfSingle {
  WEFT_ALWAYS_INLINE Register<double> operator()(const Register<double>& x) const noexcept {
    const HyperbolicParts p = hyperbolic_parts(x);
    return fma(p.cosh, p.cosh_of_k, p.sinh * p.sinh_of_k);
  }
};
WEFT_ALWAYS_INLINE Register<float> sinh(const Register<float>& x) noexcept {
  return in_double(SinhOfSingle(), x);
}
WEFT_ALWAYS_INLINE Register<float> cosh(const Register<float>& x) noexcept {
  return in_double(CoshOfSingle(), x);
}
/// As for f64, but squares and sums of f32 numbers lose nothing that counts in f64.
struct AsinhOfSingle {
  WEFT_ALWAYS_INLINE Register<double> operator()(const Register<double>& x) const noexcept {
    const Register<double> a = abs(x), sum = a + sqrt(fma(a, a, 1.0));
    const Register<double> far = with_log_edges(rough_log(sum, log_series_30), sum);
    const Register<double> near = fma(a * a, a * -0.16666666666666666, a);
    return turned(select(a < 0.002, near, far), x);
  }
};
struct AcoshOfSingle {
  WEFT_ALWAYS_INLINE Register<double> operator()(const Register<double>& x) const noexcept {
    const Register<double> sum = x + sqrt(fma(x, x, -1.0));
    return with_log_edges(rough_log(sum, log_series_30), select(x < 1.0, -1.0, sum));
  }
};
WEFT_ALWAYS_INLINE Register<float> asinh(const Register<float>& x) noexcept {
  return in_double(AsinhOfSingle(), x);
}
WEFT_ALWAYS_INLINE Register<float> acosh(const Register<float>& x) noexcept {
  return in_double(AcoshOfSingle(), x);
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
