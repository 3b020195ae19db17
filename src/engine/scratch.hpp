// SPDX-License-Identifier: Apache-2.0
/// @file
/// What scratch memory is counted in.
#pragma once

#include "machine/tuning.hpp"

#include <cstddef>
#include <cstdint>

namespace weft {
inline namespace v0 {

/// A cache line.
struct alignas(cache_line_bytes) Line {
  std::byte bytes[cache_line_bytes];
};
/// Lines that hold so many bytes.
inline std::size_t lines(std::int64_t bytes) {
  return static_cast<std::size_t>(whole_lines(bytes) / cache_line_bytes);
}

}  // namespace v0
}  // namespace weft
