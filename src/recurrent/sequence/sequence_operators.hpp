// SPDX-License-Identifier: Apache-2.0
/// @file
/// LSTMSequence, GRUSequence and RNNSequence as operators of graphs.
#pragma once

#include <weft/graph/operator_registry.hpp>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// They run as loops over cells (add_sequence_loop()), one for each direction.
void add_sequence_operators(graph::OperatorRegistry& registry);

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
