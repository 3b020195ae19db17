// SPDX-License-Identifier: Apache-2.0
/// @file
/// Functions made of e^x, for f32 and f64: exp2, expm1, sigmoid, silu, tanh. (exp itself is
/// public: weft/kernel/vectorized_math.hpp.) Every lane for itself; largest errors in
/// docs/accuracy.md.
#pragma once

#include "kernels/math/bits.hpp"
#include "kernels/math/double_word.hpp"

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// 2^x. What is left of x beside an integer, times ln 2, is the argument of the series of exp.
template <class T>
WEFT_ALWAYS_INLINE Register<T> exp2(const Register<T>& x) noexcept {
  using V = Register<T>;
  constexpr bool single = sizeof(T) == 4;
  constexpr T ln2 = static_cast<T>(0.693147180559945309417L);
  constexpr T ln2_rest = static_cast<T>(0.693147180559945309417L - static_cast<long double>(ln2));
  const V within = clamped(x, T(single ? -151 : -1076), T(single ? 129 : 1025));
  const V k = nearest_whole(within);
  const V r = within - k;
  const V high = r * ln2;
  const V low = fma(r, ln2_rest, product_error<T>(r, ln2, high));
  const V rest = fma(polynomial(high, ExpConstants<T>::short_series), high * high, low);
  return scaled((rest + high) + 1, k);
}

/// Of (e^r - 1 - r) / r^2, error of e^r below 2^-28.
inline constexpr double rough_exp_series[] = {0.49999993157316264, 0.16666520977798788,
                                              0.04166847517123201, 0.00836867001538754,
                                              0.001380920226226479};
/// e^x in f64 to the precision of f32, error below 2^-28, for |x| <= 700.
WEFT_ALWAYS_INLINE Register<double> rough_exp(const Register<double>& x) noexcept {
  const Register<double> k = nearest_product(x, ExpConstants<double>::log2e);
  const Register<double> r = fma(k, -0.6931471805599453, x);
  return fma(r * r, polynomial(r, rough_exp_series), r + 1.0) * power_of_two(k);
}
/// e^x - 1 likewise, with the sign of x: 2^k (1 + u) - 1, of which k is 0 where x is small.
WEFT_ALWAYS_INLINE Register<double> rough_expm1(const Register<double>& x) noexcept {
  const Register<double> k = nearest_product(x, ExpConstants<double>::log2e);
  const Register<double> r = fma(k, -0.6931471805599453, x), power = power_of_two(k);
  const Register<double> u = fma(r * r, polynomial(r, rough_exp_series), r);
  return with_sign_of(fma(u, power, power - 1.0), x);
}

/// e^x - 1 as 2^k times a number of two words, for x >= -40.
template <class T>
struct ScaledDoubleWord {
  DoubleWord<T> value;
  Register<T> k;
};
template <class T>
WEFT_ALWAYS_INLINE ScaledDoubleWord<T> scaled_expm1(const Register<T>& x) noexcept {
  using V = Register<T>;
  const ReducedExp<T> e = reduced_exp(x);
  // 2^k (1 + high + low) - 1 = 2^k ((1 - 2^-k) + high + low); far out 2^-k does not count.
  const V without = 1 - power_of_two(at_least(-e.k, -100));
  const DoubleWord<T> sum = ordered_sum(without, e.high);
  return {{sum.high, sum.low + e.low}, e.k};
}

/// e^x - 1, accurate for small x.
template <class T>
WEFT_ALWAYS_INLINE Register<T> expm1(const Register<T>& x) noexcept {
  const ScaledDoubleWord<T> e = scaled_expm1(clamped(x, T(-40), ExpConstants<T>::most));
  return with_sign_of(scaled(rounded(e.value), e.k), x);
}

/// 1 / (1 + e^-x). With |x| for -x, e^|x| = 2^-k (1 + u) gives 2^k / (1 + u + 2^k) of -|x|, and 1
/// less that of |x|. What rounding the divisor lost is put into the quotient: just below a power of
/// two, with a divisor just above one, the two roundings would be 1.5 ulp. Powers are exact, so
/// that results below the normal numbers are rounded once.
template <class T>
WEFT_ALWAYS_INLINE Register<T> sigmoid(const Register<T>& x) noexcept {
  using C = ExpConstants<T>;
  using V = Register<T>;
  const V size = at_most(abs(x), -C::least);
  const V k = nearest_product(size, -C::log2e);
  const V r = fma(k, C::ln2_low, fma(k, C::ln2_high, size));
  const V power = scaled(V(T(1)), k);
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
template <class T>
struct Logistic {
  Register<T> k, divisor;
};
/// For x within those bounds, a small number `rest` being added to -x, if given. With e^-x = 2^-k
/// (1 + u) the divisor is (1 + 2^k) + u, where hardly more than the sum is rounded: what is lost on
/// the way goes into the low word of u, as the addend of a multiplication.
template <class T, class... Rest>
WEFT_ALWAYS_INLINE Logistic<T> logistic(const Register<T>& x, const Rest&... rest) noexcept {
  using C = ExpConstants<T>;
  using V = Register<T>;
  const V k = nearest_product(x, C::log2e);
  const V high = fma(k, C::ln2_high, -x);
  const V power = scaled(V(T(1)), k);
  const V sum = power + 1, divisor = sum + high;
  const V lost = (power - (sum - 1)) + (high - (divisor - sum));
  const V r = high + fma(k, C::ln2_low, (V(T(0)) + ... + rest));
  const V low = fma(polynomial(r, C::series), r * r, fma(k, C::ln2_low, (lost + ... + rest)));
  return {k, divisor + low};
}

/// x / (1 + e^-x); 0 with its sign for -infinity, as in the limit.
template <class T>
WEFT_ALWAYS_INLINE Register<T> silu(const Register<T>& x) noexcept {
  const Register<T> within = clamped(x, sigmoid_least<T>, sigmoid_most<T>);
  const Logistic<T> l = logistic(within);
  return select(x > sigmoid_most<T>, x, scaled(within / l.divisor, l.k));
}

/// (1 - t) / (1 + t) for t = e^(-2|x|), with the sign of x. With t = 2^-k (1 + u) that is
/// ((2^k - 1) - u) / ((2^k + 1) + u), which keeps small results accurate.
template <class T>
WEFT_ALWAYS_INLINE Register<T> tanh(const Register<T>& x) noexcept {
  const ReducedExp<T> e = reduced_exp(at_least(abs(x) * T(-2), -40));
  const Register<T> s = power_of_two(-e.k);
  const Register<T> u = e.high + e.low;
  const DoubleWord<T> below = ordered_sum<T>(s, T(-1)), above = ordered_sum<T>(s, T(1));
  const DoubleWord<T> dividend = ordered_sum(below.high, -u);
  const DoubleWord<T> divisor = ordered_sum(above.high, u);
  const Register<T> inverse = 1 / divisor.high;
  const Register<T> quotient = dividend.high * inverse;
  const Register<T> rest = remainder(dividend.high, quotient, divisor.high) +
                           fma(-quotient, divisor.low + above.low, dividend.low + below.low);
  return turned(fma(rest, inverse, quotient), x);
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
