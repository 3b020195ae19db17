// SPDX-License-Identifier: Apache-2.0
/// @file
/// Elements that are all the same.
#pragma once

#include <weft/machine/level.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Whether n >= 1 elements of `size` bytes, `step` bytes from one to the next, have the same bits.
template <std::int64_t size>
bool are_alike(const char* from, std::int64_t step, std::int64_t n) noexcept {
  if (step == size)
    return __builtin_memcmp(from, from + size, static_cast<std::size_t>((n - 1) * size)) == 0;
  std::int64_t i = 1;
  while (i < n && __builtin_memcmp(from, from + i * step, size) == 0)
    ++i;
  return i == n;
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
