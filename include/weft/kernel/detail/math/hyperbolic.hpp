// SPDX-License-Identifier: Apache-2.0
/// @file
/// Hyperbolic functions but tanh, and their inverses; every lane for itself.
#pragma once

#include <weft/kernel/detail/math/exponential.hpp>
#include <weft/kernel/detail/math/in_double.hpp>
#include <weft/kernel/detail/math/logarithm.hpp>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Half of e^|x| - 1, and of e^|x|, in two words: what does not overflow before the result does.
template <int n>
WEFT_ALWAYS_INLINE DoubleWord<double, n> half_expm1(const Register<double, n>& x) noexcept {
  const ScaledDoubleWord<double, n> e = scaled_expm1(at_most(abs(x), 711.0));
  return scaled(ordered_sum(e.value.high, e.value.low), e.k - 1.0);
}
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> sinh(const Register<double, n>& x) noexcept {
  // h + h / (2 h + 1), h = (e^|x| - 1) / 2; where h is large, 1/2 more does not count.
  const DoubleWord<double, n> h = half_expm1(x);
  const Register<double, n> one(1.0);
  const RegisterMask<double, n> large = h.high > 1.0e30;
  const DoubleWord<double, n> within =
      select(large, DoubleWord<double, n>{one, Register<double, n>(0.0)}, h);
  const DoubleWord<double, n> twice{within.high * 2.0, within.low * 2.0};
  const DoubleWord<double, n> quotient = within / (twice + one);
  const DoubleWord<double, n> sum = exact_sum(h.high, quotient.high);
  const Register<double, n> value = sum.high + (sum.low + (h.low + quotient.low));
  return turned(select(large, h.high, value), x);
}
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> cosh(const Register<double, n>& x) noexcept {
  const ReducedExp<double, n> e = reduced_exp(at_most(abs(x), 711.0));
  const DoubleWord<double, n> sum = ordered_sum<double, n>(1.0, e.high);
  const DoubleWord<double, n> half = scaled(ordered_sum(sum.high, sum.low + e.low), e.k - 1.0);
  return half.high + (half.low + 0.25 / half.high);
}

/// log(a + b) in two words for a sum that is at least 1 and kept in two words.
template <int n>
WEFT_ALWAYS_INLINE DoubleWord<double, n> log_of_sum(const DoubleWord<double, n>& a) noexcept {
  const Split<double, n> parts = split(a.high);
  const DoubleWord<double, n> f = exact_sum(parts.m - 1.0, a.low * small_power_of_two(-parts.k));
  return log_words(parts.k, f);
}
/// sqrt(a) in two words, for a between 1e-200 and 1e200, or 0.
template <int n>
WEFT_ALWAYS_INLINE DoubleWord<double, n> sqrt_words(const DoubleWord<double, n>& a) noexcept {
  const Register<double, n> root = sqrt(a.high);
  const Register<double, n> rest = remainder(a.high, root, root) + a.low;
  return {root, rest / at_least(root + root, 1.0e-150)};
}
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> asinh(const Register<double, n>& x) noexcept {
  // log(a + sqrt(a^2 + 1)); far out log(2 a), close by a.
  const DoubleWord<double, n> zero{0.0, 0.0}, ln2{0.6931471805599453, 2.3190468138462996e-17};
  const Register<double, n> a = abs(x), near = at_most(a, 1.0e9);
  const RegisterMask<double, n> far = a > 1.0e9;
  const DoubleWord<double, n> root =
      sqrt_words(exact_product(near, near) + Register<double, n>(1.0));
  const DoubleWord<double, n> large{at_most(a, std::numeric_limits<double>::max()), zero.low};
  const DoubleWord<double, n> sum = select(far, large, ordered_sum(root.high, root.low) + near);
  const Register<double, n> value = rounded(log_of_sum(sum) + select(far, ln2, zero));
  return turned(select((a < 1.0e-9) | (a == infinity<double>) | isnan(a), a, value), x);
}
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> acosh(const Register<double, n>& x) noexcept {
  // log(x + sqrt(x^2 - 1)); far out log(2 x).
  const DoubleWord<double, n> zero{0.0, 0.0}, ln2{0.6931471805599453, 2.3190468138462996e-17};
  const Register<double, n> near = clamped(x, 1.0, 1.0e9);
  const RegisterMask<double, n> far = x > 1.0e9;
  const DoubleWord<double, n> root =
      sqrt_words(exact_product(near, near) + Register<double, n>(-1.0));
  const DoubleWord<double, n> large{at_most(x, std::numeric_limits<double>::max()), zero.low};
  const DoubleWord<double, n> sum = select(far, large, ordered_sum(root.high, root.low) + near);
  const Register<double, n> value = rounded(log_of_sum(sum) + select(far, ln2, zero));
  return select(x < 1.0, not_a_number<double>, select(x == infinity<double>, x, value));
}
/// log(1 + 2 a / (1 - a)) / 2 for a = |x|; f32 below 1/2 by a series. Beyond 1, NaN comes of
/// itself.
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> atanh(const Register<double, n>& x) noexcept {
  // 2 a / (1 - a) as 2 a + 2 a^2 / (1 - a), which rounds less where a is small.
  const Register<double, n> a = abs(x), twice = a + a, less = 1.0 - a;
  const Register<double, n> y = select(a < 0.5, twice + twice * a / less, twice / less);
  return turned(log1p(y) * 0.5, x);
}
template <int n>
WEFT_ALWAYS_INLINE Register<float, n> atanh(const Register<float, n>& x) noexcept {
  // Of (atanh(a) - a) / a^3 in a^2 <= 1/4; error below 2^-27 of the result.
  constexpr float series[] = {0.333333015F, 0.200025097F,  0.14222908F,
                              0.118225001F, 0.0514071882F, 0.17661868F};
  const Register<float, n> a = abs(x), z = a * a;
  const Register<float, n> near = fma(a * z, polynomial(z, series), a);
  const RegisterMask<float, n> small = a < 0.5F;
  if (!any(!small)) return turned(near, x);
  const Register<float, n> far = log1p((a + a) / (1.0F - a)) * 0.5F;
  return turned(select(small, near, far), x);
}

/// The parts of sinh and cosh of an f32 number: of r = x - k ln 2, and (2^k + 2^-k) / 2 and (2^k -
/// 2^-k)
/// / 2. Where k is 0, the result is that of r.
template <int n>
struct HyperbolicParts {
  Register<double, n> sinh, cosh, cosh_of_k, sinh_of_k;
};
template <int n>
WEFT_ALWAYS_INLINE HyperbolicParts<n> hyperbolic_parts(const Register<double, n>& x) noexcept {
  constexpr double sinh_series[] = {0.1666666675467219, 0.008333288947045563,
                                    0.00019904947910251458};
  constexpr double cosh_series[] = {0.5000000079735687, 0.04166626567394218, 0.001394629776984388};
  const Register<double, n> within = clamped(x, -100.0, 100.0);
  const Register<double, n> k = nearest_product(within, 1.4426950408889634);
  const Register<double, n> r = fma(k, -0.6931471805599453, within), z = r * r;
  const Register<double, n> up = power_of_two(k - 1.0), down = power_of_two(-k - 1.0);
  return {fma(r * z, polynomial(z, sinh_series), r), fma(z, polynomial(z, cosh_series), 1.0),
          up + down, up - down};
}
struct SinhOfSingle {
  template <int n>
  WEFT_ALWAYS_INLINE Register<double, n> operator()(const Register<double, n>& x) const noexcept {
    const HyperbolicParts<n> p = hyperbolic_parts(x);
    return select(x == 0.0, x, fma(p.sinh, p.cosh_of_k, p.cosh * p.sinh_of_k));
  }
};
struct CoshOfSingle {
  template <int n>
  WEFT_ALWAYS_INLINE Register<double, n> operator()(const Register<double, n>& x) const noexcept {
    const HyperbolicParts<n> p = hyperbolic_parts(x);
    return fma(p.cosh, p.cosh_of_k, p.sinh * p.sinh_of_k);
  }
};
template <int n>
WEFT_ALWAYS_INLINE Register<float, n> sinh(const Register<float, n>& x) noexcept {
  return in_double(SinhOfSingle(), x);
}
template <int n>
WEFT_ALWAYS_INLINE Register<float, n> cosh(const Register<float, n>& x) noexcept {
  return in_double(CoshOfSingle(), x);
}
/// As for f64, but squares and sums of f32 numbers lose nothing that counts in f64.
struct AsinhOfSingle {
  template <int n>
  WEFT_ALWAYS_INLINE Register<double, n> operator()(const Register<double, n>& x) const noexcept {
    const Register<double, n> a = abs(x), sum = a + sqrt(fma(a, a, 1.0));
    const Register<double, n> far = with_log_edges(rough_log(sum, log_series_30), sum);
    const Register<double, n> near = fma(a * a, a * -0.16666666666666666, a);
    return turned(select(a < 0.002, near, far), x);
  }
};
struct AcoshOfSingle {
  template <int n>
  WEFT_ALWAYS_INLINE Register<double, n> operator()(const Register<double, n>& x) const noexcept {
    const Register<double, n> sum = x + sqrt(fma(x, x, -1.0));
    return with_log_edges(rough_log(sum, log_series_30), select(x < 1.0, -1.0, sum));
  }
};
template <int n>
WEFT_ALWAYS_INLINE Register<float, n> asinh(const Register<float, n>& x) noexcept {
  return in_double(AsinhOfSingle(), x);
}
template <int n>
WEFT_ALWAYS_INLINE Register<float, n> acosh(const Register<float, n>& x) noexcept {
  return in_double(AcoshOfSingle(), x);
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
