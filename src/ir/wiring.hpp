// SPDX-License-Identifier: Apache-2.0
/// @file
/// Which output feeds each input of a network, and an order in which its layers can be computed.
#pragma once

#include <weft/ir/document.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace weft {
inline namespace v0 {
namespace ir {

struct Wiring {
  /// sources[layer][input]: the output at the other end of its edge, if there is an edge.
  std::vector<std::vector<std::optional<PortPlace>>> sources;
  /// Positions of all layers, each after the layers it reads from; else in the file's order.
  std::vector<std::size_t> order;
};

/// Throws Error(parse) that names the layer: an input at the end of two edges, layers that wait for
/// one another. Linear in layers, ports and edges.
Wiring wire(const Network& network);

}  // namespace ir
}  // namespace v0
}  // namespace weft
