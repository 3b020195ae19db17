// SPDX-License-Identifier: Apache-2.0
/// @file
/// Bools in memory as truth values in registers.
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
