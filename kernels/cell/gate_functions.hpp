// SPDX-License-Identifier: Apache-2.0
/// @file
/// Sigmoid and tanh as gates need them: within 3 ulp, in about twenty instructions. (The library's own
/// sigmoid and tanh are rounded better, at twice the price.)
#pragma once

#include <weft/kernel/vectorized.hpp>

#include <cstdint>

namespace weft::inline v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

template <class T>
struct GateConstants;
template <>
struct GateConstants<float> {
  using Bits = std::uint32_t;
  static constexpr float log2e = 1.44269504088896341F;
  static constexpr float ln2_high = 0.693359375F, ln2_low = -2.12194440054690583e-4F;
  static constexpr float rounder =
      12582912.0F;                           // 1.5 * 2^23: leaves the whole number in the low bits
  static constexpr float most = 86.0F;       // e^most and its inverse are normal numbers
  static constexpr float tanh_most = 20.0F;  // of 2x: tanh is 1 from 18.1 on
  static constexpr int fraction_bits = 23, terms = 7;
};
template <>
struct GateConstants<double> {
  using Bits = std::uint64_t;
  static constexpr double log2e = 1.44269504088896340736;
  static constexpr double ln2_high = 0.693147180369123816490, ln2_low = 1.90821492927058770002e-10;
  static constexpr double rounder = 6755399441055744.0;
  static constexpr double most = 690.0;
  static constexpr double tanh_most = 40.0;
  static constexpr int fraction_bits = 52, terms = 13;
};

/// 1 / n! for n up to the last term of the series.
template <class T>
struct InverseFactorials {
  T at[GateConstants<T>::terms + 1];
};
template <class T>
inline constexpr InverseFactorials<T> inverse_factorials = [] {
  InverseFactorials<T> inverse{};
  T factorial(1);
  for (int n = 0; n <= GateConstants<T>::terms; ++n) {
    if (n > 0) factorial *= static_cast<T>(n);
    inverse.at[n] = T(1) / factorial;
  }
  return inverse;
}();

/// e^x = 2^k (1 + rest), |rest| < 0.42.
template <class T>
struct GateExp {
  Vectorized<T> power;  ///< 2^k
  Vectorized<T> rest;
};

/// 2^k from rounder + k, k being within the exponents of normal numbers.
template <class T>
WEFT_ALWAYS_INLINE Vectorized<T> gate_power(const Vectorized<T>& shifted) noexcept {
  using Whole = xsimd::batch<typename GateConstants<T>::Bits>;
  return Vectorized<T>::map(shifted, [](const auto& s) {
    const Whole one = xsimd::bitwise_cast<Whole>(xsimd::batch<T>(T(1)));
    return xsimd::bitwise_cast<xsimd::batch<T>>(
        one + (xsimd::bitwise_cast<Whole>(s) << GateConstants<T>::fraction_bits));
  });
}

/// By ln 2 in two parts and the Taylor series of e^r - 1, whose first left-out term is below 2^-27 (f32)
/// and 2^-57 (f64) of r.
template <class T>
WEFT_ALWAYS_INLINE GateExp<T> gate_exp(const Vectorized<T>& x) noexcept {
  using C = GateConstants<T>;
  using V = Vectorized<T>;
  const V shifted = fma(x, V(C::log2e), V(C::rounder));
  const V k = shifted - V(C::rounder);
  const V r = fma(k, V(-C::ln2_low), fma(k, V(-C::ln2_high), x));
  V q(inverse_factorials<T>.at[C::terms]);
  for (int n = C::terms - 1; n >= 2; --n)
    q = fma(q, r, V(inverse_factorials<T>.at[n]));
  return {gate_power(shifted), fma(q * r, r, r)};
}

/// NaN stays NaN.
template <class T>
WEFT_ALWAYS_INLINE Vectorized<T> kept_within(const Vectorized<T>& a, T least, T most) noexcept {
  const Vectorized<T> above = select(a < Vectorized<T>(least), Vectorized<T>(least), a);
  return select(above > Vectorized<T>(most), Vectorized<T>(most), above);
}

/// 1 / (1 + e^-x).
template <class T>
WEFT_ALWAYS_INLINE Vectorized<T> gate_sigmoid(const Vectorized<T>& x) noexcept {
  using V = Vectorized<T>;
  const GateExp<T> e = gate_exp(kept_within(-x, -GateConstants<T>::most, GateConstants<T>::most));
  const V one(T(1));
  return one / (one + fma(e.power, e.rest, e.power));
}

/// -m / (m + 2) for m = e^(-2|x|) - 1, with the sign of x. m = (2^k - 1) + 2^k rest keeps its digits
/// near 0, where k is 0.
template <class T>
WEFT_ALWAYS_INLINE Vectorized<T> gate_tanh(const Vectorized<T>& x) noexcept {
  using V = Vectorized<T>;
  const V twice = abs(x) * V(T(-2));
  const V least(-GateConstants<T>::tanh_most);
  const GateExp<T> e = gate_exp(select(twice < least, least, twice));
  const V m = fma(e.power, e.rest, e.power - V(T(1)));
  const V magnitude = m / (m + V(T(2)));  // not above 0
  return V::zip(magnitude, x, [](const auto& a, const auto& b) {
    const xsimd::batch<T> sign(T(-0.0));
    return (a ^ sign) | (b & sign);  // a is -0 or below
  });
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace weft::inline v0
