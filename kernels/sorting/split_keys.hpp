// SPDX-License-Identifier: Apache-2.0
/// @file
/// Bringing keys that are not above one of them to the front, and the rest behind.
#pragma once

#include <weft/base/export.hpp>
#include <weft/machine/level.hpp>

#include <cstddef>
#include <cstdint>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

#if defined(__AVX2__)
#if defined(__AVX512VL__)
inline constexpr int key_registers = 32;  // that the processor has
#else
inline constexpr int key_registers = 16;
#endif
#define WEFT_SPLITS_REGISTERS
/// For each mask of lanes their numbers, a byte each: first those without a bit, then those with
/// one. A lane has `words` numbers.
template <int lanes, int words>
struct PartedLaneTable {
  constexpr PartedLaneTable() {
    for (int mask = 0; mask < 1 << lanes; ++mask) {
      int shift = 0;
      for (const int bit : {0, 1}) {
        for (int word = 0; word < lanes * words; ++word) {
          if ((mask >> (word / words) & 1) != bit) continue;
          of[mask] |= static_cast<std::uint64_t>(word) << shift;
          shift += 8;
        }
      }
    }
  }

  std::uint64_t of[1 << lanes] = {};
};
template <int lanes, int words>
constexpr PartedLaneTable<lanes, words> parted_lanes;

/// A register of keys that can be parted: 32 bytes, and 64 of keys of 64 bits with AVX-512.
/// (Sixteen keys of 32 bits would need a table of 512 KiB, or be compressed twice, which takes as
/// long as two registers of eight.)
template <class Key>
struct SplitRegister {
  static constexpr int lanes = 32 / static_cast<int>(sizeof(Key));

  WEFT_ALWAYS_INLINE static SplitRegister load(const Key* from) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))};
  }
  WEFT_ALWAYS_INLINE static SplitRegister all(Key key) {
    if constexpr (sizeof(Key) == 4) return {_mm256_set1_epi32(key)};
    if constexpr (sizeof(Key) == 8) return {_mm256_set1_epi64x(key)};
  }
  /// A bit for each lane.
  WEFT_ALWAYS_INLINE unsigned above(const SplitRegister& other) const {
    int mask = 0;
    if constexpr (sizeof(Key) == 4)
      mask = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(bits, other.bits)));
    if constexpr (sizeof(Key) == 8)
      mask = _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(bits, other.bits)));
    return static_cast<unsigned>(mask);
  }
  /// The lanes that the mask names behind the others.
  WEFT_ALWAYS_INLINE SplitRegister parted(unsigned mask) const {
    const auto numbers = static_cast<long long>(parted_lanes<lanes, 8 / lanes>.of[mask]);
    const __m256i places = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(numbers));
    return {_mm256_permutevar8x32_epi32(bits, places)};
  }
  WEFT_ALWAYS_INLINE void store(Key* to) const {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bits);
  }

  __m256i bits;
};
#if defined(__AVX512VL__)
template <>
struct SplitRegister<std::int64_t> {
  using Key = std::int64_t;
  static constexpr int lanes = 8;

  WEFT_ALWAYS_INLINE static SplitRegister load(const Key* from) {
    return {_mm512_loadu_si512(from)};
  }
  WEFT_ALWAYS_INLINE static SplitRegister all(Key key) { return {_mm512_set1_epi64(key)}; }
  WEFT_ALWAYS_INLINE unsigned above(const SplitRegister& other) const {
    return _mm512_cmpgt_epi64_mask(bits, other.bits);
  }
  WEFT_ALWAYS_INLINE SplitRegister parted(unsigned mask) const {
    const auto numbers = static_cast<long long>(parted_lanes<8, 1>.of[mask]);
    const __m512i places = _mm512_cvtepu8_epi64(_mm_cvtsi64_si128(numbers));
    return {_mm512_permutexvar_epi64(places, bits)};
  }
  WEFT_ALWAYS_INLINE void store(Key* to) const { _mm512_storeu_si512(to, bits); }

  __m512i bits;
};
#endif

/// Returns how many of n keys are not above `bound`: they come to the front, the others behind.
template <class Key>
[[gnu::noinline]] std::int64_t split_keys(Key* keys, std::int64_t n, Key bound) {
  using Register = SplitRegister<Key>;
  constexpr int lanes = Register::lanes, registers = key_registers / 4;
  constexpr std::int64_t block = registers * lanes;
  const Register bounds = Register::all(bound);
  Key *front = keys, *back = keys + n;
  const auto split_key = [&](Key key) WEFT_INLINE_LAMBDA {
    const bool is_above = key > bound;
    *front = key;
    back[-1] = key;
    front += is_above ? 0 : 1;
    back -= is_above ? 1 : 0;
  };
  // Stored whole to both ends.
  const auto split = [&](const Register& x) WEFT_INLINE_LAMBDA {
    const unsigned mask = x.above(bounds);
    const Register parted = x.parted(mask);
    parted.store(front);
    parted.store(back - lanes);
    const std::int64_t above = __builtin_popcount(mask);
    front += lanes - above;
    back -= above;
  };
  // A block is taken from the end where there is less room, so that after that both ends have room
  // for a whole block: the one that was loaded before. That is no branch, since nobody can tell
  // which end it is.
  alignas(64) Key last[3 * block];
  std::int64_t few = n;
  if (n < 3 * block) {
    __builtin_memcpy(last, keys, static_cast<std::size_t>(n) * sizeof(Key));
  } else {
    few = 2 * block + n % block;
    const Key *left = keys + few - block, *right = keys + n - block;
    __builtin_memcpy(last, keys, static_cast<std::size_t>(few - block) * sizeof(Key));
    __builtin_memcpy(last + few - block, right, block * sizeof(Key));
    Register x[registers];
    const auto load = [&](const Key* from) WEFT_INLINE_LAMBDA {
      WEFT_UNROLLED
      for (int k = 0; k < registers; ++k)
        x[k] = Register::load(from + k * lanes);
    };
    load(left);
    left += block;
    while (left != right) {
      const std::int64_t takes_left = ((left - front) - (back - right)) >> 63;  // all bits or none
      const Key* const from = right - block + ((left + block - right) & takes_left);
      left += block & takes_left;
      right -= block & ~takes_left;
      Register before[registers];
      WEFT_UNROLLED
      for (int k = 0; k < registers; ++k)
        before[k] = x[k];
      load(from);
      WEFT_UNROLLED
      for (const Register& one : before)
        split(one);
    }
    WEFT_UNROLLED
    for (const Register& one : x)
      split(one);
  }
  // Between the ends there is room for just these. Of the last register, the store to the front and
  // the one to the back go to the same place.
  std::int64_t i = 0;
  for (; i < few % lanes; ++i)
    split_key(last[i]);
  for (; i < few; i += lanes)
    split(Register::load(last + i));
  return front - keys;
}
#endif

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
