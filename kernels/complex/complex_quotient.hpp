// SPDX-License-Identifier: Apache-2.0
/// @file
/// Complex quotients, one by one and in spans.
#pragma once

#include <weft/kernel/detail/span_loop.hpp>

#include "kernels/scalar/arithmetic.hpp"

#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// What complex numbers are divided by: a / b is (a.re * re + a.im * im) / denominator and
/// (a.im * re - a.re * im) / denominator.
template <class Part>
struct ComplexDivisor {
  Part re, im, denominator;
};
/// Both parts of b scaled with the larger of their magnitudes, so that no intermediate overflows
/// where the quotient does not. Where that is infinite or 0, the direction of b takes the place of
/// what it is scaled to: what is finite over infinity is 0, and what is not 0 over 0 is infinite,
/// its real part (imaginary part) being infinity with the sign of b's real part times a's real part
/// (imaginary part), as C99 Annex G has it. NaN in either part makes NaN of everything.
template <class Part>
WEFT_ALWAYS_INLINE ComplexDivisor<Part> complex_divisor(Part re, Part im) noexcept {
  const Part x = magnitude(re), y = magnitude(im);
  const Part scale = x < y ? y : x;
  // Chosen by bits: of choices between numbers GCC makes branches, and no vectors of the loop.
  using Bits = Unsigned<sizeof(Part)>;
  constexpr Part infinite = std::numeric_limits<Part>::infinity();
  const Bits endless = Bits(0) - static_cast<Bits>((scale == infinite) & (y == y));
  const Bits zero = Bits(0) - static_cast<Bits>((scale == 0) & (y == y));
  const Bits one = bits_of(Part(1)), sign = bits_of(Part(-0.0)), odd = endless | zero;
  const Bits re_one = one & (Bits(0) - static_cast<Bits>(x == scale));
  const Bits im_one = one & (Bits(0) - static_cast<Bits>(y == scale)) & ~zero;
  const Part br =
      from_bits<Part>((bits_of(re / scale) & ~odd) | ((re_one | (bits_of(re) & sign)) & odd));
  const Part bi =
      from_bits<Part>((bits_of(im / scale) & ~odd) | ((im_one | (bits_of(im) & sign)) & odd));
  return {br, bi, (br * br + bi * bi) * scale};
}

/// a / b.
template <class Part>
WEFT_ALWAYS_INLINE std::complex<Part> quotient(std::complex<Part> a,
                                               std::complex<Part> b) noexcept {
  const auto by = complex_divisor(b.real(), b.imag());
  return {(a.real() * by.re + a.imag() * by.im) / by.denominator,
          (a.imag() * by.re - a.real() * by.im) / by.denominator};
}
/// The same of real numbers, for formulas of both.
template <class T>
  requires std::is_floating_point_v<T>
WEFT_ALWAYS_INLINE T quotient(T a, T b) noexcept {
  return a / b;
}

/// out[i] = a[i] / b[i]: quotient() in three loops, what divides, real parts and imaginary parts.
/// One loop for each part from the start, as in complex_parts.hpp, would prepare every divisor
/// twice.
template <class Part>
class ComplexQuotients {
  using T = std::complex<Part>;
  static constexpr std::int64_t block = 64;

  struct Parts {
    alignas(64) Part re[block];
    alignas(64) Part im[block];

    /// `step` 0: one value for all.
    WEFT_ALWAYS_INLINE void read(const char* from, std::int64_t step, std::int64_t count) {
      if (step == 0) {
        const T value = SpanReader<T, true>(from)[0];
        for (std::int64_t i = 0; i < count; ++i) {
          re[i] = value.real();
          im[i] = value.imag();
        }
      } else {
        const SpanReader<T, false> in{from};
        for (std::int64_t i = 0; i < count; ++i) {
          re[i] = in[i].real();
          im[i] = in[i].imag();
        }
      }
    }
  };

  static WEFT_ALWAYS_INLINE void span(char* const* data, std::int64_t n, std::uint32_t broadcast) {
    constexpr std::int64_t size = sizeof(T);
    Parts a, b, out;
    alignas(64) Part denominator[block];
    for (std::int64_t start = 0; start < n; start += block) {
      const std::int64_t count = n - start < block ? n - start : block;
      const auto read = [&](Parts& parts, int k) {
        const std::int64_t step = (broadcast >> k & 1) != 0 ? 0 : size;
        parts.read(data[k] + start * step, step, count);
      };
      read(a, 1);
      read(b, 2);
      for (std::int64_t i = 0; i < count; ++i) {
        const ComplexDivisor<Part> by = complex_divisor(b.re[i], b.im[i]);
        b.re[i] = by.re;
        b.im[i] = by.im;
        denominator[i] = by.denominator;
      }
      for (std::int64_t i = 0; i < count; ++i)
        out.re[i] = (a.re[i] * b.re[i] + a.im[i] * b.im[i]) / denominator[i];
      for (std::int64_t i = 0; i < count; ++i)
        out.im[i] = (a.im[i] * b.re[i] - a.re[i] * b.im[i]) / denominator[i];
      char* to = data[0] + start * size;
      for (std::int64_t i = 0; i < count; ++i)
        store_element<T>(to, i, T(out.re[i], out.im[i]));
    }
  }

 public:
  /// SpanKernel::Run.
  static void run(const void*, char* const* data, const std::int64_t* row_bytes, std::int64_t n,
                  std::int64_t rows, std::uint32_t broadcast) {
    for_each_row<3>(data, row_bytes, rows, [&](char* const* row) { span(row, n, broadcast); });
  }
};

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
