// SPDX-License-Identifier: Apache-2.0
/// @file
/// The element types that functions are compiled for, which a build may choose (WEFT_TYPES).
#pragma once

#include <weft/core/scalar_type.hpp>

#include "base/internal_api.hpp"

#include <string_view>

namespace weft {
inline namespace v0 {

/// Whether there are kernels that compute in a type. Bool is always there, since comparisons give
/// it; and memory of any type can be moved and converted.
constexpr bool is_compiled([[maybe_unused]] ScalarType type) noexcept {
#if defined(WEFT_COMPILED_TYPES)
  using enum ScalarType;
  for (const ScalarType compiled : {boolean, WEFT_COMPILED_TYPES}) {
    if (compiled == type) return true;
  }
  return false;
#else
  return true;
#endif
}

/// Whether there are kernels for all of them.
#if defined(WEFT_COMPILED_TYPES)
inline constexpr bool all_types_are_compiled = false;
#else
inline constexpr bool all_types_are_compiled = true;
#endif

/// Throws Error(dtype): there is no kernel for `type`, by an operation's nature or in this build.
/// The message begins with the operation's name, unless that is empty.
[[noreturn]] WEFT_INTERNAL_API void fail_no_kernel(ScalarType type,
                                                   std::string_view operation = {});

/// Throws it if this build leaves the type out.
inline void check_compiled(ScalarType type, std::string_view operation = {}) {
  if (!is_compiled(type)) fail_no_kernel(type, operation);
}

}  // namespace v0
}  // namespace weft
