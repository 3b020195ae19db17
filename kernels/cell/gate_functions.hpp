// SPDX-License-Identifier: Apache-2.0
/// @file
/// Sigmoid and tanh as gates need them: within 3 ulp, in under twenty instructions. (The library's
/// own sigmoid and tanh are rounded better, at twice the price.)
#pragma once

#include <weft/kernel/vectorized_math.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

template <class T>
struct GateConstants;
template <>
struct GateConstants<float> {
  using Bits = std::uint32_t;
  static constexpr float log2e = 1.44269504088896341F;
  static constexpr float ln2_high = 0.693359375F, ln2_low = -2.12194440054690583e-4F;
  static constexpr float rounder = 12582912.0F;  // 1.5 * 2^23: leaves the integer in the low bits
  static constexpr float most = 86.0F;           // e^most and its inverse are normal numbers
  static constexpr float tanh_most = 20.0F;      // of 2x: tanh is 1 from 18.1 on
  static constexpr int fraction_bits = 23;
  /// (e^r - 1 - r) / r^2 for |r| < 0.3466: the polynomial of degree 4 whose error, times r, is
  /// least. e^r - 1 is off by less than 2^-25.7 of it.
  static constexpr float series[] = {0.5F, 0.166665435F, 0.0416662805F, 0.00836657826F,
                                     0.00139464415F};
};
template <>
struct GateConstants<double> {
  using Bits = std::uint64_t;
  static constexpr double log2e = 1.44269504088896340736;
  static constexpr double ln2_high = 0.693147180369123816490, ln2_low = 1.90821492927058770002e-10;
  static constexpr double rounder = 6755399441055744.0;
  static constexpr double most = 690.0;
  static constexpr double tanh_most = 40.0;
  static constexpr int fraction_bits = 52;
  /// 1 / 2!, 1 / 3!, ... 1 / 13!: the first term left out is below 2^-57 of r.
  static constexpr double series[] = {
      1.0 / 2,     1.0 / 6,      1.0 / 24,      1.0 / 120,      1.0 / 720,       1.0 / 5040,
      1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
};

/// e^x = 2^k (1 + rest), |rest| < 0.42.
template <class T>
struct GateExp {
  Vectorized<T> power;  ///< 2^k
  Vectorized<T> rest;
};

/// 2^k from rounder + k, k being within the exponents of normal numbers.
template <class T>
WEFT_ALWAYS_INLINE Vectorized<T> gate_power(const Vectorized<T>& shifted) noexcept {
  using Bits = typename GateConstants<T>::Bits;
  return Vectorized<T>::map(shifted, [](const auto& s) {
    const xsimd::batch<Bits> one = bits_as<Bits>(xsimd::batch<T>(T(1)));
    return bits_as<T>(one + (bits_as<Bits>(s) << GateConstants<T>::fraction_bits));
  });
}

/// By ln 2 in two parts, and the series.
template <class T>
WEFT_ALWAYS_INLINE GateExp<T> gate_exp(const Vectorized<T>& x) noexcept {
  using C = GateConstants<T>;
  using V = Vectorized<T>;
  const V shifted = fma(x, V(C::log2e), V(C::rounder));
  const V k = shifted - V(C::rounder);
  const V r = fma(k, V(-C::ln2_low), fma(k, V(-C::ln2_high), x));
  constexpr int last = static_cast<int>(sizeof(C::series) / sizeof(T)) - 1;
  V q(C::series[last]);
  for (int n = last - 1; n >= 0; --n)
    q = fma(q, r, V(C::series[n]));
  return {gate_power(shifted), fma(q * r, r, r)};
}

/// NaN stays NaN.
template <class T>
WEFT_ALWAYS_INLINE Vectorized<T> kept_within(const Vectorized<T>& a, T least, T most) noexcept {
  return Vectorized<T>::map(a, [&](const auto& x) {
    using Batch = xsimd::batch<T>;
    return smaller_or_second(Batch(most), larger_or_second(Batch(least), x));
  });
}

/// 1 + e^-x: what sigmoid is the inverse of.
template <class T>
WEFT_ALWAYS_INLINE Vectorized<T> gate_divisor(const Vectorized<T>& x) noexcept {
  const GateExp<T> e = gate_exp(kept_within(-x, -GateConstants<T>::most, GateConstants<T>::most));
  return Vectorized<T>(T(1)) + fma(e.power, e.rest, e.power);
}
/// 1 / (1 + e^-x).
template <class T>
WEFT_ALWAYS_INLINE Vectorized<T> gate_sigmoid(const Vectorized<T>& x) noexcept {
  return Vectorized<T>(T(1)) / gate_divisor(x);
}

/// e^2x - 1: tanh is m / (m + 2). m = (2^k - 1) + 2^k rest keeps its digits near 0, where k is 0.
template <class T>
WEFT_ALWAYS_INLINE Vectorized<T> gate_doubled(const Vectorized<T>& x) noexcept {
  using V = Vectorized<T>;
  constexpr T most = GateConstants<T>::tanh_most;
  const GateExp<T> e = gate_exp(kept_within(x + x, -most, most));
  return fma(e.power, e.rest, e.power - V(T(1)));
}
template <class T>
WEFT_ALWAYS_INLINE Vectorized<T> gate_tanh(const Vectorized<T>& x) noexcept {
  const Vectorized<T> m = gate_doubled(x);
  return m / (m + Vectorized<T>(T(2)));
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
