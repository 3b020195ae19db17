// SPDX-License-Identifier: Apache-2.0
/// @file
/// What may be anything, as text that a terminal does not take for commands.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace weft::cli {

/// The text with a blank for each line break and \xNN for each control character.
inline std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += ' ';
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace weft::cli
