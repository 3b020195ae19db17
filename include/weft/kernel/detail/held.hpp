// SPDX-License-Identifier: Apache-2.0
/// @file
/// The object that loops call.
#pragma once

#include <weft/machine/level.hpp>

#include <tuple>
#include <type_traits>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Whether loops call a copy of a function object. Members of a copy stay in registers; those of an
/// object elsewhere are read again behind each store of an element, which may have changed them for
/// all that compilers know, and a choice among such members becomes a jump. Not of large objects,
/// nor of those that notice.
template <class F>
inline constexpr bool is_held = !std::is_empty_v<F> && std::is_trivially_copyable_v<F> &&
                                std::is_convertible_v<const F&, F> && sizeof(F) <= 64;

/// The type of the variable that loops call, for a const object: a copy of it or a reference.
template <class F>
using Held = std::conditional_t<is_held<F>, const F, const F&>;

/// The same for an object that may not be const: a copy only if a const one can be called with
/// elements of the types in a list.
template <class F, class Ins>
struct CalledWith;
template <class F, class... In>
struct CalledWith<F, std::tuple<In...>> {
  using Type = std::conditional_t<is_held<F> && std::is_invocable_v<const F&, In...>, const F, F&>;
};
template <class F, class Ins>
using Called = typename CalledWith<F, Ins>::Type;

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
