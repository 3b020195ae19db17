// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a generic kernel's parameters are.
#pragma once

#include <weft/kernel/detail/span_element.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace weft {
inline namespace v0 {

/// Whether the first n parameters of a call operator are of type T, by value or by reference.
template <class T, std::size_t n, class Call>
struct TakesOnly : std::true_type {};
template <class T, std::size_t n, class R, class C, class... P>
struct TakesOnly<T, n, R (C::*)(P...) const> {
  static constexpr bool value = [] {
    std::size_t i = 0;
    return ((i++ >= n || std::is_same_v<std::remove_cvref_t<P>, T>)&&...);
  }();
};
template <class T, std::size_t n, class R, class C, class... P>
struct TakesOnly<T, n, R (C::*)(P...) const noexcept> : TakesOnly<T, n, R (C::*)(P...) const> {};

/// Whether the first n parameters are T of a callable whose call operator is a template of as many
/// types as the sequence is long, or, if it is none, of fewer: a generic lambda has no parameter of
/// a fixed type beside those that are `auto`, or its operand would come in the type of the others,
/// and C++ would convert it without a word. True of what is no such template: overloaded functions
/// say their types.
template <class F, class T, std::size_t n, std::size_t... I>
constexpr bool takes_only(std::index_sequence<I...>) {
  if constexpr (sizeof...(I) == 0) {
    return true;
  } else if constexpr (requires { &F::template operator()<Repeat<I, T>...>; }) {
    return TakesOnly<T, n, decltype(&F::template operator()<Repeat<I, T>...>)>::value;
  } else {
    return takes_only<F, T, n>(std::make_index_sequence<sizeof...(I) - 1>());
  }
}

}  // namespace v0
}  // namespace weft
