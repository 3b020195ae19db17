// SPDX-License-Identifier: Apache-2.0
/// @file
/// What an OpenVINO IR file says, as plain data: layers, ports, edges, port maps, bodies.
///
///     const ir::Document document = ir::read_document(xml_bytes);
///     for (const ir::Layer& layer : document.network.layers)
///       if (layer.type == "LSTMCell") use(layer.integer("hidden_size"));
///
/// Numbers that stand for something (ids of layers and ports) have been looked up: an Edge holds
/// positions in lists, and every position is in range. Nothing here knows what an operation means.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/scalar_type.hpp>
#include <weft/core/shape.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {
inline namespace v0 {
namespace ir {

/// An extent that the file leaves open: "?", "-1" or a range such as "1..10".
inline constexpr std::int64_t open_extent = -1;

/// One end of an edge that leads into a layer, or one that leads out of it.
struct Port {
  std::int64_t id = 0;    ///< a label, unique among the layer's inputs or among its outputs
  std::string precision;  ///< as written, such as "FP32"; empty if the file does not say
  DimVector dims;         ///< extents or open_extent; without any: rank 0
  std::string names;      ///< tensor names, separated by commas, as written
};

/// A name and its value in <data>.
struct Attribute {
  std::string name;
  std::string value;
};

/// Bytes of the weights file. Not checked against that file yet.
struct Blob {
  std::string name;  ///< "weights", "biases", "custom"; a Const of today has its offset in <data>
  std::int64_t offset = 0;
  std::int64_t size = 0;
  std::string precision;  ///< as written; empty if the file does not say
};

struct Body;

/// An operation, as written.
///
/// The getters read an attribute of <data> that the reader itself has a use for; those that an
/// operator has a use for, it reads (graph::Attributes). Each throws Error(parse) that names the
/// layer, the attribute, what was expected and what came, if the attribute is missing or its text
/// is not wholly of that form; the *_or forms take `otherwise` where it is missing.
struct WEFT_API Layer {
  std::int64_t id = 0;
  std::string name;
  std::string type;
  std::string version;    ///< operation set, such as "opset1"; empty in files before version 10
  std::string precision;  ///< of all its outputs, in files before version 10
  std::vector<Attribute> data;
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  std::vector<Blob> blobs;
  std::vector<Body> bodies;  ///< of TensorIterator and Loop: one; of If: then, else

  /// For messages: layer 7 'cell' (LSTMCell).
  std::string describe() const;

  /// The text of an attribute; null if there is none.
  const std::string* find(std::string_view attribute) const noexcept;
  bool has(std::string_view attribute) const noexcept { return find(attribute) != nullptr; }
  const std::string& string(std::string_view attribute) const;
  std::string string_or(std::string_view attribute, std::string_view otherwise) const;
  /// Decimal, within 64 bits.
  std::int64_t integer(std::string_view attribute) const;
  std::int64_t integer_or(std::string_view attribute, std::int64_t otherwise) const;
  /// Extents, or open_extent; "..." (any rank) gives no shape at all.
  std::optional<DimVector> shape(std::string_view attribute) const;
  /// An element type by either kind of name: "f32", "FP32", "boolean", "BOOL".
  ScalarType element_type(std::string_view attribute) const;
};

/// A port of a layer, by position in Network::layers and in Layer::inputs or Layer::outputs.
struct PortPlace {
  std::size_t layer = 0;
  std::size_t port = 0;

  friend bool operator==(const PortPlace&, const PortPlace&) = default;
};

/// From an output to an input.
struct Edge {
  PortPlace from;
  PortPlace to;
};

/// Layers in the file's order. Each input is the end of one edge at most, and no edge, followed
/// from one to the next, leads back to where it began.
struct Network {
  std::vector<Layer> layers;
  std::vector<Edge> edges;
};

/// What a port of the body is for, besides being mapped.
enum class Purpose : std::uint8_t { none, current_iteration, execution_condition };

/// An entry of a port map: a port of the layer beside a Parameter or Result of the body.
struct PortMapping {
  std::optional<std::size_t> external;  ///< position in the layer's inputs or outputs; without: -1
  std::size_t internal_layer = 0;       ///< position in the body's layers
  std::optional<std::size_t> internal_port;  ///< position in that layer's ports; before version 10
  Purpose purpose = Purpose::none;
  std::optional<std::int64_t> axis;  ///< sliced or joined along it; without: whole
  std::int64_t start = 0;
  std::int64_t end = -1;
  std::int64_t stride = 1;
  std::optional<std::int64_t> part_size;
};

/// From a Result of the body to a Parameter of it, for the next trip. The ports are those of files
/// before version 10, where any layer may be the end of a back edge.
struct BackEdge {
  std::size_t from_layer = 0;
  std::size_t to_layer = 0;
  std::optional<std::size_t> from_port;
  std::optional<std::size_t> to_port;
};

/// A network inside a layer.
struct Body {
  enum class Role : std::uint8_t { loop, then_branch, else_branch };

  Role role = Role::loop;
  Network network;
  std::vector<PortMapping> inputs;
  std::vector<PortMapping> outputs;
  std::vector<BackEdge> back_edges;
};

/// A file. A <net>, or a bare <layer> as documentation writes one: the network is that layer then.
struct Document {
  std::string file;  ///< as messages name it
  std::string name;  ///< of the <net>
  int version = 0;   ///< of the <net>: 4 to 7, 10 or 11; 0 for a bare layer
  Network network;

  bool is_bare_layer() const noexcept { return version == 0; }
  /// Files before version 10 have another layout; modernise() turns it into today's.
  bool is_legacy() const noexcept { return version != 0 && version < 10; }
};

/// The element type of a precision in either kind of name, or nothing for one that weft does not
/// have (U4, BIN, string, ...).
WEFT_API std::optional<ScalarType> find_element_type(std::string_view precision) noexcept;

}  // namespace ir
}  // namespace v0
}  // namespace weft
