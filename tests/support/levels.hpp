// SPDX-License-Identifier: Apache-2.0
/// @file
/// Running kernels of several instruction-set levels side by side.
#pragma once

#include <weft/machine/level.hpp>

#include <vector>

namespace test {

/// The levels that this machine has, whatever WEFT_ISA says.
inline std::vector<weft::Level> levels() {
  std::vector<weft::Level> list;
  for (int place = 0; place <= weft::place_of(weft::best_level()); ++place)
    list.push_back(weft::level_at(place));
  return list;
}

}  // namespace test
