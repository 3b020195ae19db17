// SPDX-License-Identifier: Apache-2.0
/// @file
/// Span kernels of formulas on registers: `Register<T> F::operator()(Register<T>...)`, with a
/// constant F::cost, the time per element in adds.
#pragma once

#include <weft/kernel/detail/vectorized_register.hpp>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

template <class R>
inline constexpr bool is_register = false;
template <class T>
inline constexpr bool is_register<Register<T>> = true;

/// True for formulas on registers.
template <class F>
concept RegisterFormula = is_register<typename Signature<F>::Result>;

/// A formula on registers as one on Vectorized values.
template <class F>
struct ByRegister {
  template <class T, class... Others>
  WEFT_ALWAYS_INLINE Vectorized<T> operator()(const Vectorized<T>& a,
                                              const Others&... others) const noexcept {
    // Not by_register(), which is unrolled: twice the text at the baseline, and no quicker.
    Vectorized<T> result;
    for (int i = 0; i < Vectorized<T>::registers; ++i)
      result[i] = F()(Register<T>(a[i]), Register<T>(others[i])...).value;
    return result;
  }
};

template <class F>
struct RegisterKernel {
  using T = typename Signature<F>::Result::Batch::value_type;
  static constexpr std::size_t nin = std::tuple_size_v<typename Signature<F>::Params>;
  static constexpr ByRegister<F> op{};
  static constexpr SpanKernel value = [] {
    SpanKernel kernel;
    kernel.run = &VectorizedSpans<ByRegister<F>, T>::template run<nin>;
    kernel.context = &op;
    kernel.noutputs = 1;
    kernel.ninputs = static_cast<int>(nin);
    kernel.broadcastable = ((1u << nin) - 1) << 1;
    kernel.cost = F::cost;
    for (std::size_t k = 0; k <= nin; ++k)
      kernel.types[k] = scalar_type_of<T>;
    return kernel;
  }();
};

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
