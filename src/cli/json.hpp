// SPDX-License-Identifier: Apache-2.0
/// @file
/// Strings, and lists of them, in JSON.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace weft::cli {

/// `value` in quotes. Bytes that are not ASCII become '?', so that the result is valid whatever
/// comes in.
inline std::string json_string(std::string_view value) {
  std::string out = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += static_cast<unsigned char>(c) < 0x7f ? c : '?';
    }
  }
  return out + '"';
}

/// Words as a list of strings.
template <class Words>
std::string json_list(const Words& words) {
  std::string out;
  for (const std::string_view word : words)
    out += (out.empty() ? "" : ", ") + json_string(word);
  return "[" + out + "]";
}

}  // namespace weft::cli
