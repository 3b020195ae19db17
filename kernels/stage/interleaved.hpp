// SPDX-License-Identifier: Apache-2.0
/// @file
/// Two to four rows that alternate element by element on one side, such as the channels of pixels,
/// and lie each for itself on the other.
#pragma once

#include "kernels/stage/moves.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

#if defined(__aarch64__)
/// `rows` registers of elements of some bits, from places where they alternate and back.
template <int bits, int rows>
struct AlternatingRegisters;
#define WEFT_ALTERNATING_REGISTERS(BITS, LANES, ROWS)                                  \
  template <>                                                                          \
  struct AlternatingRegisters<BITS, ROWS> {                                            \
    using Type = uint##BITS##x##LANES##x##ROWS##_t;                                    \
    static WEFT_ALWAYS_INLINE Type load(const char* from) {                            \
      return vld##ROWS##q_u##BITS(reinterpret_cast<const std::uint##BITS##_t*>(from)); \
    }                                                                                  \
    static WEFT_ALWAYS_INLINE void store(char* to, const Type& registers) {            \
      vst##ROWS##q_u##BITS(reinterpret_cast<std::uint##BITS##_t*>(to), registers);     \
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

/// Moves of elements of T, of up to eight bytes, between such rows and memory where they alternate;
/// n >= a register's elements. The last register overlaps the one before it.
template <class T>
struct Interleaved {
  static constexpr std::int64_t size = sizeof(T);
  static constexpr std::int64_t lanes = 16 / size;

  static constexpr bool fits(std::int64_t rows, std::int64_t n) {
    return size <= 8 && rows >= 2 && rows <= 4 && n >= lanes;
  }
  /// to[c * t1 + i * size] = from[(i * rows + c) * size] for 0 <= c < rows, 0 <= i < n.
  static void split(char* __restrict to, std::int64_t t1, const char* __restrict from,
                    std::int64_t rows, std::int64_t n) {
    if (rows == 2) return split_rows<2>(to, t1, from, n);
    if (rows == 3) return split_rows<3>(to, t1, from, n);
    split_rows<4>(to, t1, from, n);
  }
  /// to[(i * rows + c) * size] = from[c * f1 + i * size].
  static void join(char* __restrict to, const char* __restrict from, std::int64_t f1,
                   std::int64_t rows, std::int64_t n) {
    if (rows == 2) return join_rows<2>(to, from, f1, n);
    if (rows == 3) return join_rows<3>(to, from, f1, n);
    join_rows<4>(to, from, f1, n);
  }

 private:
  template <int rows>
  static void split_rows(char* __restrict to, std::int64_t t1, const char* __restrict from,
                         std::int64_t n) {
    for (std::int64_t i = 0; i < n; i += lanes) {
      i = i < n - lanes ? i : n - lanes;
      const auto registers = AlternatingRegisters<8 * size, rows>::load(from + i * rows * size);
      WEFT_UNROLLED
      for (int c = 0; c < rows; ++c)
        weft::store(to + c * t1 + i * size, registers.val[c]);
    }
  }
  template <int rows>
  static void join_rows(char* __restrict to, const char* __restrict from, std::int64_t f1,
                        std::int64_t n) {
    using Registers = AlternatingRegisters<8 * size, rows>;
    for (std::int64_t i = 0; i < n; i += lanes) {
      i = i < n - lanes ? i : n - lanes;
      typename Registers::Type registers;
      WEFT_UNROLLED
      for (int c = 0; c < rows; ++c)
        __builtin_memcpy(&registers.val[c], from + c * f1 + i * size, 16);
      Registers::store(to + i * rows * size, registers);
    }
  }
};
template <>
struct Interleaved<Pair> {
  static constexpr bool fits(std::int64_t, std::int64_t) { return false; }
  static void split(char*, std::int64_t, const char*, std::int64_t, std::int64_t) {}
  static void join(char*, const char*, std::int64_t, std::int64_t, std::int64_t) {}
};
#else
template <class T>
struct Interleaved {
  static constexpr bool fits(std::int64_t, std::int64_t) { return false; }
  static void split(char*, std::int64_t, const char*, std::int64_t, std::int64_t) {}
  static void join(char*, const char*, std::int64_t, std::int64_t, std::int64_t) {}
};
#endif

/// copy_block() of kernels/stage/copy_block.cpp, where one side has a few rows alternate and the
/// other has each for itself, and the level has instructions for that. Whether it was done.
template <class T>
WEFT_ALWAYS_INLINE bool copy_interleaved(char* __restrict to, std::int64_t t0, std::int64_t t1,
                                         const char* __restrict from, std::int64_t f0,
                                         std::int64_t f1, std::int64_t n0, std::int64_t n1) {
  constexpr std::int64_t size = sizeof(T);
  if (Interleaved<T>::fits(n1, n0) && t0 == size && f1 == size && f0 == n1 * size) {
    Interleaved<T>::split(to, t1, from, n1, n0);
  } else if (Interleaved<T>::fits(n0, n1) && t1 == size && f0 == size && f1 == n0 * size) {
    Interleaved<T>::split(to, t0, from, n0, n1);
  } else if (Interleaved<T>::fits(n1, n0) && t1 == size && f0 == size && t0 == n1 * size) {
    Interleaved<T>::join(to, from, f1, n1, n0);
  } else if (Interleaved<T>::fits(n0, n1) && t0 == size && f1 == size && t1 == n0 * size) {
    Interleaved<T>::join(to, from, f0, n0, n1);
  } else {
    return false;
  }
  return true;
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
