// SPDX-License-Identifier: Apache-2.0
/// @file
/// Rows into single values in registers, where the level has shuffles for it: lanes are joined half
/// with half, as fold_lanes() of folds.hpp does it in memory.
#pragma once

#include "kernels/reduce/shared/lanes.hpp"
#include "kernels/stage/moves.hpp"

#include <cstdint>
#include <type_traits>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Rows whose lanes are folded together: shuffles of two rows cost what those of one do.
inline constexpr int fold_rows = 32;

#if defined(__AVX512F__)
/// The lanes of as many rows as there are lanes, sixteen or eight, of `n` elements each, a power of
/// two, which stand side by side in n registers: every step joins the halves of the rows of two
/// registers and leaves them side by side.
template <class T, int n, class Join>
WEFT_ALWAYS_INLINE Vectorized<T> fold_registers(__m512i* rows, Join join) noexcept {
  constexpr int lanes = Vectorized<T>::lanes;
  const auto halve = [&](int count, auto lower, auto upper) WEFT_INLINE_LAMBDA {
    WEFT_UNROLLED
    for (int r = 0; r < count / 2; ++r) {
      const __m512i a = rows[r], b = rows[r + count / 2];
      rows[r] = bits_of<T>(join(vector_of<T>(lower(a, b)), vector_of<T>(upper(a, b))));
    }
  };
  if constexpr (n == lanes) {
    halve(
        n, [](__m512i a, __m512i b) WEFT_INLINE_LAMBDA { return _mm512_shuffle_i64x2(a, b, 0x44); },
        [](__m512i a, __m512i b) WEFT_INLINE_LAMBDA { return _mm512_shuffle_i64x2(a, b, 0xee); });
  }
  if constexpr (n >= lanes / 2) {
    halve(
        lanes / 2,
        [](__m512i a, __m512i b) WEFT_INLINE_LAMBDA { return _mm512_shuffle_i64x2(a, b, 0x88); },
        [](__m512i a, __m512i b) WEFT_INLINE_LAMBDA { return _mm512_shuffle_i64x2(a, b, 0xdd); });
  }
  if constexpr (n >= lanes / 4) {
    halve(
        lanes / 4,
        [](__m512i a, __m512i b) WEFT_INLINE_LAMBDA { return _mm512_unpacklo_epi64(a, b); },
        [](__m512i a, __m512i b) WEFT_INLINE_LAMBDA { return _mm512_unpackhi_epi64(a, b); });
  }
  // Where row r stands now: the steps have mixed them up.
  if constexpr (lanes == 16) {
    const auto pairs = [](__m512i a, __m512i b, auto which) WEFT_INLINE_LAMBDA {
      return _mm512_castps_si512(
          _mm512_shuffle_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b), which()));
    };
    halve(
        2,
        [&](__m512i a, __m512i b)
            WEFT_INLINE_LAMBDA { return pairs(a, b, std::integral_constant<int, 0x88>()); },
        [&](__m512i a, __m512i b)
            WEFT_INLINE_LAMBDA { return pairs(a, b, std::integral_constant<int, 0xdd>()); });
    const __m512i place =
        n == 16  ? _mm512_setr_epi32(0, 2, 1, 3, 8, 10, 9, 11, 4, 6, 5, 7, 12, 14, 13, 15)
        : n == 8 ? _mm512_setr_epi32(0, 4, 2, 6, 1, 5, 3, 7, 8, 12, 10, 14, 9, 13, 11, 15)
        : n == 4 ? _mm512_setr_epi32(0, 4, 8, 12, 2, 6, 10, 14, 1, 5, 9, 13, 3, 7, 11, 15)
                 : _mm512_setr_epi32(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
    return vector_of<T>(_mm512_permutexvar_epi32(place, rows[0]));
  } else {
    const __m512i place = n == 8   ? _mm512_setr_epi64(0, 1, 4, 5, 2, 3, 6, 7)
                          : n == 4 ? _mm512_setr_epi64(0, 2, 1, 3, 4, 6, 5, 7)
                                   : _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    return vector_of<T>(_mm512_permutexvar_epi64(place, rows[0]));
  }
}

/// The same of a single row.
template <class T, class Join>
WEFT_ALWAYS_INLINE T fold_register(const Vectorized<T>& row, Join join) noexcept {
  const auto folded = [&](const Vectorized<T>& v, __m512i turned)
                          WEFT_INLINE_LAMBDA { return join(v, vector_of<T>(turned)); };
  const auto halves = [&](const Vectorized<T>& v, auto turn)
                          WEFT_INLINE_LAMBDA { return folded(v, turn(bits_of<T>(v))); };
  Vectorized<T> v =
      halves(row, [](__m512i a) WEFT_INLINE_LAMBDA { return _mm512_shuffle_i64x2(a, a, 0x4e); });
  v = halves(v, [](__m512i a) WEFT_INLINE_LAMBDA { return _mm512_shuffle_i64x2(a, a, 0xb1); });
  v = halves(v, [](__m512i a) WEFT_INLINE_LAMBDA { return _mm512_unpackhi_epi64(a, a); });
  if constexpr (sizeof(T) == 4) {
    v = halves(v, [](__m512i a) WEFT_INLINE_LAMBDA { return _mm512_srli_epi64(a, 32); });
  }
  if constexpr (std::is_same_v<T, float>) return _mm512_cvtss_f32(v[0]);
  if constexpr (std::is_same_v<T, double>) return _mm512_cvtsd_f64(v[0]);
  if constexpr (std::is_integral_v<T>) {
    const __m128i low = _mm512_castsi512_si128(v[0]);
    return static_cast<T>(sizeof(T) == 4 ? _mm_cvtsi128_si32(low) : _mm_cvtsi128_si64(low));
  }
}

/// Rows that are folded at a time. Few, for in the meantime memory is not read.
template <class T>
inline constexpr int folded_at_once = Vectorized<T>::lanes;
#elif defined(__aarch64__)
/// The lanes of as many rows as there are lanes, sixteen or eight, of 16 bytes to a register: every
/// step joins the halves of the rows of two vectors and leaves them side by side in one.
template <class T, class Join>
WEFT_ALWAYS_INLINE Vectorized<T> fold_registers(Vectorized<T>* rows, Join join) noexcept {
  using V = Vectorized<T>;
  using Batch = typename V::Batch;
  constexpr int lanes = V::lanes;
  // lower(a, b, i) and upper(a, b, i) are register i of what is joined.
  const auto halve = [&](int count, auto lower, auto upper) WEFT_INLINE_LAMBDA {
    WEFT_UNROLLED
    for (int r = 0; r < count; r += 2) {
      V low, high;
      WEFT_UNROLLED
      for (int i = 0; i < 4; ++i) {
        low[i] = lower(rows[r], rows[r + 1], i);
        high[i] = upper(rows[r], rows[r + 1], i);
      }
      rows[r / 2] = join(low, high);
    }
  };
  // Registers 0 and 1 of each row with 2 and 3, and then 0 with 1.
  halve(
      lanes,
      [](const V& a, const V& b, int i) WEFT_INLINE_LAMBDA { return i < 2 ? a[i] : b[i - 2]; },
      [](const V& a, const V& b, int i) WEFT_INLINE_LAMBDA { return i < 2 ? a[i + 2] : b[i]; });
  halve(
      lanes / 2,
      [](const V& a, const V& b, int i)
          WEFT_INLINE_LAMBDA { return i < 2 ? a[2 * i] : b[2 * i - 4]; },
      [](const V& a, const V& b, int i)
          WEFT_INLINE_LAMBDA { return i < 2 ? a[2 * i + 1] : b[2 * i - 3]; });
  // Two registers next to each other, put together as words of W: parts of their rows.
  const auto together = [](const V& a, const V& b, int i, auto put) WEFT_INLINE_LAMBDA {
    const V& from = i < 2 ? a : b;
    return put(from[2 * i % 4], from[2 * i % 4 + 1]);
  };
  const auto words = [&](auto put) WEFT_INLINE_LAMBDA {
    return [=](const V& a, const V& b, int i) WEFT_INLINE_LAMBDA {
      return together(a, b, i, [=](const Batch& x, const Batch& y) WEFT_INLINE_LAMBDA {
        using Words = xsimd::batch<std::uint64_t>;
        return Batch(bits_as<T>(Words(put(bits_as<std::uint64_t>(x), bits_as<std::uint64_t>(y)))));
      });
    };
  };
  halve(lanes / 4,
        words([](uint64x2_t x, uint64x2_t y) WEFT_INLINE_LAMBDA { return vtrn1q_u64(x, y); }),
        words([](uint64x2_t x, uint64x2_t y) WEFT_INLINE_LAMBDA { return vtrn2q_u64(x, y); }));
  if constexpr (lanes == 16) {
    const auto half_words = [&](auto put) WEFT_INLINE_LAMBDA {
      return [=](const V& a, const V& b, int i) WEFT_INLINE_LAMBDA {
        return together(a, b, i, [=](const Batch& x, const Batch& y) WEFT_INLINE_LAMBDA {
          using Words = xsimd::batch<std::uint32_t>;
          return Batch(
              bits_as<T>(Words(put(bits_as<std::uint32_t>(x), bits_as<std::uint32_t>(y)))));
        });
      };
    };
    halve(
        2,
        half_words([](uint32x4_t x, uint32x4_t y) WEFT_INLINE_LAMBDA { return vuzp1q_u32(x, y); }),
        half_words([](uint32x4_t x, uint32x4_t y) WEFT_INLINE_LAMBDA { return vuzp2q_u32(x, y); }));
  }
  return rows[0];
}

/// Rows that are folded at a time.
template <class T>
inline constexpr int folded_at_once = Vectorized<T>::lanes;
#else
template <class T>
inline constexpr int folded_at_once = fold_rows;
#endif

#if defined(__AVX512F__) || defined(__aarch64__)
/// The first `count` lanes to accumulators of the same type, or of f64.
template <class T, class Acc>
WEFT_ALWAYS_INLINE void store_folded(Acc* acc, const Vectorized<T>& v, std::int64_t count) {
  constexpr std::int64_t lanes = Vectorized<T>::lanes;
  if constexpr (std::is_same_v<T, Acc>) {
    if (count == lanes) return v.store(acc);
  } else if constexpr (std::is_same_v<T, float> && std::is_same_v<Acc, double>) {
    if (count == lanes) {
      const WideLanes wide = widen(v);
      wide.low.store(acc);
      wide.high.store(acc + 8);
      return;
    }
  }
  alignas(64) T folded[lanes];
  v.store(folded);
  for (std::int64_t r = 0; r < count; ++r)
    acc[r] = static_cast<Acc>(folded[r]);
}
#endif

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
