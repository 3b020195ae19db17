// SPDX-License-Identifier: Apache-2.0
/// @file
/// A register of f32 as two of f64, and back.
#pragma once

#include <weft/kernel/detail/vectorized_register.hpp>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// The first and the second half of the lanes as f64.
struct Halves {
  Register<double> first, second;
};
WEFT_ALWAYS_INLINE Halves widened(const Register<float>& a) noexcept {
  using Wide = Register<double>;
#if defined(__AVX512F__)
  const __m512 x = a.value;
  const __m256 high = _mm512_extractf32x8_ps(x, 1);
  return {Wide(Wide::Batch(_mm512_cvtps_pd(_mm512_castps512_ps256(x)))),
          Wide(Wide::Batch(_mm512_cvtps_pd(high)))};
#elif defined(__AVX2__)
  const __m256 x = a.value;
  const __m128 high = _mm256_extractf128_ps(x, 1);
  return {Wide(Wide::Batch(_mm256_cvtps_pd(_mm256_castps256_ps128(x)))),
          Wide(Wide::Batch(_mm256_cvtps_pd(high)))};
#elif defined(__aarch64__)
  const float32x4_t x = a.value;
  return {Wide(Wide::Batch(vcvt_f64_f32(vget_low_f32(x)))),
          Wide(Wide::Batch(vcvt_high_f64_f32(x)))};
#else
  alignas(64) float from[Register<float>::lanes];
  alignas(64) double to[Register<float>::lanes];
  a.store(from);
  for (int i = 0; i < Register<float>::lanes; ++i)
    to[i] = from[i];
  return {Wide::load(to), Wide::load(to + Wide::lanes)};
#endif
}
/// Both halves, rounded.
WEFT_ALWAYS_INLINE Register<float> narrowed(const Halves& a) noexcept {
  using Narrow = Register<float>;
#if defined(__AVX512F__)
  const __m256 low = _mm512_cvtpd_ps(a.first.value), high = _mm512_cvtpd_ps(a.second.value);
  return Narrow(Narrow::Batch(_mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1)));
#elif defined(__AVX2__)
  const __m128 low = _mm256_cvtpd_ps(a.first.value), high = _mm256_cvtpd_ps(a.second.value);
  return Narrow(Narrow::Batch(_mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1)));
#elif defined(__aarch64__)
  return Narrow(Narrow::Batch(vcvt_high_f32_f64(vcvt_f32_f64(a.first.value), a.second.value)));
#else
  alignas(64) double from[Narrow::lanes];
  alignas(64) float to[Narrow::lanes];
  a.first.store(from);
  a.second.store(from + Register<double>::lanes);
  for (int i = 0; i < Narrow::lanes; ++i)
    to[i] = static_cast<float>(from[i]);
  return Narrow::load(to);
#endif
}

/// f of registers of f64, for both halves of registers of f32: what in_double() calls.
template <class F, class... In>
WEFT_ALWAYS_INLINE Register<float> by_halves(const F& f, const In&... in) noexcept {
  return narrowed({f(widened(in).first...), f(widened(in).second...)});
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
