// SPDX-License-Identifier: Apache-2.0
/// @file
/// Formulas of different element types, or of different names, whose loops are one: they make the
/// same bits of the same bits. Their code is compiled once.
#pragma once

#include <weft/kernel/detail/span_element.hpp>
#include <weft/kernel/detail/span_loop.hpp>

#include "kernels/scalar/arithmetic.hpp"

#include <concepts>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// The type that stands for T where all integers of a size are the same: sums, products, equality.
template <class T>
struct Wrapping {
  using Type = T;
};
template <class T>
  requires is_wrapping<T>
struct Wrapping<T> {
  using Type = Unsigned<sizeof(T)>;
};
/// The same where bools are told from 0 only.
template <class T>
struct Truthful : Wrapping<T> {};
template <>
struct Truthful<bool> {
  using Type = std::uint8_t;
};
/// The same where elements are moved and not looked at. Not bools, of which any byte but 0 is read
/// as 1, nor pairs of doubles, which are larger than words.
template <class T>
struct Moved {
  using Type = Unsigned<sizeof(T)>;
};
template <class T>
  requires(std::same_as<T, bool> || sizeof(T) > sizeof(std::uint64_t))
struct Moved<T> {
  using Type = T;
};

/// True for a formula that names another one as its `Loops`.
template <class F>
concept HasOthersLoops = requires { typename F::Loops; } && !std::same_as<typename F::Loops, F>;

/// A kernel with the loops of another one, for operands of F's types.
template <class F>
constexpr SpanKernel with_types_of(SpanKernel kernel) {
  using S = Signature<F>;
  kernel.types[0] = scalar_type_of<typename S::Result>;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((kernel.types[1 + I] = scalar_type_of<std::tuple_element_t<I, typename S::Params>>), ...);
  }(std::make_index_sequence<std::tuple_size_v<typename S::Params>>());
  return kernel;
}

/// True for a formula that names another one as its `SwappedLoops`: that of its operands in the
/// other order.
template <class F>
concept HasSwappedLoops = requires { typename F::SwappedLoops; };

/// A SpanKernel::RunStrided of two inputs: another one with these in the other order.
template <SpanKernel::RunStrided loop>
void run_strided_swapped(const void* context, char* const* data, const std::int64_t* strides_bytes,
                         std::int64_t n) {
  char* const swapped[] = {data[0], data[2], data[1]};
  const std::int64_t steps[] = {strides_bytes[0], strides_bytes[2], strides_bytes[1]};
  unknown(loop)(context, swapped, steps, n);
}

/// True for a function that there is. GCC 12 does not compare a function's address with null in a
/// constant where a sanitizer is on; which type a template makes of it, it tells.
template <auto function>
inline constexpr bool is_there = !std::same_as<std::integral_constant<decltype(function), function>,
                                               std::integral_constant<decltype(function), nullptr>>;

/// The kernel of two inputs that is `of` with these in the other order.
template <const SpanKernel& of>
constexpr SpanKernel swapped_kernel() {
  SpanKernel kernel = of;
  kernel.run = &run_swapped<of.run>;
  if constexpr (is_there<of.run_streamed>) kernel.run_streamed = &run_swapped<of.run_streamed>;
  if constexpr (is_there<of.run_strided>) kernel.run_strided = &run_strided_swapped<of.run_strided>;
  return kernel;
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
