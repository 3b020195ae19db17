// SPDX-License-Identifier: Apache-2.0
/// @file
/// The date.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <string>

namespace weft::cli {

/// The day it is, in UTC, as 2026-11-24.
inline std::string today() {
  const std::chrono::year_month_day day{
      std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now())};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()),
                     static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
}

}  // namespace weft::cli
