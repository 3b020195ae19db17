// SPDX-License-Identifier: Apache-2.0
/// @file
/// Sequences: the operators LSTMSequence, GRUSequence and RNNSequence, which run as loops over
/// cells.
#pragma once

#include <weft/base/export.hpp>
#include <weft/graph/graph.hpp>
#include <weft/recurrent/loop.hpp>

#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// Whether a node is an operation of that name, upper or lower case.
WEFT_API bool is_sequence(const graph::Node& node);

/// The node of a sequence with a place where its loops report. Without it, as Graph::add() makes
/// one, it runs as well, and tells nothing. Throws Error(invalid_argument) if it is no sequence.
///
///     const int index = graph.add_node(sequence_node(std::move(node)));
///     ...
///     for (const LoopReport& report : sequence_reports(graph.node(index))) use(report);
WEFT_API graph::Node sequence_node(graph::Node node);

/// What the loops of a node that sequence_node() has made did last, in whichever program; copies of
/// a node share it. One for each direction, forwards first; none before the first run. Throws
/// Error(invalid_argument) for another node.
WEFT_API std::vector<LoopReport> sequence_reports(const graph::Node& node);

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
