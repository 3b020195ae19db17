// SPDX-License-Identifier: Apache-2.0
/// @file
/// The loop of a formula over spans whose results are written by non-temporal stores, line by line.
#pragma once

#include <weft/kernel/detail/held.hpp>
#include <weft/kernel/detail/span_element.hpp>
#include <weft/kernel/detail/stream_store.hpp>
#include <weft/kernel/detail/wide_loops.hpp>
#include <weft/kernel/span_kernel.hpp>

#include <cstdint>
#include <tuple>
#include <utility>

WEFT_REQUESTED_LOOPS_BEGIN
namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Whether the library's own formulas stream their results themselves at this level. At x86-64's
/// baseline they take a seventh longer by way of a buffer, and a fifth less text: processors that
/// need them are rare. (What users write is often compiled for the baseline and runs anywhere.)
#if defined(__x86_64__) && !defined(__AVX__)
inline constexpr bool has_formula_line_loops = false;
#else
inline constexpr bool has_formula_line_loops = true;
#endif

template <class F, class Outs, class Ins>
class LineLoop;

/// SpanKernel::run_streamed of a callable of one output. A block of results is computed into an
/// array that compilers keep in registers, and stored from there: through a buffer in memory the
/// same takes more instructions, and how far ahead a core asks for memory is counted in these.
template <class F, class Out, class... In>
class LineLoop<F, std::tuple<Out>, std::tuple<In...>> {
  // GCC unrolls loops of up to sixteen turns before it looks for vectors, and then finds none among
  // choices.
  static constexpr std::int64_t block_bytes = SpanKernel::streamed_bytes;
  static constexpr std::int64_t block = block_bytes / static_cast<std::int64_t>(sizeof(Out));
  // As wide as the vectors that loops are made of: 32 bytes also where registers have 64.
#if defined(__AVX__)
  static constexpr int part_bytes = 32;
#else
  static constexpr int part_bytes = 16;
#endif

  template <std::uint32_t Mask, std::size_t... I>
  static WEFT_ALWAYS_INLINE void span(auto& op, char* const* data, std::int64_t n,
                                      std::index_sequence<I...>) {
    [[maybe_unused]] const std::tuple<SpanReader<In, (Mask >> I & 1) != 0>...> in{
        SpanReader<In, (Mask >> I & 1) != 0>{data[1 + I]}...};
    char* out = data[0];
    for (std::int64_t i = 0; i < n; i += block) {
      alignas(64) char results[block_bytes];
      WEFT_INDEPENDENT_ITERATIONS
      for (std::int64_t j = 0; j < block; ++j)
        store_element<Out>(results, j, static_cast<Out>(op(std::get<I>(in)[i + j]...)));
      for (std::int64_t r = 0; r < block_bytes; r += part_bytes) {
        typename WordsOf<part_bytes>::Type part;
        __builtin_memcpy(&part, results + r, sizeof(part));
        stream(out + r, part);
      }
      out += block_bytes;
    }
  }

  template <std::uint32_t Mask>
  static WEFT_ALWAYS_INLINE void row_loop(F& object, char* const* data,
                                          const std::int64_t* row_bytes, std::int64_t n,
                                          std::int64_t rows) {
    Called<F, std::tuple<In...>> op = object;
    for_each_row<1 + sizeof...(In)>(data, row_bytes, rows,
                                    [&](char* const* row) WEFT_INLINE_LAMBDA {
                                      span<Mask>(op, row, n, std::index_sequence_for<In...>());
                                    });
  }
#if defined(WEFT_WIDE_LOOPS_ARE_AVX2)
  template <std::uint32_t Mask>
  WEFT_WIDE_LOOPS static void wide_loop(F& op, char* const* data, const std::int64_t* row_bytes,
                                        std::int64_t n, std::int64_t rows) {
    row_loop<Mask>(op, data, row_bytes, n, rows);
  }
#endif
  template <std::uint32_t Mask>
  WEFT_SPAN_LOOP static void loop(F& op, char* const* data, const std::int64_t* row_bytes,
                                  std::int64_t n, std::int64_t rows) {
#if defined(WEFT_WIDE_LOOPS_ARE_AVX2)
    if (takes_wide_loops(n, rows, sizeof(Out)))
      return wide_loop<Mask>(op, data, row_bytes, n, rows);
#endif
    row_loop<Mask>(op, data, row_bytes, n, rows);
  }

 public:
  WEFT_VECTORISED static void run(const void* context, char* const* data,
                                  const std::int64_t* row_bytes, std::int64_t n, std::int64_t rows,
                                  std::uint32_t broadcast) {
    F& op = *const_cast<F*>(static_cast<const F*>(context));
    const std::uint32_t pattern = broadcast >> 1;
    if (pattern == 0) return loop<0>(op, data, row_bytes, n, rows);
    if constexpr (sizeof...(In) == 2 && CommutingFormula<F>) {
      if (pattern == 2) return loop<2>(op, data, row_bytes, n, rows);
      run_swapped<&LineLoop::run>(context, data, row_bytes, n, rows, broadcast);
    } else if constexpr (sizeof...(In) <= max_pattern_inputs) {
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (void)((pattern == 1u << I && (loop<1u << I>(op, data, row_bytes, n, rows), true)) || ...);
      }(std::index_sequence_for<In...>());
    }
  }
};

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
WEFT_REQUESTED_LOOPS_END
