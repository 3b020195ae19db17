// SPDX-License-Identifier: Apache-2.0
/// @file
/// Transposing by whole lines of memory: for elements of one and two bytes, of which a block as
/// wide as a register would read only part of each line.
#pragma once

#include <weft/kernel/detail/stream_store.hpp>

#include "kernels/stage/transpose.hpp"

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Whether elements of T are transposed by whole lines at this level.
template <class T>
inline constexpr bool has_line_blocks = sizeof(T) <= 2 && register_bytes == line_bytes;

/// transpose_block() of 64 bytes by 64 bytes, of which every line that is read is loaded once,
/// whole: rows of the input that are a power of two from each other compete for the same few places
/// of a cache. Halfway, lanes that are transposed wait in an array of 64 bytes a row, which stays
/// in the first level.
template <class T, bool streamed>
WEFT_ALWAYS_INLINE void transpose_lines_block(char* to, std::int64_t to_step, const char* from,
                                              std::int64_t from_step) {
  constexpr int lane = LaneOf<T>::size;
  using V = typename LanesOf<T, 4>::Type;
  alignas(64) V turned[4][lane];  // [rows of the input / lane][column within a lane]
  for (int r = 0; r < 4; ++r) {
    V rows[lane];
    WEFT_UNROLLED
    for (int i = 0; i < lane; ++i)
      rows[i] = load<V>(from + (r * lane + i) * from_step);
    interleave_rows<lane, LanesOf<T, 4>::words, lane>(rows);
    WEFT_UNROLLED
    for (int i = 0; i < lane; ++i)
      turned[r][i] = rows[i];
  }
  for (int g = 0; g < 4; ++g) {
    WEFT_UNROLLED
    for (int i = 0; i < lane; ++i) {
      const char* column = reinterpret_cast<const char*>(&turned[0][i]) + 16 * g;
      const auto whole = load_lanes<T, 4>(column, sizeof(turned[0]));
      char* at = to + (g * lane + i) * to_step;
      if constexpr (streamed) {
        stream(at, whole);
      } else {
        store(at, whole);
      }
    }
  }
}

/// transpose() by whole lines of both sides. n0 and n1 are at least a line.
template <class T, bool streamed>
void transpose_lines(char* __restrict to, std::int64_t t1, const char* __restrict from,
                     std::int64_t f0, std::int64_t n0, std::int64_t n1) {
  constexpr std::int64_t size = sizeof(T);
  constexpr std::int64_t side = line_bytes / size;
  const std::int64_t whole0 = n0 - n0 % side, whole1 = n1 - n1 % side;
  for (std::int64_t j = 0; j < whole1; j += side) {
    for (std::int64_t i = 0; i < whole0; i += side)
      transpose_lines_block<T, streamed>(to + j * t1 + i * size, t1, from + i * f0 + j * size, f0);
  }
  transpose_rest<T>(to + whole0 * size, t1, from + whole0 * f0, f0, n0 - whole0, whole1);
  transpose_rest<T>(to + whole1 * t1, t1, from + whole1 * size, f0, n0, n1 - whole1);
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
