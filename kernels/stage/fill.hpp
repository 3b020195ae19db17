// SPDX-License-Identifier: Apache-2.0
/// @file
/// Rows of one value each.
#pragma once

#include <weft/base/export.hpp>
#include <weft/machine/level.hpp>

#include "kernels/stage/moves.hpp"

#include <cstdint>
#include <type_traits>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// N bytes of one value over and over.
template <class T, int N>
WEFT_ALWAYS_INLINE Bytes<N> repeated(const char* from) {
  using Part = typename Bytes<N>::Part;
  constexpr int part = Bytes<N>::part;
  Part value;
  if constexpr (sizeof(T) <= 8) {
    using V = typename VectorOf<T, part / static_cast<int>(sizeof(T))>::Type;
    value = reinterpret_cast<Part>(V{} + load<T>(from));
  } else if constexpr (part == 16) {
    value = load<Part>(from);
  } else {
    const auto pair = load<typename VectorOf<std::uint64_t, 2>::Type>(from);
    if constexpr (part == 32) {
      value = reinterpret_cast<Part>(__builtin_shufflevector(pair, pair, 0, 1, 0, 1));
    } else {
      value = reinterpret_cast<Part>(__builtin_shufflevector(pair, pair, 0, 1, 0, 1, 0, 1, 0, 1));
    }
  }
  Bytes<N> all;
  WEFT_UNROLLED
  for (int i = 0; i < Bytes<N>::count; ++i)
    all.parts[i] = value;
  return all;
}

/// Rows of one value each, one after the other, of at most `bytes` bytes: one store a row, of which
/// the surplus is overwritten by the next. Returns how many rows it has done.
template <class T, int bytes>
std::int64_t fill_short_rows(char* __restrict to, const char* __restrict from, std::int64_t f1,
                             std::int64_t n0, std::int64_t n1) {
  const std::int64_t row = n0 * static_cast<std::int64_t>(sizeof(T));
  const std::int64_t safe = n1 - (bytes + row - 1) / row + 1;
  for (std::int64_t j = 0; j < safe; ++j)
    store(to + j * row, repeated<T, bytes>(from + j * f1));
  return safe > 0 ? safe : 0;
}

#if defined(__AVX2__)
/// A register of the parts of another one that are at `places`.
#if defined(__AVX512BW__)
using Parts = __m512i;
WEFT_ALWAYS_INLINE Parts chosen(Parts of, const std::uint16_t* places) {
  return _mm512_permutexvar_epi16(_mm512_loadu_si512(places), of);
}
WEFT_ALWAYS_INLINE Parts chosen(Parts of, const std::uint32_t* places) {
  return _mm512_permutexvar_epi32(_mm512_loadu_si512(places), of);
}
#else
using Parts = __m256i;
WEFT_ALWAYS_INLINE Parts chosen(Parts of, const std::uint32_t* places) {
  return _mm256_permutevar8x32_epi32(of, load<Parts>(reinterpret_cast<const char*>(places)));
}
#endif
/// Bytes of the smallest part.
inline constexpr std::int64_t least_part = sizeof(Parts) == 64 ? 2 : 4;

/// Rows of one value each, one after the other, of values that follow each other: a register of
/// these makes n0 registers. Returns how many rows it has done; none where a store a row does as
/// well, as it does for rows of more than 24 bytes.
template <class T>
std::int64_t spread_values(char* __restrict to, const char* __restrict from, std::int64_t n0,
                           std::int64_t n1) {
  using Part = std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>;
  constexpr std::int64_t size = sizeof(T), values = register_bytes / size;
  constexpr std::int64_t parts = size / static_cast<std::int64_t>(sizeof(Part));
  constexpr std::int64_t max_copies = 24 / size;
  constexpr std::int64_t min_registers = 8;  // of values, for which places are worth finding
  if (n0 > max_copies || n1 < min_registers * values) return 0;
  Part places[max_copies * values * parts];
  Part* place = places;
  for (std::int64_t value = 0; value < values; ++value)
    for (std::int64_t i = 0; i < n0; ++i)
      for (std::int64_t p = 0; p < parts; ++p)
        *place++ = static_cast<Part>(value * parts + p);
  std::int64_t done = 0;
  for (; done + values <= n1; done += values) {
    const auto of = load<Parts>(from + done * size);
    for (std::int64_t k = 0; k < n0; ++k)
      store(to + done * n0 * size + k * register_bytes, chosen(of, places + k * values * parts));
  }
  return done;
}
#endif

/// A row of one value, of at least a line: by whole lines between its ends. All parts of a line are
/// one register, which GCC would read from memory in halves for each line otherwise.
template <class T>
void fill_long_row(char* __restrict to, const Bytes<line_bytes>& value, std::int64_t bytes) {
  using Line = Bytes<line_bytes>;
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  const typename Line::Part part = value.parts[0];
  const auto store_line = [&part](char* line) WEFT_INLINE_LAMBDA {
    WEFT_UNROLLED
    for (int i = 0; i < Line::count; ++i)
      store(line + i * Line::part, part);
  };
  const auto past = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) % line_bytes);
  // Whole lines, if elements begin on them.
  const std::int64_t first = past % size == 0 ? line_bytes - past : line_bytes;
  store_line(to);
  for (std::int64_t i = first; i + line_bytes <= bytes; i += line_bytes)
    store_line(to + i);
  store_line(to + bytes - line_bytes);
}

/// Rows of one value each.
template <class T>
void fill_rows(char* __restrict to, std::int64_t t1, const char* __restrict from, std::int64_t f1,
               std::int64_t n0, std::int64_t n1) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  const std::int64_t row = n0 * size;
  if (row >= line_bytes) {
    for (std::int64_t j = 0; j < n1; ++j)
      fill_long_row<T>(to + j * t1, repeated<T, line_bytes>(from + j * f1), row);
    return;
  }
#if defined(__AVX2__)
  if constexpr (size >= least_part && size <= 8) {
    if (t1 == row && f1 == size) {
      const std::int64_t done = spread_values<T>(to, from, n0, n1);
      to += done * row;
      from += done * size;
      n1 -= done;
    }
  }
#endif
  std::int64_t j = 0;
  if (t1 == row) {
    j = row <= 16   ? fill_short_rows<T, 16>(to, from, f1, n0, n1)
        : row <= 32 ? fill_short_rows<T, 32>(to, from, f1, n0, n1)
                    : fill_short_rows<T, 64>(to, from, f1, n0, n1);
  }
  for (; j < n1; ++j) {
    const T value = load<T>(from + j * f1);
    for (std::int64_t i = 0; i < n0; ++i)
      store(to + j * t1 + i * size, value);
  }
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
