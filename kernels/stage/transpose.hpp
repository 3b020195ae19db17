// SPDX-License-Identifier: Apache-2.0
/// @file
/// Transposing in registers.
#pragma once

#include <weft/kernel/detail/stream_store.hpp>

#include "kernels/stage/moves.hpp"

#include <utility>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// What the transposes of elements of type T are made of: lanes of 16 bytes, in which SIMD
/// instructions interleave without moving anything from lane to lane, which costs more.
template <class T>
struct LaneOf {
  using Word = T;
  static constexpr int size = 16 / sizeof(T);  // elements
};
template <>
struct LaneOf<Pair> {
  using Word = std::uint64_t;
  static constexpr int size = 1;
};
/// `Lanes` lanes in a register.
template <class T, int Lanes>
struct LanesOf {
  using Word = typename LaneOf<T>::Word;
  static constexpr int words = Lanes * static_cast<int>(16 / sizeof(Word));
  using Type = typename VectorOf<Word, words>::Type;
};

/// `Lanes` lanes at a stride of `step` bytes in memory, side by side in a register. By intrinsics:
/// of a general shuffle of two registers, compilers make anything but an insertion from memory.
template <class T, int Lanes>
WEFT_ALWAYS_INLINE auto load_lanes(const char* from, [[maybe_unused]] std::int64_t step) {
  using V = typename LanesOf<T, Lanes>::Type;
#if defined(__AVX512BW__)
  if constexpr (Lanes == 4) {
    const auto low = reinterpret_cast<__m256i>(load_lanes<T, 2>(from, step));
    const auto high = reinterpret_cast<__m256i>(load_lanes<T, 2>(from + 2 * step, step));
    // The masked form: GCC 12 warns of its own undefined operand in the plain one.
    return reinterpret_cast<V>(
        _mm512_maskz_inserti64x4(0xff, _mm512_castsi256_si512(low), high, 1));
  }
#endif
#if defined(__AVX2__)
  if constexpr (Lanes == 2) {
    return reinterpret_cast<V>(_mm256_inserti128_si256(_mm256_castsi128_si256(load<__m128i>(from)),
                                                       load<__m128i>(from + step), 1));
  }
#endif
  if constexpr (Lanes == 1) return load<V>(from);
}

/// In each lane, a0 b0 a1 b1 ... of the lower (or upper) halves of a's and b's lanes.
template <int Lane, bool upper, class V, std::size_t... I>
WEFT_ALWAYS_INLINE V interleave(V a, V b, std::index_sequence<I...>) {
  constexpr std::size_t n = sizeof...(I);
  constexpr std::size_t lane = Lane;
  return __builtin_shufflevector(
      a, b, ((I & 1) * n + I / lane * lane + (I % lane) / 2 + (upper ? lane / 2 : 0))...);
}

/// log2(Count) rounds, in each lane on its own, of Rows rows, a power of two. In a round, row i is
/// interleaved with row i + Rows/2, for all i: the first bit of the row number becomes the last of
/// the column number, and the first of that the last of the row number. Count = Rows makes memory
/// in which the rows alternate. Count = Lane makes rows of such memory, and of Lane rows their
/// transpose.
template <int Lane, int N, int Count, int Rows, class V>
WEFT_ALWAYS_INLINE void interleave_rows(V (&rows)[Rows]) {
  constexpr auto all = std::make_index_sequence<static_cast<std::size_t>(N)>();
  WEFT_UNROLLED
  for (int round = 1; round < Count; round *= 2) {
    V next[Rows];
    WEFT_UNROLLED
    for (int i = 0; i < Rows / 2; ++i) {
      next[2 * i] = interleave<Lane, false>(rows[i], rows[i + Rows / 2], all);
      next[2 * i + 1] = interleave<Lane, true>(rows[i], rows[i + Rows / 2], all);
    }
    WEFT_UNROLLED
    for (int i = 0; i < Rows; ++i)
      rows[i] = next[i];
  }
}

/// A block of Lanes * lane rows of `from` by Groups * lane columns becomes as many columns by rows
/// of `to`. Loads go row by row through whole pieces of lines, so that rows a power of two from
/// each other, which compete for the same places in the cache, are each fetched once.
template <class T, int Lanes, int Groups, bool streamed>
WEFT_ALWAYS_INLINE void transpose_block(char* to, std::int64_t to_step, const char* from,
                                        std::int64_t from_step) {
  constexpr int lane = LaneOf<T>::size;
  typename LanesOf<T, Lanes>::Type rows[Groups][lane];
  WEFT_UNROLLED
  for (int i = 0; i < lane; ++i) {
    WEFT_UNROLLED
    for (int g = 0; g < Groups; ++g)
      rows[g][i] = load_lanes<T, Lanes>(from + i * from_step + g * 16, lane * from_step);
  }
  WEFT_UNROLLED
  for (int g = 0; g < Groups; ++g) {
    interleave_rows<lane, LanesOf<T, Lanes>::words, lane>(rows[g]);
    WEFT_UNROLLED
    for (int i = 0; i < lane; ++i) {
      char* at = to + (g * lane + i) * to_step;
      if constexpr (streamed) {
        stream(at, rows[g][i]);
      } else {
        store(at, rows[g][i]);
      }
    }
  }
}

/// The same of as many blocks side by side as write whole lines of `to`, by non-temporal stores. A
/// line is written by stores that follow each other: of lines that are written in part, processors
/// combine about ten at a time, and write what else is open in pieces, 20 times as slowly.
template <class T, int Lanes, int Groups>
WEFT_ALWAYS_INLINE void stream_block_lines(char* to, std::int64_t to_step, const char* from,
                                           std::int64_t from_step) {
  constexpr int lane = LaneOf<T>::size;
  constexpr int part = 16 * Lanes, parts = static_cast<int>(line_bytes) / part;
  if constexpr (parts == 1) {
    transpose_block<T, Lanes, Groups, true>(to, to_step, from, from_step);
  } else {
    alignas(64) char lines[Groups * lane][line_bytes];
    for (int p = 0; p < parts; ++p) {
      transpose_block<T, Lanes, Groups, false>(lines[0] + p * part, line_bytes,
                                               from + p * Lanes * lane * from_step, from_step);
    }
    for (int row = 0; row < Groups * lane; ++row) {
      WEFT_UNROLLED
      for (int p = 0; p < parts; ++p) {
        stream(to + row * to_step + p * part,
               load<typename LanesOf<T, Lanes>::Type>(lines[row] + p * part));
      }
    }
  }
}

/// n1 rows of Count elements each, one element at a time: all of a row in one go.
template <class T, int Count>
void copy_few_elements(char* to, std::int64_t t0, std::int64_t t1, const char* from,
                       std::int64_t f0, std::int64_t f1, std::int64_t n1) {
  constexpr std::int64_t size = sizeof(T);
  if (t0 == size) {  // into a buffer: places known beforehand
    for (std::int64_t j = 0; j < n1; ++j) {
      const char* f = from + j * f1;
      WEFT_UNROLLED
      for (int i = 0; i < Count; ++i) {
        store(to + i * size, load<T>(f));
        f += f0;
      }
      to += t1;
    }
    return;
  }
  for (std::int64_t j = 0; j < n1; ++j) {
    WEFT_UNROLLED
    for (int i = 0; i < Count; ++i)
      store(to + i * t0, load<T>(from + i * f0));
    to += t1;
    from += f1;
  }
}

/// One element at a time. Not vectorised: gathering lanes one by one gains nothing over plain
/// moves, and blocks are often too small to pay for setting it up.
template <class T>
#if !defined(__clang__)
__attribute__((optimize("no-tree-vectorize")))
#endif
void copy_elements(char* to, std::int64_t t0, std::int64_t t1, const char* from, std::int64_t f0,
                   std::int64_t f1, std::int64_t n0, std::int64_t n1) {
  if (n1 < n0 && n1 <= 8) {  // short rows have loops of their own
    std::swap(t0, t1);
    std::swap(f0, f1);
    std::swap(n0, n1);
  }
  switch (n0) {
    case 1: return copy_few_elements<T, 1>(to, t0, t1, from, f0, f1, n1);
    case 2: return copy_few_elements<T, 2>(to, t0, t1, from, f0, f1, n1);
    case 3: return copy_few_elements<T, 3>(to, t0, t1, from, f0, f1, n1);
    case 4: return copy_few_elements<T, 4>(to, t0, t1, from, f0, f1, n1);
    case 5: return copy_few_elements<T, 5>(to, t0, t1, from, f0, f1, n1);
    case 6: return copy_few_elements<T, 6>(to, t0, t1, from, f0, f1, n1);
    case 7: return copy_few_elements<T, 7>(to, t0, t1, from, f0, f1, n1);
    case 8: return copy_few_elements<T, 8>(to, t0, t1, from, f0, f1, n1);
    default: break;
  }
  for (std::int64_t j = 0; j < n1; ++j) {
    char* t = to + j * t1;
    const char* f = from + j * f1;
    std::int64_t i = 0;
    for (; i + 4 <= n0; i += 4) {
      WEFT_UNROLLED
      for (int u = 0; u < 4; ++u)
        store(t + u * t0, load<T>(f + u * f0));
      t += 4 * t0;
      f += 4 * f0;
    }
    for (; i < n0; ++i) {
      store(t, load<T>(f));
      t += t0;
      f += f0;
    }
  }
}

/// transpose() of blocks of one lane by one lane, of which the last ones reach back over those
/// before them: what they share is written twice. n0 and n1 are at least a lane.
template <class T>
void transpose_overlapping(char* __restrict to, std::int64_t t1, const char* __restrict from,
                           std::int64_t f0, std::int64_t n0, std::int64_t n1) {
  constexpr std::int64_t size = sizeof(T);
  constexpr std::int64_t lane = LaneOf<T>::size;
  for (std::int64_t i = 0; i < n0; i += lane) {
    i = i < n0 - lane ? i : n0 - lane;
    for (std::int64_t j = 0; j < n1; j += lane) {
      j = j < n1 - lane ? j : n1 - lane;
      transpose_block<T, 1, 1, false>(to + j * t1 + i * size, t1, from + i * f0 + j * size, f0);
    }
  }
}

/// transpose() of what blocks leave of a plane of at least a lane each way: n0 or n1 may be less
/// than that, or nothing; then elements before are moved once more.
template <class T>
void transpose_rest(char* __restrict to, std::int64_t t1, const char* __restrict from,
                    std::int64_t f0, std::int64_t n0, std::int64_t n1) {
  constexpr std::int64_t size = sizeof(T);
  constexpr std::int64_t lane = LaneOf<T>::size;
  if (n0 == 0 || n1 == 0) return;
  if (lane == 1 || 8 * (n0 < n1 ? n0 : n1) <= lane) {
    copy_elements<T>(to, size, t1, from, f0, size, n0, n1);
    return;
  }
  const std::int64_t back0 = n0 < lane ? lane - n0 : 0;
  const std::int64_t back1 = n1 < lane ? lane - n1 : 0;
  transpose_overlapping<T>(to - back1 * t1 - back0 * size, t1, from - back0 * f0 - back1 * size, f0,
                           n0 + back0, n1 + back1);
}

/// to[j * t1 + i * size] = from[i * f0 + j * size]: `to` dense along i, `from` dense along j. n0
/// and n1 are at least a lane. `streamed`: `to` and t1 are aligned to lines.
template <class T, int Lanes, int Groups, bool streamed = false>
void transpose(char* __restrict to, std::int64_t t1, const char* __restrict from, std::int64_t f0,
               std::int64_t n0, std::int64_t n1) {
  constexpr std::int64_t size = sizeof(T);
  constexpr std::int64_t lane = LaneOf<T>::size;
  constexpr std::int64_t step0 = streamed ? line_bytes / size : Lanes * lane;
  constexpr std::int64_t step1 = Groups * lane;
  const std::int64_t whole0 = n0 - n0 % step0;
  const std::int64_t whole1 = n1 - n1 % step1;
  const auto block = [&](std::int64_t i, std::int64_t j) {
    char* const at = to + j * t1 + i * size;
    const char* const source = from + i * f0 + j * size;
    if constexpr (streamed) {
      stream_block_lines<T, Lanes, Groups>(at, t1, source, f0);
    } else {
      transpose_block<T, Lanes, Groups, false>(at, t1, source, f0);
    }
  };
  // Into a buffer along the rows that are read, which are far from each other; else along those
  // written.
  if (t1 == n0 * size) {
    for (std::int64_t i = 0; i < whole0; i += step0) {
      for (std::int64_t j = 0; j < whole1; j += step1)
        block(i, j);
    }
  } else {
    for (std::int64_t j = 0; j < whole1; j += step1) {
      for (std::int64_t i = 0; i < whole0; i += step0)
        block(i, j);
    }
  }
  // Lanes of one or two elements: of few columns, a lane of them at a time, the last one over what
  // is before it, or single lanes would be all there is.
  std::int64_t begin1 = whole1;
  if constexpr (lane <= 2) {
    if (whole0 > 0 && (lane == 1 || n1 < 2 * step1)) {
      for (std::int64_t j = whole1; j < n1; j += lane) {
        j = j < n1 - lane ? j : n1 - lane;
        for (std::int64_t i = 0; i < whole0; i += Lanes * lane)
          transpose_block<T, Lanes, 1, false>(to + j * t1 + i * size, t1, from + i * f0 + j * size,
                                              f0);
      }
      begin1 = n1;
    }
  }
  const auto rest = [&](std::int64_t i, std::int64_t j, std::int64_t count0, std::int64_t count1) {
    transpose_rest<T>(to + j * t1 + i * size, t1, from + i * f0 + j * size, f0, count0, count1);
  };
  rest(whole0, 0, n0 - whole0, begin1);
  rest(0, begin1, n0, n1 - begin1);
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
