// SPDX-License-Identifier: Apache-2.0
/// @file
/// Registers of the parts of complex numbers, real and imaginary ones side by side as in memory.
#pragma once

#include <weft/base/export.hpp>
#include <weft/machine/level.hpp>

#include <cstdint>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

// Where the level has such registers.
#if defined(__AVX2__) || defined(__aarch64__)
#define WEFT_HAS_PART_REGISTERS
#endif

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

#if defined(__AVX2__)
/// 32 bytes of parts, and what differs between their types.
template <class Part>
struct PartRegister;
template <>
struct PartRegister<float> {
  using Type = __m256;
  static WEFT_ALWAYS_INLINE Type pairs(float re, float im) noexcept {
    return _mm256_setr_ps(re, im, re, im, re, im, re, im);
  }
  static WEFT_ALWAYS_INLINE Type swapped(Type a) noexcept { return _mm256_permute_ps(a, 0xb1); }
  static WEFT_ALWAYS_INLINE Type reals(Type a) noexcept { return _mm256_moveldup_ps(a); }
  static WEFT_ALWAYS_INLINE Type imags(Type a) noexcept { return _mm256_movehdup_ps(a); }
  static WEFT_ALWAYS_INLINE Type less_and_more(Type a, Type b) noexcept {
    return _mm256_addsub_ps(a, b);
  }
  static WEFT_ALWAYS_INLINE Type larger(Type a, Type b) noexcept { return _mm256_max_ps(a, b); }
  static WEFT_ALWAYS_INLINE Type changed(Type a, Type bits) noexcept {
    return _mm256_xor_ps(a, bits);
  }
  static WEFT_ALWAYS_INLINE Type without(Type a, Type bits) noexcept {
    return _mm256_andnot_ps(bits, a);
  }
  static WEFT_ALWAYS_INLINE Type if_less(Type a, Type b, Type then, Type otherwise) noexcept {
    return _mm256_blendv_ps(otherwise, then, _mm256_cmp_ps(a, b, _CMP_LT_OQ));
  }
  static WEFT_ALWAYS_INLINE Type equal(Type a, Type b) noexcept {
    return _mm256_cmp_ps(a, b, _CMP_EQ_OQ);
  }
  static WEFT_ALWAYS_INLINE Type both(Type a, Type b) noexcept { return _mm256_and_ps(a, b); }
  static WEFT_ALWAYS_INLINE Type either(Type a, Type b) noexcept { return _mm256_or_ps(a, b); }
  static WEFT_ALWAYS_INLINE Type chosen(Type mask, Type then, Type otherwise) noexcept {
    return _mm256_blendv_ps(otherwise, then, mask);
  }
};
template <>
struct PartRegister<double> {
  using Type = __m256d;
  static WEFT_ALWAYS_INLINE Type pairs(double re, double im) noexcept {
    return _mm256_setr_pd(re, im, re, im);
  }
  static WEFT_ALWAYS_INLINE Type swapped(Type a) noexcept { return _mm256_permute_pd(a, 0x5); }
  static WEFT_ALWAYS_INLINE Type reals(Type a) noexcept { return _mm256_movedup_pd(a); }
  static WEFT_ALWAYS_INLINE Type imags(Type a) noexcept { return _mm256_permute_pd(a, 0xf); }
  static WEFT_ALWAYS_INLINE Type less_and_more(Type a, Type b) noexcept {
    return _mm256_addsub_pd(a, b);
  }
  static WEFT_ALWAYS_INLINE Type larger(Type a, Type b) noexcept { return _mm256_max_pd(a, b); }
  static WEFT_ALWAYS_INLINE Type changed(Type a, Type bits) noexcept {
    return _mm256_xor_pd(a, bits);
  }
  static WEFT_ALWAYS_INLINE Type without(Type a, Type bits) noexcept {
    return _mm256_andnot_pd(bits, a);
  }
  static WEFT_ALWAYS_INLINE Type if_less(Type a, Type b, Type then, Type otherwise) noexcept {
    return _mm256_blendv_pd(otherwise, then, _mm256_cmp_pd(a, b, _CMP_LT_OQ));
  }
  static WEFT_ALWAYS_INLINE Type equal(Type a, Type b) noexcept {
    return _mm256_cmp_pd(a, b, _CMP_EQ_OQ);
  }
  static WEFT_ALWAYS_INLINE Type both(Type a, Type b) noexcept { return _mm256_and_pd(a, b); }
  static WEFT_ALWAYS_INLINE Type either(Type a, Type b) noexcept { return _mm256_or_pd(a, b); }
  static WEFT_ALWAYS_INLINE Type chosen(Type mask, Type then, Type otherwise) noexcept {
    return _mm256_blendv_pd(otherwise, then, mask);
  }
};

/// Moving complex numbers into registers of their parts and out of them.
template <class Part>
struct NumbersInMemory {
  using Type = typename PartRegister<Part>::Type;
  static constexpr int size = 2 * static_cast<int>(sizeof(Part));

  /// The first `bytes` bytes of a register, of complete numbers and less than all; the others are
  /// 0.
  static WEFT_ALWAYS_INLINE Type load_first(const char* from, std::int64_t bytes) noexcept {
    const __m256i taken =
        _mm256_cmpgt_epi64(_mm256_set1_epi64x(bytes), _mm256_setr_epi64x(0, 8, 16, 24));
    return reinterpret_cast<Type>(
        _mm256_maskload_epi64(reinterpret_cast<const long long*>(from), taken));
  }
  /// Writes as many, and nothing else.
  static WEFT_ALWAYS_INLINE void store_first(char* to, Type parts, std::int64_t bytes) noexcept {
    const auto words = reinterpret_cast<__m256i>(parts);
    __m128i half = _mm256_castsi256_si128(words);
    if ((bytes & 16) != 0) {
      __builtin_memcpy(to, &half, 16);
      to += 16;
      half = _mm256_extracti128_si256(words, 1);
    }
    if ((bytes & 8) != 0) _mm_storel_epi64(reinterpret_cast<__m128i*>(to), half);
  }
  /// As many numbers as it holds, at a stride of `step` bytes.
  static WEFT_ALWAYS_INLINE Type load_strided(const char* from, std::int64_t step) noexcept {
    const auto number = [&](std::int64_t i) WEFT_INLINE_LAMBDA { return from + i * step; };
    if constexpr (size == 16) {
      return halves(two_words(number(0)), two_words(number(1)));
    } else {
      return halves(_mm_set_pd(word(number(1)), word(number(0))),
                    _mm_set_pd(word(number(3)), word(number(2))));
    }
  }
  /// One number in all places. From memory: compilers put parts together in memory once more, and
  /// wait for them.
  static WEFT_ALWAYS_INLINE Type load_all(const char* from) noexcept {
    const __m128d half = size == 16 ? two_words(from) : _mm_set1_pd(word(from));
    return halves(half, half);
  }

 private:
  // Eight bytes, and twice as many, of whatever they hold.
  static WEFT_ALWAYS_INLINE double word(const char* from) noexcept {
    double bytes;
    __builtin_memcpy(&bytes, from, sizeof(bytes));
    return bytes;
  }
  static WEFT_ALWAYS_INLINE __m128d two_words(const char* from) noexcept {
    __m128d bytes;
    __builtin_memcpy(&bytes, from, sizeof(bytes));
    return bytes;
  }
  static WEFT_ALWAYS_INLINE Type halves(__m128d low, __m128d high) noexcept {
    return reinterpret_cast<Type>(_mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1));
  }
};
#elif defined(__aarch64__)
/// 16 bytes of parts, and what differs between their types.
template <class Part>
struct PartRegister;
template <>
struct PartRegister<float> {
  using Type = float32x4_t;
  static WEFT_ALWAYS_INLINE Type pairs(float re, float im) noexcept { return Type{re, im, re, im}; }
  static WEFT_ALWAYS_INLINE Type swapped(Type a) noexcept { return vrev64q_f32(a); }
  static WEFT_ALWAYS_INLINE Type reals(Type a) noexcept { return vtrn1q_f32(a, a); }
  static WEFT_ALWAYS_INLINE Type imags(Type a) noexcept { return vtrn2q_f32(a, a); }
  static WEFT_ALWAYS_INLINE Type less_and_more(Type a, Type b) noexcept {
    return vaddq_f32(a, changed(b, pairs(-0.0F, 0.0F)));
  }
  static WEFT_ALWAYS_INLINE Type larger(Type a, Type b) noexcept {
    return vbslq_f32(vcgtq_f32(a, b), a, b);
  }
  static WEFT_ALWAYS_INLINE Type changed(Type a, Type mask) noexcept {
    return number(veorq_u32(bits(a), bits(mask)));
  }
  static WEFT_ALWAYS_INLINE Type without(Type a, Type mask) noexcept {
    return number(vbicq_u32(bits(a), bits(mask)));
  }
  static WEFT_ALWAYS_INLINE Type if_less(Type a, Type b, Type then, Type otherwise) noexcept {
    return vbslq_f32(vcltq_f32(a, b), then, otherwise);
  }
  static WEFT_ALWAYS_INLINE Type equal(Type a, Type b) noexcept { return number(vceqq_f32(a, b)); }
  static WEFT_ALWAYS_INLINE Type both(Type a, Type b) noexcept {
    return number(vandq_u32(bits(a), bits(b)));
  }
  static WEFT_ALWAYS_INLINE Type either(Type a, Type b) noexcept {
    return number(vorrq_u32(bits(a), bits(b)));
  }
  static WEFT_ALWAYS_INLINE Type chosen(Type mask, Type then, Type otherwise) noexcept {
    return vbslq_f32(bits(mask), then, otherwise);
  }

 private:
  static WEFT_ALWAYS_INLINE uint32x4_t bits(Type a) noexcept { return vreinterpretq_u32_f32(a); }
  static WEFT_ALWAYS_INLINE Type number(uint32x4_t a) noexcept { return vreinterpretq_f32_u32(a); }
};
template <>
struct PartRegister<double> {
  using Type = float64x2_t;
  static WEFT_ALWAYS_INLINE Type pairs(double re, double im) noexcept { return Type{re, im}; }
  static WEFT_ALWAYS_INLINE Type swapped(Type a) noexcept { return vextq_f64(a, a, 1); }
  static WEFT_ALWAYS_INLINE Type reals(Type a) noexcept { return vtrn1q_f64(a, a); }
  static WEFT_ALWAYS_INLINE Type imags(Type a) noexcept { return vtrn2q_f64(a, a); }
  static WEFT_ALWAYS_INLINE Type less_and_more(Type a, Type b) noexcept {
    return vaddq_f64(a, changed(b, pairs(-0.0, 0.0)));
  }
  static WEFT_ALWAYS_INLINE Type larger(Type a, Type b) noexcept {
    return vbslq_f64(vcgtq_f64(a, b), a, b);
  }
  static WEFT_ALWAYS_INLINE Type changed(Type a, Type mask) noexcept {
    return number(veorq_u64(bits(a), bits(mask)));
  }
  static WEFT_ALWAYS_INLINE Type without(Type a, Type mask) noexcept {
    return number(vbicq_u64(bits(a), bits(mask)));
  }
  static WEFT_ALWAYS_INLINE Type if_less(Type a, Type b, Type then, Type otherwise) noexcept {
    return vbslq_f64(vcltq_f64(a, b), then, otherwise);
  }
  static WEFT_ALWAYS_INLINE Type equal(Type a, Type b) noexcept { return number(vceqq_f64(a, b)); }
  static WEFT_ALWAYS_INLINE Type both(Type a, Type b) noexcept {
    return number(vandq_u64(bits(a), bits(b)));
  }
  static WEFT_ALWAYS_INLINE Type either(Type a, Type b) noexcept {
    return number(vorrq_u64(bits(a), bits(b)));
  }
  static WEFT_ALWAYS_INLINE Type chosen(Type mask, Type then, Type otherwise) noexcept {
    return vbslq_f64(bits(mask), then, otherwise);
  }

 private:
  static WEFT_ALWAYS_INLINE uint64x2_t bits(Type a) noexcept { return vreinterpretq_u64_f64(a); }
  static WEFT_ALWAYS_INLINE Type number(uint64x2_t a) noexcept { return vreinterpretq_f64_u64(a); }
};

/// Moving complex numbers into registers of their parts and out of them.
template <class Part>
struct NumbersInMemory {
  using Type = typename PartRegister<Part>::Type;
  static constexpr int size = 2 * static_cast<int>(sizeof(Part));

  /// The first `bytes` bytes of a register, of complete numbers and less than all: one of two. The
  /// others are 0.
  static WEFT_ALWAYS_INLINE Type load_first(const char* from, std::int64_t /*bytes*/) noexcept {
    return numbers(vcombine_u64(word(from), vcreate_u64(0)));
  }
  /// Writes as many, and nothing else.
  static WEFT_ALWAYS_INLINE void store_first(char* to, Type parts,
                                             std::int64_t /*bytes*/) noexcept {
    __builtin_memcpy(to, &parts, 8);
  }
  /// As many numbers as it holds, at a stride of `step` bytes.
  static WEFT_ALWAYS_INLINE Type load_strided(const char* from, std::int64_t step) noexcept {
    if constexpr (size == 8) return numbers(vcombine_u64(word(from), word(from + step)));
    return load_all(from);
  }
  /// One number in all places.
  static WEFT_ALWAYS_INLINE Type load_all(const char* from) noexcept {
    if constexpr (size == 8) return numbers(vcombine_u64(word(from), word(from)));
    Type parts;
    __builtin_memcpy(&parts, from, sizeof(parts));
    return parts;
  }

 private:
  static WEFT_ALWAYS_INLINE uint64x1_t word(const char* from) noexcept {
    uint64x1_t bytes;
    __builtin_memcpy(&bytes, from, sizeof(bytes));
    return bytes;
  }
  static WEFT_ALWAYS_INLINE Type numbers(uint64x2_t words) noexcept {
    return reinterpret_cast<Type>(words);
  }
};
#endif

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
