// SPDX-License-Identifier: Apache-2.0
/// @file
/// Span kernels of f16 and bf16 from a function object over floats, for the kernel families.
#pragma once

#include "kernels/half_registers.hpp"
#include "kernels/register_spans.hpp"

namespace weft::inline v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Spans of `float Op(float...)`, or of the same on registers, with Nin inputs on elements of type
/// Half: block by block in registers, where buffers of f32 would cost more memory traffic than the
/// elements themselves. The result is rounded once. Blocks are always whole, so a value never depends
/// on where it stands.
template <class Op, class Half, std::size_t Nin>
struct HalfSpans {
  static constexpr std::int64_t size = sizeof(Half);

  static void run(const void* context, char* const* data, const std::int64_t* row_bytes,
                  std::int64_t n, std::int64_t rows, std::uint32_t broadcast) {
    const Op& op = *static_cast<const Op*>(context);
    for_each_row<1 + Nin>(data, row_bytes, rows, [&](char* const* row) {
      span(op, row, n, broadcast >> 1, std::make_index_sequence<Nin>());
    });
  }

 private:
  struct alignas(64) Floats {
    float at[half_block];
  };

  template <std::size_t... I>
  static void span(const Op& op, char* const* data, std::int64_t n, std::uint32_t broadcast,
                   std::index_sequence<I...>) {
    // A broadcast operand is a block that is read over and over.
    char repeated[Nin][half_block * size];
    const char* in[Nin];
    std::int64_t step[Nin];
    for (std::size_t k = 0; k < Nin; ++k) {
      in[k] = data[1 + k];
      step[k] = size;
      if ((broadcast >> k & 1) == 0) continue;
      for (int i = 0; i < half_block; ++i)
        __builtin_memcpy(repeated[k] + i * size, in[k], size);
      in[k] = repeated[k];
      step[k] = 0;
    }
    if (n < half_block) {
      short_span(op, data[0], n, in, step, std::index_sequence<I...>());
      return;
    }
    // The last block reaches back over the one before it. It is computed first, since the output may be
    // an input, and written last.
    char last[half_block * size];
    const std::int64_t start = n - half_block;
    if (n % half_block != 0) block(op, last, (in[I] + start * step[I])...);
    for (std::int64_t i = 0; i <= start; i += half_block)
      block(op, data[0] + i * size, (in[I] + i * step[I])...);
    if (n % half_block != 0) __builtin_memcpy(data[0] + start * size, last, sizeof(last));
  }

  /// Less than a block: missing lanes repeat the first one.
  template <std::size_t... I>
  static void short_span(const Op& op, char* to, std::int64_t n, const char* const* in,
                         const std::int64_t* step, std::index_sequence<I...>) {
    char padded[1 + Nin][half_block * size];
    for (std::size_t k = 0; k < Nin; ++k) {
      for (std::int64_t j = 0; j < half_block; ++j)
        __builtin_memcpy(padded[1 + k] + j * size, in[k] + (j < n ? j : 0) * step[k], size);
    }
    block(op, padded[0], padded[1 + I]...);
    for (std::int64_t j = 0; j < n; ++j)
      __builtin_memcpy(to + j * size, padded[0] + j * size, size);
  }

  template <class... In>
  static WEFT_ALWAYS_INLINE void block(const Op& op, char* to, const In*... from) {
    if constexpr (RegisterFormula<Op>) {
      for (std::int64_t j = 0; j < half_block * size; j += Register<float>::lanes * size)
        store_halves<Half>(to + j, op(load_halves<Half>(from + j)...));
    } else {
      Floats result;
      [&](const auto&... x) {
        WEFT_KEPT_LOOP
        for (int j = 0; j < half_block; ++j)
          result.at[j] = op(x.at[j]...);
      }(widened(from)...);
      narrow_block<Half>(to, result.at);
    }
  }
  static WEFT_ALWAYS_INLINE Floats widened(const char* from) {
    Floats floats;
    widen_block<Half>(floats.at, from);
    return floats;
  }
};

/// The SpanKernel of such a stateless function on elements of type Half.
template <class Op, class Half, std::size_t Nin>
struct HalfKernel {
  static constexpr Op op{};
  static constexpr SpanKernel value = [] {
    SpanKernel kernel;
    kernel.run = &HalfSpans<Op, Half, Nin>::run;
    kernel.context = &op;
    kernel.noutputs = 1;
    kernel.ninputs = static_cast<int>(Nin);
    kernel.broadcastable = ((1u << Nin) - 1) << 1;
    // More than loops that end where a row does: short rows are better gathered.
    kernel.cost = 3;
    if constexpr (RegisterFormula<Op>) kernel.cost = Op::cost;
    for (std::size_t k = 0; k <= Nin; ++k)
      kernel.types[k] = scalar_type_of<Half>;
    return kernel;
  }();
};

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace weft::inline v0
