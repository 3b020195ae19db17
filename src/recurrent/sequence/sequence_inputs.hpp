// SPDX-License-Identifier: Apache-2.0
/// @file
/// Which input of a sequence is which.
#pragma once

#include "graph/cells/cell_steps.hpp"

#include <algorithm>
#include <array>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// Positions of a sequence's inputs; -1 where there are none of that name. B and P may be left out.
///     LSTMSequence  X H C lengths W R B P
///     GRUSequence   X H lengths W R B
///     RNNSequence   X H lengths W R B
struct SequenceInputs {
  int x = 0, h = 1, c = -1, lengths = 2, w = 3, r = 4, b = 5, p = -1;

  explicit SequenceInputs(graph::CellKind kind) noexcept {
    if (kind != graph::CellKind::lstm) return;
    c = lengths++;
    w = 4;
    r = 5;
    b = 6;
    p = 7;
  }
  int last() const noexcept { return std::max(b, p); }
  /// Those that are the same in every step, and have directions in front.
  std::array<int, 4> weights() const noexcept { return {w, r, b, p}; }
};

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
