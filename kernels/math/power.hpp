// SPDX-License-Identifier: Apache-2.0
/// @file
/// Powers, roots and lengths; every lane for itself. Of f32 most are computed in f64.
#pragma once

#include "kernels/math/exponential.hpp"
#include "kernels/math/logarithm.hpp"
#include "kernels/math/widened.hpp"

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// True for integers and infinity, of numbers that are not negative.
template <class T>
WEFT_ALWAYS_INLINE RegisterMask<T> is_whole(const Register<T>& a) noexcept {
  constexpr T unit =
      T(std::uint64_t{1} << FloatFormat<T>::fraction_bits);  // no fractions from here
  return (a >= unit) | (((at_most(a, unit) + unit) - unit) == a);
}

/// m, the power of |x|, as the power of x: signs, infinities, zeros and NaN as C99 Annex F has
/// them.
template <class T>
WEFT_ALWAYS_INLINE Register<T> with_power_edges(const Register<T>& m, const Register<T>& x,
                                                const Register<T>& y) noexcept {
  using V = Register<T>;
  const V a = abs(x), b = abs(y);
  const RegisterMask<T> plain = (x > T(0)) & (a < infinity<T>)&(b < T(1.0e30)) & (b > T(0));
  if (!any(!plain)) return m;
  const V zero(T(0)), one(T(1)), endlessly(infinity<T>), no_number(not_a_number<T>);
  const RegisterMask<T> endless = (a == T(0)) | (a == infinity<T>) | (b == infinity<T>);
  const RegisterMask<T> grows = ((a > T(1)) & (y > T(0))) | ((a < T(1)) & (y < T(0)));
  V value = select(endless, select(grows, endlessly, zero), m);
  value = select(a == T(1), one, value);
  const RegisterMask<T> whole = is_whole(b), odd = whole & !is_whole(b * T(0.5));
  value = select(odd, with_sign_of(value, x), value);
  const RegisterMask<T> no_root = (x < T(0)) & (a < infinity<T>)&!whole;
  value = select(no_root | isnan(x) | isnan(y), no_number, value);
  return select((y == T(0)) | (x == T(1)), one, value);
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
/// The same for results of f32; edges are looked for among those.
struct PowerOfSingle {
  WEFT_ALWAYS_INLINE Register<double> operator()(const Register<double>& x,
                                                 const Register<double>& y) const noexcept {
    return rough_exp(clamped(y * rough_log(x, log_series_35), -700.0, 700.0));
  }
};
WEFT_ALWAYS_INLINE Register<float> pow(const Register<float>& x,
                                       const Register<float>& y) noexcept {
  return with_power_edges(in_double(PowerOfSingle(), abs(x), y), x, y);
}

/// 1 / sqrt(x).
WEFT_ALWAYS_INLINE Register<float> rsqrt(const Register<float>& x) noexcept {
#if defined(WEFT_HAS_FMA)
  // A guess within 4 %: half the exponent, by the bits (Lomont 2003), and two steps of third order
  // of the iteration after Householder, which costs less than a root and a division do.
  using Whole = xsimd::batch<std::uint32_t>;
  const Whole half = bits_as<std::uint32_t>(x.value) >> 1;
  const Whole guess = Whole(std::uint32_t{0x5f375a86}) - half;
  Register<float> y(bits_as<float>(guess));
  for (int i = 0; i < 2; ++i) {
    const Register<float> rest = fma(-(x * y), y, 1.0F);
    y = fma(y * rest, fma(rest, 0.375F, 0.5F), y);
  }
  constexpr float least = std::numeric_limits<float>::min();
  const RegisterMask<float> plain = (x >= least) & (x < infinity<float>);
  if (!any(!plain)) return y;
  return select(plain, y, 1.0F / sqrt(x));
#else
  return 1.0F / sqrt(x);
#endif
}

/// The cube root of |x|, for numbers that are neither 0 nor infinite nor below the normal ones.
WEFT_ALWAYS_INLINE Register<double> cbrt(const Register<double>& x) noexcept {
  const Register<double> a = abs(x);
  // |x| = 2^(3 q) v, v between 3/8 and 3; its root by exp and log, and one step of Newton's with
  // the rest v - r^3 in two words.
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
}  // namespace v0
}  // namespace weft
