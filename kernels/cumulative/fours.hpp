// SPDX-License-Identifier: Apache-2.0
/// @file
/// Prefix sums and products by fours: see the contract.
#pragma once

#include <weft/kernel/cumulative_kernel.hpp>
#include <weft/kernel/detail/span_loop.hpp>

#include "kernels/stage/moves.hpp"

#include <cstdint>
#include <type_traits>

// Registers of 32 bytes are two where the level has none: no function that is called passes them.
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// What is taken for an element, of numbers and of registers of them.
struct AsItIs {
  template <class V>
  static WEFT_ALWAYS_INLINE V element(const V& x) {
    return x;
  }
};
/// a + b and a * b. Integers are unsigned words, so they wrap.
struct Adding : AsItIs {
  static constexpr int identity = 0;
  template <class V>
  static WEFT_ALWAYS_INLINE V of(const V& a, const V& b) {
    return a + b;
  }
};
struct AddingNumbers : Adding {
  template <class V>
  static WEFT_ALWAYS_INLINE V element(const V& x) {
    return x == x ? x : V{};  // NaN is 0
  }
};
struct Multiplying : AsItIs {
  static constexpr int identity = 1;
  template <class V>
  static WEFT_ALWAYS_INLINE V of(const V& a, const V& b) {
    return a * b;
  }
};

/// The kernel of Op over elements of T (float, double or std::uint64_t), accumulated in Acc.
template <class Op, class T, class Acc>
class ByFours {
 public:
  static constexpr CumulativeKernel kernel(ScalarType type) {
    CumulativeKernel k;
    k.start = &start;
    k.advance = &advance;
    k.advance_lines = &advance_lines;
    k.accumulator_bytes = sizeof(Acc);
    k.step = 4;
    k.types[0] = k.types[1] = type;
    return k;
  }

 private:
  using Four = typename VectorOf<Acc, 4>::Type;
  using FourInMemory = typename VectorOf<T, 4>::Type;
  static constexpr std::int64_t size = sizeof(T);

  static void start(const void*, void* accumulators, const char* const*, std::int64_t n) {
    Acc* acc = static_cast<Acc*>(accumulators);
    for (std::int64_t j = 0; j < n; ++j)
      acc[j] = Acc(Op::identity);
  }

  static WEFT_ALWAYS_INLINE Acc read(const char* from, std::int64_t i) {
    return Op::element(static_cast<Acc>(load<T>(from + i * size)));
  }
  static WEFT_ALWAYS_INLINE void write(char* to, std::int64_t i, Acc value) {
    store(to + i * size, static_cast<T>(value));
  }

  /// One column's next elements, at most four of them, from rows `in_row` bytes from each other.
  template <int count>
  static WEFT_ALWAYS_INLINE Acc step(Acc total, char* out, std::int64_t out_row, const char* in,
                                     std::int64_t in_row, std::int64_t j) {
    // All are read before any is written: the output may be the input.
    const Acc x0 = read(in, j);
    const Acc x1 = count > 1 ? read(in + in_row, j) : x0;
    const Acc x2 = count > 2 ? read(in + 2 * in_row, j) : x0;
    const Acc x3 = count > 3 ? read(in + 3 * in_row, j) : x0;
    const Acc two = Op::of(total, Op::of(x0, x1));
    Acc last = Op::of(total, x0);
    write(out, j, last);
    if (count > 1) write(out + out_row, j, last = two);
    if (count > 2) write(out + 2 * out_row, j, last = Op::of(two, x2));
    if (count > 3) write(out + 3 * out_row, j, last = Op::of(two, Op::of(x2, x3)));
    return last;
  }

  template <int count>
  static void rows_of(Acc* acc, char* out, std::int64_t out_row, const char* in,
                      std::int64_t in_row, std::int64_t columns) {
    std::int64_t first = 0;
#if defined(__AVX__)
    // Compilers read more columns at a time and separate them, which is most of the work then.
    if constexpr (count == 4 && std::is_same_v<T, float>) {
      for (; first + 4 <= columns; first += 4) {
        const char* from = in + first * size;
        char* to = out + first * size;
        Four total, x0, x1, x2, x3;
        read_four(x0, from);
        read_four(x1, from + in_row);
        read_four(x2, from + 2 * in_row);
        read_four(x3, from + 3 * in_row);
        __builtin_memcpy(&total, acc + first, sizeof(total));
        const Four two = Op::of(total, Op::of(x0, x1));
        const Four last = Op::of(two, Op::of(x2, x3));
        write_four(to, Op::of(total, x0));
        write_four(to + out_row, two);
        write_four(to + 2 * out_row, Op::of(two, x2));
        write_four(to + 3 * out_row, last);
        __builtin_memcpy(acc + first, &last, sizeof(last));
      }
    }
#endif
    WEFT_INDEPENDENT_ITERATIONS
    for (std::int64_t j = first; j < columns; ++j)
      acc[j] = step<count>(acc[j], out, out_row, in, in_row, j);
  }

  static void advance(const void*, void* accumulators, const CumulativeBlock& b) {
    Acc* acc = static_cast<Acc*>(accumulators);
    char* out = b.data[0];
    const char* in = b.data[1];
    const std::int64_t out_row = b.step_bytes[0], in_row = b.step_bytes[1];
    const std::int64_t columns = b.columns;
    std::int64_t rows = b.length;
    for (; rows >= 4; rows -= 4, out += 4 * out_row, in += 4 * in_row)
      rows_of<4>(acc, out, out_row, in, in_row, columns);
    if (rows == 3) rows_of<3>(acc, out, out_row, in, in_row, columns);
    if (rows == 2) rows_of<2>(acc, out, out_row, in, in_row, columns);
    if (rows == 1) rows_of<1>(acc, out, out_row, in, in_row, columns);
  }

  // By intrinsics where compilers of plain conversions make two halves.

  static WEFT_ALWAYS_INLINE void read_four(Four& x, const char* from) {
    FourInMemory given;
    __builtin_memcpy(&given, from, sizeof(given));
#if defined(__AVX__)
    if constexpr (std::is_same_v<T, float>) {
      x = Op::element(Four(_mm256_cvtps_pd(given)));
      return;
    }
#endif
    x = Op::element(__builtin_convertvector(given, Four));
  }
  static WEFT_ALWAYS_INLINE void write_four(char* to, const Four& x) {
#if defined(__AVX__)
    if constexpr (std::is_same_v<T, float>) {
      const FourInMemory rounded = _mm256_cvtpd_ps(x);
      __builtin_memcpy(to, &rounded, sizeof(rounded));
      return;
    }
#endif
    const FourInMemory rounded = __builtin_convertvector(x, FourInMemory);
    __builtin_memcpy(to, &rounded, sizeof(rounded));
  }

  /// The total, `before` and `pairs` together; the last of it is the next total. Of a single line
  /// that waits for two operations on it, not for a shuffle as well.
  template <int lines>
  static WEFT_ALWAYS_INLINE Four next_four(Four& total, const Four& before, const Four& pairs) {
    const Four results = Op::of(Op::of(total, before), pairs);
    total = lines == 1 ? Op::of(Op::of(total, last_of(before)), last_of(pairs)) : last_of(results);
    return results;
  }
  static WEFT_ALWAYS_INLINE Four last_of(const Four& x) {
    return __builtin_shufflevector(x, x, 3, 3, 3, 3);
  }

  /// Several lines at once, since each waits for its own total. All are read before any is written:
  /// lines a power of two from each other would seem to meet, and wait for each other.
  template <int lines>
  static void dense_lines(Acc* acc, char* out, std::int64_t out_line, const char* in,
                          std::int64_t in_line, std::int64_t n) {
    const Four none = Four{} + Acc(Op::identity);
    Four total[lines];
    WEFT_UNROLLED
    for (int l = 0; l < lines; ++l)
      total[l] = Four{acc[l], acc[l], acc[l], acc[l]};  // 0.0 + -0.0 would be 0.0
    std::int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
      Four pairs[lines];  // x0, x0 + x1, x2, x2 + x3
      WEFT_UNROLLED
      for (int l = 0; l < lines; ++l) {
        read_four(pairs[l], in + l * in_line + i * size);
        pairs[l] = Op::of(__builtin_shufflevector(none, pairs[l], 0, 4, 2, 6), pairs[l]);
      }
      WEFT_UNROLLED
      for (int l = 0; l < lines; ++l) {
        const Four before = __builtin_shufflevector(none, pairs[l], 0, 1, 5, 5);  // of each pair
        write_four(out + l * out_line + i * size, next_four<lines>(total[l], before, pairs[l]));
      }
    }
    for (int l = 0; l < lines; ++l)
      acc[l] = rest(total[l][0], out + l * out_line + i * size, in + l * in_line + i * size, n - i);
  }

  /// The last elements of a line, fewer than four.
  static Acc rest(Acc total, char* out, const char* in, std::int64_t n) {
    if (n == 3) return step<3>(total, out, size, in, size, 0);
    if (n == 2) return step<2>(total, out, size, in, size, 0);
    if (n == 1) return step<1>(total, out, size, in, size, 0);
    return total;
  }

  /// Products of integers are the same in any order: a total waits for two of single numbers, which
  /// takes less than products of words in registers do.
  static constexpr bool by_numbers = std::is_integral_v<Acc> && std::is_same_v<Op, Multiplying>;
  static void line_of_numbers(Acc& acc, char* out, const char* in, std::int64_t n) {
    for (; n >= 4; n -= 4, out += 4 * size, in += 4 * size)
      acc = step<4>(acc, out, size, in, size, 0);
    acc = rest(acc, out, in, n);
  }

  static void advance_lines(const void*, void* accumulators, const CumulativeBlock& b) {
    Acc* acc = static_cast<Acc*>(accumulators);
    char* out = b.data[0];
    const char* in = b.data[1];
    const std::int64_t out_line = b.step_bytes[0], in_line = b.step_bytes[1], n = b.length;
    std::int64_t lines = b.columns;
    if constexpr (by_numbers) {
      for (; lines > 0; --lines, ++acc, out += out_line, in += in_line)
        line_of_numbers(*acc, out, in, n);
      return;
    }
    for (; lines >= 4; lines -= 4, acc += 4, out += 4 * out_line, in += 4 * in_line)
      dense_lines<4>(acc, out, out_line, in, in_line, n);
    for (; lines >= 2; lines -= 2, acc += 2, out += 2 * out_line, in += 2 * in_line)
      dense_lines<2>(acc, out, out_line, in, in_line, n);
    if (lines == 1) dense_lines<1>(acc, out, out_line, in, in_line, n);
  }
};

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
