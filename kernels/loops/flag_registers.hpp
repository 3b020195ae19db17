// SPDX-License-Identifier: Apache-2.0
/// @file
/// Bools in memory as truth values in registers, and back.
#pragma once

#include <weft/kernel/detail/vectorized_register.hpp>

#include <cstdint>
#include <type_traits>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// For each lane of a register of T: all bits if its byte is not 0, else none.
template <class T>
WEFT_ALWAYS_INLINE Register<T> truth_of_flags(const char* flags) noexcept {
  using R = Register<T>;
  using Whole = typename R::Whole;
  [[maybe_unused]] constexpr bool is_single = sizeof(T) == 4;
#if defined(__AVX512F__)
  if constexpr (is_single) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(flags));
    return R::of_bits(Whole(_mm512_maskz_set1_epi32(_mm_test_epi8_mask(bytes, bytes), -1)));
  } else {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(flags));
    const auto set = static_cast<__mmask8>(_mm_test_epi8_mask(bytes, bytes));
    return R::of_bits(Whole(_mm512_maskz_set1_epi64(set, -1)));
  }
#elif defined(__AVX2__)
  const __m256i none = _mm256_setzero_si256();
  if constexpr (is_single) {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(flags));
    return R::of_bits(Whole(_mm256_cmpgt_epi32(_mm256_cvtepu8_epi32(bytes), none)));
  } else {
    std::int32_t four;
    __builtin_memcpy(&four, flags, sizeof(four));
    return R::of_bits(
        Whole(_mm256_cmpgt_epi64(_mm256_cvtepu8_epi64(_mm_cvtsi32_si128(four)), none)));
  }
#elif defined(__SSE2__)
  const __m128i none = _mm_setzero_si128();
  std::conditional_t<is_single, std::int32_t, std::int16_t> some;
  __builtin_memcpy(&some, flags, sizeof(some));
  const __m128i words = _mm_unpacklo_epi8(_mm_cvtsi32_si128(some), none);
  const __m128i truth = _mm_cmpgt_epi32(_mm_unpacklo_epi16(words, none), none);
  return R::of_bits(Whole(is_single ? truth : _mm_unpacklo_epi32(truth, truth)));
#else
  typename Whole::value_type bits[R::lanes];
  for (int i = 0; i < R::lanes; ++i)
    bits[i] = flags[i] != 0 ? ~typename Whole::value_type(0) : 0;
  return R::of_bits(Whole::load_unaligned(bits));
#endif
}

/// A byte for each lane of truth values: 1 or 0.
template <class T>
WEFT_ALWAYS_INLINE void store_flags(char* to, const Register<T>& truth) noexcept {
  [[maybe_unused]] constexpr int lanes = Register<T>::lanes;
  [[maybe_unused]] constexpr bool is_single = sizeof(T) == 4;
  const auto bits = truth.bits();
#if defined(__AVX512F__)
  if constexpr (is_single) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                     _mm_maskz_set1_epi8(_mm512_movepi32_mask(bits), 1));
  } else {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to),
                     _mm_maskz_set1_epi8(_mm512_movepi64_mask(bits), 1));
  }
#elif defined(__SSE2__)
#if defined(__AVX2__)
  const __m128i low = _mm256_castsi256_si128(bits), high = _mm256_extracti128_si256(bits, 1);
#else
  const __m128i low = bits, high = bits;
#endif
  __m128i words = low;  // one of 16 bits for each lane
  if constexpr (is_single) {
    words = _mm_packs_epi32(low, high);
  } else {
    const __m128 even = _mm_shuffle_ps(_mm_castsi128_ps(low), _mm_castsi128_ps(high), 0x88);
    words = _mm_packs_epi32(_mm_castps_si128(even), _mm_castps_si128(even));
  }
  const __m128i flags = _mm_and_si128(_mm_packs_epi16(words, words), _mm_set1_epi8(1));
  alignas(16) char bytes[16];
  _mm_store_si128(reinterpret_cast<__m128i*>(bytes), flags);
  __builtin_memcpy(to, bytes, lanes);
#else
  typename Register<T>::Whole::value_type words[lanes];
  bits.store_unaligned(words);
  for (int i = 0; i < lanes; ++i)
    to[i] = words[i] != 0 ? 1 : 0;
#endif
}

/// Whether there are masked stores, for store_selected().
#if defined(__AVX2__)
inline constexpr bool has_selected_stores = true;
#else
inline constexpr bool has_selected_stores = false;
#endif

/// Stores the lanes whose byte is not 0; memory of the others is not touched.
template <class T>
WEFT_ALWAYS_INLINE void store_selected([[maybe_unused]] T* to,
                                       [[maybe_unused]] const Register<T>& x,
                                       [[maybe_unused]] const char* flags) noexcept {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(flags));
    _mm512_mask_storeu_ps(to, _mm_test_epi8_mask(bytes, bytes), x.value);
  } else {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(flags));
    _mm512_mask_storeu_pd(to, static_cast<__mmask8>(_mm_test_epi8_mask(bytes, bytes)), x.value);
  }
#elif defined(__AVX2__)
  const __m256i selected = truth_of_flags<T>(flags).bits();
  if constexpr (sizeof(T) == 4) {
    _mm256_maskstore_ps(to, selected, x.value);
  } else {
    _mm256_maskstore_pd(to, selected, x.value);
  }
#endif
}

/// Elements in memory whose byte is not 0, and 0 in the other lanes.
template <class T>
WEFT_ALWAYS_INLINE Register<T> load_selected(const T* from, const char* flags) noexcept {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(flags));
    return Register<T>(_mm512_maskz_loadu_ps(_mm_test_epi8_mask(bytes, bytes), from));
  } else {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(flags));
    const auto set = static_cast<__mmask8>(_mm_test_epi8_mask(bytes, bytes));
    return Register<T>(_mm512_maskz_loadu_pd(set, from));
  }
#else
  return Register<T>::load(from) & truth_of_flags<T>(flags);
#endif
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
