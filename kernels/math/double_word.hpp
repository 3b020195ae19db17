// SPDX-License-Identifier: Apache-2.0
/// @file
/// Numbers of twice the working precision, as the sum of two: what rounding loses is kept. After
/// Dekker (1971) and Knuth; see Muller et al., Handbook of Floating-Point Arithmetic, chapter 4.
#pragma once

#include <weft/kernel/vectorized_math.hpp>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// high + low, |low| at most about an ulp of high.
template <class T>
struct DoubleWord {
  Register<T> high, low;
};

/// a + b exactly, for |a| >= |b| or a = 0.
template <class T>
WEFT_ALWAYS_INLINE DoubleWord<T> ordered_sum(const Register<T>& a, const Register<T>& b) noexcept {
  const Register<T> sum = a + b;
  return {sum, b - (sum - a)};
}
/// a + b exactly.
template <class T>
WEFT_ALWAYS_INLINE DoubleWord<T> exact_sum(const Register<T>& a, const Register<T>& b) noexcept {
  const Register<T> sum = a + b;
  const Register<T> second = sum - a;
  return {sum, (a - (sum - second)) + (b - second)};
}

/// a * b - product for product = a * b rounded: exactly, where nothing over- or underflows.
template <class T>
WEFT_ALWAYS_INLINE Register<T> product_error(const Register<T>& a, const Register<T>& b,
                                             const Register<T>& product) noexcept {
#if defined(WEFT_HAS_FMA)
  return fma(a, b, -product);
#else
  // Halves of factors, whose products are exact.
  constexpr T splitter = sizeof(T) == 4 ? T(4097) : T(134217729);
  const Register<T> a_big = a * splitter, b_big = b * splitter;
  const Register<T> a_high = a_big - (a_big - a), b_high = b_big - (b_big - b);
  const Register<T> a_low = a - a_high, b_low = b - b_high;
  return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
#endif
}
/// a - q * b for q close to a / b: exactly.
template <class T>
WEFT_ALWAYS_INLINE Register<T> remainder(const Register<T>& a, const Register<T>& q,
                                         const Register<T>& b) noexcept {
#if defined(WEFT_HAS_FMA)
  return fma(-q, b, a);
#else
  const Register<T> product = q * b;
  return (a - product) - product_error(q, b, product);
#endif
}
/// a * b exactly.
template <class T>
WEFT_ALWAYS_INLINE DoubleWord<T> exact_product(const Register<T>& a,
                                               const Register<T>& b) noexcept {
  const Register<T> product = a * b;
  return {product, product_error(a, b, product)};
}

/// a * b, low not brought into order with high: it may be some ulp of it.
template <class T>
WEFT_ALWAYS_INLINE DoubleWord<T> loose_product(const DoubleWord<T>& a,
                                               const DoubleWord<T>& b) noexcept {
  const DoubleWord<T> product = exact_product(a.high, b.high);
  return {product.high, fma(a.high, b.low, fma(a.low, b.high, product.low))};
}
template <class T>
WEFT_ALWAYS_INLINE DoubleWord<T> operator*(const DoubleWord<T>& a,
                                           const DoubleWord<T>& b) noexcept {
  const DoubleWord<T> product = loose_product(a, b);
  return ordered_sum(product.high, product.low);
}
template <class T>
WEFT_ALWAYS_INLINE DoubleWord<T> operator*(const DoubleWord<T>& a, const Register<T>& b) noexcept {
  const DoubleWord<T> product = exact_product(a.high, b);
  return ordered_sum(product.high, fma(a.low, b, product.low));
}
template <class T>
WEFT_ALWAYS_INLINE DoubleWord<T> operator+(const DoubleWord<T>& a,
                                           const DoubleWord<T>& b) noexcept {
  const DoubleWord<T> sum = exact_sum(a.high, b.high);
  return ordered_sum(sum.high, sum.low + (a.low + b.low));
}
template <class T>
WEFT_ALWAYS_INLINE DoubleWord<T> operator+(const DoubleWord<T>& a, const Register<T>& b) noexcept {
  const DoubleWord<T> sum = exact_sum(a.high, b);
  return ordered_sum(sum.high, sum.low + a.low);
}
template <class T>
WEFT_ALWAYS_INLINE DoubleWord<T> operator-(const DoubleWord<T>& a) noexcept {
  return {-a.high, -a.low};
}
/// a / b with one division; low is not brought into order with high.
template <class T>
WEFT_ALWAYS_INLINE DoubleWord<T> operator/(const DoubleWord<T>& a,
                                           const DoubleWord<T>& b) noexcept {
  const Register<T> inverse = 1 / b.high;
  const Register<T> quotient = a.high * inverse;
  const Register<T> rest = remainder(a.high, quotient, b.high);
  return {quotient, (rest + fma(-quotient, b.low, a.low)) * inverse};
}
/// The sum, rounded.
template <class T>
WEFT_ALWAYS_INLINE Register<T> rounded(const DoubleWord<T>& a) noexcept {
  return a.high + a.low;
}
template <class T>
WEFT_ALWAYS_INLINE DoubleWord<T> select(const RegisterMask<T>& mask, const DoubleWord<T>& a,
                                        const DoubleWord<T>& b) noexcept {
  return {select(mask, a.high, b.high), select(mask, a.low, b.low)};
}
template <class T>
WEFT_ALWAYS_INLINE DoubleWord<T> scaled(const DoubleWord<T>& a, const Register<T>& k) noexcept {
  return {scaled(a.high, k), scaled(a.low, k)};
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
