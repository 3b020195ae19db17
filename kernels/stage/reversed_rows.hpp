// SPDX-License-Identifier: Apache-2.0
/// @file
/// Short rows, turned round: the channels of pixels, say.
#pragma once

#include "kernels/stage/moves.hpp"

#include <cstdint>

// Where the bytes of a register can be put into any order.
#if defined(__SSSE3__) || defined(__aarch64__)
#define WEFT_HAS_BYTE_SHUFFLES
#endif

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

// Sixteen bytes of which byte i is byte places[i] of the given ones.
#if defined(__SSSE3__)
using SixteenBytes = __m128i;
WEFT_ALWAYS_INLINE SixteenBytes shuffled(SixteenBytes bytes, SixteenBytes places) {
  return _mm_shuffle_epi8(bytes, places);
}
#elif defined(__aarch64__)
using SixteenBytes = uint8x16_t;
WEFT_ALWAYS_INLINE SixteenBytes shuffled(SixteenBytes bytes, SixteenBytes places) {
  return vqtbl1q_u8(bytes, places);
}
#endif

/// Rows of n elements of T, dense and one after the other in `to`, backwards and `f1` bytes from
/// each other in memory: a row, or as many as 16 bytes hold, is one load, one shuffle and one
/// store, of which the surplus is overwritten by what follows. Rows of 16 bytes, or of 32 where the
/// level shuffles them and elements have 4 or 8.
template <class T>
struct ReversedRows {
  static constexpr std::int64_t size = sizeof(T);
  static constexpr std::int64_t lane = 16;  // bytes

  static constexpr bool fits([[maybe_unused]] std::int64_t t1, [[maybe_unused]] std::int64_t f1,
                             [[maybe_unused]] std::int64_t n, [[maybe_unused]] std::int64_t rows) {
#if defined(__AVX2__)
    constexpr std::int64_t most = size == 4 || size == 8 ? 2 * lane : lane;
#elif defined(WEFT_HAS_BYTE_SHUFFLES)
    constexpr std::int64_t most = lane;
#else
    constexpr std::int64_t most = 0;
#endif
    constexpr std::int64_t min_rows = 16;  // fewer are moved one by one as fast
    const std::int64_t row = n * size;
    return n > 1 && row <= most && t1 == row && f1 >= row && rows >= min_rows;
  }

  /// `from` is the element that comes first, the last one of the first row in memory.
  static void copy(char* __restrict to, const char* __restrict from, std::int64_t f1,
                   std::int64_t n, std::int64_t rows) {
    const std::int64_t row = n * size;
    from -= row - size;
    std::int64_t j = 0;
#if defined(__AVX2__)
    if (row > lane) {
      j = copy_pairs_of_lanes(to, from, f1, n, rows);
    } else {
      j = copy_lanes(to, from, f1, n, rows);
    }
#elif defined(WEFT_HAS_BYTE_SHUFFLES)
    j = copy_lanes(to, from, f1, n, rows);
#endif
    for (; j < rows; ++j) {
      for (std::int64_t i = 0; i < n; ++i)
        store(to + j * row + i * size, load<T>(from + j * f1 + (n - 1 - i) * size));
    }
  }

 private:
  /// Rows of which `bytes` bytes can be read and written, whatever is beyond them.
  static std::int64_t whole(std::int64_t rows, std::int64_t row, std::int64_t bytes) {
    return rows - (bytes + row - 1) / row;
  }

#if defined(WEFT_HAS_BYTE_SHUFFLES)
  static std::int64_t copy_lanes(char* __restrict to, const char* __restrict from, std::int64_t f1,
                                 std::int64_t n, std::int64_t rows) {
    const std::int64_t row = n * size;
    const std::int64_t at_a_time = f1 == row ? lane / row : 1;
    alignas(lane) char places[lane];
    for (std::int64_t b = 0; b < lane; ++b) {
      const std::int64_t place = b / row * row + (n - 1 - b % row / size) * size + b % size;
      places[b] = static_cast<char>(b < at_a_time * row ? place : b);
    }
    const auto shuffle = load<SixteenBytes>(places);
    const std::int64_t end = whole(rows, row, lane);
    std::int64_t j = 0;
    for (; j + at_a_time <= end; j += at_a_time)
      store(to + j * row, shuffled(load<SixteenBytes>(from + j * f1), shuffle));
    return j;
  }
#endif
#if defined(__AVX2__)
  static std::int64_t copy_pairs_of_lanes(char* __restrict to, const char* __restrict from,
                                          std::int64_t f1, std::int64_t n, std::int64_t rows) {
    constexpr std::int64_t words = size < 4 ? 1 : size / 4;  // of an element
    const std::int64_t row = n * size;
    alignas(2 * lane) std::int32_t places[8];
    for (std::int64_t w = 0; w < 8; ++w) {
      const std::int64_t place = (n - 1 - w / words) * words + w % words;
      places[w] = static_cast<std::int32_t>(w < n * words ? place : w);
    }
    const __m256i shuffle = load<__m256i>(reinterpret_cast<const char*>(places));
    const std::int64_t end = whole(rows, row, 2 * lane);
    std::int64_t j = 0;
    for (; j < end; ++j)
      store(to + j * row, _mm256_permutevar8x32_epi32(load<__m256i>(from + j * f1), shuffle));
    return j;
  }
#endif
};

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
