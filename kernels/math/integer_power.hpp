// SPDX-License-Identifier: Apache-2.0
/// @file
/// Powers of integers, by squaring.
#pragma once

#include <weft/kernel/detail/span_loop.hpp>

#include "kernels/scalar/arithmetic.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// a^b of integers, modulo 2^bits. A negative power is the whole part of 1 / a^|b|: that of 1 and
/// -1, 0 of everything else, 0 included.
template <class T>
class IntegerPower {
  using U = Unsigned<sizeof(T)>;
  static constexpr std::int64_t block = 64;

  /// Bases, what is left of the exponents, the product so far, and what to keep of it, in loops of
  /// their own that vectorise; as many rounds as the largest exponent has bits.
  struct Block {
    alignas(64) U base[block];
    alignas(64) U exponent[block];
    alignas(64) U result[block];
    alignas(64) U keep[block];

    WEFT_ALWAYS_INLINE void set(std::int64_t i, T a, T b) noexcept {
      const bool inverse = b < 0;
      const bool unit = a == T(1) || a == static_cast<T>(-1);
      base[i] = static_cast<U>(a);
      exponent[i] = static_cast<U>(inverse ? static_cast<U>(b) & U(1) : static_cast<U>(b));
      result[i] = 1;
      keep[i] = static_cast<U>(inverse && !unit ? U(0) : static_cast<U>(~U(0)));
    }
    WEFT_ALWAYS_INLINE void raise(std::int64_t count) noexcept {
      for (;;) {
        U left = 0;
        for (std::int64_t i = 0; i < count; ++i) {
          const U factor = (exponent[i] & 1) != 0 ? base[i] : U(1);
          result[i] = times(result[i], factor);
          exponent[i] = static_cast<U>(exponent[i] >> 1);
          left = static_cast<U>(left | exponent[i]);
        }
        if (left == 0) return;
        for (std::int64_t i = 0; i < count; ++i)
          base[i] = times(base[i], base[i]);
      }
    }
  };

  template <bool one_base, bool one_exponent>
  static void span(char* out, const char* a, const char* b, std::int64_t n) {
    const SpanReader<T, one_base> bases{a};
    const SpanReader<T, one_exponent> exponents{b};
    for (std::int64_t start = 0; start < n; start += block) {
      const std::int64_t count = n - start < block ? n - start : block;
      Block values;
      for (std::int64_t i = 0; i < count; ++i)
        values.set(i, bases[start + i], exponents[start + i]);
      values.raise(count);
      for (std::int64_t i = 0; i < count; ++i)
        store_element<T>(out, start + i, static_cast<T>(values.result[i] & values.keep[i]));
    }
  }

 public:
  /// SpanKernel::Run.
  static void run(const void*, char* const* data, const std::int64_t* row_bytes, std::int64_t n,
                  std::int64_t rows, std::uint32_t broadcast) {
    for_each_row<3>(data, row_bytes, rows, [&](char* const* row) {
      switch (broadcast >> 1) {
        case 0: return span<false, false>(row[0], row[1], row[2], n);
        case 1: return span<true, false>(row[0], row[1], row[2], n);
        case 2: return span<false, true>(row[0], row[1], row[2], n);
        default: return span<true, true>(row[0], row[1], row[2], n);
      }
    });
  }
};

template <class T>
constexpr SpanKernel integer_power_kernel() {
  SpanKernel kernel;
  kernel.replace_loops(&IntegerPower<T>::run);
  kernel.noutputs = 1;
  kernel.ninputs = 2;
  kernel.broadcastable = 6;
  kernel.cost = 10;
  for (int k = 0; k < 3; ++k)
    kernel.types[k] = scalar_type_of<T>;
  return kernel;
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
