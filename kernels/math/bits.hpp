// SPDX-License-Identifier: Apache-2.0
/// @file
/// The parts of floating numbers, lane by lane: sign, magnitude, exponent, significand.
#pragma once

#include <weft/kernel/vectorized_math.hpp>

#include <limits>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

template <class T>
inline constexpr T infinity = std::numeric_limits<T>::infinity();
template <class T>
inline constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();

/// The sign bit, all others 0.
template <class T>
WEFT_ALWAYS_INLINE Register<T> sign_bit(const Register<T>& a) noexcept {
  return a & T(-0.0);
}
/// a with its sign turned where that of b is set.
template <class T>
WEFT_ALWAYS_INLINE Register<T> turned(const Register<T>& a, const Register<T>& b) noexcept {
  return a ^ sign_bit(b);
}
/// a with its sign set where that of b is.
template <class T>
WEFT_ALWAYS_INLINE Register<T> with_sign_of(const Register<T>& a, const Register<T>& b) noexcept {
  return a | sign_bit(b);
}
/// The magnitude of a with the sign of b.
template <class T>
WEFT_ALWAYS_INLINE Register<T> copysign(const Register<T>& a, const Register<T>& b) noexcept {
  return turned(abs(a), b);
}

/// x = 2^k * m with 3/4 <= m < 3/2, for positive x; 0, infinity and NaN give something.
template <class T>
struct Split {
  Register<T> k, m;
};
template <class T>
WEFT_ALWAYS_INLINE Split<T> split(const Register<T>& x) noexcept {
#if defined(__AVX512F__)
  using Batch = xsimd::batch<T>;
  if constexpr (sizeof(T) == 4) {
    const __m512 m = _mm512_getmant_ps(x.value, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_src);
    const __m512 k = _mm512_sub_ps(_mm512_getexp_ps(x.value), _mm512_getexp_ps(m));
    return {Register<T>(Batch(k)), Register<T>(Batch(m))};
  } else {
    const __m512d m = _mm512_getmant_pd(x.value, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_src);
    const __m512d k = _mm512_sub_pd(_mm512_getexp_pd(x.value), _mm512_getexp_pd(m));
    return {Register<T>(Batch(k)), Register<T>(Batch(m))};
  }
#else
  using Format = FloatFormat<T>;
  using Bits = typename Format::Bits;
  using Whole = xsimd::batch<Bits>;
  constexpr int digits = Format::fraction_bits;
  constexpr Bits one = Bits{Format::bias} << digits;
  constexpr Bits half = Bits{1} << (digits - 1);  // of the fraction: 3/4 is 1.5 / 2
  constexpr Bits exponent = ~((Bits{1} << digits) - 1);
  // The rounder as bits; a small number added to it is added as a number.
  constexpr Bits origin = (Bits{Format::bias + digits} << digits) + half;
  const auto subnormal = x < std::numeric_limits<T>::min();
  const Register<T> normal = select(subnormal, x * T(Bits{1} << digits), x);
  const Whole bits = bits_as<Bits>(normal.value);
  const Whole up = bits + Whole(half);  // half a step more, and exponents change at 3/2
  const Register<T> biased(bits_as<T>((up >> digits) + Whole(origin)));
  const Whole m = bits - (up & Whole(exponent)) + Whole(one);
  const Register<T> bias = select(subnormal, T(Format::bias + digits), T(Format::bias));
  return {(biased - Format::rounder) - bias, Register<T>(bits_as<T>(m))};
#endif
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
