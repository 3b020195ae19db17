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
  for (int level = 0; level <= static_cast<int>(weft::best_level()); ++level)
    list.push_back(static_cast<weft::Level>(level));
  return list;
}

}  // namespace test
