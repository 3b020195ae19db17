// SPDX-License-Identifier: Apache-2.0
/// @file
/// Caps on what a model file may ask for.
#pragma once

#include <cstdint>
#include <limits>

namespace weft {
inline namespace v0 {
namespace ir {

/// What reading a model may cost. Every number is checked before memory is asked for on its
/// account; beyond it the reader throws Error(limit). The defaults are far above the models people
/// have; a server that reads strangers' files lowers them.
struct Limits {
  std::int64_t max_xml_bytes = std::int64_t{64} << 20;  ///< the .xml; its tree takes 17 times that
  std::int64_t max_xml_depth = 256;                     ///< elements inside elements
  std::int64_t max_bodies = 64;            ///< bodies inside bodies: loops, branches of If
  std::int64_t max_layers = 200000;        ///< layers of the file, those of bodies included
  std::int64_t max_edges = 1000000;        ///< edges of the file, likewise
  std::int64_t max_ports = 4096;           ///< input ports and output ports of one layer
  std::int64_t max_attributes = 256;       ///< attributes of one element
  std::int64_t max_name_bytes = 4096;      ///< a layer's name, a port's names together
  std::int64_t max_value_bytes = 1 << 20;  ///< any other attribute
  std::int64_t max_elements = std::int64_t{1} << 40;        ///< elements of one tensor
  std::int64_t max_tensor_bytes = std::int64_t{1} << 40;    ///< bytes of one tensor
  std::int64_t max_constant_bytes = std::int64_t{1} << 40;  ///< bytes of all constants together
  /// What a model may take for values at a time when it is compiled, folding its constants, and
  /// when it runs; the same again for each body (graph::OperatorRegistry::set_max_bytes).
  std::int64_t max_run_bytes = std::int64_t{1} << 40;
  /// Trips of one run of a loop (graph::OperatorRegistry::set_max_trips).
  std::int64_t max_trips = std::numeric_limits<std::int64_t>::max();
  std::int64_t max_weights_bytes = std::int64_t{1} << 40;  ///< the .bin
};

}  // namespace ir
}  // namespace v0
}  // namespace weft
