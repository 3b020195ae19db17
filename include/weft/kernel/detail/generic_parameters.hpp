// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a generic kernel's parameters are.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace weft {
inline namespace v0 {

/// Whether all parameters of a call operator are of type T, by value or by reference.
template <class T, class Call>
struct TakesOnly : std::true_type {};
template <class T, class R, class C, class... P>
struct TakesOnly<T, R (C::*)(P...) const>
    : std::bool_constant<(std::is_same_v<std::remove_cvref_t<P>, T> && ...)> {};
template <class T, class R, class C, class... P>
struct TakesOnly<T, R (C::*)(P...) const noexcept> : TakesOnly<T, R (C::*)(P...) const> {};

/// The same of a callable whose call operator is a template of as many types as the sequence is
/// long; true if it is none.
template <class F, class T, std::size_t... I>
constexpr bool takes_only(std::index_sequence<I...>) {
  if constexpr (requires { &F::template operator()<std::enable_if_t<(I + 1 > 0), T>...>; }) {
    return TakesOnly<T,
                     decltype(&F::template operator()<std::enable_if_t<(I + 1 > 0), T>...>)>::value;
  } else {
    return true;
  }
}

/// Whether a generic lambda has no parameter of a fixed type beside those that are `auto`: its
/// operand would come in the type of the others, and C++ would convert it without a word. For up to
/// `most` parameters.
template <class F, class T, std::size_t most>
constexpr bool is_generic_throughout() {
  return []<std::size_t... N>(std::index_sequence<N...>) {
    return (takes_only<F, T>(std::make_index_sequence<N + 1>()) && ...);
  }(std::make_index_sequence<most>());
}

}  // namespace v0
}  // namespace weft
