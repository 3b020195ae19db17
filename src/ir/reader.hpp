// SPDX-License-Identifier: Apache-2.0
/// @file
/// From elements of a checked tree to the data of a Document.
#pragma once

#include <weft/ir/document.hpp>
#include <weft/ir/limits.hpp>

#include "ir/labels.hpp"
#include "ir/xml_tree.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {
namespace ir {

/// Reads networks and layers, and counts what limits count over the whole file. All throw
/// Error(parse) and Error(limit).
class Reader {
 public:
  /// @param legacy  the file is older than version 10: bodies map ports of any layer
  Reader(const Limits& limits, bool legacy) : limits_(limits), legacy_(legacy) {}

  /// The children <layers> and <edges> of an element.
  Network network(pugi::xml_node element);
  /// @param bare  a layer that stands alone, whose id may be left out
  Layer layer(pugi::xml_node element, bool bare = false);

 private:
  void attributes(pugi::xml_node element, Layer& layer) const;
  std::vector<Port> ports(pugi::xml_node element) const;
  std::vector<Blob> blobs(pugi::xml_node element) const;
  Body body(const Layer& outer, Body::Role role, pugi::xml_node network, pugi::xml_node port_map,
            pugi::xml_node back_edges);
  PortMapping mapping(pugi::xml_node entry, bool is_input, const Labels& external,
                      std::size_t external_count, const Body& body,
                      const NetworkLabels& labels) const;
  BackEdge back_edge(pugi::xml_node entry, const Body& body, const NetworkLabels& labels) const;
  void edges(pugi::xml_node element, Network& network);

  const Limits& limits_;
  bool legacy_;
  std::int64_t layers_ = 0;
  std::int64_t edges_ = 0;
  std::int64_t bodies_ = 0;  ///< around the network being read
};

}  // namespace ir
}  // namespace v0
}  // namespace weft
