// SPDX-License-Identifier: Apache-2.0
/// @file
/// Functions made of e^x, and e^x itself: exp, exp2, expm1, sigmoid, silu, tanh. Every lane for
/// itself; largest errors in docs/accuracy.md.
#pragma once

#include <weft/kernel/detail/math/bits.hpp>
#include <weft/kernel/detail/math/double_word.hpp>

#include <cstddef>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Constants of exp by type.
template <class T>
struct ExpConstants;
template <>
struct ExpConstants<float> {
  // Beyond these: infinity and zero, rounded from what these give.
  static constexpr float least = -104.0F, most = 89.0F;
  static constexpr float log2e = 1.44269504088896341F;
  static constexpr float ln2_high = 0.693359375F;  // 9 bits: k * ln2_high is exact for |k| < 2^15
  static constexpr float ln2_low = -2.12194440054690583e-4F;
  // Of (e^r - 1 - r) / r^2, error of e^r below 2^-30.8.
  static constexpr float series[] = {0.5F,           0.166666672F,   0.041666463F,
                                     0.00833331048F, 0.00139337312F, 0.000198910799F};
  // The same with an error of e^r below 2^-27.9, for where 1 is added.
  static constexpr float short_series[] = {0.49999994F, 0.166665211F, 0.041668389F, 0.00836871564F,
                                           0.00138145487F};
};
template <>
struct ExpConstants<double> {
  static constexpr double least = -746.0, most = 710.0;
  static constexpr double log2e = 1.44269504088896340736;
  static constexpr double ln2_high = 0.693147180369123816490;  // 33 bits
  static constexpr double ln2_low = 1.90821492927058770002e-10;
  // Error of e^r below 2^-61.
  static constexpr double series[] = {
      0.5,
      0.1666666666666667,
      0.04166666666666667,
      0.008333333333326084,
      0.0013888888888883711,
      0.0001984126987500228,
      2.480158732567746e-05,
      2.755725517000089e-06,
      2.755727347871858e-07,
      2.5105312729622103e-08,
      2.09147553258932e-09,
  };
  static constexpr const auto& short_series = series;
};

/// e^x = 2^k * (1 + high + low), |high| <= ln 2 / 2, low in the order of an ulp of 1 beside it.
template <class T, int n = native_lanes<T>>
struct ReducedExp {
  Register<T, n> k, high, low;
};

/// Takes ln 2 out of x + rest, in two parts after Cody and Waite; e^r - 1 of what is left is r and
/// r^2 times a polynomial, fitted at Chebyshev points. `rest` is below an ulp of x; |k| must be
/// below 2^15 (f32) or 2^20 (f64).
template <class T, std::size_t terms, int n>
WEFT_ALWAYS_INLINE ReducedExp<T, n> reduced_exp(const Register<T, n>& x, const Register<T, n>& rest,
                                                const T (&series)[terms]) noexcept {
  using C = ExpConstants<T>;
  const Register<T, n> k = nearest_product(x, C::log2e);
  // r = high + low, high being exact. Both go on separately: rounding their sum would cost a sixth
  // of an ulp.
  const Register<T, n> high = fma(k, -C::ln2_high, x);
  const Register<T, n> low = fma(k, -C::ln2_low, rest);
  const Register<T, n> r = high + low;
  return {k, high, fma(polynomial(r, series), r * r, low)};
}
template <class T, int n>
WEFT_ALWAYS_INLINE ReducedExp<T, n> reduced_exp(const Register<T, n>& x,
                                                const Register<T, n>& rest = T(0)) noexcept {
  return reduced_exp(x, rest, ExpConstants<T>::series);
}

/// e^x, every lane for itself, within 1 ulp. Multiplied by 2^k so that results down to the least
/// subnormal are rounded once. NaN stays NaN.
template <class T, int n>
WEFT_ALWAYS_INLINE Register<T, n> exp(const Register<T, n>& x) noexcept {
  using C = ExpConstants<T>;
  const ReducedExp<T, n> e =
      reduced_exp(clamped(x, C::least, C::most), Register<T, n>(T(0)), C::short_series);
  // The large terms come last, when little is left to be rounded.
  return scaled_unless(x <= C::least, (e.low + e.high) + 1, e.k);
}
/// 2^x. What is left of x beside an integer, times ln 2, is the argument of the series of exp.
template <class T, int n>
WEFT_ALWAYS_INLINE Register<T, n> exp2(const Register<T, n>& x) noexcept {
  using V = Register<T, n>;
  constexpr bool single = sizeof(T) == 4;
  constexpr T ln2 = static_cast<T>(0.693147180559945309417L);
  constexpr T ln2_rest = static_cast<T>(0.693147180559945309417L - static_cast<long double>(ln2));
  constexpr T least = single ? -151 : -1076, most = single ? 129 : 1025;
  const V within = clamped(x, least, most);
  const V k = nearest_whole(within);
  const V r = within - k;
  const V high = r * ln2;
  const V low = fma(r, ln2_rest, product_error<T, n>(r, ln2, high));
  const V rest = fma(polynomial(high, ExpConstants<T>::short_series), high * high, low);
  return scaled_unless(x <= least, (rest + high) + 1, k);
}

/// Of (e^r - 1 - r) / r^2, error of e^r below 2^-28.
inline constexpr double rough_exp_series[] = {0.49999993157316264, 0.16666520977798788,
                                              0.04166847517123201, 0.00836867001538754,
                                              0.001380920226226479};
/// e^x in f64 to the precision of f32, error below 2^-28, for |x| <= 700.
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> rough_exp(const Register<double, n>& x) noexcept {
  const Register<double, n> k = nearest_product(x, ExpConstants<double>::log2e);
  const Register<double, n> r = fma(k, -0.6931471805599453, x);
  return fma(r * r, polynomial(r, rough_exp_series), r + 1.0) * power_of_two(k);
}
/// e^x - 1 likewise, with the sign of x: 2^k (1 + u) - 1, of which k is 0 where x is small.
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> rough_expm1(const Register<double, n>& x) noexcept {
  const Register<double, n> k = nearest_product(x, ExpConstants<double>::log2e);
  const Register<double, n> r = fma(k, -0.6931471805599453, x), power = power_of_two(k);
  const Register<double, n> u = fma(r * r, polynomial(r, rough_exp_series), r);
  return with_sign_of(fma(u, power, power - 1.0), x);
}

/// e^x - 1 as 2^k times a number of two words, for x >= -40.
template <class T, int n = native_lanes<T>>
struct ScaledDoubleWord {
  DoubleWord<T, n> value;
  Register<T, n> k;
};
template <class T, int n>
WEFT_ALWAYS_INLINE ScaledDoubleWord<T, n> scaled_expm1(const Register<T, n>& x) noexcept {
  using V = Register<T, n>;
  const ReducedExp<T, n> e = reduced_exp(x);
  // 2^k (1 + high + low) - 1 = 2^k ((1 - 2^-k) + high + low); far out 2^-k does not count.
  const V without = 1 - power_of_two(at_least(-e.k, -100));
  const DoubleWord<T, n> sum = ordered_sum(without, e.high);
  return {{sum.high, sum.low + e.low}, e.k};
}

/// e^x - 1, accurate for small x.
template <class T, int n>
WEFT_ALWAYS_INLINE Register<T, n> expm1(const Register<T, n>& x) noexcept {
  const ScaledDoubleWord<T, n> e = scaled_expm1(clamped(x, T(-40), ExpConstants<T>::most));
  return with_sign_of(scaled(rounded(e.value), e.k), x);
}

/// 1 / (1 + e^-x). With |x| for -x, e^|x| = 2^-k (1 + u) gives 2^k / (1 + u + 2^k) of -|x|, and 1
/// less that of |x|. What rounding the divisor lost is put into the quotient: just below a power of
/// two, with a divisor just above one, the two roundings would be 1.5 ulp. Powers are exact, so
/// that results below the normal numbers are rounded once.
template <class T, int n>
WEFT_ALWAYS_INLINE Register<T, n> sigmoid(const Register<T, n>& x) noexcept {
  using C = ExpConstants<T>;
  using V = Register<T, n>;
  const V size = at_most(abs(x), -C::least);
  const V k = nearest_product(size, -C::log2e);
  const V r = fma(k, C::ln2_low, fma(k, C::ln2_high, size));
  const V power = scaled_unless(size >= -C::least, V(T(1)), k);
  const V rest = fma(polynomial(r, C::short_series), r * r, r) + power;
  const V divisor = rest + 1, surplus = (divisor - 1) - rest;
  const V inverse = 1 / divisor;
  const V rough = inverse * power;
  const V below = fma(inverse * surplus, rough, rough);
  return select(x > T(0), 1 - below, below);
}

/// Where x / (1 + e^-x) is 0, and where it is x.
template <class T>
inline constexpr T sigmoid_least = sizeof(T) == 4 ? T(-120) : T(-760);
template <class T>
inline constexpr T sigmoid_most = sizeof(T) == 4 ? T(17.5) : T(37.5);

/// 1 / (1 + e^-x) as 2^k / divisor.
template <class T, int n = native_lanes<T>>
struct Logistic {
  Register<T, n> k, divisor;
};
/// For x within those bounds, a small number `rest` being added to -x, if given. With e^-x = 2^-k
/// (1 + u) the divisor is (1 + 2^k) + u, where hardly more than the sum is rounded: what is lost on
/// the way goes into the low word of u, as the addend of a multiplication.
template <class T, int n, class... Rest>
WEFT_ALWAYS_INLINE Logistic<T, n> logistic(const Register<T, n>& x, const Rest&... rest) noexcept {
  using C = ExpConstants<T>;
  using V = Register<T, n>;
  const V k = nearest_product(x, C::log2e);
  const V high = fma(k, C::ln2_high, -x);
  const V power = small_power_of_two(k);
  const V sum = power + 1, divisor = sum + high;
  const V lost = (power - (sum - 1)) + (high - (divisor - sum));
  const V r = high + fma(k, C::ln2_low, (V(T(0)) + ... + rest));
  const V low = fma(polynomial(r, C::series), r * r, fma(k, C::ln2_low, (lost + ... + rest)));
  return {k, divisor + low};
}

/// x / (1 + e^-x); 0 with its sign for -infinity, as in the limit.
template <class T, int n>
WEFT_ALWAYS_INLINE Register<T, n> silu(const Register<T, n>& x) noexcept {
  const Register<T, n> within = clamped(x, sigmoid_least<T>, sigmoid_most<T>);
  const Logistic<T, n> l = logistic(within);
  const Register<T, n> small = scaled_unless(x <= sigmoid_least<T>, within / l.divisor, l.k);
  return select(x > sigmoid_most<T>, x, with_sign_of(small, x));
}

/// (1 - t) / (1 + t) for t = e^(-2|x|), with the sign of x. With t = 2^-k (1 + u) that is
/// ((2^k - 1) - u) / ((2^k + 1) + u), which keeps small results accurate.
template <class T, int n>
WEFT_ALWAYS_INLINE Register<T, n> tanh(const Register<T, n>& x) noexcept {
  const ReducedExp<T, n> e = reduced_exp(at_least(abs(x) * T(-2), -40));
  const Register<T, n> s = power_of_two(-e.k);
  const Register<T, n> u = e.high + e.low;
  const DoubleWord<T, n> below = ordered_sum<T, n>(s, T(-1)), above = ordered_sum<T, n>(s, T(1));
  const DoubleWord<T, n> dividend = ordered_sum(below.high, -u);
  const DoubleWord<T, n> divisor = ordered_sum(above.high, u);
  const Register<T, n> inverse = 1 / divisor.high;
  const Register<T, n> quotient = dividend.high * inverse;
  const Register<T, n> rest = remainder(dividend.high, quotient, divisor.high) +
                              fma(-quotient, divisor.low + above.low, dividend.low + below.low);
  return turned(fma(rest, inverse, quotient), x);
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
