// SPDX-License-Identifier: Apache-2.0
/// @file
/// Which input of a cell is which.
#pragma once

#include <weft/graph/partial_shape.hpp>

#include "graph/cells/cell_steps.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace graph {

/// Positions of a cell's inputs; -1 where the form has none. Optional ones may be at or after the
/// end.
///     LSTMCell      X H C W R B P | X H C WR B      LSTMCellStep  sums H C R P
///     GRUCell       X H W R B                       GRUCellStep   sums H R B
///     RNNCell       X H W R B                       RNNCellStep   sums H R
struct CellInputs {
  int x = -1, sums = -1, h = 1, c = -1, w = -1, r = -1, b = -1, p = -1;
  /// One matrix WR, whose rows are [row of W, row of R], instead of two.
  bool is_legacy = false;

  /// `fifth` is the shape of input 4, which tells X H C WR B from X H C W R: a bias has one axis.
  static CellInputs of_cell(CellKind kind, int count, const PartialShape& fifth) {
    CellInputs at;
    at.x = 0;
    int next = 2;
    if (kind == CellKind::lstm) at.c = next++;
    at.is_legacy = kind == CellKind::lstm && count == 5 && fifth.has_rank() && fifth.rank() == 1;
    at.w = next++;
    at.r = at.is_legacy ? at.w : next++;
    at.b = next++;
    if (kind == CellKind::lstm) at.p = next;
    return at;
  }
  static CellInputs of_step(CellKind kind) {
    CellInputs at;
    at.sums = 0;
    int next = 2;
    if (kind == CellKind::lstm) at.c = next++;
    at.r = next++;
    if (kind == CellKind::gru) at.b = next;
    if (kind == CellKind::lstm) at.p = next;
    return at;
  }
  int last() const { return std::max({r, b, p}); }
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
