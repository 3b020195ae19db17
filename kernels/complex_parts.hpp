// SPDX-License-Identifier: Apache-2.0
/// @file
/// Loops for formulas that multiply complex numbers.
#pragma once

#include <weft/kernel/span_loop.hpp>

namespace weft::inline v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Spans of a formula on complex numbers, real parts and imaginary parts in loops of their own. In
/// one loop, GCC 12 makes the difference of products next to the sum of products a fused
/// multiply-add, with contraction switched off as it is, and results would depend on level and
/// position.
template <class F>
class ComplexParts {
  using T = typename Signature<F>::Result;
  static constexpr std::size_t nin = std::tuple_size_v<typename Signature<F>::Params>;
  static constexpr std::int64_t block = 64;

  template <std::uint32_t Mask, std::size_t... I>
  static void loop(const F& op, char* const* data, std::int64_t n, std::index_sequence<I...>) {
    using Part = typename T::value_type;
    constexpr std::int64_t size = sizeof(T);
    for (std::int64_t start = 0; start < n; start += block) {
      const std::int64_t count = n - start < block ? n - start : block;
      const std::tuple<SpanReader<T, (Mask >> I & 1) != 0>...> in{
          SpanReader<T, (Mask >> I & 1) != 0>{data[1 + I] +
                                              ((Mask >> I & 1) != 0 ? 0 : start * size)}...};
      Part re[block], im[block];
      for (std::int64_t i = 0; i < count; ++i)
        re[i] = op(std::get<I>(in)[i]...).real();
      for (std::int64_t i = 0; i < count; ++i)
        im[i] = op(std::get<I>(in)[i]...).imag();
      char* out = data[0] + start * size;
      for (std::int64_t i = 0; i < count; ++i)
        store_element<T>(out, i, T(re[i], im[i]));
    }
  }

 public:
  static void run(const void* context, char* const* data, const std::int64_t* row_bytes,
                  std::int64_t n, std::int64_t rows, std::uint32_t broadcast) {
    const F& op = *static_cast<const F*>(context);
    for_each_row<1 + nin>(data, row_bytes, rows, [&](char* const* row) {
      [&]<std::uint32_t... M>(std::integer_sequence<std::uint32_t, M...>) {
        (void)((broadcast >> 1 == M &&
                (loop<M>(op, row, n, std::make_index_sequence<nin>()), true)) ||
               ...);
      }(std::make_integer_sequence<std::uint32_t, 1u << nin>());
    });
  }
};

/// The kernel of a formula that multiplies: plain loops for real types, parts for complex ones.
template <class F>
constexpr SpanKernel kernel_of_products(const F& op) {
  SpanKernel kernel = typed_span_kernel(op);
  if constexpr (is_complex_type<typename Signature<F>::Result>) kernel.run = &ComplexParts<F>::run;
  return kernel;
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace weft::inline v0
