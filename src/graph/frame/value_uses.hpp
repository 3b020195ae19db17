// SPDX-License-Identifier: Apache-2.0
/// @file
/// Who needs the values of a program.
#pragma once

#include "graph/compile/program.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

/// The readers of each value, and the results that are it.
class ValueUses {
 public:
  explicit ValueUses(const Program& program);

  /// Nodes that read a value.
  std::span<const int> readers(int value) const { return uses(value).readers; }
  /// Results that are this value, first to last.
  std::span<const int> results(int value) const { return uses(value).results; }
  /// True if a result is this value, or a node for which `is_other` holds reads it.
  template <class F>
  bool is_needed(int value, F&& is_other) const {
    return !results(value).empty() || std::ranges::any_of(readers(value), is_other);
  }

 private:
  struct Uses {
    std::vector<int> readers, results;
  };
  const Uses& uses(int value) const { return uses_[static_cast<std::size_t>(value)]; }

  std::vector<Uses> uses_;  // by value
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
