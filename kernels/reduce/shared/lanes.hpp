// SPDX-License-Identifier: Apache-2.0
/// @file
/// Vectors from memory, wider and in order: what spans share. The lanes are those of 64 bytes at
/// every level, so that results are the same.
#pragma once

#include <weft/kernel/vectorized.hpp>

#include <cstdint>
#include <type_traits>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// v, for values that shall be loaded or computed in the order of the text. Compilers like to load
/// the operands of a tree of additions from the last to the first, and memory that is not read
/// upwards comes a seventh slower out of the last-level cache.
template <class T>
WEFT_ALWAYS_INLINE Vectorized<T> in_order(Vectorized<T> v) noexcept {
#if defined(__SSE2__) && defined(__GNUC__)
  WEFT_UNROLLED
  for (int i = 0; i < Vectorized<T>::registers; ++i) {
    typename Vectorized<T>::Batch::register_type r = v[i];
#if defined(__AVX512F__)
    __asm__ volatile("" : "+v"(r));
#else
    __asm__ volatile("" : "+x"(r));
#endif
    v[i] = r;
  }
#endif
  return v;
}

/// The numbers of the lanes.
template <class T>
WEFT_ALWAYS_INLINE Vectorized<T> lane_numbers() noexcept {
  alignas(64) T numbers[Vectorized<T>::lanes];
  for (int i = 0; i < Vectorized<T>::lanes; ++i)
    numbers[i] = static_cast<T>(i);
  return Vectorized<T>::load(numbers);
}

/// The lower and the upper eight lanes as doubles.
struct WideLanes {
  Vectorized<double> low, high;
};
WEFT_ALWAYS_INLINE WideLanes widen(const Vectorized<float>& v) noexcept {
  WideLanes w;
#if defined(__AVX512F__)
  w.low[0] = _mm512_cvtps_pd(_mm512_castps512_ps256(v[0]));
  w.high[0] = _mm512_cvtps_pd(_mm512_extractf32x8_ps(v[0], 1));
#elif defined(__AVX__)
  w.low[0] = _mm256_cvtps_pd(_mm256_castps256_ps128(v[0]));
  w.low[1] = _mm256_cvtps_pd(_mm256_extractf128_ps(v[0], 1));
  w.high[0] = _mm256_cvtps_pd(_mm256_castps256_ps128(v[1]));
  w.high[1] = _mm256_cvtps_pd(_mm256_extractf128_ps(v[1], 1));
#elif defined(__SSE2__)
  WEFT_UNROLLED
  for (int i = 0; i < 2; ++i) {
    w.low[2 * i] = _mm_cvtps_pd(v[i]);
    w.low[2 * i + 1] = _mm_cvtps_pd(_mm_movehl_ps(v[i], v[i]));
    w.high[2 * i] = _mm_cvtps_pd(v[i + 2]);
    w.high[2 * i + 1] = _mm_cvtps_pd(_mm_movehl_ps(v[i + 2], v[i + 2]));
  }
#elif defined(__aarch64__)
  WEFT_UNROLLED
  for (int i = 0; i < 2; ++i) {
    w.low[2 * i] = vcvt_f64_f32(vget_low_f32(v[i]));
    w.low[2 * i + 1] = vcvt_high_f64_f32(v[i]);
    w.high[2 * i] = vcvt_f64_f32(vget_low_f32(v[i + 2]));
    w.high[2 * i + 1] = vcvt_high_f64_f32(v[i + 2]);
  }
#else
  alignas(64) float lanes[16];
  alignas(64) double wide[16];
  v.store(lanes);
  for (int i = 0; i < 16; ++i)
    wide[i] = static_cast<double>(lanes[i]);
  w.low = Vectorized<double>::load(wide);
  w.high = Vectorized<double>::load(wide + 8);
#endif
  return w;
}

#if defined(__AVX512F__)
/// The register of a T, of any type, as the one that shuffles take, and back.
template <class T>
WEFT_ALWAYS_INLINE __m512i bits_of(const Vectorized<T>& v) noexcept {
  if constexpr (std::is_same_v<T, float>) return _mm512_castps_si512(v[0]);
  if constexpr (std::is_same_v<T, double>) return _mm512_castpd_si512(v[0]);
  if constexpr (std::is_integral_v<T>) return v[0];
}
template <class T>
WEFT_ALWAYS_INLINE Vectorized<T> vector_of(__m512i bits) noexcept {
  Vectorized<T> v;
  if constexpr (std::is_same_v<T, float>) v[0] = _mm512_castsi512_ps(bits);
  if constexpr (std::is_same_v<T, double>) v[0] = _mm512_castsi512_pd(bits);
  if constexpr (std::is_integral_v<T>) v[0] = bits;
  return v;
}
#endif

/// The first `count` elements in memory, fewer than there are lanes, and `nothing` in the other
/// lanes.
template <class T>
WEFT_ALWAYS_INLINE Vectorized<T> load_first(const T* from, std::int64_t count, T nothing) noexcept {
#if defined(__AVX512F__)
  const auto first = static_cast<std::uint32_t>((1U << count) - 1);
  const __m512i none = bits_of<T>(Vectorized<T>(nothing));
  if constexpr (sizeof(T) == 4) {
    return vector_of<T>(_mm512_mask_loadu_epi32(none, static_cast<__mmask16>(first), from));
  } else {
    return vector_of<T>(_mm512_mask_loadu_epi64(none, static_cast<__mmask8>(first), from));
  }
#else
  return Vectorized<T>::load(from, count, nothing);
#endif
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
