// SPDX-License-Identifier: Apache-2.0
/// @file
/// Prefix sums of complex numbers: those of their parts, side by side.
#pragma once

#include <weft/kernel/cumulative_kernel.hpp>
#include <weft/kernel/detail/span_loop.hpp>

#include "kernels/stage/moves.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// The kernel over pairs of Part (float or double), each part accumulated in f64, one element after
/// the other. `numbers`: of an element of which one part is NaN, both are 0.
template <class Part, bool numbers>
class ComplexSums {
 public:
  static constexpr CumulativeKernel kernel(ScalarType type) {
    CumulativeKernel k;
    k.start = &start;
    k.advance = &advance;
    k.advance_lines = &advance_lines;
    k.accumulator_bytes = 2 * sizeof(double);
    k.types[0] = k.types[1] = type;
    return k;
  }

 private:
  using Sum = typename VectorOf<double, 2>::Type;
  using Element = typename VectorOf<Part, 2>::Type;
  static constexpr std::int64_t size = sizeof(Element);

  static WEFT_ALWAYS_INLINE Sum element(const char* from) {
    const Sum x = __builtin_convertvector(load<Element>(from), Sum);
    if constexpr (numbers) {
      const auto is_number = x == x;
      return (is_number[0] & is_number[1]) != 0 ? x : Sum{};
    } else {
      return x;
    }
  }

  static void start(const void*, void* accumulators, const char* const*, std::int64_t n) {
    std::fill_n(static_cast<double*>(accumulators), 2 * n, 0.0);
  }

  static void advance(const void*, void* accumulators, const CumulativeBlock& b) {
    auto* acc = static_cast<double*>(accumulators);
    const std::int64_t columns = b.columns;
    for (std::int64_t r = 0; r < b.length; ++r) {
      const SpanReader<Part, false> from{b.data[1] + r * b.step_bytes[1]};
      char* const to = b.data[0] + r * b.step_bytes[0];
      if constexpr (numbers) {
        for (std::int64_t j = 0; j < columns; ++j) {
          char* const total = reinterpret_cast<char*>(acc + 2 * j);
          const Sum sum = load<Sum>(total) + element(from.data + j * size);
          store(total, sum);
          store(to + j * size, __builtin_convertvector(sum, Element));
        }
        continue;
      }
      WEFT_INDEPENDENT_ITERATIONS
      for (std::int64_t j = 0; j < 2 * columns; ++j) {
        acc[j] += static_cast<double>(from[j]);
        store_element<Part>(to, j, static_cast<Part>(acc[j]));
      }
    }
  }

  /// Several lines at once, since each waits for its own sum.
  template <int... l>
  static WEFT_ALWAYS_INLINE void side_by_side(double* acc, char* out, std::int64_t out_line,
                                              const char* in, std::int64_t in_line, std::int64_t n,
                                              std::integer_sequence<int, l...>) {
    Sum sums[] = {load<Sum>(reinterpret_cast<const char*>(acc + 2 * l))...};
    for (std::int64_t i = 0; i < n; ++i) {
      ((sums[l] += element(in + l * in_line + i * size)), ...);
      (store(out + l * out_line + i * size, __builtin_convertvector(sums[l], Element)), ...);
    }
    (store(reinterpret_cast<char*>(acc + 2 * l), sums[l]), ...);
  }

  static void advance_lines(const void*, void* accumulators, const CumulativeBlock& b) {
    auto* acc = static_cast<double*>(accumulators);
    char* out = b.data[0];
    const char* in = b.data[1];
    const std::int64_t out_line = b.step_bytes[0], in_line = b.step_bytes[1], n = b.length;
    std::int64_t lines = b.columns;
    const auto run = [&]<int count>(std::integral_constant<int, count>) {
      for (; lines >= count; lines -= count, acc += 2 * count) {
        side_by_side(acc, out, out_line, in, in_line, n, std::make_integer_sequence<int, count>());
        out += count * out_line;
        in += count * in_line;
      }
    };
    run(std::integral_constant<int, 8>());
    run(std::integral_constant<int, 4>());
    run(std::integral_constant<int, 1>());
  }
};

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
