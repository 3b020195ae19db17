// SPDX-License-Identifier: Apache-2.0
/// @file
/// Printing text within a report.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace weft::cli {

/// Prints each line two columns further in.
inline void print_indented(std::string_view lines) {
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    fmt::print("  {}\n", lines.substr(begin, end - begin));
    begin = end + 1;
  }
}

}  // namespace weft::cli
