// SPDX-License-Identifier: Apache-2.0
/// @file
/// Building messages. Private to the compiled part.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace weft::inline v0 {

inline void append_text(std::string& out, std::string_view text) { out += text; }
inline void append_text(std::string& out, char c) { out += c; }
template <class T>
  requires std::is_arithmetic_v<T>
void append_text(std::string& out, T value) {
  out += std::to_string(value);
}
/// Lists print as [2, 3, 4].
template <class T>
void append_text(std::string& out, std::span<T> values) {
  out += '[';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i != 0) out += ", ";
    append_text(out, values[i]);
  }
  out += ']';
}

/// The arguments, one after the other, as text.
template <class... Args>
std::string text(const Args&... args) {
  std::string out;
  (append_text(out, args), ...);
  return out;
}

}  // namespace weft::inline v0
