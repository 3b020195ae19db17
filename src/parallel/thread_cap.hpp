// SPDX-License-Identifier: Apache-2.0
/// @file
/// What WEFT_NUM_THREADS says. Inline, for the library and the program.
#pragma once

#include <charconv>
#include <cstring>
#include <system_error>

namespace weft {
inline namespace v0 {

/// The most threads that a text names, a number above 0; 0 if it is none.
inline int thread_cap_of(const char* text) noexcept {
  int cap = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), cap);
  return error == std::errc() && *end == '\0' && cap > 0 ? cap : 0;
}

}  // namespace v0
}  // namespace weft
