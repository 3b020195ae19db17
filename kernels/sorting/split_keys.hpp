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

#if defined(__AVX512VL__)
#define WEFT_SPLITS_REGISTERS
/// A register of keys, those of which that a mask names can be put in its first lanes.
template <class Key>
struct SplitRegister {
  static constexpr int lanes = 64 / static_cast<int>(sizeof(Key));

  WEFT_ALWAYS_INLINE static SplitRegister load(const Key* from) {
    return {_mm512_loadu_si512(from)};
  }
  WEFT_ALWAYS_INLINE static SplitRegister all(Key key) {
    if constexpr (sizeof(Key) == 4) return {_mm512_set1_epi32(key)};
    if constexpr (sizeof(Key) == 8) return {_mm512_set1_epi64(key)};
  }
  WEFT_ALWAYS_INLINE unsigned above(const SplitRegister& other) const {
    if constexpr (sizeof(Key) == 4) return _mm512_cmpgt_epi32_mask(bits, other.bits);
    if constexpr (sizeof(Key) == 8) return _mm512_cmpgt_epi64_mask(bits, other.bits);
  }
  WEFT_ALWAYS_INLINE void store(Key* to, unsigned mask) const {
    if constexpr (sizeof(Key) == 4)
      _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(static_cast<__mmask16>(mask), bits));
    if constexpr (sizeof(Key) == 8)
      _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(static_cast<__mmask8>(mask), bits));
  }

  __m512i bits;
};
#elif defined(__AVX2__)
#define WEFT_SPLITS_REGISTERS
/// For each mask the numbers of its lanes of 32 bits, a byte each.
template <int lanes>
struct FirstLaneTable {
  constexpr FirstLaneTable() {
    for (int mask = 0; mask < 1 << lanes; ++mask) {
      int shift = 0;
      for (int word = 0; word < 8; ++word) {
        if ((mask >> (word * lanes / 8) & 1) == 0) continue;
        of[mask] |= static_cast<std::uint64_t>(word) << shift;
        shift += 8;
      }
    }
  }

  std::uint64_t of[1 << lanes] = {};
};
constexpr FirstLaneTable<4> first_of_4;
constexpr FirstLaneTable<8> first_of_8;

/// A register of keys, those of which that a mask names can be put in its first lanes.
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
  WEFT_ALWAYS_INLINE unsigned above(const SplitRegister& other) const {
    int mask = 0;
    if constexpr (sizeof(Key) == 4)
      mask = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(bits, other.bits)));
    if constexpr (sizeof(Key) == 8)
      mask = _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(bits, other.bits)));
    return static_cast<unsigned>(mask);
  }
  WEFT_ALWAYS_INLINE void store(Key* to, unsigned mask) const {
    const std::uint64_t* table = sizeof(Key) == 4 ? first_of_8.of : first_of_4.of;
    const auto words = static_cast<long long>(table[mask]);
    const __m256i places = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(words));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permutevar8x32_epi32(bits, places));
  }

  __m256i bits;
};
#endif

/// Returns how many of n keys are not above `bound`: they come to the front, in their order, the
/// others behind in theirs. `room` has a register more than n keys take.
template <class Key>
[[gnu::noinline]] std::int64_t split_keys(Key* keys, Key* room, std::int64_t n, Key bound) {
  std::int64_t below = 0, above = 0, i = 0;
#if defined(WEFT_SPLITS_REGISTERS)
  using Register = SplitRegister<Key>;
  constexpr int lanes = Register::lanes;
  constexpr unsigned all = (1U << lanes) - 1;
  const Register bounds = Register::all(bound);
  // What is overwritten behind the keys below has been loaded before.
  const auto split = [&](const Register& x) {
    const unsigned mask = x.above(bounds);
    x.store(keys + below, ~mask & all);
    x.store(room + above, mask);
    const int count = __builtin_popcount(mask);
    above += count;
    below += lanes - count;
  };
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    const Register x[] = {Register::load(keys + i), Register::load(keys + i + lanes),
                          Register::load(keys + i + 2 * lanes),
                          Register::load(keys + i + 3 * lanes)};
    WEFT_UNROLLED
    for (const Register& one : x)
      split(one);
  }
  for (; i + lanes <= n; i += lanes)
    split(Register::load(keys + i));
#endif
  for (; i < n; ++i) {
    const Key key = keys[i];
    const bool is_above = key > bound;
    keys[below] = key;
    room[above] = key;
    above += is_above ? 1 : 0;
    below += is_above ? 0 : 1;
  }
  __builtin_memcpy(keys + below, room, static_cast<std::size_t>(above) * sizeof(Key));
  return below;
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
