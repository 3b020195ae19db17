// SPDX-License-Identifier: Apache-2.0
/// @file
/// Recurrent cells cut in two where their input does not depend on the trip before.
#pragma once

#include <weft/graph/graph.hpp>
#include <weft/recurrent/loop_spec.hpp>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// Makes of every LSTMCell, GRUCell and RNNCell of a body whose X depends on slices, and on no
/// state and no index, the product of X (FullyConnected) and the rest (LSTMCellStep, ...), with the
/// same bits: the product can then be done for many trips at a time. The number of cells that were
/// cut. A cell in the old form, with one matrix WR, is cut if that is a constant.
int separate_input_products(graph::Graph& body, const LoopSpec& spec);

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
