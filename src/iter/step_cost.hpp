// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a step costs an operand.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace weft {
inline namespace v0 {

inline std::uint64_t magnitude(std::int64_t stride) noexcept {
  return stride < 0 ? 0 - static_cast<std::uint64_t>(stride) : static_cast<std::uint64_t>(stride);
}

/// Bytes that a step counts as, of so many bytes and any sign: see order_by_cost.
inline std::uint64_t step_cost(std::int64_t stride) noexcept {
  constexpr std::uint64_t cache_line = 64;
  constexpr std::uint64_t doubling = 4;  // bytes that each doubling beyond a line counts as
  const std::uint64_t step = magnitude(stride);
  return std::min(step, cache_line) +
         doubling * static_cast<unsigned>(std::bit_width(step / cache_line));
}

}  // namespace v0
}  // namespace weft
