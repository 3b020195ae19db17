// SPDX-License-Identifier: Apache-2.0
/// @file
/// Signed 64-bit arithmetic that reports overflow. All arithmetic on extents, strides and offsets
/// goes through it.
#pragma once

#include <cstdint>

namespace weft {
inline namespace v0 {

/// out = a + b; false (and out unspecified) if the sum does not fit.
[[nodiscard]] constexpr bool checked_add(std::int64_t a, std::int64_t b,
                                         std::int64_t& out) noexcept {
  return !__builtin_add_overflow(a, b, &out);
}

/// out = a - b; false (and out unspecified) if the difference does not fit.
[[nodiscard]] constexpr bool checked_sub(std::int64_t a, std::int64_t b,
                                         std::int64_t& out) noexcept {
  return !__builtin_sub_overflow(a, b, &out);
}

/// out = a * b; false (and out unspecified) if the product does not fit.
[[nodiscard]] constexpr bool checked_mul(std::int64_t a, std::int64_t b,
                                         std::int64_t& out) noexcept {
  return !__builtin_mul_overflow(a, b, &out);
}

/// ceil(a / b) for a >= 0, b > 0.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) noexcept {
  return a / b + (a % b != 0);
}

}  // namespace v0
}  // namespace weft
