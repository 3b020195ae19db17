// SPDX-License-Identifier: Apache-2.0
/// @file
/// Short rows, turned round: the channels of pixels, say.
#pragma once

#include "kernels/stage/moves.hpp"

#include <cstdint>
#include <type_traits>

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

/// Bytes of the widest register in which elements of a size are put into any order; 0: none.
template <std::size_t size>
inline constexpr std::int64_t widest_shuffle =
#if defined(__AVX512BW__)
    size == 2 || size == 4 || size == 8 ? 64 : 16;
#elif defined(__AVX2__)
    size == 4 || size == 8 ? 32 : 16;
#elif defined(WEFT_HAS_BYTE_SHUFFLES)
    16;
#else
    0;
#endif

/// A register of rows of n elements, turned round each. Words of `unit` bytes are put in order,
/// `words` of which are an element.
template <int bytes, int unit>
class TurnedRegister {
 public:
  TurnedRegister(std::int64_t n, std::int64_t rows, std::int64_t words) {
    std::int64_t at = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t i = n; i-- > 0;) {
        for (std::int64_t w = 0; w < words; ++w)
          place_[at++] = static_cast<Place>((row * n + i) * words + w);
      }
    }
    for (; at < bytes / unit; ++at)
      place_[at] = static_cast<Place>(at);
  }
  WEFT_ALWAYS_INLINE void copy([[maybe_unused]] char* to, [[maybe_unused]] const char* from) const {
    [[maybe_unused]] const auto* const places = reinterpret_cast<const char*>(place_);
#if defined(WEFT_HAS_BYTE_SHUFFLES)
    if constexpr (bytes == 16)
      store(to, shuffled(load<SixteenBytes>(from), load<SixteenBytes>(places)));
#endif
#if defined(__AVX2__)
    if constexpr (bytes == 32)
      store(to, _mm256_permutevar8x32_epi32(load<__m256i>(from), load<__m256i>(places)));
#endif
#if defined(__AVX512BW__)
    if constexpr (bytes == 64 && unit == 4)
      store(to, _mm512_permutexvar_epi32(load<__m512i>(places), load<__m512i>(from)));
    if constexpr (bytes == 64 && unit == 2)
      store(to, _mm512_permutexvar_epi16(load<__m512i>(places), load<__m512i>(from)));
#endif
  }

 private:
  using Place = std::conditional_t<unit == 1, std::uint8_t,
                                   std::conditional_t<unit == 2, std::uint16_t, std::uint32_t>>;
  alignas(64) Place place_[bytes / unit];
};

/// Rows of n elements that are turned round (ReversedRows).
struct TurnedRows {
  char* to;
  const char* from;
  std::int64_t row, from_step;  // bytes of a row, and to the next one in memory
  std::int64_t n, rows;
};
/// By registers of so many bytes, from row j on: the row behind the last one that is copied. One
/// for elements of all sizes.
template <int bytes, int unit>
[[gnu::noinline]] std::int64_t turn_rows(const TurnedRows& of, std::int64_t j) {
  const std::int64_t at_a_time = of.from_step == of.row ? bytes / of.row : 1;
  // Rows of which so many bytes can be read and written, whatever is beyond them.
  const std::int64_t end = of.rows - (bytes + of.row - 1) / of.row;
  if (of.row > bytes || j + at_a_time > end) return j;
  const TurnedRegister<bytes, unit> turned(of.n, at_a_time, of.row / of.n / unit);
  // Copies: what is stored may be anything, as far as the compiler sees.
  char* __restrict const to = of.to;
  const char* __restrict const from = of.from;
  const std::int64_t row = of.row, from_step = of.from_step;
  for (; j + at_a_time <= end; j += at_a_time)
    turned.copy(to + j * row, from + j * from_step);
  return j;
}

/// Rows of n elements of T, dense and one after the other in `to`, backwards and `f1` bytes from
/// each other in memory: a row, or as many as a register holds if they follow each other there, is
/// one load, one shuffle and one store, of which the surplus is overwritten by what follows. Rows
/// of 16 bytes, or of 32 where the level shuffles their elements in wider registers.
template <class T>
struct ReversedRows {
  static constexpr std::int64_t size = sizeof(T);
  static constexpr std::int64_t lane = 16;  // bytes
  static constexpr std::int64_t most = widest_shuffle<sizeof(T)>;

  static constexpr bool fits([[maybe_unused]] std::int64_t t1, [[maybe_unused]] std::int64_t f1,
                             [[maybe_unused]] std::int64_t n, [[maybe_unused]] std::int64_t rows) {
    constexpr std::int64_t min_rows = 16;  // fewer are moved one by one as fast
    const std::int64_t row = n * size;
    const std::int64_t longest = most <= lane || (size == 2 && f1 != row) ? lane : 2 * lane;
    return most > 0 && n > 1 && row <= longest && t1 == row && f1 >= row && rows >= min_rows;
  }

  /// `from` is the element that comes first, the last one of the first row in memory.
  static void copy(char* __restrict to, const char* __restrict from, std::int64_t f1,
                   std::int64_t n, std::int64_t rows) {
    const std::int64_t row = n * size;
    from -= row - size;
    // Rows that follow each other by the widest register, and what is left by narrower ones; others
    // by the narrowest that holds a row. A register of 32 bytes turns no elements of two.
    const TurnedRows all{to, from, row, f1, n, rows};
    std::int64_t j = 0;
    [[maybe_unused]] constexpr int word = size == 2 ? 2 : 4;
    if constexpr (most >= 64)
      if (f1 == row) j = turn_rows<64, word>(all, j);
    if constexpr (most >= 32 && size >= 4)
      if (f1 == row || row > lane) j = turn_rows<32, 4>(all, j);
    if constexpr (most >= 16) j = turn_rows<16, 1>(all, j);
    for (; j < rows; ++j) {
      for (std::int64_t i = 0; i < n; ++i)
        store(to + j * row + i * size, load<T>(from + j * f1 + (n - 1 - i) * size));
    }
  }
};

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
