// SPDX-License-Identifier: Apache-2.0
/// @file
/// Span kernels of f16 and bf16 from a function object over floats, for the kernel families.
#pragma once

#include "kernels/half/half_registers.hpp"
#include "kernels/half/through_floats.hpp"
#include "kernels/loops/block_spans.hpp"
#include "kernels/loops/register_spans.hpp"

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Spans of `float Op(float...)`, or of the same on registers, with Nin inputs on elements of type
/// Half: block by block in registers, where buffers of f32 would cost more memory traffic than the
/// elements themselves. The result is rounded once. Blocks are always whole, so a value never
/// depends on where it stands.
template <class Op, class Half, std::size_t Nin>
struct HalfSpans {
  static constexpr std::int64_t size = sizeof(Half);

  static void run(const void* context, char* const* data, const std::int64_t* row_bytes,
                  std::int64_t n, std::int64_t rows, std::uint32_t broadcast) {
    const Op& op = *static_cast<const Op*>(context);
#if defined(WEFT_WIDE_LOOPS)
    if constexpr (!RegisterFormula<Op>) {
      if (takes_wide_loops(n, rows, size))
        return wide_rows(op, data, row_bytes, n, rows, broadcast >> 1);
    }
#endif
    for_each_row<1 + Nin>(data, row_bytes, rows, [&](char* const* row) {
      span<half_block>(op, row, n, broadcast >> 1, std::make_index_sequence<Nin>());
    });
  }

 private:
  template <int length>
  struct alignas(64) Floats {
    float at[length];
  };

#if defined(WEFT_WIDE_LOOPS)
  WEFT_WIDE_LOOPS static void wide_rows(const Op& op, char* const* data,
                                        const std::int64_t* row_bytes, std::int64_t n,
                                        std::int64_t rows, std::uint32_t broadcast) {
    // Not for_each_row: what is called from here has to be made for wide registers, too.
    char* row[1 + Nin];
    for (std::size_t k = 0; k <= Nin; ++k)
      row[k] = data[k];
    for (std::int64_t left = rows;;) {
      span<wide_half_block>(op, row, n, broadcast, std::make_index_sequence<Nin>());
      if (--left == 0) return;
      for (std::size_t k = 0; k <= Nin; ++k)
        row[k] += row_bytes[k];
    }
  }
#endif

  template <int length, std::size_t... I>
  static WEFT_ALWAYS_INLINE void span(const Op& op, char* const* data, std::int64_t n,
                                      std::uint32_t broadcast, std::index_sequence<I...>) {
    std::int64_t sizes[1 + Nin];
    for (std::int64_t& bytes : sizes)
      bytes = size;
    BlockSpan<length, Nin, size>::run([&](char* to, const char* const* from)
                                          WEFT_INLINE_LAMBDA { block<length>(op, to, from[I]...); },
                                      data, n, broadcast, sizes);
  }

  template <int length, class... In>
  static WEFT_ALWAYS_INLINE void block(const Op& op, char* to, const In*... from) {
    if constexpr (RegisterFormula<Op>) {
      for (std::int64_t j = 0; j < length * size; j += Register<float>::lanes * size)
        store_halves<Half>(to + j, op(load_halves<Half>(from + j)...));
    } else {
      Floats<length> result;
      [&](const auto&... x) WEFT_INLINE_LAMBDA {
        WEFT_KEPT_LOOP
        for (int j = 0; j < length; ++j)
          result.at[j] = op(x.at[j]...);
      }(widened<length>(from)...);
      narrow_block<Half, length>(to, result.at);
    }
  }
  template <int length>
  static WEFT_ALWAYS_INLINE Floats<length> widened(const char* from) {
    Floats<length> floats;
    widen_block<Half, length>(floats.at, from);
    return floats;
  }
};

/// Whether a formula takes so long that buffers beside it are no matter: a function of a few
/// additions as such takes a fifth longer by way of them, one of four and more as long as without.
template <class Op>
inline constexpr bool takes_long = false;
template <RegisterFormula Op>
inline constexpr bool takes_long<Op> = Op::cost >= 4;

/// The SpanKernel of such a stateless function on elements of type Half.
template <class Op, class Half, std::size_t Nin>
struct HalfKernel {
  static constexpr Op op{};
  static constexpr SpanKernel value = [] {
    SpanKernel kernel;
    if constexpr (takes_long<Op>) {
      kernel.run = &ThroughFloats<Half, Nin>::run;
      kernel.context = &RegisterKernel<Op>::value;
    } else {
      kernel.run = &HalfSpans<Op, Half, Nin>::run;
      kernel.context = &op;
    }
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
}  // namespace v0
}  // namespace weft
