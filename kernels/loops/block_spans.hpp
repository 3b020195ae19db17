// SPDX-License-Identifier: Apache-2.0
/// @file
/// Spans cut into blocks of one length, for kernels that have no loop for single elements.
#pragma once

#include <weft/kernel/detail/span_loop.hpp>

#include <cstdint>
#include <utility>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// One span of n > 0 elements of Nin inputs and an output, in blocks of `length` elements:
/// block(to, from) with one pointer an input. sizes[k] is operand k's element size in bytes, output
/// first, at most `largest`; inputs of which bit k of `broadcast` is set are one element. Blocks
/// are always whole, so a value never depends on where it stands: the last one reaches back over
/// the one before it, and a span shorter than a block is repeated until it fills one.
template <int length, std::size_t Nin, std::int64_t largest>
struct BlockSpan {
  template <class Block>
  static WEFT_ALWAYS_INLINE void run(const Block& block, char* const* data, std::int64_t n,
                                     std::uint32_t broadcast, const std::int64_t* sizes) {
    // A broadcast operand is a block that is read over and over.
    char repeated[Nin][length * largest];
    const char* in[Nin];
    std::int64_t step[Nin];
    each_input([&](std::size_t k) WEFT_INLINE_LAMBDA {
      in[k] = data[1 + k];
      step[k] = sizes[1 + k];
      if ((broadcast >> k & 1) == 0) return;
      repeat_element(repeated[k], in[k], step[k]);
      in[k] = repeated[k];
      step[k] = 0;
    });
    if (n < length) {
      short_span(block, data[0], n, in, step, sizes);
      return;
    }
    // The last block is computed first, since the output may be an input, and written last.
    char last[length * largest];
    const std::int64_t start = n - length;
    bool at_last = n % length != 0;
    std::int64_t left = at_last ? 1 : n / length;
    char* to = at_last ? last : data[0];
    const char* from[Nin];
    each_input([&](std::size_t k)
                   WEFT_INLINE_LAMBDA { from[k] = in[k] + (at_last ? start * step[k] : 0); });
    for (;;) {
      do {
        block(to, from);
        to += length * sizes[0];
        each_input([&](std::size_t k) WEFT_INLINE_LAMBDA { from[k] += length * step[k]; });
      } while (--left > 0);
      if (!at_last) break;
      at_last = false;
      left = n / length;
      to = data[0];
      each_input([&](std::size_t k) WEFT_INLINE_LAMBDA { from[k] = in[k]; });
    }
    if (n % length != 0) {
      __builtin_memcpy(data[0] + start * sizes[0], last,
                       static_cast<std::size_t>(length * sizes[0]));
    }
  }

 private:
  /// f(k) for each input, without a loop, so that sizes known at compile time stay so.
  template <class F>
  static WEFT_ALWAYS_INLINE void each_input(const F& f) {
    [&]<std::size_t... K>(std::index_sequence<K...>)
        WEFT_INLINE_LAMBDA { (f(K), ...); }(std::make_index_sequence<Nin>());
  }
  /// A block of one element of `size` bytes, in whole registers: rows may be short, and each has
  /// its own.
  static WEFT_ALWAYS_INLINE void repeat_element(char* to, const char* from, std::int64_t size) {
    switch (size) {
      case 1: return repeat_value<std::uint8_t>(to, from);
      case 2: return repeat_value<std::uint16_t>(to, from);
      case 4: return repeat_value<std::uint32_t>(to, from);
      case 8: return repeat_value<std::uint64_t>(to, from);
      default: return fill_block(to, from, 1, size);
    }
  }
  template <class T>
  static WEFT_ALWAYS_INLINE void repeat_value(char* to, const char* from) {
    if constexpr (sizeof(T) <= largest) {
      T value;
      __builtin_memcpy(&value, from, sizeof(T));
      for (std::size_t i = 0; i < length; ++i)
        __builtin_memcpy(to + i * sizeof(T), &value, sizeof(T));
    }
  }
  /// A block of which the first n elements are `from`, and so on all over again.
  static WEFT_ALWAYS_INLINE void fill_block(char* to, const char* from, std::int64_t n,
                                            std::int64_t size) {
    __builtin_memcpy(to, from, static_cast<std::size_t>(n * size));
    for (std::int64_t filled = n; filled < length; filled *= 2) {
      const std::int64_t more = filled < length - filled ? filled : length - filled;
      __builtin_memcpy(to + filled * size, to, static_cast<std::size_t>(more * size));
    }
  }

  template <class Block>
  static void short_span(const Block& block, char* to, std::int64_t n, const char* const* in,
                         const std::int64_t* step, const std::int64_t* sizes) {
    char padded[1 + Nin][length * largest];
    const char* from[Nin];
    for (std::size_t k = 0; k < Nin; ++k) {
      from[k] = in[k];
      if (step[k] == 0) continue;  // a block already
      fill_block(padded[1 + k], in[k], n, step[k]);
      from[k] = padded[1 + k];
    }
    block(padded[0], from);
    __builtin_memcpy(to, padded[0], static_cast<std::size_t>(n * sizes[0]));
  }
};

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
