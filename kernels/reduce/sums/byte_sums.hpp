// SPDX-License-Identifier: Apache-2.0
/// @file
/// Rows and columns of bytes added up: rows by sums of absolute differences to 0, which add eight
/// bytes in one instruction, columns in 16 bits.
#pragma once

#include "kernels/reduce/shared/folds.hpp"
#include "kernels/reduce/shared/rule_kernel.hpp"

#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

// Where bytes are added up in registers.
#if defined(__SSE2__) || defined(__aarch64__)
#define WEFT_HAS_BYTE_REGISTERS
#endif

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

#if defined(__SSE2__)
/// Sixteen bytes.
struct ByteRegister16 {
  static constexpr std::int64_t count = 16;
  __m128i value;

  static WEFT_ALWAYS_INLINE ByteRegister16 load(const char* from) {
    return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))};
  }
  static WEFT_ALWAYS_INLINE ByteRegister16 all(char x) { return {_mm_set1_epi8(x)}; }
  static WEFT_ALWAYS_INLINE ByteRegister16 none() { return {_mm_setzero_si128()}; }
  friend WEFT_ALWAYS_INLINE ByteRegister16 operator^(ByteRegister16 a, ByteRegister16 b) {
    return {_mm_xor_si128(a.value, b.value)};
  }
  friend WEFT_ALWAYS_INLINE ByteRegister16 smaller(ByteRegister16 a, ByteRegister16 b) {
    return {_mm_min_epu8(a.value, b.value)};
  }
  /// Adds the sum of every eight bytes of x to a word of 64 bits.
  WEFT_ALWAYS_INLINE void add_eights(ByteRegister16 x) {
    value = _mm_add_epi64(value, _mm_sad_epu8(x.value, _mm_setzero_si128()));
  }
  /// Sixteen bytes as two words, the first one below.
  static WEFT_ALWAYS_INLINE ByteRegister16 of(std::uint64_t first, std::uint64_t second) {
    return {_mm_set_epi64x(static_cast<long long>(second), static_cast<long long>(first))};
  }
  /// Word by word.
  friend WEFT_ALWAYS_INLINE ByteRegister16 plus(ByteRegister16 a, ByteRegister16 b) {
    return {_mm_add_epi64(a.value, b.value)};
  }
  /// The sum of the words.
  WEFT_ALWAYS_INLINE std::int64_t words() const {
    alignas(16) std::int64_t w[2];
    _mm_store_si128(reinterpret_cast<__m128i*>(w), value);
    return w[0] + w[1];
  }
};
#elif defined(__aarch64__)
/// Sixteen bytes.
struct ByteRegister16 {
  static constexpr std::int64_t count = 16;
  uint64x2_t value;

  static WEFT_ALWAYS_INLINE ByteRegister16 load(const char* from) {
    return {vreinterpretq_u64_u8(vld1q_u8(reinterpret_cast<const std::uint8_t*>(from)))};
  }
  static WEFT_ALWAYS_INLINE ByteRegister16 all(char x) {
    return {vreinterpretq_u64_u8(vdupq_n_u8(static_cast<std::uint8_t>(x)))};
  }
  static WEFT_ALWAYS_INLINE ByteRegister16 none() { return {vdupq_n_u64(0)}; }
  friend WEFT_ALWAYS_INLINE ByteRegister16 operator^(ByteRegister16 a, ByteRegister16 b) {
    return {veorq_u64(a.value, b.value)};
  }
  friend WEFT_ALWAYS_INLINE ByteRegister16 smaller(ByteRegister16 a, ByteRegister16 b) {
    return {vreinterpretq_u64_u8(
        vminq_u8(vreinterpretq_u8_u64(a.value), vreinterpretq_u8_u64(b.value)))};
  }
  /// Adds the sum of every eight bytes of x to a word of 64 bits.
  WEFT_ALWAYS_INLINE void add_eights(ByteRegister16 x) {
    value = vpadalq_u32(value, vpaddlq_u16(vpaddlq_u8(vreinterpretq_u8_u64(x.value))));
  }
  /// Sixteen bytes as two words, the first one below.
  static WEFT_ALWAYS_INLINE ByteRegister16 of(std::uint64_t first, std::uint64_t second) {
    return {vcombine_u64(vcreate_u64(first), vcreate_u64(second))};
  }
  /// Word by word.
  friend WEFT_ALWAYS_INLINE ByteRegister16 plus(ByteRegister16 a, ByteRegister16 b) {
    return {vaddq_u64(a.value, b.value)};
  }
  /// The sum of the words.
  WEFT_ALWAYS_INLINE std::int64_t words() const {
    return static_cast<std::int64_t>(vaddvq_u64(value));
  }
};
#endif
#if defined(__AVX2__)
/// Thirty-two bytes.
struct ByteRegister {
  static constexpr std::int64_t count = 32;
  __m256i value;

  static WEFT_ALWAYS_INLINE ByteRegister load(const char* from) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))};
  }
  static WEFT_ALWAYS_INLINE ByteRegister all(char x) { return {_mm256_set1_epi8(x)}; }
  static WEFT_ALWAYS_INLINE ByteRegister none() { return {_mm256_setzero_si256()}; }
  friend WEFT_ALWAYS_INLINE ByteRegister operator^(ByteRegister a, ByteRegister b) {
    return {_mm256_xor_si256(a.value, b.value)};
  }
  friend WEFT_ALWAYS_INLINE ByteRegister smaller(ByteRegister a, ByteRegister b) {
    return {_mm256_min_epu8(a.value, b.value)};
  }
  WEFT_ALWAYS_INLINE void add_eights(ByteRegister x) {
    value = _mm256_add_epi64(value, _mm256_sad_epu8(x.value, _mm256_setzero_si256()));
  }
  WEFT_ALWAYS_INLINE ByteRegister16 folded() const {
    return {_mm_add_epi64(_mm256_castsi256_si128(value), _mm256_extracti128_si256(value, 1))};
  }
};
#elif defined(WEFT_HAS_BYTE_REGISTERS)
struct ByteRegister : ByteRegister16 {
  static WEFT_ALWAYS_INLINE ByteRegister load(const char* from) {
    return {ByteRegister16::load(from)};
  }
  static WEFT_ALWAYS_INLINE ByteRegister none() { return {ByteRegister16::none()}; }
  WEFT_ALWAYS_INLINE ByteRegister16 folded() const { return {value}; }
};
#endif

/// How bytes of a type are counted: as unsigned ones, each `excess` too large.
template <class T>
struct CountedBytes {
  static constexpr std::int64_t excess = std::is_signed_v<T> ? 128 : 0;
  template <class B>
  static WEFT_ALWAYS_INLINE auto unsigned_bytes(B x) {
    if constexpr (std::is_signed_v<T>)
      return x ^ B::all(static_cast<char>(-128));
    else
      return x;
  }
};
/// 1 for all but 0.
struct NonzeroBytes {
  static constexpr std::int64_t excess = 0;
  template <class B>
  static WEFT_ALWAYS_INLINE auto unsigned_bytes(B x) {
    return smaller(x, B::all(1));
  }
};

/// Spans and columns of a rule of the accumulator std::int64_t that adds up bytes as `How` counts
/// them.
template <class Rule, class How>
struct ByteSums {
#if defined(WEFT_HAS_BYTE_REGISTERS)
  /// Shorter ones are brought into a word piece by piece.
  static constexpr std::int64_t least_row = 8;

  static void spans(const void*, void* accumulators, char* const* inputs,
                    const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n, std::int64_t,
                    std::int64_t) {
    auto* acc = static_cast<std::int64_t*>(accumulators);
    for (std::int64_t r = 0; r < rows; ++r)
      acc[r] = row(inputs[0] + r * row_bytes[0], n);
  }
#endif

  static void columns(const void* context, void* accumulators, char* const* inputs,
                      const std::int64_t* row_bytes, std::int64_t rows, std::int64_t columns,
                      std::int64_t index) {
    if (rows < few_rows)
      return TreeColumns<Rule>::columns(context, accumulators, inputs, row_bytes, rows, columns,
                                        index);
    auto* acc = static_cast<std::int64_t*>(accumulators);
    for (std::int64_t j = 0; j < columns; ++j)
      acc[j] = 0;
    for (std::int64_t first = 0; first < rows; first += max_rows) {
      const std::int64_t taken = rows - first < max_rows ? rows - first : max_rows;
      const char* const from = inputs[0] + first * row_bytes[0];
      for (std::int64_t j = 0; j < columns; j += max_columns) {
        const std::int64_t left = columns - j;
        add_columns(acc + j, from + j, row_bytes[0], taken,
                    left < max_columns ? left : max_columns);
      }
    }
  }

 private:
  /// Rows that are sooner added in 32 bits than twice.
  static constexpr std::int64_t few_rows = 16;
  /// Bytes whose sum has 16 bits, signed ones too.
  static constexpr std::int64_t max_rows = 256;
  /// Whose sums stay in L1.
  static constexpr std::int64_t max_columns = 4096;

#if defined(WEFT_HAS_BYTE_REGISTERS)
  static WEFT_ALWAYS_INLINE std::int64_t row(const char* from, std::int64_t n) {
    constexpr std::int64_t bytes = ByteRegister::count;
    const auto at = [&](std::int64_t i) WEFT_INLINE_LAMBDA {
      return How::unsigned_bytes(ByteRegister::load(from + i));
    };
    ByteRegister16 sum = ByteRegister16::none();
    std::int64_t i = 0;
    if (n >= 4 * bytes) {
      ByteRegister a = ByteRegister::none(), b = ByteRegister::none();
      for (; i + 4 * bytes <= n; i += 4 * bytes) {
        a.add_eights({at(i)});
        b.add_eights({at(i + bytes)});
        a.add_eights({at(i + 2 * bytes)});
        b.add_eights({at(i + 3 * bytes)});
      }
      sum = plus(a.folded(), b.folded());
    }
    for (; i + 16 <= n; i += 16)
      sum.add_eights(How::unsigned_bytes(ByteRegister16::load(from + i)));
    std::int64_t counted = n;
    if (i < n) {
      sum.add_eights(How::unsigned_bytes(rest(from, i, n)));
      counted = i + 16;
    }
    return sum.words() - counted * How::excess;
  }

  /// Bytes [i, n), fewer than sixteen, and zeros.
  static WEFT_ALWAYS_INLINE ByteRegister16 rest(const char* from, std::int64_t i, std::int64_t n) {
    const char* const at = from + i;
    const std::int64_t left = n - i;
    if (left >= 8) {
      const std::uint64_t upper = left == 8 ? 0 : word(at + left - 8) >> (8 * (16 - left));
      return ByteRegister16::of(word(at), upper);
    }
    return ByteRegister16::of(few(at, left, n), 0);
  }
  /// Up to seven bytes, of a row of n.
  static WEFT_ALWAYS_INLINE std::uint64_t few(const char* at, std::int64_t left, std::int64_t n) {
    if (n >= 8) return word(at + left - 8) >> (8 * (8 - left));
    if (left >= 4) {
      return part<std::uint32_t>(at) | part<std::uint32_t>(at + left - 4) << (8 * (left - 4));
    }
    if (left >= 2) {
      return part<std::uint16_t>(at) | part<std::uint16_t>(at + left - 2) << (8 * (left - 2));
    }
    return part<std::uint8_t>(at);
  }
  template <class U>
  static WEFT_ALWAYS_INLINE std::uint64_t part(const char* from) {
    U bits;
    std::memcpy(&bits, from, sizeof(bits));
    return bits;
  }
  static WEFT_ALWAYS_INLINE std::uint64_t word(const char* from) {
    return part<std::uint64_t>(from);
  }
#endif

  /// Adds up to max_rows rows, four at a time, after those that are no four.
  static WEFT_ALWAYS_INLINE void add_columns(std::int64_t* acc, const char* from, std::int64_t step,
                                             std::int64_t rows, std::int64_t columns) {
    using Reader = SpanReader<typename Rule::Element, false>;
    const auto narrow = [](auto x)
                            WEFT_INLINE_LAMBDA { return static_cast<std::int16_t>(Rule::part(x)); };
    std::int16_t sums[max_columns];
    std::memset(sums, 0, static_cast<std::size_t>(columns) * sizeof(sums[0]));
    std::int64_t r = 0;
    for (; r < rows % 4; ++r) {
      const Reader x{from + r * step};
      WEFT_INDEPENDENT_ITERATIONS
      for (std::int64_t j = 0; j < columns; ++j)
        sums[j] = static_cast<std::int16_t>(sums[j] + narrow(x[j]));
    }
    for (; r < rows; r += 4) {
      const Reader x0{from + r * step}, x1{from + (r + 1) * step}, x2{from + (r + 2) * step},
          x3{from + (r + 3) * step};
      WEFT_INDEPENDENT_ITERATIONS
      for (std::int64_t j = 0; j < columns; ++j)
        sums[j] = static_cast<std::int16_t>(
            sums[j] + ((narrow(x0[j]) + narrow(x1[j])) + (narrow(x2[j]) + narrow(x3[j]))));
    }
    using Sum = std::conditional_t<(How::excess > 0), std::int16_t, std::uint16_t>;
    WEFT_INDEPENDENT_ITERATIONS
    for (std::int64_t j = 0; j < columns; ++j)
      acc[j] += static_cast<Sum>(sums[j]);
  }
};

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
