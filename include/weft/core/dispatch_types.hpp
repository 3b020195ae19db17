// SPDX-License-Identifier: Apache-2.0
/// @file
/// From an element type known at run time to a C++ type.
#pragma once

#include <weft/base/error.hpp>
#include <weft/core/scalar_type.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

namespace weft {
inline namespace v0 {

/// Throws Error(dtype): the type is not among those an operation takes. Out of line, used by
/// dispatch_types.
[[noreturn]] WEFT_API void fail_unsupported_type(ScalarType type);

/// Calls f.template operator()<T>() with the C++ type T of `type`, if T is one of Types.
///
///     dispatch_types<float, double>(a.dtype(), [&]<class T>() { scale<T>(a); });
///
/// Throws Error(dtype) if `type` is none of them. All calls must return the same type.
template <Element... Types, class F>
decltype(auto) dispatch_types(ScalarType type, F&& f) {
  static_assert(sizeof...(Types) > 0, "name the types to choose from");
  using First = std::tuple_element_t<0, std::tuple<Types...>>;
  using Result = decltype(f.template operator()<First>());
  if constexpr (std::is_void_v<Result>) {
    const bool found =
        ((type == scalar_type_of<Types> ? (f.template operator()<Types>(), true) : false) || ...);
    if (!found) fail_unsupported_type(type);
  } else {
    Result (*call)(F&) = nullptr;
    ((type == scalar_type_of<Types>
          ? void(call = [](F& g) -> Result { return g.template operator()<Types>(); })
          : void()),
     ...);
    if (call == nullptr) fail_unsupported_type(type);
    return call(f);
  }
}

/// As dispatch_types, over all fifteen element types.
template <class F>
decltype(auto) dispatch_all_types(ScalarType type, F&& f) {
  switch (type) {
#define WEFT_CASE(NAME, TYPE) \
  case ScalarType::NAME: return f.template operator()<TYPE>();
    WEFT_FOR_EACH_SCALAR_TYPE(WEFT_CASE)
#undef WEFT_CASE
  }
  fail_unsupported_type(type);
}

}  // namespace v0
}  // namespace weft
