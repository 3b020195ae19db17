// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a step costs an operand.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace weft {
inline namespace v0 {

/// Bytes that a step counts as, of so many bytes and any sign: see order_by_cost.
inline std::uint64_t step_cost(std::int64_t stride) noexcept {
  constexpr std::uint64_t cache_line = 64;
  constexpr std::uint64_t doubling = 4;  // bytes that each doubling beyond a line counts as
  const auto bytes = static_cast<std::uint64_t>(stride);
  const std::uint64_t step = stride < 0 ? 0 - bytes : bytes;
  return std::min(step, cache_line) +
         doubling * static_cast<unsigned>(std::bit_width(step / cache_line));
}

}  // namespace v0
}  // namespace weft
