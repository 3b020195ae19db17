// SPDX-License-Identifier: Apache-2.0
/// @file
/// Functions for results of f16 and bf16, in f32 and right to about 2^-20: shorter than those for
/// results of f32, and rounded as well.
#pragma once

#include <weft/kernel/detail/math/error_function.hpp>
#include <weft/kernel/detail/math/exponential.hpp>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// 2^r for |r| <= 1/2.
WEFT_ALWAYS_INLINE Register<float> short_exp2(const Register<float>& r) noexcept {
  constexpr float series[] = {1.00000012F,   0.693146944F,   0.240221217F,
                              0.0555071235F, 0.00967545621F, 0.00132768543F};
  return polynomial(r, series);
}
WEFT_ALWAYS_INLINE Register<float> half_exp2(const Register<float>& x) noexcept {
  const Register<float> within = clamped(x, -151.0F, 129.0F), k = nearest_whole(within);
  return scaled_unless(x <= -151.0F, short_exp2(within - k), k);
}
WEFT_ALWAYS_INLINE Register<float> half_exp(const Register<float>& x) noexcept {
  return half_exp2(x * ExpConstants<float>::log2e);
}

/// 2^k of e^x, and 0 where that is 0.
WEFT_ALWAYS_INLINE Register<float> power_below(const Register<float>& x,
                                               const Register<float>& k) noexcept {
  return scaled_unless(x <= ExpConstants<float>::least, Register<float>(1.0F), k);
}
/// As logistic(), what is lost being no matter.
WEFT_ALWAYS_INLINE Logistic<float> short_logistic(const Register<float>& x) noexcept {
  const Register<float> power_of_e = x * ExpConstants<float>::log2e;
  const Register<float> k = nearest_whole(power_of_e);
  return {k, power_below(x, k) + short_exp2(k - power_of_e)};
}
WEFT_ALWAYS_INLINE Register<float> half_sigmoid(const Register<float>& x) noexcept {
  const Register<float> within = clamped(x, ExpConstants<float>::least, sigmoid_most<float>);
  const Logistic<float> l = short_logistic(within);
  return power_below(within, l.k) / l.divisor;
}
WEFT_ALWAYS_INLINE Register<float> half_silu(const Register<float>& x) noexcept {
  const Register<float> within = clamped(x, sigmoid_least<float>, sigmoid_most<float>);
  const Logistic<float> l = short_logistic(within);
  const Register<float> small = scaled_unless(x <= sigmoid_least<float>, within / l.divisor, l.k);
  return select(x > sigmoid_most<float>, x, with_sign_of(small, x));
}

/// x P(X < x) of the normal distribution.
WEFT_ALWAYS_INLINE Register<float> half_gelu(const Register<float>& x) noexcept {
  constexpr float series[] = {0.39894228F,     -0.0664903596F,  0.00997332763F,
                              -0.00118634116F, 0.000113498718F, -7.65895129e-06F};
  const Register<float> value = x * fma(x, polynomial(x * x, series), 0.5F);
  return with_large_gelu(value, x);
}

/// By root and division, which take no longer than the conversion of elements does beside them.
WEFT_ALWAYS_INLINE Register<float> half_rsqrt(const Register<float>& x) noexcept {
  return 1.0F / sqrt(x);
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
