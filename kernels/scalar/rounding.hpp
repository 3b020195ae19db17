// SPDX-License-Identifier: Apache-2.0
/// @file
/// Integers near a floating number. Compilers know these functions; with SSE4.1 and up they are
/// one instruction.
#pragma once

#include <weft/base/export.hpp>

#include <type_traits>

namespace weft {
inline namespace v0 {

template <class T>
WEFT_ALWAYS_INLINE T floor_of(T a) noexcept {
  if constexpr (std::is_same_v<T, float>) return __builtin_floorf(a);
  return static_cast<T>(__builtin_floor(a));
}
template <class T>
WEFT_ALWAYS_INLINE T ceil_of(T a) noexcept {
  if constexpr (std::is_same_v<T, float>) return __builtin_ceilf(a);
  return static_cast<T>(__builtin_ceil(a));
}
template <class T>
WEFT_ALWAYS_INLINE T trunc_of(T a) noexcept {
  if constexpr (std::is_same_v<T, float>) return __builtin_truncf(a);
  return static_cast<T>(__builtin_trunc(a));
}
/// Ties to even, in the default rounding mode.
template <class T>
WEFT_ALWAYS_INLINE T nearest_of(T a) noexcept {
  if constexpr (std::is_same_v<T, float>) return __builtin_rintf(a);
  return static_cast<T>(__builtin_rint(a));
}

}  // namespace v0
}  // namespace weft
