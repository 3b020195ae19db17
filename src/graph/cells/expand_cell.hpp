// SPDX-License-Identifier: Apache-2.0
/// @file
/// A recurrent cell in two nodes, so that the input's part can be computed ahead.
#pragma once

#include <weft/graph/graph.hpp>

#include "base/internal_api.hpp"

namespace weft {
inline namespace v0 {
namespace graph {

/// Makes of an LSTMCell, GRUCell or RNNCell FullyConnected(X, W, B), which does not depend on the
/// state, and an LSTMCellStep, GRUCellStep or RNNCellStep of its sums, H, C and R, under the cell's
/// own index, with the same bits for f32 and f64. A loop can then make the product of many trips at
/// once. The new node comes last and has the cell's name and layer. False, with nothing done, if
/// the node is no cell, or one that cannot be split: one matrix WR, or a GRU's bias of four
/// blocks, has to be a constant. Shares constants.
WEFT_INTERNAL_API bool expand_cell(Graph& graph, int node);

}  // namespace graph
}  // namespace v0
}  // namespace weft
