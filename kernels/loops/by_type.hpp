// SPDX-License-Identifier: Apache-2.0
/// @file
/// From an element type that is known while the program runs to a kernel of its C++ type.
#pragma once

#include <weft/machine/dispatch.hpp>

#include "core/compiled_types.hpp"

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// What choose.operator()<T>() gives, a pointer, where T is the C++ type of an element type; null
/// for one that functions are not compiled for.
template <class Choose>
constexpr auto by_type(ScalarType type, const Choose& choose)
    -> decltype(choose.template operator()<float>()) {
  switch (type) {
#define WEFT_CASE(NAME, TYPE)                      \
  case ScalarType::NAME:                           \
    if constexpr (is_compiled(ScalarType::NAME)) { \
      return choose.template operator()<TYPE>();   \
    } else {                                       \
      return nullptr;                              \
    }
    WEFT_FOR_EACH_SCALAR_TYPE(WEFT_CASE)
#undef WEFT_CASE
  }
  return nullptr;
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
