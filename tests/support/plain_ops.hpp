// SPDX-License-Identifier: Apache-2.0
/// @file
/// Operations by name that random calls can be made of.
#pragma once

#include <weft/ops/registry.hpp>

#include <vector>

namespace test {

/// All that have inputs of one shape and, beside axes, nothing else to be told: not those that move
/// elements, or pick or count them.
inline const std::vector<weft::OpEntry>& plain_ops() {
  static const std::vector<weft::OpEntry> list = [] {
    std::vector<weft::OpEntry> made;
    for (const weft::OpEntry& op : weft::all_ops()) {
      if (op.numbers == nullptr) made.push_back(op);
    }
    return made;
  }();
  return list;
}

}  // namespace test
