// SPDX-License-Identifier: Apache-2.0
/// @file
/// Powers, roots and lengths; every lane for itself. Of f32 most are computed in f64.
#pragma once

#include <weft/kernel/detail/math/exponential.hpp>
#include <weft/kernel/detail/math/in_double.hpp>
#include <weft/kernel/detail/math/logarithm.hpp>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// True for integers and infinity, of numbers that are not negative.
template <class T, int n>
WEFT_ALWAYS_INLINE RegisterMask<T, n> is_whole(const Register<T, n>& a) noexcept {
  constexpr T unit =
      T(std::uint64_t{1} << FloatFormat<T>::fraction_bits);  // no fractions from here
  return (a >= unit) | (((at_most(a, unit) + unit) - unit) == a);
}

/// m, the power of |x|, as the power of x: signs, infinities, zeros and NaN as C99 Annex F has
/// them.
template <class T, int n>
WEFT_ALWAYS_INLINE Register<T, n> with_power_edges(const Register<T, n>& m, const Register<T, n>& x,
                                                   const Register<T, n>& y) noexcept {
  using V = Register<T, n>;
  const V a = abs(x), b = abs(y);
  const RegisterMask<T, n> plain = (x > T(0)) & (a < infinity<T>)&(b < T(1.0e30)) & (b > T(0));
  if (!any(!plain)) return m;
  const V zero(T(0)), one(T(1)), endlessly(infinity<T>), no_number(not_a_number<T>);
  const RegisterMask<T, n> endless = (a == T(0)) | (a == infinity<T>) | (b == infinity<T>);
  const RegisterMask<T, n> grows = ((a > T(1)) & (y > T(0))) | ((a < T(1)) & (y < T(0)));
  V value = select(endless, select(grows, endlessly, zero), m);
  value = select(a == T(1), one, value);
  const RegisterMask<T, n> whole = is_whole(b), odd = whole & !is_whole(b * T(0.5));
  value = select(odd, with_sign_of(value, x), value);
  const RegisterMask<T, n> no_root = (x < T(0)) & (a < infinity<T>)&!whole;
  value = select(no_root | isnan(x) | isnan(y), no_number, value);
  return select((y == T(0)) | (x == T(1)), one, value);
}
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> pow(const Register<double, n>& x,
                                           const Register<double, n>& y) noexcept {
  // e^(y log |x|), the exponent in two words; an exponent that large gives infinity or 0 anyhow.
  const DoubleWord<double, n> exponent = log_words(abs(x)) * clamped(y, -0x1p66, 0x1p66);
  const Register<double, n> high = clamped(exponent.high, -760.0, 720.0);
  const Register<double, n> low = select(high == exponent.high, exponent.low, 0.0);
  const ReducedExp<double, n> e = reduced_exp(high, low);
  return with_power_edges(scaled((e.low + e.high) + 1.0, e.k), x, y);
}
/// The same for results of f32; edges are looked for among those.
struct PowerOfSingle {
  template <int n>
  WEFT_ALWAYS_INLINE Register<double, n> operator()(const Register<double, n>& x,
                                                    const Register<double, n>& y) const noexcept {
    return rough_exp(clamped(y * rough_log(x, log_series_35), -700.0, 700.0));
  }
};
template <int n>
WEFT_ALWAYS_INLINE Register<float, n> pow(const Register<float, n>& x,
                                          const Register<float, n>& y) noexcept {
  return with_power_edges(in_double(PowerOfSingle(), abs(x), y), x, y);
}

/// 1 / sqrt(x).
template <int n>
WEFT_ALWAYS_INLINE Register<float, n> rsqrt(const Register<float, n>& x) noexcept {
#if defined(WEFT_HAS_FMA)
  // A guess within 4 %: half the exponent, by the bits (Lomont 2003), and two steps of third order
  // of the iteration after Householder, which costs less than a root and a division do.
  // Numbers below 0 are left out: half of their bits are guesses of any size, some so small that a
  // step takes ten times as long.
  using Whole = typename Register<float, n>::Whole;
  constexpr float least = std::numeric_limits<float>::min();
  const Register<float, n> kept = at_least(x, least);
  const Whole half = kept.bits() >> 1;
  const Whole guess = Whole(std::uint32_t{0x5f375a86}) - half;
  auto y = Register<float, n>::of_bits(guess);
  WEFT_UNROLLED
  for (int i = 0; i < 2; ++i) {
    const Register<float, n> rest = fma(-(kept * y), y, 1.0F);
    y = fma(y * rest, fma(rest, 0.375F, 0.5F), y);
  }
  const RegisterMask<float, n> plain = (x >= least) & (x < infinity<float>);
  if (!any(!plain)) return y;
  return select(plain, y, 1.0F / sqrt(x));
#else
  return 1.0F / sqrt(x);
#endif
}

template <int n>
WEFT_ALWAYS_INLINE Register<double, n> rsqrt(const Register<double, n>& x) noexcept {
  return 1.0 / sqrt(x);
}

/// The cube root of |x|, for numbers that are neither 0 nor infinite nor below the normal ones.
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> cbrt(const Register<double, n>& x) noexcept {
  const Register<double, n> a = abs(x);
  // |x| = 2^(3 q) v, v between 3/8 and 3; its root by exp and log, and one step of Newton's with
  // the rest v - r^3 in two words.
  const Split<double, n> parts = split(a);
  const Register<double, n> q = nearest_whole(parts.k * 0.3333333333333333);
  const Register<double, n> j = fma(q, -3.0, parts.k);
  const Register<double, n> v = parts.m * power_of_two(j);
  const Register<double, n> root = exp(log_of_parts(j, parts.m - 1.0) * 0.3333333333333333);
  const DoubleWord<double, n> square = exact_product(root, root);
  const DoubleWord<double, n> cube = square * root;
  const Register<double, n> rest = (v - cube.high) - cube.low;
  const Register<double, n> value = scaled(root + rest / (square.high * 3.0), q);
  const RegisterMask<double, n> plain = (a > 0.0) & (a < infinity<double>);
  return turned(select(plain, value, a), x);
}

struct CbrtOfDouble {
  template <int n>
  WEFT_ALWAYS_INLINE Register<double, n> operator()(const Register<double, n>& x) const noexcept {
    return cbrt(x);
  }
};
template <int n>
WEFT_ALWAYS_INLINE Register<float, n> cbrt(const Register<float, n>& x) noexcept {
  return in_double(CbrtOfDouble(), x);
}

/// sqrt(x^2 + y^2) without overflow on the way; infinite if either is, even beside NaN.
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> hypot(const Register<double, n>& x,
                                             const Register<double, n>& y) noexcept {
  const Register<double, n> a = abs(x), b = abs(y);
  const RegisterMask<double, n> order = a < b;
  const Register<double, n> most = select(order, b, a), least = select(order, a, b);
  const Register<double, n> factor =
      select(most > 1.0e150, 0x1p-600, select(most < 1.0e-140, 0x1p600, 1.0));
  const Register<double, n> back =
      select(most > 1.0e150, 0x1p600, select(most < 1.0e-140, 0x1p-600, 1.0));
  const Register<double, n> u = most * factor, v = least * factor;
  const DoubleWord<double, n> square = exact_product(u, u), other = exact_product(v, v);
  const DoubleWord<double, n> sum = ordered_sum(square.high, other.high);
  const Register<double, n> root = sqrt(sum.high);
  const Register<double, n> low = sum.low + (square.low + other.low);
  const Register<double, n> rest = (remainder(sum.high, root, root) + low) / (root + root);
  const Register<double, n> value = (root + rest) * back;
  const RegisterMask<double, n> endless = (a == infinity<double>) | (b == infinity<double>);
  const Register<double, n> finite = select(most == 0.0, most, value);
  return select(endless, infinity<double>,
                select(isnan(x) | isnan(y), not_a_number<double>, finite));
}
struct HypotOfSingle {
  template <int n>
  WEFT_ALWAYS_INLINE Register<double, n> operator()(const Register<double, n>& x,
                                                    const Register<double, n>& y) const noexcept {
    const RegisterMask<double, n> endless =
        (abs(x) == infinity<double>) | (abs(y) == infinity<double>);
    return select(endless, infinity<double>, sqrt(fma(x, x, y * y)));
  }
};
template <int n>
WEFT_ALWAYS_INLINE Register<float, n> hypot(const Register<float, n>& x,
                                            const Register<float, n>& y) noexcept {
  return in_double(HypotOfSingle(), x, y);
}

/// x log(y), and 0 for x = 0 whatever y is, but NaN.
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> xlogy(const Register<double, n>& x,
                                             const Register<double, n>& y) noexcept {
  const Register<double, n> value = x * with_log_edges(rounded(log_words(y)), y);
  return select((x == 0.0) & !isnan(y), 0.0, value);
}
struct XLogYOfSingle {
  template <int n>
  WEFT_ALWAYS_INLINE Register<double, n> operator()(const Register<double, n>& x,
                                                    const Register<double, n>& y) const noexcept {
    return select((x == 0.0) & !isnan(y), 0.0, x * log(y));
  }
};
template <int n>
WEFT_ALWAYS_INLINE Register<float, n> xlogy(const Register<float, n>& x,
                                            const Register<float, n>& y) noexcept {
  return in_double(XLogYOfSingle(), x, y);
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
