// SPDX-License-Identifier: Apache-2.0
/// @file
/// Spans of complex products.
#pragma once

#include <weft/kernel/span_loop.hpp>

#include "kernels/block_spans.hpp"

#include <complex>
#include <cstdint>

#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace weft::inline v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

#if defined(__AVX__)
/// 32 bytes of parts, and what a product needs to do with them.
template <class Part>
struct ComplexRegister;
template <>
struct ComplexRegister<float> {
  using Type = __m256;
  static WEFT_ALWAYS_INLINE Type load(const char* from) {
    return _mm256_loadu_ps(reinterpret_cast<const float*>(from));
  }
  static WEFT_ALWAYS_INLINE void store(char* to, Type v) {
    _mm256_storeu_ps(reinterpret_cast<float*>(to), v);
  }
  static WEFT_ALWAYS_INLINE Type product(Type a, Type b) {
    const Type re = _mm256_mul_ps(a, _mm256_moveldup_ps(b));
    const Type im = _mm256_mul_ps(_mm256_permute_ps(a, 0xb1), _mm256_movehdup_ps(b));
    return _mm256_addsub_ps(re, im);
  }
};
template <>
struct ComplexRegister<double> {
  using Type = __m256d;
  static WEFT_ALWAYS_INLINE Type load(const char* from) {
    return _mm256_loadu_pd(reinterpret_cast<const double*>(from));
  }
  static WEFT_ALWAYS_INLINE void store(char* to, Type v) {
    _mm256_storeu_pd(reinterpret_cast<double*>(to), v);
  }
  static WEFT_ALWAYS_INLINE Type product(Type a, Type b) {
    const Type re = _mm256_mul_pd(a, _mm256_movedup_pd(b));
    const Type im = _mm256_mul_pd(_mm256_permute_pd(a, 0x5), _mm256_permute_pd(b, 0xf));
    return _mm256_addsub_pd(re, im);
  }
};

/// out[i] = a[i] * b[i] for n elements of std::complex<Part>; bits 0 and 1 of `broadcast`: a, b are one
/// value. Both parts in one register: the real one by subtraction, the imaginary one by addition, of
/// the same two products, none of them fused.
template <class Part>
void complex_product_span(char* out, char* a, char* b, std::int64_t n, std::uint32_t broadcast) {
  using Register = ComplexRegister<Part>;
  constexpr std::int64_t size = 2 * sizeof(Part);
  constexpr std::int64_t sizes[] = {size, size, size};
  char* const data[] = {out, a, b};
  BlockSpan<32 / size, 2, size>::run(
      [](char* to, const char* const* from) {
        Register::store(to, Register::product(Register::load(from[0]), Register::load(from[1])));
      },
      data, n, broadcast, sizes);
}

/// The same as SpanKernel::Run.
template <class Part>
void complex_product_spans(const void*, char* const* data, const std::int64_t* row_bytes,
                           std::int64_t n, std::int64_t rows, std::uint32_t broadcast) {
  for_each_row<3>(data, row_bytes, rows, [&](char* const* row) {
    complex_product_span<Part>(row[0], row[1], row[2], n, broadcast >> 1);
  });
}

/// Squares, as SpanKernel::Run.
template <class Part>
void complex_square_spans(const void*, char* const* data, const std::int64_t* row_bytes,
                          std::int64_t n, std::int64_t rows, std::uint32_t broadcast) {
  for_each_row<2>(data, row_bytes, rows, [&](char* const* row) {
    complex_product_span<Part>(row[0], row[1], row[1], n, broadcast == 0 ? 0 : 3);
  });
}
#endif

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace weft::inline v0
