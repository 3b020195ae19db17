// SPDX-License-Identifier: Apache-2.0
/// @file
/// Reading and writing the first lanes of a register, and no byte of memory after them.
#pragma once

#include <weft/base/export.hpp>
#include <weft/machine/level.hpp>

#include <xsimd/xsimd.hpp>

#include <cstdint>
#include <type_traits>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Where `by_mask` is true, one register of T (xsimd::batch<T>) is read and written by instructions
/// that take a mask of its lanes: a copy on the stack that is written lane by lane and read whole
/// waits for the last lane to reach the cache, longer than exp() of all of them takes. load(from,
/// count, others) reads `count` lanes, those after them are `others`; store(to, count, value)
/// writes `count` lanes. All lanes if there are fewer than `count`, none below 0.
template <class T>
struct FirstLanes {
  static constexpr bool by_mask = false;
};

#if defined(__AVX512F__) && defined(__AVX512BW__)

template <class T>
  requires(sizeof(typename xsimd::batch<T>::register_type) == 64)
struct FirstLanes<T> {
  static constexpr bool by_mask = true;
  using Batch = xsimd::batch<T>;

  WEFT_ALWAYS_INLINE static Batch load(const T* from, std::int64_t count, Batch others) noexcept {
    const std::uint64_t mask = first(count);
    const __m512i rest = bits(others);
    if constexpr (sizeof(T) == 1) return batch(_mm512_mask_loadu_epi8(rest, mask, from));
    if constexpr (sizeof(T) == 2)
      return batch(_mm512_mask_loadu_epi16(rest, static_cast<__mmask32>(mask), from));
    if constexpr (sizeof(T) == 4)
      return batch(_mm512_mask_loadu_epi32(rest, static_cast<__mmask16>(mask), from));
    if constexpr (sizeof(T) == 8)
      return batch(_mm512_mask_loadu_epi64(rest, static_cast<__mmask8>(mask), from));
  }
  WEFT_ALWAYS_INLINE static void store(T* to, std::int64_t count, Batch value) noexcept {
    const std::uint64_t mask = first(count);
    const __m512i all = bits(value);
    if constexpr (sizeof(T) == 1) _mm512_mask_storeu_epi8(to, mask, all);
    if constexpr (sizeof(T) == 2) _mm512_mask_storeu_epi16(to, static_cast<__mmask32>(mask), all);
    if constexpr (sizeof(T) == 4) _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(mask), all);
    if constexpr (sizeof(T) == 8) _mm512_mask_storeu_epi64(to, static_cast<__mmask8>(mask), all);
  }

 private:
  static WEFT_ALWAYS_INLINE std::uint64_t first(std::int64_t count) noexcept {
    if (count <= 0) return 0;
    return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  }
  static WEFT_ALWAYS_INLINE __m512i bits(Batch value) noexcept {
    if constexpr (std::is_same_v<T, float>) return _mm512_castps_si512(value);
    if constexpr (std::is_same_v<T, double>) return _mm512_castpd_si512(value);
    if constexpr (std::is_integral_v<T>) return value;
  }
  static WEFT_ALWAYS_INLINE Batch batch(__m512i bits) noexcept {
    if constexpr (std::is_same_v<T, float>) return Batch(_mm512_castsi512_ps(bits));
    if constexpr (std::is_same_v<T, double>) return Batch(_mm512_castsi512_pd(bits));
    if constexpr (std::is_integral_v<T>) return Batch(bits);
  }
};

#elif defined(__AVX2__)

template <class T>
  requires(sizeof(T) >= 4 && sizeof(typename xsimd::batch<T>::register_type) == 32)
struct FirstLanes<T> {
  static constexpr bool by_mask = true;
  using Batch = xsimd::batch<T>;

  WEFT_ALWAYS_INLINE static Batch load(const T* from, std::int64_t count, Batch others) noexcept {
    const __m256i mask = first(count);
    __m256i read;
    if constexpr (sizeof(T) == 4) {
      read = _mm256_maskload_epi32(reinterpret_cast<const int*>(from), mask);
    } else {
      read = _mm256_maskload_epi64(reinterpret_cast<const long long*>(from), mask);
    }
    return batch(_mm256_blendv_epi8(bits(others), read, mask));
  }
  WEFT_ALWAYS_INLINE static void store(T* to, std::int64_t count, Batch value) noexcept {
    if constexpr (sizeof(T) == 4) {
      _mm256_maskstore_epi32(reinterpret_cast<int*>(to), first(count), bits(value));
    } else {
      _mm256_maskstore_epi64(reinterpret_cast<long long*>(to), first(count), bits(value));
    }
  }

 private:
  static WEFT_ALWAYS_INLINE __m256i first(std::int64_t count) noexcept {
    if constexpr (sizeof(T) == 4) {
      return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)),
                                _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    } else {
      return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
    }
  }
  static WEFT_ALWAYS_INLINE __m256i bits(Batch value) noexcept {
    if constexpr (std::is_same_v<T, float>) return _mm256_castps_si256(value);
    if constexpr (std::is_same_v<T, double>) return _mm256_castpd_si256(value);
    if constexpr (std::is_integral_v<T>) return value;
  }
  static WEFT_ALWAYS_INLINE Batch batch(__m256i bits) noexcept {
    if constexpr (std::is_same_v<T, float>) return Batch(_mm256_castsi256_ps(bits));
    if constexpr (std::is_same_v<T, double>) return Batch(_mm256_castsi256_pd(bits));
    if constexpr (std::is_integral_v<T>) return Batch(bits);
  }
};

#endif

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
