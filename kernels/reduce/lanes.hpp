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
/// The same in registers, for up to sixteen rows of floats or eight of doubles: every step joins the
/// halves of two rows and leaves them side by side. Missing rows repeat the last one.
template <class Join>
WEFT_ALWAYS_INLINE void fold_registers(float* to, const float* from, int count,
                                       Join join) noexcept {
  using V = Vectorized<float>;
  __m512 rows[16];
  const auto joined = [&](__m512 a, __m512 b) WEFT_INLINE_LAMBDA {
    V x, y;
    x[0] = a;
    y[0] = b;
    return static_cast<__m512>(join(x, y)[0]);
  };
  for (int r = 0; r < 8; ++r) {
    const __m512 a = _mm512_loadu_ps(from + 16 * (r < count ? r : count - 1));
    const __m512 b = _mm512_loadu_ps(from + 16 * (r + 8 < count ? r + 8 : count - 1));
    rows[r] = joined(_mm512_shuffle_f32x4(a, b, 0x44), _mm512_shuffle_f32x4(a, b, 0xee));
  }
  for (int r = 0; r < 4; ++r) {
    const __m512 a = rows[r], b = rows[r + 4];
    rows[r] = joined(_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xdd));
  }
  for (int r = 0; r < 2; ++r) {
    const __m512d a = _mm512_castps_pd(rows[r]), b = _mm512_castps_pd(rows[r + 2]);
    rows[r] = joined(_mm512_castpd_ps(_mm512_unpacklo_pd(a, b)),
                     _mm512_castpd_ps(_mm512_unpackhi_pd(a, b)));
  }
  rows[0] =
      joined(_mm512_shuffle_ps(rows[0], rows[1], 0x88), _mm512_shuffle_ps(rows[0], rows[1], 0xdd));
  // Lane 4 q + k holds row 8 (q & 1) + 4 (q >> 1) + (0, 2, 1, 3)[k].
  const __m512i order = _mm512_setr_epi32(0, 2, 1, 3, 8, 10, 9, 11, 4, 6, 5, 7, 12, 14, 13, 15);
  _mm512_storeu_ps(to, _mm512_permutexvar_ps(order, rows[0]));
}
template <class Join>
WEFT_ALWAYS_INLINE void fold_registers(double* to, const double* from, int count,
                                       Join join) noexcept {
  using V = Vectorized<double>;
  __m512d rows[8];
  const auto joined = [&](__m512d a, __m512d b) WEFT_INLINE_LAMBDA {
    V x, y;
    x[0] = a;
    y[0] = b;
    return static_cast<__m512d>(join(x, y)[0]);
  };
  for (int r = 0; r < 4; ++r) {
    const __m512d a = _mm512_loadu_pd(from + 8 * (r < count ? r : count - 1));
    const __m512d b = _mm512_loadu_pd(from + 8 * (r + 4 < count ? r + 4 : count - 1));
    rows[r] = joined(_mm512_shuffle_f64x2(a, b, 0x44), _mm512_shuffle_f64x2(a, b, 0xee));
  }
  for (int r = 0; r < 2; ++r) {
    const __m512d a = rows[r], b = rows[r + 2];
    rows[r] = joined(_mm512_shuffle_f64x2(a, b, 0x88), _mm512_shuffle_f64x2(a, b, 0xdd));
  }
  rows[0] = joined(_mm512_unpacklo_pd(rows[0], rows[1]), _mm512_unpackhi_pd(rows[0], rows[1]));
  // Lane 2 q + k holds row 4 (q & 1) + 2 (q >> 1) + k.
  const __m512i order = _mm512_setr_epi64(0, 1, 4, 5, 2, 3, 6, 7);
  _mm512_storeu_pd(to, _mm512_permutexvar_pd(order, rows[0]));
}
#endif

/// The same for the first `rows` rows; others hold anything.
template <class T, class Join>
WEFT_ALWAYS_INLINE void fold_first(T* from, int rows, Join join) noexcept {
  constexpr int lanes = Vectorized<T>::lanes;
#if defined(__AVX512F__)
  if constexpr (std::is_floating_point_v<T>) {
    for (int r = 0; r < rows; r += lanes)
      fold_registers(from + r, from + r * lanes, rows - r, join);
    return;
  }
#endif
  fold_lanes<T, lanes>(from, rows, join);
}

/// acc[r] = the join of all lanes of row(r), for `rows` rows. `row` returns a Vectorized<T>; `join` takes
/// vectors and single elements.
template <class T, class Acc, class Row, class Join>
WEFT_ALWAYS_INLINE void fold_rows_of(Acc* acc, std::int64_t rows, Row row, Join join) noexcept {
  constexpr int lanes = Vectorized<T>::lanes;
  alignas(64) T partial[fold_rows * lanes];
  for (std::int64_t first = 0; first < rows; first += fold_rows) {
    const std::int64_t left = rows - first;
    const int count = left < fold_rows ? static_cast<int>(left) : fold_rows;
    for (int r = 0; r < count; ++r)
      row(first + r).store(partial + r * lanes);
    fold_first<T>(partial, count, join);
    for (int r = 0; r < count; ++r)
      acc[first + r] = static_cast<Acc>(partial[r]);
  }
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace weft::inline v0
