// SPDX-License-Identifier: Apache-2.0
/// @file
/// f16 and bf16 elements to and from registers of f32.
#pragma once

#include <weft/kernel/detail/vectorized_register.hpp>

#include "kernels/half/half_blocks.hpp"

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// As many elements as a register of f32 has lanes; no alignment is needed.
template <class Half>
WEFT_ALWAYS_INLINE Register<float> load_halves(const char* from) {
  using Batch [[maybe_unused]] = Register<float>::Batch;
#if defined(__AVX512F__)
  const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  if constexpr (std::is_same_v<Half, float16>) {
    return Register<float>(Batch(_mm512_cvtph_ps(halves)));
  } else {
    // Halves into the upper words, in one step.
    const __m512i words =
        _mm512_set_epi32(15 << 16, 14 << 16, 13 << 16, 12 << 16, 11 << 16, 10 << 16, 9 << 16,
                         8 << 16, 7 << 16, 6 << 16, 5 << 16, 4 << 16, 3 << 16, 2 << 16, 1 << 16, 0);
    const __m512i bits =
        _mm512_maskz_permutexvar_epi16(0xaaaaaaaa, words, _mm512_castsi256_si512(halves));
    return Register<float>(Batch(_mm512_castsi512_ps(bits)));
  }
#elif defined(__AVX2__) && defined(__F16C__)
  const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  if constexpr (std::is_same_v<Half, float16>) {
    return Register<float>(Batch(_mm256_cvtph_ps(halves)));
  } else {
    const __m256i bits = _mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16);
    return Register<float>(Batch(_mm256_castsi256_ps(bits)));
  }
#elif defined(__aarch64__)
  uint16x4_t halves;
  __builtin_memcpy(&halves, from, sizeof(halves));
  return Register<float>(Batch(widened_halves<Half>(halves)));
#else
  alignas(64) float values[Register<float>::lanes];
  const SpanReader<Half, false> in{from};
  for (int i = 0; i < Register<float>::lanes; ++i)
    values[i] = static_cast<float>(in[i]);
  return Register<float>::load(values);
#endif
}

/// The same back, rounded to nearest.
template <class Half>
WEFT_ALWAYS_INLINE void store_halves(char* to, const Register<float>& from) {
#if defined(__AVX512F__)
  const __m512 values = from.value;
  __m256i halves;
  if constexpr (std::is_same_v<Half, float16>) {
    halves = _mm512_cvtps_ph(values, _MM_FROUND_TO_NEAREST_INT);
  } else {
    const __m512i bits = _mm512_castps_si512(values);
    const __mmask16 odd = _mm512_test_epi32_mask(bits, _mm512_set1_epi32(1 << 16));
    const __m512i half = _mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff));
    const __m512i up = _mm512_mask_add_epi32(half, odd, bits, _mm512_set1_epi32(0x8000));
    // NaN is cut off and made quiet.
    const __mmask16 nan = _mm512_cmp_ps_mask(values, values, _CMP_UNORD_Q);
    const __m512i result = _mm512_mask_or_epi32(up, nan, bits, _mm512_set1_epi32(1 << 22));
    const __m512i upper =
        _mm512_set_epi32(0, 0, 0, 0, 0, 0, 0, 0, 31 << 16 | 29, 27 << 16 | 25, 23 << 16 | 21,
                         19 << 16 | 17, 15 << 16 | 13, 11 << 16 | 9, 7 << 16 | 5, 3 << 16 | 1);
    halves = _mm512_castsi512_si256(_mm512_permutexvar_epi16(upper, result));
  }
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), halves);
#elif defined(__AVX2__) && defined(__F16C__)
  const __m256 values = from.value;
  if constexpr (std::is_same_v<Half, float16>) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                     _mm256_cvtps_ph(values, _MM_FROUND_TO_NEAREST_INT));
  } else {
    const __m256i quiet = _mm256_srli_epi32(
        _mm256_or_si256(_mm256_castps_si256(values), _mm256_set1_epi32(1 << 22)), 16);
    const __m256 nan = _mm256_cmp_ps(values, values, _CMP_UNORD_Q);
    const __m256i result =
        _mm256_blendv_epi8(rounded_to_bfloat16(values), quiet, _mm256_castps_si256(nan));
    // The pack works half by half: of either the first quarter counts.
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(result, result), 0x08);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(packed));
  }
#elif defined(__aarch64__)
  const uint16x4_t halves = narrowed_halves<Half>(from.value);
  __builtin_memcpy(to, &halves, sizeof(halves));
#else
  alignas(64) float values[Register<float>::lanes];
  from.store(values);
  for (int i = 0; i < Register<float>::lanes; ++i)
    store_element<Half>(to, i, Half(values[i]));
#endif
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
