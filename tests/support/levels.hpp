// SPDX-License-Identifier: Apache-2.0
/// @file
/// Running kernels of several instruction-set levels side by side.
#pragma once

#include <weft/machine/level.hpp>

#include <cstdlib>
#include <string_view>
#include <vector>

namespace test {

/// What a program returns to ctest for a run that it skips (tests/CMakeLists.txt).
inline constexpr int skipped_run = 77;

/// Whether ctest runs the program at another level with the same result: at one that the machine
/// lacks, or at its best one where there are runs of `lower` levels beside a run of that.
inline bool is_run_at_another_level() {
  const char* const level = std::getenv("WEFT_ISA");
  const char* const runs = std::getenv("WEFT_TEST_LEVEL_RUNS");
  if (level == nullptr || runs == nullptr) return false;
  const int best = weft::place_of(weft::best_level());
  for (int place = best; place < weft::level_count; ++place) {
    if (weft::name(weft::level_at(place)) == level)
      return place > best || std::string_view(runs) == "lower";
  }
  return false;
}

/// The levels that this machine has, whatever WEFT_ISA says.
inline std::vector<weft::Level> levels() {
  std::vector<weft::Level> list;
  for (int place = 0; place <= weft::place_of(weft::best_level()); ++place)
    list.push_back(weft::level_at(place));
  return list;
}

}  // namespace test
