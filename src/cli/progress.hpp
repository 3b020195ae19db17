// SPDX-License-Identifier: Apache-2.0
/// @file
/// A line that tells where a long run is.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

namespace weft::cli {

/// Shows `[12/164] name` on standard error, if that is a terminal and the run has taken more than a
/// second.
class Progress {
 public:
  explicit Progress(std::size_t count);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Item `index` (from 0) is about to begin.
  void show(std::size_t index, std::string_view name);
  /// Takes the line away, before something else is printed.
  void clear();

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::size_t count_;
  bool terminal_;
  bool shown_ = false;
};

}  // namespace weft::cli
