// SPDX-License-Identifier: Apache-2.0
/// @file
/// Numbers of twice the working precision, as the sum of two: what rounding loses is kept. After
/// Dekker (1971) and Knuth; see Muller et al., Handbook of Floating-Point Arithmetic, chapter 4.
#pragma once

#include <weft/kernel/detail/math/scaling.hpp>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// high + low, |low| at most about an ulp of high.
template <class T, int n = native_lanes<T>>
struct DoubleWord {
  Register<T, n> high, low;
};

/// a + b exactly, for |a| >= |b| or a = 0.
template <class T, int n>
WEFT_ALWAYS_INLINE DoubleWord<T, n> ordered_sum(const Register<T, n>& a,
                                                const Register<T, n>& b) noexcept {
  const Register<T, n> sum = a + b;
  return {sum, b - (sum - a)};
}
/// a + b exactly.
template <class T, int n>
WEFT_ALWAYS_INLINE DoubleWord<T, n> exact_sum(const Register<T, n>& a,
                                              const Register<T, n>& b) noexcept {
  const Register<T, n> sum = a + b;
  const Register<T, n> second = sum - a;
  return {sum, (a - (sum - second)) + (b - second)};
}

/// a * b - product for product = a * b rounded: exactly, where nothing over- or underflows.
template <class T, int n>
WEFT_ALWAYS_INLINE Register<T, n> product_error(const Register<T, n>& a, const Register<T, n>& b,
                                                const Register<T, n>& product) noexcept {
#if defined(WEFT_HAS_FMA)
  return fma(a, b, -product);
#else
  // Halves of factors, whose products are exact.
  constexpr T splitter = sizeof(T) == 4 ? T(4097) : T(134217729);
  const Register<T, n> a_big = a * splitter, b_big = b * splitter;
  const Register<T, n> a_high = a_big - (a_big - a), b_high = b_big - (b_big - b);
  const Register<T, n> a_low = a - a_high, b_low = b - b_high;
  return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
#endif
}
/// a - q * b for q close to a / b: exactly.
template <class T, int n>
WEFT_ALWAYS_INLINE Register<T, n> remainder(const Register<T, n>& a, const Register<T, n>& q,
                                            const Register<T, n>& b) noexcept {
#if defined(WEFT_HAS_FMA)
  return fma(-q, b, a);
#else
  const Register<T, n> product = q * b;
  return (a - product) - product_error(q, b, product);
#endif
}
/// a * b exactly.
template <class T, int n>
WEFT_ALWAYS_INLINE DoubleWord<T, n> exact_product(const Register<T, n>& a,
                                                  const Register<T, n>& b) noexcept {
  const Register<T, n> product = a * b;
  return {product, product_error(a, b, product)};
}

/// a * b, low not brought into order with high: it may be some ulp of it.
template <class T, int n>
WEFT_ALWAYS_INLINE DoubleWord<T, n> loose_product(const DoubleWord<T, n>& a,
                                                  const DoubleWord<T, n>& b) noexcept {
  const DoubleWord<T, n> product = exact_product(a.high, b.high);
  return {product.high, fma(a.high, b.low, fma(a.low, b.high, product.low))};
}
template <class T, int n>
WEFT_ALWAYS_INLINE DoubleWord<T, n> operator*(const DoubleWord<T, n>& a,
                                              const DoubleWord<T, n>& b) noexcept {
  const DoubleWord<T, n> product = loose_product(a, b);
  return ordered_sum(product.high, product.low);
}
template <class T, int n>
WEFT_ALWAYS_INLINE DoubleWord<T, n> operator*(const DoubleWord<T, n>& a,
                                              const Register<T, n>& b) noexcept {
  const DoubleWord<T, n> product = exact_product(a.high, b);
  return ordered_sum(product.high, fma(a.low, b, product.low));
}
template <class T, int n>
WEFT_ALWAYS_INLINE DoubleWord<T, n> operator+(const DoubleWord<T, n>& a,
                                              const DoubleWord<T, n>& b) noexcept {
  const DoubleWord<T, n> sum = exact_sum(a.high, b.high);
  return ordered_sum(sum.high, sum.low + (a.low + b.low));
}
template <class T, int n>
WEFT_ALWAYS_INLINE DoubleWord<T, n> operator+(const DoubleWord<T, n>& a,
                                              const Register<T, n>& b) noexcept {
  const DoubleWord<T, n> sum = exact_sum(a.high, b);
  return ordered_sum(sum.high, sum.low + a.low);
}
template <class T, int n>
WEFT_ALWAYS_INLINE DoubleWord<T, n> operator-(const DoubleWord<T, n>& a) noexcept {
  return {-a.high, -a.low};
}
/// a / b with one division; low is not brought into order with high.
template <class T, int n>
WEFT_ALWAYS_INLINE DoubleWord<T, n> operator/(const DoubleWord<T, n>& a,
                                              const DoubleWord<T, n>& b) noexcept {
  const Register<T, n> inverse = 1 / b.high;
  const Register<T, n> quotient = a.high * inverse;
  const Register<T, n> rest = remainder(a.high, quotient, b.high);
  return {quotient, (rest + fma(-quotient, b.low, a.low)) * inverse};
}
/// The sum, rounded.
template <class T, int n>
WEFT_ALWAYS_INLINE Register<T, n> rounded(const DoubleWord<T, n>& a) noexcept {
  return a.high + a.low;
}
template <class T, int n>
WEFT_ALWAYS_INLINE DoubleWord<T, n> select(const RegisterMask<T, n>& mask,
                                           const DoubleWord<T, n>& a,
                                           const DoubleWord<T, n>& b) noexcept {
  return {select(mask, a.high, b.high), select(mask, a.low, b.low)};
}
template <class T, int n>
WEFT_ALWAYS_INLINE DoubleWord<T, n> scaled(const DoubleWord<T, n>& a,
                                           const Register<T, n>& k) noexcept {
  return {scaled(a.high, k), scaled(a.low, k)};
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
