// SPDX-License-Identifier: Apache-2.0
/// @file
/// A few rows that alternate element by element on one side, such as the channels of pixels, and
/// lie each for itself on the other.
#pragma once

#include "kernels/stage/rows.hpp"
#include "kernels/stage/transpose.hpp"

#include <cstdint>
#include <utility>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// A register of each of `rows` rows: three, or a power of two.
template <class T, int rows>
struct AlternatingRegisters {
  static constexpr int lanes = LaneOf<T>::size;  // of 16 bytes
  using Register = typename VectorOf<T, lanes>::Type;
  struct Type {
    Register val[rows];
  };
  using Lanes = std::make_integer_sequence<int, lanes>;

  /// From memory where they alternate.
  static WEFT_ALWAYS_INLINE Type load(const char* from) {
    Type of;
    WEFT_UNROLLED
    for (int r = 0; r < rows; ++r)
      of.val[r] = weft::load<Register>(from + 16 * r);
    if constexpr (rows == 3) {
      return {take<0>(of, Lanes()), take<1>(of, Lanes()), take<2>(of, Lanes())};
    } else {
      interleave_rows<lanes, lanes, lanes>(of.val);
      return of;
    }
  }
  /// Back to there.
  static WEFT_ALWAYS_INLINE void store(char* to, Type of) {
    if constexpr (rows == 3) {
      of = {put<0>(of, Lanes()), put<1>(of, Lanes()), put<2>(of, Lanes())};
    } else {
      interleave_rows<lanes, lanes, rows>(of.val);
    }
    WEFT_UNROLLED
    for (int r = 0; r < rows; ++r)
      weft::store(to + 16 * r, of.val[r]);
  }

 private:
  /// A row of the three that alternate in three registers: what the first two have of it, then the
  /// third.
  template <int row, int... l>
  static WEFT_ALWAYS_INLINE Register take(const Type& of, std::integer_sequence<int, l...>) {
    const Register most = __builtin_shufflevector(of.val[0], of.val[1],
                                                  (3 * l + row < 2 * lanes ? 3 * l + row : -1)...);
    return __builtin_shufflevector(most, of.val[2],
                                   (3 * l + row < 2 * lanes ? l : 3 * l + row - lanes)...);
  }
  /// Register r of three in which three rows alternate: what the first two rows have of it, then
  /// the third.
  template <int r, int... l>
  static WEFT_ALWAYS_INLINE Register put(const Type& of, std::integer_sequence<int, l...>) {
    const Register two = __builtin_shufflevector(
        of.val[0], of.val[1],
        ((r * lanes + l) % 3 == 2 ? -1 : (r * lanes + l) % 3 * lanes + (r * lanes + l) / 3)...);
    return __builtin_shufflevector(two, of.val[2],
                                   ((r * lanes + l) % 3 == 2 ? lanes + (r * lanes + l) / 3 : l)...);
  }
};

#if defined(__AVX512BW__)
/// Whether WideAlternatingRegisters are there.
template <class T, int rows>
inline constexpr bool has_wide = rows == 3 || (rows == 2 && sizeof(T) >= 2);

/// Whole registers of each of two or three rows: permutations take two registers of words or larger
/// elements.
template <class T, int rows>
struct WideAlternatingRegisters {
  static constexpr int lanes = 64 / sizeof(T);
  using Register = typename VectorOf<T, lanes>::Type;
  struct Type {
    Register val[rows];
  };

  static WEFT_ALWAYS_INLINE Type load(const char* from) {
    Type of;
    WEFT_UNROLLED
    for (int r = 0; r < rows; ++r)
      of.val[r] = weft::load<Register>(from + 64 * r);
    if constexpr (rows == 2) return {take<0>(of, Lanes()), take<1>(of, Lanes())};
    if constexpr (rows == 3)
      return {take<0>(of, Lanes()), take<1>(of, Lanes()), take<2>(of, Lanes())};
  }
  static WEFT_ALWAYS_INLINE void store(char* to, const Type& of) {
    weft::store(to, put<0>(of, Lanes()));
    weft::store(to + 64, put<1>(of, Lanes()));
    if constexpr (rows == 3) weft::store(to + 128, put<2>(of, Lanes()));
  }

 private:
  using Lanes = std::make_integer_sequence<int, lanes>;

  /// A row of those that alternate: what the first two registers have of it, then the third.
  template <int row, int... l>
  static WEFT_ALWAYS_INLINE Register take(const Type& of, std::integer_sequence<int, l...>) {
    const Register two = __builtin_shufflevector(
        of.val[0], of.val[1], (rows * l + row < 2 * lanes ? rows * l + row : 0)...);
    if constexpr (rows == 2) return two;
    return __builtin_shufflevector(two, of.val[rows - 1],
                                   (rows * l + row < 2 * lanes ? l : rows * l + row - lanes)...);
  }
  /// Register r of those in which the rows alternate: what the first two rows have of it, then the
  /// third.
  template <int r, int... l>
  static WEFT_ALWAYS_INLINE Register put(const Type& of, std::integer_sequence<int, l...>) {
    const Register two = __builtin_shufflevector(
        of.val[0], of.val[1],
        ((r * lanes + l) % rows == 2 ? 0
                                     : (r * lanes + l) % rows * lanes + (r * lanes + l) / rows)...);
    if constexpr (rows == 2) return two;
    return __builtin_shufflevector(
        two, of.val[rows - 1],
        ((r * lanes + l) % rows == 2 ? lanes + (r * lanes + l) / rows : l)...);
  }
};
/// The bytes that are of row c, of the registers that hold bytes 16 * r to 16 * r + 15 of every 48
/// in which three rows alternate.
template <int c, int r>
inline constexpr std::uint64_t bytes_of_row = [] {
  std::uint64_t mask = 0;
  for (int b = 0; b < 64; ++b)
    mask |= std::uint64_t{(16 * r + b % 16) % 3 == c} << b;
  return mask;
}();
/// Bytes are moved within lanes of 16 alone. Lane l of a register belongs to pixels 16 * l and so
/// on: of three registers that hold these pixels, bytes p of all lanes have one byte of each row.
template <>
struct WideAlternatingRegisters<std::uint8_t, 3> {
  static constexpr int lanes = 64;
  struct Type {
    __m512i val[3];
  };

  static WEFT_ALWAYS_INLINE Type load(const char* from) {
    Type of;
    WEFT_UNROLLED
    for (int r = 0; r < 3; ++r)
      of.val[r] = reinterpret_cast<__m512i>(load_lanes<std::uint8_t, 4>(from + 16 * r, 48));
    const auto row = [&]<int c>() WEFT_INLINE_LAMBDA {
      return shuffled<3, c>(pick<bytes_of_row<c, 1>, bytes_of_row<c, 2>>(of));
    };
    return {row.template operator()<0>(), row.template operator()<1>(),
            row.template operator()<2>()};
  }
  static WEFT_ALWAYS_INLINE void store(char* to, const Type& of) {
    // The other way round: 3 * 11 is 1 modulo 16.
    const Type in_place = {shuffled<11, 0>(of.val[0]), shuffled<11, 15 * 11>(of.val[1]),
                           shuffled<11, 14 * 11>(of.val[2])};
    const auto store_part = [&]<int r>() WEFT_INLINE_LAMBDA {
      const __m512i all = pick<bytes_of_row<1, r>, bytes_of_row<2, r>>(in_place);
      char* const at = to + 16 * r;
      weft::store(at, _mm512_castsi512_si128(all));
      weft::store(at + 48, _mm512_maskz_extracti32x4_epi32(0xff, all, 1));
      weft::store(at + 96, _mm512_maskz_extracti32x4_epi32(0xff, all, 2));
      weft::store(at + 144, _mm512_maskz_extracti32x4_epi32(0xff, all, 3));
    };
    store_part.template operator()<0>();
    store_part.template operator()<1>();
    store_part.template operator()<2>();
  }

 private:
  /// Of three registers the first, the second where one mask is set, the third where another is.
  template <std::uint64_t second, std::uint64_t third>
  static WEFT_ALWAYS_INLINE __m512i pick(const Type& of) {
    return _mm512_mask_blend_epi8(third, _mm512_mask_blend_epi8(second, of.val[0], of.val[1]),
                                  of.val[2]);
  }
  /// Byte b of each lane from the place step * b + first in it. The masked forms: GCC 12 warns of
  /// its own undefined operand in the plain ones.
  template <int step, int first>
  static WEFT_ALWAYS_INLINE __m512i shuffled(__m512i bytes) {
    return [&]<int... b>(std::integer_sequence<int, b...>) WEFT_INLINE_LAMBDA {
      const __m128i index = _mm_setr_epi8(static_cast<char>((step * b + first) % 16)...);
      return _mm512_maskz_shuffle_epi8(~std::uint64_t{0}, bytes,
                                       _mm512_maskz_broadcast_i32x4(0xffff, index));
    }(std::make_integer_sequence<int, 16>());
  }
};
#elif defined(__AVX2__)
/// Three rows of eight bytes an element, in whole registers. Element i of a row is in lane 3 * i +
/// row, counted modulo four, of the register that has it. So of a row no two elements are in one
/// lane: the three registers' lanes are brought together where they are, and then put in order.
template <>
struct AlternatingRegisters<std::uint64_t, 3> {
  static constexpr int lanes = 4;
  using Register = typename VectorOf<std::uint64_t, lanes>::Type;
  struct Type {
    Register val[3];
  };

  static WEFT_ALWAYS_INLINE Type load(const char* from) {
    const auto a = weft::load<Register>(from);       // x0 y0 z0 x1
    const auto b = weft::load<Register>(from + 32);  // y1 z1 x2 y2
    const auto c = weft::load<Register>(from + 64);  // z2 x3 y3 z3
    return {__builtin_shufflevector(of_lanes<0, 2, 1, 0>(a, b, c), a, 0, 3, 2, 1),
            __builtin_shufflevector(of_lanes<1, 0, 2, 1>(a, b, c), a, 1, 0, 3, 2),
            __builtin_shufflevector(of_lanes<2, 1, 0, 2>(a, b, c), a, 2, 1, 0, 3)};
  }
  static WEFT_ALWAYS_INLINE void store(char* to, const Type& of) {
    const Register x = __builtin_shufflevector(of.val[0], of.val[0], 0, 3, 2, 1);
    const Register y = __builtin_shufflevector(of.val[1], of.val[1], 1, 0, 3, 2);
    const Register z = __builtin_shufflevector(of.val[2], of.val[2], 2, 1, 0, 3);
    weft::store(to, of_lanes<0, 1, 2, 0>(x, y, z));
    weft::store(to + 32, of_lanes<1, 2, 0, 1>(x, y, z));
    weft::store(to + 64, of_lanes<2, 0, 1, 2>(x, y, z));
  }

 private:
  /// Lane l of the register that the l-th number says: 0 a, 1 b, 2 c.
  template <int... from>
  static WEFT_ALWAYS_INLINE Register of_lanes(Register a, Register b, Register c) {
    return []<int... l>(Register first, Register second, Register third,
                        std::integer_sequence<int, l...>) WEFT_INLINE_LAMBDA {
      const Register two = __builtin_shufflevector(first, second, (from == 1 ? lanes + l : l)...);
      return __builtin_shufflevector(two, third, (from == 2 ? lanes + l : l)...);
    }(a, b, c, std::make_integer_sequence<int, lanes>());
  }
};
#endif

#if defined(__aarch64__)
#define WEFT_ALTERNATING_REGISTERS(BITS, LANES, ROWS)                                  \
  template <>                                                                          \
  struct AlternatingRegisters<std::uint##BITS##_t, ROWS> {                             \
    static constexpr int lanes = LANES;                                                \
    using Type = uint##BITS##x##LANES##x##ROWS##_t;                                    \
    static WEFT_ALWAYS_INLINE Type load(const char* from) {                            \
      return vld##ROWS##q_u##BITS(reinterpret_cast<const std::uint##BITS##_t*>(from)); \
    }                                                                                  \
    static WEFT_ALWAYS_INLINE void store(char* to, const Type& of) {                   \
      vst##ROWS##q_u##BITS(reinterpret_cast<std::uint##BITS##_t*>(to), of);            \
    }                                                                                  \
  };
#define WEFT_ALTERNATING_ROWS(BITS, LANES)   \
  WEFT_ALTERNATING_REGISTERS(BITS, LANES, 2) \
  WEFT_ALTERNATING_REGISTERS(BITS, LANES, 3) \
  WEFT_ALTERNATING_REGISTERS(BITS, LANES, 4)
WEFT_ALTERNATING_ROWS(8, 16)
WEFT_ALTERNATING_ROWS(16, 8)
WEFT_ALTERNATING_ROWS(32, 4)
WEFT_ALTERNATING_ROWS(64, 2)
#undef WEFT_ALTERNATING_ROWS
#undef WEFT_ALTERNATING_REGISTERS
#endif

/// Moves of elements of T between such rows and memory where they alternate. The last register of
/// a row overlaps the one before it.
template <class T>
struct Interleaved {
  static constexpr std::int64_t size = sizeof(T);
  static constexpr std::int64_t lanes = LaneOf<T>::size;

  /// Of more rows there are transposes.
#if defined(__aarch64__)
  static constexpr std::int64_t max_rows = lanes < 5 ? 4 : lanes - 1;
#elif defined(__AVX2__)
  static constexpr std::int64_t max_rows = lanes < 4 ? 3 : lanes - 1;
#else
  static constexpr std::int64_t max_rows = lanes - 1;
#endif

  /// Whether rows of n elements are for join(). Others are transposed, or moved row by row.
  static constexpr bool joins(std::int64_t rows, std::int64_t n) {
    return n >= (lanes < 4 ? 4 : lanes) && takes(rows);
  }
  /// Whether they are for split().
  static constexpr bool splits(std::int64_t rows, std::int64_t n) {
    return rows >= min_split_rows && rows <= max_split_rows && joins(rows, n);
  }
  /// to[c * t1 + i * size] = from[(i * rows + c) * size] for 0 <= c < rows, 0 <= i < n. Not inline,
  /// or all other blocks would get its frame.
  [[gnu::noinline]] static void split(char* __restrict to, std::int64_t t1,
                                      const char* __restrict from, std::int64_t rows,
                                      std::int64_t n) {
    with_registers(rows, [&]<int all>() {
      if constexpr (all >= min_split_rows && (all <= max_split_rows || all > max_rows)) {
        if constexpr (takes(all)) {
#if defined(__AVX512BW__)
          if constexpr (has_wide<T, all>) {
            using Wide = WideAlternatingRegisters<T, all>;
            if (all == rows && n >= Wide::lanes) return split_rows<all, Wide>(to, t1, from, all, n);
          }
#endif
          if (all == rows) return split_rows<all>(to, t1, from, all, n);
        }
        if constexpr (all >= 8) split_padded<all>(to, t1, from, rows, n);
      }
    });
  }
  /// to[(i * rows + c) * size] = from[c * f1 + i * size]. Likewise.
  [[gnu::noinline]] static void join(char* __restrict to, const char* __restrict from,
                                     std::int64_t f1, std::int64_t rows, std::int64_t n) {
    with_registers(rows, [&]<int all>() {
      if constexpr (takes(all)) {
#if defined(__AVX512BW__)
        if constexpr (has_wide<T, all>) {
          using Wide = WideAlternatingRegisters<T, all>;
          if (all == rows && n >= Wide::lanes) return join_rows<all, Wide>(to, from, f1, all, n);
        }
#endif
        if (all == rows) return join_rows<all>(to, from, f1, all, n);
      }
      if constexpr (all >= 8) join_padded<all>(to, from, f1, rows, n);
    });
  }

 private:
  /// Whether there are registers for so many rows.
  static constexpr bool takes(std::int64_t rows) {
#if defined(__AVX512BW__)
    // Others would be padded; permutations store each row with gaps instead.
    if (rows > 4 && rows != 8) return false;
#elif defined(__x86_64__) && !defined(__AVX2__)
    if (rows == 3) return false;  // no instruction of this level moves the bytes of a register
#endif
    return rows >= 2 && rows <= max_rows;
  }
  /// Fewer are picked row by row as fast; more are, too, where registers have 64 bytes.
#if defined(__AVX512BW__)
  static constexpr std::int64_t max_split_rows = 3;
#else
  static constexpr std::int64_t max_split_rows = max_rows;
#endif
#if defined(__aarch64__)
  static constexpr std::int64_t min_split_rows = 2;
#elif defined(__AVX2__)
  static constexpr std::int64_t min_split_rows = 3;
#else
  static constexpr std::int64_t min_split_rows = size == 2 ? 2 : 3;
#endif
  /// Calls f<all>() for the registers that so many rows are moved by: as many, but for 5 to 7 rows
  /// 8, and for 9 to 15 rows 16.
  template <class F>
  static void with_registers(std::int64_t rows, const F& f) {
    if constexpr (takes(2)) {
      if (rows == 2) return f.template operator()<2>();
    }
    if constexpr (takes(3)) {
      if (rows == 3) return f.template operator()<3>();
    }
    if constexpr (takes(4)) {
      if (rows == 4) return f.template operator()<4>();
    }
    if constexpr (takes(8) || takes(5)) {
      if (rows <= 8) return f.template operator()<8>();
    }
    if constexpr (takes(9)) f.template operator()<16>();
  }

  /// `all` rows alternate, of which the first `rows` are wanted.
  template <int all, class Registers = AlternatingRegisters<T, all>>
  static void split_rows(char* __restrict to, std::int64_t t1, const char* __restrict from,
                         std::int64_t rows, std::int64_t n) {
    constexpr std::int64_t count = Registers::lanes;
    for (std::int64_t i = 0; i < n; i += count) {
      i = i < n - count ? i : n - count;
      const auto registers = Registers::load(from + i * all * size);
      WEFT_UNROLLED
      for (int c = 0; c < all; ++c)
        if (c < rows) weft::store(to + c * t1 + i * size, registers.val[c]);
    }
  }
  /// `all` rows will alternate; the last of `rows` stands for those there are not.
  template <int all, class Registers = AlternatingRegisters<T, all>>
  static void join_rows(char* __restrict to, const char* __restrict from, std::int64_t f1,
                        std::int64_t rows, std::int64_t n) {
    constexpr std::int64_t count = Registers::lanes;
    for (std::int64_t i = 0; i < n; i += count) {
      i = i < n - count ? i : n - count;
      typename Registers::Type registers;
      WEFT_UNROLLED
      for (int c = 0; c < all; ++c)
        __builtin_memcpy(&registers.val[c], from + (c < rows ? c : rows - 1) * f1 + i * size,
                         count * size);
      Registers::store(to + i * all * size, registers);
    }
  }

  /// By way of memory where `all` rows alternate, some elements of each at a time, of which the
  /// last ones overlap those before them.
  static constexpr std::int64_t padded = 64;
  template <int all>
  static void split_padded(char* __restrict to, std::int64_t t1, const char* __restrict from,
                           std::int64_t rows, std::int64_t n) {
    alignas(64) char buffer[padded * all * size];
    const std::int64_t count = n < padded ? n : padded;
    for (std::int64_t i = 0; i < n; i += count) {
      i = i < n - count ? i : n - count;
      copy_rows(buffer, all * size, from + i * rows * size, rows * size, rows * size, count);
      split_rows<all>(to + i * size, t1, buffer, rows, count);
    }
  }
  template <int all>
  static void join_padded(char* __restrict to, const char* __restrict from, std::int64_t f1,
                          std::int64_t rows, std::int64_t n) {
    alignas(64) char buffer[padded * all * size];
    const std::int64_t count = n < padded ? n : padded;
    for (std::int64_t i = 0; i < n; i += count) {
      i = i < n - count ? i : n - count;
      join_rows<all>(buffer, from + i * size, f1, rows, count);
      copy_rows(to + i * rows * size, rows * size, buffer, all * size, rows * size, count);
    }
  }
};
template <>
struct Interleaved<Pair> {
  static constexpr std::int64_t max_rows = 0;
  static constexpr bool splits(std::int64_t, std::int64_t) { return false; }
  static constexpr bool joins(std::int64_t, std::int64_t) { return false; }
  static void split(char*, std::int64_t, const char*, std::int64_t, std::int64_t) {}
  static void join(char*, const char*, std::int64_t, std::int64_t, std::int64_t) {}
};

/// copy_block() of kernels/stage/copy_block.cpp, where one side has a few rows alternate and the
/// other has each for itself. Whether it was done.
template <class T>
WEFT_ALWAYS_INLINE bool copy_interleaved(char* __restrict to, std::int64_t t0, std::int64_t t1,
                                         const char* __restrict from, std::int64_t f0,
                                         std::int64_t f1, std::int64_t n0, std::int64_t n1) {
  constexpr std::int64_t size = sizeof(T);
  if (t1 == size && f0 == size) {
    std::swap(t0, t1);
    std::swap(f0, f1);
    std::swap(n0, n1);
  }
  if (t0 != size || f1 != size) return false;
  if (f0 == n1 * size && Interleaved<T>::splits(n1, n0)) {
    Interleaved<T>::split(to, t1, from, n1, n0);
  } else if (t1 == n0 * size && Interleaved<T>::joins(n0, n1)) {
    Interleaved<T>::join(to, from, f0, n0, n1);
  } else {
    return false;
  }
  return true;
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
