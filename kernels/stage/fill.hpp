// SPDX-License-Identifier: Apache-2.0
/// @file
/// Rows of one value each.
#pragma once

#include <weft/base/export.hpp>
#include <weft/machine/level.hpp>

#include "kernels/stage/moves.hpp"

#include <cstdint>

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

/// A row of one value, of at least a line: by whole lines between its ends.
template <class T>
void fill_long_row(char* __restrict to, const Bytes<line_bytes>& value, std::int64_t bytes) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  const auto past = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) % line_bytes);
  // Whole lines, if elements begin on them.
  const std::int64_t first = past % size == 0 ? line_bytes - past : line_bytes;
  store(to, value);
  for (std::int64_t i = first; i + line_bytes <= bytes; i += line_bytes)
    store(to + i, value);
  store(to + bytes - line_bytes, value);
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
