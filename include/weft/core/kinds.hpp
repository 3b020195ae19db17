// SPDX-License-Identifier: Apache-2.0
/// @file
/// Kinds of element types, and sets of them.
#pragma once

#include <weft/core/scalar_type.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {

/// A set of kinds of element types.
using Kinds = std::uint8_t;
namespace kinds {
inline constexpr Kinds boolean = 1, integers = 2, floating = 4, complex = 8;
inline constexpr Kinds integral = boolean | integers;
inline constexpr Kinds real_numbers = integers | floating;
inline constexpr Kinds real = boolean | integers | floating;
inline constexpr Kinds inexact = floating | complex;
inline constexpr Kinds numbers = integers | floating | complex;
inline constexpr Kinds all = 15;

/// The kind of a type. Kinds are ordered as in promotion: the kind of several types together is the
/// highest among them.
constexpr Kinds of(ScalarType type) noexcept {
  if (type == ScalarType::boolean) return boolean;
  if (is_integer(type)) return integers;
  return is_floating(type) ? floating : complex;
}
}  // namespace kinds

}  // namespace v0
}  // namespace weft
