// SPDX-License-Identifier: Apache-2.0
/// @file
/// Activations of networks made of e^x, every lane for itself. Those of f32 in f64 to the precision
/// of f32, which costs less than two words where the last bit needs them.
#pragma once

#include <weft/kernel/detail/math/exponential.hpp>
#include <weft/kernel/detail/math/logarithm.hpp>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// log(1 + e^x).
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> softplus(const Register<double, n>& x) noexcept {
  const Register<double, n> rest = log1p(exp(-abs(x)));
  return select(x > 0.0, x + rest, rest);
}
struct SoftplusOfSingle {
  template <int n>
  WEFT_ALWAYS_INLINE Register<double, n> operator()(const Register<double, n>& x) const noexcept {
    // log(1 + e), 0 < e <= 1, as log(2) + log((1 + e) / 2) from 1/2 on.
    const Register<double, n> e = rough_exp(at_least(-abs(x), -700.0));
    const RegisterMask<double, n> large = e > 0.5;
    const Register<double, n> f = select(large, fma(e, 0.5, -0.5), e);
    const Register<double, n> rest = fma(f * f, polynomial(f, log_series_30), f);
    return at_least(x, 0.0) + (rest + select(large, 0.6931471805599453, 0.0));
  }
};
template <int n>
WEFT_ALWAYS_INLINE Register<float, n> softplus(const Register<float, n>& x) noexcept {
  return in_double(SoftplusOfSingle(), x);
}

/// x tanh(log(1 + e^x)) = x e^x (e^x + 2) / (e^x (e^x + 2) + 2), e^x = 2^k p; the power comes last.
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> mish(const Register<double, n>& x) noexcept {
  const Register<double, n> within = clamped(x, sigmoid_least<double>, 40.0);
  const ReducedExp<double, n> e = reduced_exp(within);
  const DoubleWord<double, n> sum = ordered_sum<double, n>(1.0, e.high);
  const DoubleWord<double, n> p = ordered_sum(sum.high, sum.low + e.low);
  const Register<double, n> power = small_power_of_two(e.k), two(2.0);
  const DoubleWord<double, n> whole{p.high * power, p.low * power};
  const DoubleWord<double, n> more = whole + two;
  const DoubleWord<double, n> quotient = p * more / (whole * more + two);
  const DoubleWord<double, n> ordered = ordered_sum(quotient.high, quotient.low);
  const Register<double, n> small =
      scaled_unless(x <= sigmoid_least<double>, rounded(ordered * within), e.k);
  return select((x > 40.0) | (x == 0.0), x, with_sign_of(small, x));
}
struct MishOfSingle {
  template <int n>
  WEFT_ALWAYS_INLINE Register<double, n> operator()(const Register<double, n>& x) const noexcept {
    const Register<double, n> within = clamped(x, -200.0, 40.0), e = rough_exp(within);
    const Register<double, n> more = e * (e + 2.0);
    return select(x > 40.0, x, within * more / (more + 2.0));
  }
};
template <int n>
WEFT_ALWAYS_INLINE Register<float, n> mish(const Register<float, n>& x) noexcept {
  return in_double(MishOfSingle(), x);
}

/// x above 0, scale (e^x - 1) elsewhere.
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> scaled_elu(const Register<double, n>& x,
                                                  const Register<double, n>& scale) noexcept {
  return select(x > 0.0, x, scale * expm1(x));
}
struct ScaledEluOfSingle {
  template <int n>
  WEFT_ALWAYS_INLINE Register<double, n> operator()(
      const Register<double, n>& x, const Register<double, n>& scale) const noexcept {
    return select(x > 0.0, x, scale * rough_expm1(clamped(x, -700.0, 700.0)));
  }
};
template <int n>
WEFT_ALWAYS_INLINE Register<float, n> scaled_elu(const Register<float, n>& x,
                                                 const Register<float, n>& scale) noexcept {
  return in_double(ScaledEluOfSingle(), x, scale);
}
/// The elu that keeps mean 0 and variance 1 (Klambauer et al. 2017).
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> selu(const Register<double, n>& x) noexcept {
  constexpr double scale = 1.0507009873554805, alpha_scale = 1.7580993408473768;
  return select(x > 0.0, scale * x, alpha_scale * expm1(x));
}
struct SeluOfDouble {
  template <int n>
  WEFT_ALWAYS_INLINE Register<double, n> operator()(const Register<double, n>& x) const noexcept {
    return selu(x);
  }
};
template <int n>
WEFT_ALWAYS_INLINE Register<float, n> selu(const Register<float, n>& x) noexcept {
  return in_double(SeluOfDouble(), x);
}
/// x / (1 + e^(-2 u)), u = sqrt(2 / pi) (x + 0.044715 x^3), which is gelu with a tanh.
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> gelu_tanh(const Register<double, n>& x) noexcept {
  const Register<double, n> within = clamped(x, -24.0, 10.0);
  // 2 u = x (c + d x^2), to two words: it is an exponent.
  const DoubleWord<double, n> c{1.5957691216057308, -9.96930880911092e-17};
  const DoubleWord<double, n> d{0.07135481627260025, -6.175149918155315e-19};
  const DoubleWord<double, n> u = (exact_product(within, within) * d + c) * within;
  const RegisterMask<double, n> out = u.high < sigmoid_least<double>;
  const Register<double, n> high = select(out, sigmoid_least<double>, u.high);
  const Register<double, n> capped = at_most(high, sigmoid_most<double>);
  const Register<double, n> low = select(high == capped, select(out, 0.0, -u.low), 0.0);
  const Logistic<double, n> l = logistic(capped, low);
  return select(x > 10.0, x, with_sign_of(scaled_unless(out, within / l.divisor, l.k), x));
}
struct GeluTanhOfSingle {
  template <int n>
  WEFT_ALWAYS_INLINE Register<double, n> operator()(const Register<double, n>& x) const noexcept {
    const Register<double, n> within = clamped(x, -12.0, 10.0);
    const Register<double, n> u =
        within * fma(within * within, -0.07135481627260025, -1.5957691216057308);
    return select(x > 10.0, x, within / (rough_exp(u) + 1.0));
  }
};
template <int n>
WEFT_ALWAYS_INLINE Register<float, n> gelu_tanh(const Register<float, n>& x) noexcept {
  return in_double(GeluTanhOfSingle(), x);
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
