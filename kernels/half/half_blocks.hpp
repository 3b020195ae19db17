// SPDX-License-Identifier: Apache-2.0
/// @file
/// Blocks of f16 and bf16 elements to and from f32, by hardware where the level has it.
#pragma once

#include <weft/core/cast.hpp>
#include <weft/kernel/detail/span_loop.hpp>

#include <cstdint>

#if defined(__F16C__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

// Where f16 and f32 are converted by instructions.
#if defined(__F16C__) || defined(__aarch64__)
#define WEFT_HAS_HALF_CONVERSIONS
#endif

// A loop over a block's elements that is to be vectorised: GCC unrolls some of them completely
// before that, and then finds no vectors in what is left.
#if defined(__GNUC__) && !defined(__clang__)
#define WEFT_KEPT_LOOP _Pragma("GCC unroll 1")
#else
#define WEFT_KEPT_LOOP
#endif

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Elements of a block: 64 bytes of f32.
inline constexpr int half_block = 16;

/// The same in wide loops (WEFT_WIDE_LOOPS): two registers of f32, for a loop over those of one
/// would be unrolled before it is vectorised.
inline constexpr int wide_half_block = 32;

#if defined(__aarch64__)
/// Four elements as floats.
template <class Half>
WEFT_ALWAYS_INLINE float32x4_t widened_halves(uint16x4_t halves) {
  if constexpr (std::is_same_v<Half, float16>) {
    return vcvt_f32_f16(vreinterpret_f16_u16(halves));
  } else {
    return vreinterpretq_f32_u32(vshll_n_u16(halves, 16));
  }
}
/// The same back, rounded to nearest.
template <class Half>
WEFT_ALWAYS_INLINE uint16x4_t narrowed_halves(float32x4_t values) {
  if constexpr (std::is_same_v<Half, float16>) {
    return vreinterpret_u16_f16(vcvt_f16_f32(values));
  } else {
    const uint32x4_t bits = vreinterpretq_u32_f32(values);
    const uint32x4_t odd = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
    const uint32x4_t up = vaddq_u32(bits, vaddq_u32(odd, vdupq_n_u32(0x7fff)));
    // NaN is cut off and made quiet.
    const uint32x4_t quiet = vorrq_u32(bits, vdupq_n_u32(1 << 22));
    return vshrn_n_u32(vbslq_u32(vceqq_f32(values, values), up, quiet), 16);
  }
}
#endif

/// to[i] = from[i] for a block of `length` elements, half_block or wide_half_block; neither needs
/// alignment.
template <class Half, int length = half_block>
WEFT_ALWAYS_INLINE void widen_block(float* to, const char* from) {
#if defined(WEFT_WIDE_LOOPS)
  if constexpr (length == wide_half_block) {
    for (int i = 0; i < length; i += 16) {
      const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + 2 * i));
      if constexpr (std::is_same_v<Half, float16>) {
        _mm512_storeu_ps(to + i, _mm512_cvtph_ps(halves));
      } else {
        _mm512_storeu_si512(to + i, _mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16));
      }
    }
    return;
  }
#endif
#if defined(__AVX2__) && defined(__F16C__)
  for (int i = 0; i < half_block; i += 8) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + 2 * i));
    if constexpr (std::is_same_v<Half, float16>) {
      _mm256_storeu_ps(to + i, _mm256_cvtph_ps(halves));
    } else {
      const __m256i bits = _mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16);
      _mm256_storeu_ps(to + i, _mm256_castsi256_ps(bits));
    }
  }
#elif defined(__aarch64__)
  WEFT_UNROLLED
  for (int i = 0; i < half_block; i += 4) {
    uint16x4_t halves;
    __builtin_memcpy(&halves, from + 2 * i, sizeof(halves));
    vst1q_f32(to + i, widened_halves<Half>(halves));
  }
#else
  const SpanReader<Half, false> in{from};
  WEFT_INDEPENDENT_ITERATIONS
  for (int i = 0; i < half_block; ++i)
    store_element<float>(reinterpret_cast<char*>(to), i, static_cast<float>(in[i]));
#endif
}

#if defined(__AVX2__) && defined(__F16C__)
/// Eight floats, none of them NaN, rounded to bf16 in the lower half of each lane.
WEFT_ALWAYS_INLINE __m256i rounded_to_bfloat16(__m256 values) {
  const __m256i bits = _mm256_castps_si256(values);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  const __m256i half = _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff));
  return _mm256_srli_epi32(_mm256_add_epi32(bits, half), 16);
}
#endif

#if defined(WEFT_WIDE_LOOPS)
/// Sixteen floats, none of them NaN, rounded to bf16.
WEFT_ALWAYS_INLINE __m256i rounded_to_bfloat16(__m512 values) {
  const __m512i bits = _mm512_castps_si512(values);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  const __m512i half = _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff));
  return _mm512_cvtepi32_epi16(_mm512_srli_epi32(_mm512_add_epi32(bits, half), 16));
}

/// narrow_block of wide_half_block elements.
template <class Half>
WEFT_ALWAYS_INLINE void narrow_wide_block(char* to, const float* from) {
  const __m512 low = _mm512_loadu_ps(from);
  const __m512 high = _mm512_loadu_ps(from + 16);
  const auto keep = [&](__m256i first, __m256i second) WEFT_INLINE_LAMBDA {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), first);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 32), second);
  };
  if constexpr (std::is_same_v<Half, float16>) {
    keep(_mm512_cvtps_ph(low, _MM_FROUND_TO_NEAREST_INT),
         _mm512_cvtps_ph(high, _MM_FROUND_TO_NEAREST_INT));
  } else if (_mm512_cmp_ps_mask(low, high, _CMP_UNORD_Q) != 0) {
    const SpanReader<float, false> in{reinterpret_cast<const char*>(from)};
    for (int i = 0; i < wide_half_block; ++i)
      store_element<Half>(to, i, Half(in[i]));
  } else {
    keep(rounded_to_bfloat16(low), rounded_to_bfloat16(high));
  }
}
#endif

/// to[i] = from[i], rounded to nearest, for such a block; neither needs alignment.
template <class Half, int length = half_block>
WEFT_ALWAYS_INLINE void narrow_block(char* to, const float* from) {
#if defined(WEFT_WIDE_LOOPS)
  if constexpr (length == wide_half_block) return narrow_wide_block<Half>(to, from);
#endif
#if defined(__AVX2__) && defined(__F16C__)
  const __m256 low = _mm256_loadu_ps(from);
  const __m256 high = _mm256_loadu_ps(from + 8);
  if constexpr (std::is_same_v<Half, float16>) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                     _mm256_cvtps_ph(low, _MM_FROUND_TO_NEAREST_INT));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 16),
                     _mm256_cvtps_ph(high, _MM_FROUND_TO_NEAREST_INT));
  } else if (_mm256_movemask_ps(_mm256_cmp_ps(low, high, _CMP_UNORD_Q)) != 0) {
    // Rare, and costly to mend among all others: NaN is made quiet one by one.
    const SpanReader<float, false> in{reinterpret_cast<const char*>(from)};
    for (int i = 0; i < half_block; ++i)
      store_element<Half>(to, i, Half(in[i]));
  } else {
    // The pack works lane by lane, which leaves the middle quarters changed over.
    const __m256i packed = _mm256_packus_epi32(rounded_to_bfloat16(low), rounded_to_bfloat16(high));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permute4x64_epi64(packed, 0xd8));
  }
#elif defined(__aarch64__)
  WEFT_UNROLLED
  for (int i = 0; i < half_block; i += 4) {
    const uint16x4_t halves = narrowed_halves<Half>(vld1q_f32(from + i));
    __builtin_memcpy(to + 2 * i, &halves, sizeof(halves));
  }
#else
  const SpanReader<float, false> in{reinterpret_cast<const char*>(from)};
  WEFT_INDEPENDENT_ITERATIONS
  for (int i = 0; i < half_block; ++i)
    store_element<Half>(to, i, Half(in[i]));
#endif
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
