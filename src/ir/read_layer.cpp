// SPDX-License-Identifier: Apache-2.0
// Layers: attributes, ports, blobs.
#include <weft/base/error.hpp>

#include "base/text.hpp"
#include "ir/context.hpp"
#include "ir/reader.hpp"
#include "ir/text_values.hpp"

namespace weft {
inline namespace v0 {
namespace ir {
namespace {

/// An attribute that may be missing, as a name: "" then.
std::string name_attribute(pugi::xml_node element, const char* name, const Limits& limits) {
  const std::string_view value = find_attribute(element, name).value_or("");
  if (value.size() > static_cast<std::size_t>(limits.max_name_bytes)) {
    fail(ErrorCode::limit,
         text("attribute '", name, "' has more than ", limits.max_name_bytes, " bytes"));
  }
  return std::string(value);
}

void check_shape(const DimVector& dims, const Limits& limits) {
  std::int64_t count = 1;
  for (const std::int64_t extent : dims) {
    if (extent == 0) return;
    if (extent != open_extent && __builtin_mul_overflow(count, extent, &count))
      fail(ErrorCode::overflow, text("elements of shape ", to_string(dims), " exceed 2^63-1"));
  }
  if (count > limits.max_elements) {
    fail(ErrorCode::limit, text(count, " elements of shape ", to_string(dims), ", allowed are ",
                                limits.max_elements));
  }
}

}  // namespace

Layer Reader::layer(pugi::xml_node element, bool bare) {
  if (++layers_ > limits_.max_layers)
    fail(ErrorCode::limit, text("more than ", limits_.max_layers, " layers"));
  Layer layer;
  layer.name = name_attribute(element, "name", limits_);
  layer.type = name_attribute(element, "type", limits_);
  layer.id = bare && !find_attribute(element, "id")
                 ? 0
                 : in_context([&] { return text("layer ", in_quotes(layer.name)); },
                              [&] { return count_attribute(element, "id"); });
  in_context([&] { return layer.describe(); },
             [&] {
               if (layer.type.empty()) fail(ErrorCode::parse, "attribute 'type' is missing");
               layer.version = name_attribute(element, "version", limits_);
               layer.precision = name_attribute(element, "precision", limits_);
               const std::vector<pugi::xml_node> found =
                   sections(element,
                            {"data", "input", "output", "blobs", "port_map", "back_edges", "body",
                             "then_port_map", "then_body", "else_port_map", "else_body"},
                            {"rt_info", "quantization_parameters"});
               attributes(found[0], layer);
               layer.inputs = in_context([] { return "input"; }, [&] { return ports(found[1]); });
               layer.outputs = in_context([] { return "output"; }, [&] { return ports(found[2]); });
               layer.blobs = blobs(found[3]);
               using Role = Body::Role;
               if (found[6])
                 layer.bodies.push_back(body(layer, Role::loop, found[6], found[4], found[5]));
               if (found[8])
                 layer.bodies.push_back(body(layer, Role::then_branch, found[8], found[7], {}));
               if (found[10])
                 layer.bodies.push_back(body(layer, Role::else_branch, found[10], found[9], {}));
               const auto alone = [&](std::size_t section, std::size_t needed) {
                 if (found[section] && !found[needed])
                   fail(ErrorCode::parse,
                        text("has a <", found[section].name(), "> without a body"));
               };
               alone(4, 6);
               alone(5, 6);
               alone(7, 8);
               alone(9, 10);
             });
  return layer;
}

void Reader::attributes(pugi::xml_node element, Layer& layer) const {
  for (const pugi::xml_attribute attribute : element.attributes())
    layer.data.push_back({attribute.name(), attribute.value()});
}

std::vector<Port> Reader::ports(pugi::xml_node element) const {
  std::vector<Port> ports;
  for (const pugi::xml_node item : items(element, "port")) {
    if (static_cast<std::int64_t>(ports.size()) == limits_.max_ports)
      fail(ErrorCode::limit, text("more than ", limits_.max_ports, " ports"));
    Port port;
    port.id = count_attribute(item, "id");
    in_context([&] { return text("port ", port.id); },
               [&] {
                 port.precision = name_attribute(item, "precision", limits_);
                 port.names = name_attribute(item, "names", limits_);
                 for (const pugi::xml_node child : item.children()) {
                   if (std::string_view(child.name()) == "rt_info") continue;
                   if (std::string_view(child.name()) != "dim")
                     fail(ErrorCode::parse, text("expected <dim>, got ", in_quotes(child.name())));
                   if (port.dims.size() == static_cast<std::size_t>(max_rank))
                     fail(ErrorCode::rank, text("more than ", max_rank, " dims"));
                   const std::string_view extent = element_text(child);
                   const std::optional<std::int64_t> parsed = parse_extent(extent);
                   if (!parsed) {
                     fail(ErrorCode::parse, text("dim ", port.dims.size(),
                                                 ": expected an extent, got ", in_quotes(extent)));
                   }
                   port.dims.push_back(*parsed);
                 }
                 check_shape(port.dims, limits_);
               });
    ports.push_back(std::move(port));
  }
  return ports;
}

std::vector<Blob> Reader::blobs(pugi::xml_node element) const {
  std::vector<Blob> blobs;
  for (const pugi::xml_node item : element.children()) {
    if (item.type() != pugi::node_element) continue;
    if (static_cast<std::int64_t>(blobs.size()) == limits_.max_ports)
      fail(ErrorCode::limit, text("more than ", limits_.max_ports, " blobs"));
    Blob blob;
    blob.name = item.name();
    blob.offset = count_attribute(item, "offset");
    blob.size = count_attribute(item, "size");
    blob.precision = name_attribute(item, "precision", limits_);
    for (const Blob& other : blobs)
      if (other.name == blob.name)
        fail(ErrorCode::parse, text("blob ", in_quotes(blob.name), " comes twice"));
    blobs.push_back(std::move(blob));
  }
  return blobs;
}

}  // namespace ir
}  // namespace v0
}  // namespace weft
