// SPDX-License-Identifier: Apache-2.0
/// @file
/// The logarithm of a sum of powers of e, every lane for itself.
#pragma once

#include <weft/kernel/detail/math/exponential.hpp>
#include <weft/kernel/detail/math/in_double.hpp>
#include <weft/kernel/detail/math/logarithm.hpp>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// log(e^x + e^y): the larger, and log(1 + e^d) of what the smaller is less. Where the larger lies
/// between -log(2) and 0 the two may cancel, so that the logarithm and all that it is made of have
/// two words, the lower one of the exponential rounded.
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> logaddexp(const Register<double, n>& x,
                                                 const Register<double, n>& y) noexcept {
  using V = Register<double, n>;
  const RegisterMask<double, n> order = x < y;
  const V most = select(order, y, x), least = select(order, x, y);
  const DoubleWord<double, n> distance = exact_sum(least, -most);
  const V d = at_least(distance.high, ExpConstants<double>::least);
  const V rest = select((d == distance.high) & (d < 0.0), distance.low, 0.0);
  const ReducedExp<double, n> e = reduced_exp(d, rest);
  const DoubleWord<double, n> begun = ordered_sum<double, n>(1.0, e.high);
  const DoubleWord<double, n> power = scaled(ordered_sum(begun.high, begun.low + e.low), e.k);
  // log(1 + p), 0 < p <= 1, as log(2) + log((1 + p) / 2) from 1/2 on.
  const RegisterMask<double, n> large = power.high > 0.5;
  const DoubleWord<double, n> f{select(large, fma(power.high, 0.5, -0.5), power.high),
                                select(large, power.low * 0.5, power.low)};
  const DoubleWord<double, n> logarithm = log_words(select(large, V(1.0), V(0.0)), f);
  const DoubleWord<double, n> sum = exact_sum(most, logarithm.high);
  const V value = sum.high + (sum.low + logarithm.low);
  return select((abs(most) == infinity<double>)&!isnan(least), most, value);
}
struct LogAddExpOfSingle {
  template <int n>
  WEFT_ALWAYS_INLINE Register<double, n> operator()(const Register<double, n>& x,
                                                    const Register<double, n>& y) const noexcept {
    const RegisterMask<double, n> order = x < y;
    const Register<double, n> most = select(order, y, x), least = select(order, x, y);
    const Register<double, n> value = most + log1p(exp(least - most));
    return select((abs(most) == infinity<double>)&!isnan(least), most, value);
  }
};
template <int n>
WEFT_ALWAYS_INLINE Register<float, n> logaddexp(const Register<float, n>& x,
                                                const Register<float, n>& y) noexcept {
  return in_double(LogAddExpOfSingle(), x, y);
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
