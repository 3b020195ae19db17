// SPDX-License-Identifier: Apache-2.0
/// @file
/// Rows into single values: the lanes of a vector, which are those of 64 bytes at every level,
/// joined half with half.
#pragma once

#include "kernels/reduce/shared/register_folds.hpp"

#include <cstdint>
#include <type_traits>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// from[r] = the lanes of row r, halves of them joined over and over; rows are `lanes` elements
/// long.
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

/// Elements of rows that are so long that folding them one by one does not show.
inline constexpr std::int64_t long_row = 512;

/// acc[r] = the join of all lanes of row(r), for `rows` rows of n elements. `row` returns a
/// Vectorized<T>; `join` takes vectors and single elements.
template <class T, class Acc, class Row, class Join>
WEFT_ALWAYS_INLINE void fold_rows_of(Acc* acc, std::int64_t rows, [[maybe_unused]] std::int64_t n,
                                     Row row, Join join) noexcept {
  constexpr int lanes = Vectorized<T>::lanes;
  constexpr int at_once = folded_at_once<T>;
#if defined(__AVX512F__)
  if (n >= long_row || rows < 4) {
    for (std::int64_t r = 0; r < rows; ++r)
      acc[r] = static_cast<Acc>(fold_register<T>(row(r), join));
    return;
  }
#endif
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
    __m512i registers[lanes];
    WEFT_UNROLLED
    for (int r = 0; r < lanes; ++r)
      registers[r] = bits_of<T>(Vectorized<T>::load(partial + r * lanes));
    store_folded(acc + first, fold_registers<T, lanes>(registers, join), count);
#else
#if defined(__aarch64__)
    constexpr int few = 4;  // rows that are folded one by one as fast
    if (count >= few) {
      for (int r = count; r < at_once; ++r)
        v.store(partial + r * lanes);
      Vectorized<T> vectors[lanes];
      WEFT_UNROLLED
      for (int r = 0; r < lanes; ++r)
        vectors[r] = Vectorized<T>::load(partial + r * lanes);
      store_folded(acc + first, fold_registers<T>(vectors, join), count);
      continue;
    }
#endif
    fold_lanes<T, lanes>(partial, count, join);
    for (int r = 0; r < count; ++r)
      acc[first + r] = static_cast<Acc>(partial[r]);
#endif
  }
}

/// fold_rows_of for as many whole registers of results as there are: rows of so few elements that
/// they need not go through memory. Returns how many rows were folded.
template <class T, class Acc, class Row, class Join>
WEFT_ALWAYS_INLINE std::int64_t fold_rows_in_registers([[maybe_unused]] Acc* acc,
                                                       [[maybe_unused]] std::int64_t rows,
                                                       [[maybe_unused]] Row row,
                                                       [[maybe_unused]] Join join) noexcept {
  std::int64_t first = 0;
#if defined(__AVX512F__)
  constexpr int lanes = Vectorized<T>::lanes;
  for (; first + lanes <= rows; first += lanes) {
    __m512i registers[lanes];
    WEFT_UNROLLED
    for (int r = 0; r < lanes; ++r)
      registers[r] = bits_of<T>(row(first + r));
    store_folded(acc + first, fold_registers<T, lanes>(registers, join), lanes);
  }
#endif
  return first;
}

#if !defined(__AVX512F__) && !defined(__aarch64__)
/// folded[r] = the join of row r, for as many rows of `held` elements as are folded at a time,
/// which follow each other there. A function for each half: they are many, and most of their time
/// goes to memory.
template <class T, int held, class Join>
[[gnu::noinline]] void fold_packed(T* folded, T nothing, Join join) noexcept {
  constexpr int rows = folded_at_once<T>, half = held / 2;
  T halves[rows * half];
  WEFT_INDEPENDENT_ITERATIONS
  for (int r = 0; r < rows; ++r) {
    for (int j = 0; j < half; ++j)
      halves[r * half + j] = join(folded[r * held + j], folded[r * held + half + j]);
  }
  if constexpr (half > 1) {
    fold_packed<T, half>(halves, nothing, join);
    __builtin_memcpy(folded, halves, rows * sizeof(T));
  } else {
    // As where lanes are left over: with `nothing`, which makes 0 of the sum of two -0.
    for (int r = 0; r < rows; ++r)
      folded[r] = join(halves[r], nothing);
  }
}
/// The same of rows of n elements, more than half of `held`, as if `nothing` followed each. One
/// after the other: spreading rows takes longer than joining single elements.
template <class T, int held, class Join>
[[gnu::noinline]] void fold_padded(T* folded, std::int64_t n, T nothing, Join join) noexcept {
  constexpr int half = held / 2;
  const T* second[half];
  std::int64_t step[half];
  for (int j = 0; j < half; ++j) {
    const bool is_there = j + half < n;
    second[j] = is_there ? folded + half + j : &nothing;
    step[j] = is_there ? n : 0;
  }
  for (int r = 0; r < folded_at_once<T>; ++r) {
    T joined[half];
    WEFT_UNROLLED
    for (int j = 0; j < half; ++j)
      joined[j] = join(folded[r * n + j], second[j][r * step[j]]);
    WEFT_UNROLLED
    for (int left = half / 2; left > 0; left /= 2) {
      WEFT_UNROLLED
      for (int j = 0; j < left; ++j)
        joined[j] = join(joined[j], joined[j + left]);
    }
    folded[r] = join(joined[0], nothing);
  }
}
#endif

/// The same for rows of fewer elements than there are lanes. `row` gives a row's elements in the
/// first n lanes and `nothing` in the others: what changes nothing. `dense(i)` gives as many
/// elements as there are lanes from number i on, where rows follow each other in memory; `packed`
/// says whether they do.
template <class T, class Acc, class Row, class Dense, class Join>
WEFT_ALWAYS_INLINE void fold_short_rows(Acc* acc, std::int64_t rows, std::int64_t n,
                                        [[maybe_unused]] bool packed, Row row,
                                        [[maybe_unused]] Dense dense, Join join,
                                        [[maybe_unused]] T nothing) noexcept {
#if defined(__AVX512F__)
  constexpr int lanes = Vectorized<T>::lanes;
  std::int64_t first = 0;
  // `held` lanes for each row, of which n are taken.
  const auto packed_rows = [&](auto length) WEFT_INLINE_LAMBDA {
    constexpr int held = length();
    using Place = std::conditional_t<lanes == 16, std::int32_t, std::int64_t>;
    alignas(64) Place places[lanes];
    std::uint32_t taken = 0;
    for (int i = 0; i < lanes; ++i) {
      places[i] = static_cast<Place>(i / held * n + i % held);
      if (i % held < n) taken |= 1U << i;
    }
    const __m512i spread = _mm512_load_si512(places);
    const __m512i none = bits_of<T>(Vectorized<T>(nothing));
    const std::int64_t step = lanes / held * n;
    for (; first + lanes <= rows && (held - 1) * step + lanes <= (rows - first) * n;
         first += lanes) {
      __m512i registers[held];
      WEFT_UNROLLED
      for (int k = 0; k < held; ++k) {
        registers[k] = bits_of<T>(dense(first * n + k * step));
        if (n == held) continue;
        registers[k] = lanes == 16 ? _mm512_mask_permutexvar_epi32(
                                         none, static_cast<__mmask16>(taken), spread, registers[k])
                                   : _mm512_mask_permutexvar_epi64(
                                         none, static_cast<__mmask8>(taken), spread, registers[k]);
      }
      // As where lanes are left over: with `nothing`, which makes 0 of the sum of two -0.
      const Vectorized<T> folded = fold_registers<T, held>(registers, join);
      store_folded(acc + first, join(folded, Vectorized<T>(nothing)), lanes);
    }
  };
  if (packed && n == 2) packed_rows(std::integral_constant<int, 2>());
  if (packed && (n == 3 || n == 4)) packed_rows(std::integral_constant<int, 4>());
  if constexpr (lanes == 16) {
    if (packed && n >= 5 && n <= 8) packed_rows(std::integral_constant<int, 8>());
  }
  for (; first < rows; first += lanes) {
    const std::int64_t left = rows - first;
    const int count = left < lanes ? static_cast<int>(left) : lanes;
    __m512i registers[lanes];
    WEFT_UNROLLED
    for (int r = 0; r < lanes; ++r)
      registers[r] = bits_of<T>(row(first + (r < count ? r : count - 1)));
    store_folded(acc + first, fold_registers<T, lanes>(registers, join), count);
  }
#else
  std::int64_t first = 0;
#if !defined(__aarch64__)
  constexpr int lanes = Vectorized<T>::lanes;
  constexpr int at_once = folded_at_once<T>;
  static_assert(at_once % lanes == 0, "the rows at hand are whole vectors");
  constexpr int most = lanes / 2;
  static_assert(most <= 8, "rows of five elements and more are more than half of `most`");
  alignas(64) T folded[at_once * most];
  for (; packed && 2 <= n && n <= most && first + at_once <= rows; first += at_once) {
    for (std::int64_t i = 0; i < at_once * n; i += lanes)
      dense(first * n + i).store(folded + i);
    if (n == 2) {
      fold_packed<T, 2>(folded, nothing, join);
    } else if (n == 3) {
      fold_padded<T, 4>(folded, n, nothing, join);
    } else if (n == 4) {
      fold_packed<T, 4>(folded, nothing, join);
    } else if (n < most) {
      fold_padded<T, most>(folded, n, nothing, join);
    } else {
      fold_packed<T, most>(folded, nothing, join);
    }
    for (int r = 0; r < at_once; ++r)
      acc[first + r] = static_cast<Acc>(folded[r]);
  }
#endif
  fold_rows_of<T>(
      acc + first, rows - first, n,
      [&](std::int64_t r) WEFT_INLINE_LAMBDA { return row(first + r); }, join);
#endif
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
