// SPDX-License-Identifier: Apache-2.0
/// @file
/// Loops for formulas that multiply complex numbers.
#pragma once

#include "kernels/complex/complex_registers.hpp"
#include "kernels/loops/strided_kernel.hpp"

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Spans of a formula on complex numbers, real parts and imaginary parts in loops of their own. In
/// one loop, GCC 12 makes the difference of products next to the sum of products a fused
/// multiply-add, with contraction switched off as it is, and results would depend on level and
/// position. Parts are sorted once for both.
template <class F>
class ComplexParts {
  using T = typename Signature<F>::Result;
  using Part = typename T::value_type;
  static constexpr std::size_t nin = std::tuple_size_v<typename Signature<F>::Params>;
  static constexpr std::int64_t block = 64;
  static constexpr std::int64_t size = sizeof(T);

  struct Parts {
    alignas(64) Part re[block];
    alignas(64) Part im[block];

    WEFT_ALWAYS_INLINE T operator[](std::int64_t i) const noexcept { return T(re[i], im[i]); }
  };

  static WEFT_ALWAYS_INLINE void sort(Parts& parts, const char* from, std::int64_t count) {
    const SpanReader<T, false> in{from};
    for (std::int64_t i = 0; i < count; ++i) {
      parts.re[i] = in[i].real();
      parts.im[i] = in[i].imag();
    }
  }
  template <std::size_t... I>
  static void loop(const F& op, char* const* data, std::int64_t n, std::uint32_t broadcast,
                   std::index_sequence<I...>) {
    Parts in[nin], out;
    for (std::size_t k = 0; k < nin; ++k) {
      if ((broadcast >> k & 1) == 0) continue;
      const T value = SpanReader<T, true>(data[1 + k])[0];
      for (std::int64_t i = 0; i < block; ++i) {
        in[k].re[i] = value.real();
        in[k].im[i] = value.imag();
      }
    }
    for (std::int64_t start = 0; start < n; start += block) {
      const std::int64_t count = n - start < block ? n - start : block;
      for (std::size_t k = 0; k < nin; ++k) {
        if ((broadcast >> k & 1) == 0) sort(in[k], data[1 + k] + start * size, count);
      }
      for (std::int64_t i = 0; i < count; ++i)
        out.re[i] = op(in[I][i]...).real();
      for (std::int64_t i = 0; i < count; ++i)
        out.im[i] = op(in[I][i]...).imag();
      char* to = data[0] + start * size;
      for (std::int64_t i = 0; i < count; ++i)
        store_element<T>(to, i, out[i]);
    }
  }

 public:
  static void run(const void* context, char* const* data, const std::int64_t* row_bytes,
                  std::int64_t n, std::int64_t rows, std::uint32_t broadcast) {
    const F& op = *static_cast<const F*>(context);
    for_each_row<1 + nin>(data, row_bytes, rows, [&](char* const* row) {
      loop(op, row, n, broadcast >> 1, std::make_index_sequence<nin>());
    });
  }
};

/// The kernel of a formula that multiplies: plain loops for real types; for complex ones registers,
/// where the level and the formula have them (in_registers()), else parts.
template <class F>
constexpr SpanKernel kernel_of_products(const F& op) {
  SpanKernel kernel = strided_span_kernel(op);
  if constexpr (is_complex_type<typename Signature<F>::Result>) {
    kernel.replace_loops(&ComplexParts<F>::run);
    // Whole blocks, and what each row ends with costs as much as one: short rows are better
    // gathered.
    kernel.cost = 3;
#if defined(WEFT_HAS_PART_REGISTERS)
    using Part = typename Signature<F>::Result::value_type;
    if constexpr (requires { &F::template in_registers<ComplexRegister<Part>>; }) {
      kernel.replace_loops(&ComplexRegisterSpans<F>::run);
      kernel.run_strided = &ComplexRegisterSpans<F>::run_strided;
      kernel.strides_outputs = true;
      kernel.cost = 1;
    }
#endif
  }
  return kernel;
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
