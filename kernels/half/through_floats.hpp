// SPDX-License-Identifier: Apache-2.0
/// @file
/// Kernels of f16 and bf16 that are one of f32, by way of buffers.
#pragma once

#include "kernels/half/half_registers.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Runs a SpanKernel of f32, which is the context, on Nin inputs of halves: for what is computed so
/// long that buffers in the first level are no matter. Its text is one for all formulas.
template <class Half, std::size_t Nin>
class ThroughFloats {
 public:
  static void run(const void* context, char* const* data, const std::int64_t* row_bytes,
                  std::int64_t n, std::int64_t rows, std::uint32_t broadcast) {
    const SpanKernel& kernel = *static_cast<const SpanKernel*>(context);
    if (rows > 1 && n < short_row) return short_rows(kernel, data, row_bytes, n, rows, broadcast);
    for_each_row<1 + Nin>(data, row_bytes, rows,
                          [&](char* const* row) { span(kernel, row, n, broadcast); });
  }

 private:
  static constexpr std::int64_t size = sizeof(Half), block = half_block;
  static constexpr std::int64_t most = 512, short_row = 64;

  /// In whole blocks, as BlockSpan: the last one reaches back, or is filled up.
  static void span(const SpanKernel& kernel, char* const* data, std::int64_t n,
                   std::uint32_t broadcast) {
    alignas(64) float inputs[Nin][most];
    alignas(64) float results[most];
    char* wide[1 + Nin] = {reinterpret_cast<char*>(results)};
    for (std::size_t k = 0; k < Nin; ++k) {
      wide[1 + k] = reinterpret_cast<char*>(inputs[k]);
      if ((broadcast >> (1 + k) & 1) != 0) widen(inputs[k], data[1 + k], 1);
    }
    for (std::int64_t i = 0; i < n; i += most) {
      const std::int64_t count = std::min(most, n - i);
      for (std::size_t k = 0; k < Nin; ++k) {
        if ((broadcast >> (1 + k) & 1) == 0) widen(inputs[k], data[1 + k] + i * size, count);
      }
      const std::int64_t whole = (count + block - 1) / block * block;
      kernel.run(kernel.context, wide, nullptr, whole, 1, broadcast);
      narrow(data[0] + i * size, results, count);
    }
  }

  static WEFT_ALWAYS_INLINE void widen_blocks(float* to, const char* from, std::int64_t n) {
    for (std::int64_t i = 0; i < n; i += Register<float>::lanes)
      load_halves<Half>(from + i * size).store(to + i);
  }
  static WEFT_ALWAYS_INLINE void narrow_blocks(char* to, const float* from, std::int64_t n) {
    for (std::int64_t i = 0; i < n; i += Register<float>::lanes)
      store_halves<Half>(to + i * size, Register<float>::load(from + i));
  }
  static WEFT_ALWAYS_INLINE void widen(float* to, const char* from, std::int64_t n) {
    if (n < block) {
      char padded[block * size];
      repeat(padded, from, block);
      std::memcpy(padded, from, static_cast<std::size_t>(n * size));
      return widen_blocks(to, padded, block);
    }
    const std::int64_t whole = n / block * block;
    widen_blocks(to, from, whole);
    if (whole < n) widen_blocks(to + whole, from + (n - block) * size, block);
  }
  static WEFT_ALWAYS_INLINE void narrow(char* to, const float* from, std::int64_t n) {
    if (n < block) {
      char padded[block * size];
      narrow_blocks(padded, from, block);
      std::memcpy(to, padded, static_cast<std::size_t>(n * size));
      return;
    }
    const std::int64_t whole = n / block * block;
    narrow_blocks(to, from, whole);
    if (whole < n) narrow_blocks(to + (n - block) * size, from + whole, block);
  }
  static WEFT_ALWAYS_INLINE void repeat(char* to, const char* from, std::int64_t n) {
    std::uint16_t element;
    std::memcpy(&element, from, sizeof(element));
    for (std::int64_t i = 0; i < n; ++i)
      std::memcpy(to + i * size, &element, sizeof(element));
  }

  /// Several at a time, one behind the other.
  static void short_rows(const SpanKernel& kernel, char* const* data, const std::int64_t* row_bytes,
                         std::int64_t n, std::int64_t rows, std::uint32_t broadcast) {
    alignas(64) char inputs[Nin][most * size];
    alignas(64) char results[most * size];
    char* dense[1 + Nin] = {results};
    for (std::size_t k = 0; k < Nin; ++k)
      dense[1 + k] = inputs[k];
    const std::int64_t at_once = most / n;
    for (std::int64_t r = 0; r < rows; r += at_once) {
      const std::int64_t count = std::min(at_once, rows - r);
      for (std::size_t k = 1; k <= Nin; ++k) {
        for (std::int64_t i = 0; i < count; ++i) {
          char* const to = dense[k] + i * n * size;
          const char* const from = data[k] + (r + i) * row_bytes[k];
          if ((broadcast >> k & 1) != 0)
            repeat(to, from, n);
          else
            std::memcpy(to, from, static_cast<std::size_t>(n * size));
        }
      }
      span(kernel, dense, count * n, 0);
      for (std::int64_t i = 0; i < count; ++i) {
        std::memcpy(data[0] + (r + i) * row_bytes[0], results + i * n * size,
                    static_cast<std::size_t>(n * size));
      }
    }
  }
};

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
