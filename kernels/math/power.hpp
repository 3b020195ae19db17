// SPDX-License-Identifier: Apache-2.0
/// @file
/// Powers, roots and lengths, for f64 and, computed in f64, for f32; every lane for itself.
#pragma once

#include "kernels/math/logarithm.hpp"
#include "kernels/math/widened.hpp"

namespace weft::inline v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// True for whole numbers and infinity, of numbers that are not negative.
WEFT_ALWAYS_INLINE RegisterMask<double> is_whole(const Register<double>& a) noexcept {
  constexpr double unit = 0x1p52;  // from here on there are no fractions
  return (a >= unit) | (((at_most(a, unit) + unit) - unit) == a);
}

/// m, the power of |x|, as the power of x: signs, infinities, zeros and NaN as C99 Annex F has them.
WEFT_ALWAYS_INLINE Register<double> with_power_edges(const Register<double>& m,
                                                     const Register<double>& x,
                                                     const Register<double>& y) noexcept {
  const Register<double> a = abs(x), b = abs(y);
  const RegisterMask<double> plain = (x > 0.0) & (a < infinity<double>)&(b < 1.0e300) & (b > 0.0);
  if (!any(!plain)) return m;
  const RegisterMask<double> endless =
      (a == 0.0) | (a == infinity<double>) | (b == infinity<double>);
  const RegisterMask<double> grows = ((a > 1.0) & (y > 0.0)) | ((a < 1.0) & (y < 0.0));
  Register<double> value = select(endless, select(grows, infinity<double>, 0.0), m);
  value = select(a == 1.0, 1.0, value);
  const RegisterMask<double> whole = is_whole(b), odd = whole & !is_whole(b * 0.5);
  value = select(odd, with_sign_of(value, x), value);
  const RegisterMask<double> no_root = (x < 0.0) & (a < infinity<double>)&!whole;
  value = select(no_root | isnan(x) | isnan(y), not_a_number<double>, value);
  return select((y == 0.0) | (x == 1.0), 1.0, value);
}
WEFT_ALWAYS_INLINE Register<double> pow(const Register<double>& x,
                                        const Register<double>& y) noexcept {
  // e^(y log |x|), the exponent in two words; an exponent that large gives infinity or 0 anyhow.
  const DoubleWord<double> exponent = log_words(abs(x)) * clamped(y, -0x1p66, 0x1p66);
  const Register<double> high = clamped(exponent.high, -760.0, 720.0);
  const Register<double> low = select(high == exponent.high, exponent.low, 0.0);
  const ReducedExp<double> e = reduced_exp(high, low);
  return with_power_edges(scaled((e.low + e.high) + 1.0, e.k), x, y);
}
/// The same for results of f32.
struct PowerOfSingle {
  WEFT_ALWAYS_INLINE Register<double> operator()(const Register<double>& x,
                                                 const Register<double>& y) const noexcept {
    const Split<double> parts = split(abs(x));
    const Register<double> log = log_of_parts(parts.k, parts.m - 1.0);
    return with_power_edges(exp(y * log), x, y);
  }
};
WEFT_ALWAYS_INLINE Register<float> pow(const Register<float>& x,
                                       const Register<float>& y) noexcept {
  return in_double(PowerOfSingle(), x, y);
}

/// The cube root of |x|, for numbers that are neither 0 nor infinite nor below the normal ones.
WEFT_ALWAYS_INLINE Register<double> cbrt(const Register<double>& x) noexcept {
  const Register<double> a = abs(x);
  // |x| = 2^(3 q) v, v between 3/8 and 3; its root by exp and log, and one step of Newton's with the
  // rest v - r^3 in two words.
  const Split<double> parts = split(a);
  const Register<double> q = nearest_whole(parts.k * 0.3333333333333333);
  const Register<double> j = fma(q, -3.0, parts.k);
  const Register<double> v = parts.m * power_of_two(j);
  const Register<double> root = exp(log_of_parts(j, parts.m - 1.0) * 0.3333333333333333);
  const DoubleWord<double> square = exact_product(root, root);
  const DoubleWord<double> cube = square * root;
  const Register<double> rest = (v - cube.high) - cube.low;
  const Register<double> value = scaled(root + rest / (square.high * 3.0), q);
  const RegisterMask<double> plain = (a > 0.0) & (a < infinity<double>);
  return turned(select(plain, value, a), x);
}

/// sqrt(x^2 + y^2) without overflow on the way; infinite if either is, even beside NaN.
WEFT_ALWAYS_INLINE Register<double> hypot(const Register<double>& x,
                                          const Register<double>& y) noexcept {
  const Register<double> a = abs(x), b = abs(y);
  const RegisterMask<double> order = a < b;
  const Register<double> most = select(order, b, a), least = select(order, a, b);
  const Register<double> factor =
      select(most > 1.0e150, 0x1p-600, select(most < 1.0e-140, 0x1p600, 1.0));
  const Register<double> back =
      select(most > 1.0e150, 0x1p600, select(most < 1.0e-140, 0x1p-600, 1.0));
  const Register<double> u = most * factor, v = least * factor;
  const DoubleWord<double> square = exact_product(u, u), other = exact_product(v, v);
  const DoubleWord<double> sum = ordered_sum(square.high, other.high);
  const Register<double> root = sqrt(sum.high);
  const Register<double> low = sum.low + (square.low + other.low);
  const Register<double> rest = (remainder(sum.high, root, root) + low) / (root + root);
  const Register<double> value = (root + rest) * back;
  const RegisterMask<double> endless = (a == infinity<double>) | (b == infinity<double>);
  const Register<double> finite = select(most == 0.0, most, value);
  return select(endless, infinity<double>,
                select(isnan(x) | isnan(y), not_a_number<double>, finite));
}
struct HypotOfSingle {
  WEFT_ALWAYS_INLINE Register<double> operator()(const Register<double>& x,
                                                 const Register<double>& y) const noexcept {
    const RegisterMask<double> endless =
        (abs(x) == infinity<double>) | (abs(y) == infinity<double>);
    return select(endless, infinity<double>, sqrt(fma(x, x, y * y)));
  }
};
WEFT_ALWAYS_INLINE Register<float> hypot(const Register<float>& x,
                                         const Register<float>& y) noexcept {
  return in_double(HypotOfSingle(), x, y);
}

/// x log(y), and 0 for x = 0 whatever y is, but NaN.
WEFT_ALWAYS_INLINE Register<double> xlogy(const Register<double>& x,
                                          const Register<double>& y) noexcept {
  const Register<double> value = x * with_log_edges(rounded(log_words(y)), y);
  return select((x == 0.0) & !isnan(y), 0.0, value);
}
struct XLogYOfSingle {
  WEFT_ALWAYS_INLINE Register<double> operator()(const Register<double>& x,
                                                 const Register<double>& y) const noexcept {
    return select((x == 0.0) & !isnan(y), 0.0, x * log(y));
  }
};
WEFT_ALWAYS_INLINE Register<float> xlogy(const Register<float>& x,
                                         const Register<float>& y) noexcept {
  return in_double(XLogYOfSingle(), x, y);
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace weft::inline v0
