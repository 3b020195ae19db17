// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a generic kernel's parameters are.
#pragma once

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

/// T, once for each I.
template <std::size_t, class T>
using SameFor = T;

/// Whether a callable takes as many arguments of type T as the sequence is long.
template <class F, class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return std::is_invocable_v<const F&, SameFor<I, T>...>;
}

/// Whether the first n parameters are T of a callable whose call operator is a template of as many
/// types as the sequence is long, or, if it is none, of fewer. True of what is no such template:
/// overloaded functions say their types.
template <class F, class T, std::size_t n, std::size_t... I>
constexpr bool takes_only(std::index_sequence<I...>) {
  if constexpr (sizeof...(I) == 0) {
    return true;
  } else if constexpr (requires { &F::template operator()<SameFor<I, T>...>; }) {
    return TakesOnly<T, n, decltype(&F::template operator()<SameFor<I, T>...>)>::value;
  } else {
    return takes_only<F, T, n>(std::make_index_sequence<sizeof...(I) - 1>());
  }
}

/// Whether no parameter of a generic lambda that gets an operand has a fixed type beside those that
/// are `auto`: its operand would come in the type of the others, and C++ would convert it without a
/// word. The lambda takes as few arguments of type T as it can, `most` at most.
template <class F, class T, std::size_t most, std::size_t n = 1>
constexpr bool is_generic_throughout() {
  if constexpr (n > most) {
    return true;  // which is refused for that
  } else if constexpr (takes<F, T>(std::make_index_sequence<n>())) {
    return takes_only<F, T, n>(std::make_index_sequence<n>());
  } else {
    return is_generic_throughout<F, T, most, n + 1>();
  }
}

}  // namespace v0
}  // namespace weft
