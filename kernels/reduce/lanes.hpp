// SPDX-License-Identifier: Apache-2.0
/// @file
/// Rows into vectors, and vectors into single values: what floating-point spans share. The lanes are
/// those of 64 bytes at every level, so that results are the same.
#pragma once

#include <weft/kernel/vectorized.hpp>

#include <cstdint>

// Lambdas that stand for the inside of a loop.
#if defined(__GNUC__)
#define WEFT_INLINE_LAMBDA __attribute__((always_inline))
#else
#define WEFT_INLINE_LAMBDA
#endif

namespace weft::inline v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// v, for values that shall be loaded or computed in the order of the text. Compilers like to load the
/// operands of a tree of additions from the last to the first, and memory that is not read upwards
/// comes a seventh slower out of the last-level cache.
template <class T>
WEFT_ALWAYS_INLINE Vectorized<T> in_order(Vectorized<T> v) noexcept {
#if defined(__SSE2__) && defined(__GNUC__)
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
  for (int i = 0; i < 2; ++i) {
    w.low[2 * i] = _mm_cvtps_pd(v[i]);
    w.low[2 * i + 1] = _mm_cvtps_pd(_mm_movehl_ps(v[i], v[i]));
    w.high[2 * i] = _mm_cvtps_pd(v[i + 2]);
    w.high[2 * i + 1] = _mm_cvtps_pd(_mm_movehl_ps(v[i + 2], v[i + 2]));
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

/// Rows whose lanes are folded together: shuffles of two rows cost what those of one do.
inline constexpr int fold_rows = 32;

/// from[r] = the lanes of row r, halves of them joined over and over; rows stand `lanes` elements
/// apart.
template <class T, int lanes, class Join>
WEFT_ALWAYS_INLINE void fold_lanes(T* from, int rows, Join join) noexcept {
  if constexpr (lanes > 1) {
    constexpr int half = lanes / 2;
    alignas(64) T folded[fold_rows * half];
    WEFT_INDEPENDENT_ITERATIONS
    for (int r = 0; r < rows; ++r) {
      for (int j = 0; j < half; ++j)
        folded[r * half + j] = join(from[r * lanes + j], from[r * lanes + half + j]);
    }
    fold_lanes<T, half>(folded, rows, join);
    for (int r = 0; r < rows; ++r)
      from[r] = folded[r];
  }
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

/// The same in registers, for as many rows as there are lanes, sixteen or eight: every step joins the
/// halves of two rows and leaves them side by side.
template <class T, class Join>
WEFT_ALWAYS_INLINE Vectorized<T> fold_registers(const T* from, Join join) noexcept {
  using V = Vectorized<T>;
  constexpr int lanes = V::lanes;
  __m512i rows[lanes];
  const auto joined = [&](__m512i a, __m512i b) WEFT_INLINE_LAMBDA {
    return bits_of<T>(join(vector_of<T>(a), vector_of<T>(b)));
  };
  for (int r = 0; r < lanes / 2; ++r) {
    const __m512i a = bits_of<T>(V::load(from + lanes * r));
    const __m512i b = bits_of<T>(V::load(from + lanes * (r + lanes / 2)));
    rows[r] = joined(_mm512_shuffle_i64x2(a, b, 0x44), _mm512_shuffle_i64x2(a, b, 0xee));
  }
  for (int r = 0; r < lanes / 4; ++r) {
    const __m512i a = rows[r], b = rows[r + lanes / 4];
    rows[r] = joined(_mm512_shuffle_i64x2(a, b, 0x88), _mm512_shuffle_i64x2(a, b, 0xdd));
  }
  for (int r = 0; r < lanes / 8; ++r) {
    const __m512i a = rows[r], b = rows[r + lanes / 8];
    rows[r] = joined(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
  }
  __m512i order;
  if constexpr (lanes == 16) {
    const __m512 a = _mm512_castsi512_ps(rows[0]), b = _mm512_castsi512_ps(rows[1]);
    rows[0] = joined(_mm512_castps_si512(_mm512_shuffle_ps(a, b, 0x88)),
                     _mm512_castps_si512(_mm512_shuffle_ps(a, b, 0xdd)));
    // Lane 4 q + k holds row 8 (q & 1) + 4 (q >> 1) + (0, 2, 1, 3)[k].
    order = _mm512_setr_epi32(0, 2, 1, 3, 8, 10, 9, 11, 4, 6, 5, 7, 12, 14, 13, 15);
    rows[0] = _mm512_permutexvar_epi32(order, rows[0]);
  } else {
    // Lane 2 q + k holds row 4 (q & 1) + 2 (q >> 1) + k.
    order = _mm512_setr_epi64(0, 1, 4, 5, 2, 3, 6, 7);
    rows[0] = _mm512_permutexvar_epi64(order, rows[0]);
  }
  return vector_of<T>(rows[0]);
}
/// Rows that are folded at a time. Few, for in the meantime memory is not read.
template <class T>
inline constexpr int folded_at_once = Vectorized<T>::lanes;
#else
template <class T>
inline constexpr int folded_at_once = fold_rows;
#endif

/// acc[r] = the join of all lanes of row(r), for `rows` rows. `row` returns a Vectorized<T>; `join` takes
/// vectors and single elements.
template <class T, class Acc, class Row, class Join>
WEFT_ALWAYS_INLINE void fold_rows_of(Acc* acc, std::int64_t rows, Row row, Join join) noexcept {
  constexpr int lanes = Vectorized<T>::lanes;
  constexpr int at_once = folded_at_once<T>;
  alignas(64) T partial[at_once * lanes];
  for (std::int64_t first = 0; first < rows; first += at_once) {
    const std::int64_t left = rows - first;
    const int count = left < at_once ? static_cast<int>(left) : at_once;
    Vectorized<T> v;
    for (int r = 0; r < count; ++r) {
      v = row(first + r);
      v.store(partial + r * lanes);
    }
#if defined(__AVX512F__)
    for (int r = count; r < at_once; ++r)
      v.store(partial + r * lanes);
    v = fold_registers<T>(partial, join);
    if (std::is_same_v<T, Acc> && count == at_once) {
      v.store(reinterpret_cast<T*>(acc + first));
      continue;
    }
    if constexpr (std::is_same_v<T, float> && std::is_same_v<Acc, double>) {
      if (count == at_once) {
        const WideLanes wide = widen(v);
        wide.low.store(acc + first);
        wide.high.store(acc + first + 8);
        continue;
      }
    }
    v.store(partial);
#else
    fold_lanes<T, lanes>(partial, count, join);
#endif
    for (int r = 0; r < count; ++r)
      acc[first + r] = static_cast<Acc>(partial[r]);
  }
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace weft::inline v0
