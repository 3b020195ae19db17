// SPDX-License-Identifier: Apache-2.0
/// @file
/// Recurrent cells in two nodes, so that the input's part can be computed ahead.
#pragma once

#include <weft/base/export.hpp>
#include <weft/graph/graph.hpp>

namespace weft::inline v0::graph {

/// The same graph with every LSTMCell, GRUCell and RNNCell written as FullyConnected(X, W, B), which does
/// not depend on the state, and an LSTMCellStep, GRUCellStep or RNNCellStep of its sums, H, C and R. A loop
/// can then make the product of many trips at once. Names and numbers of layers stay; bodies of control
/// flow inside are left alone. A legacy cell (one matrix WR) is expanded if WR is a constant. Shares
/// constants; O(nodes + inputs).
WEFT_API Graph expand_cells(const Graph& graph);

}  // namespace weft::inline v0::graph
