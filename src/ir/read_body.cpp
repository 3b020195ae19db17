// SPDX-License-Identifier: Apache-2.0
// Bodies of layers: port maps and back edges.
#include <weft/base/error.hpp>

#include "base/text.hpp"
#include "ir/context.hpp"
#include "ir/reader.hpp"
#include "ir/text_values.hpp"

#include <algorithm>
#include <string_view>

namespace weft {
inline namespace v0 {
namespace ir {
namespace {

const char* name_of(Body::Role role) {
  switch (role) {
    case Body::Role::loop: return "body";
    case Body::Role::then_branch: return "then_body";
    case Body::Role::else_branch: return "else_body";
  }
  return "body";
}

void expect_type(const Layer& layer, std::string_view type) {
  if (!equal_ignoring_case(layer.type, type))
    fail(ErrorCode::parse, text("expected a ", type, ", got ", layer.describe()));
}

Purpose purpose_of(pugi::xml_node entry, bool is_input) {
  const std::string_view purpose = find_attribute(entry, "purpose").value_or("");
  if (purpose.empty()) return Purpose::none;
  if (is_input && purpose == "current_iteration") return Purpose::current_iteration;
  if (!is_input && purpose == "execution_condition") return Purpose::execution_condition;
  fail(ErrorCode::parse,
       text("attribute 'purpose': expected ",
            is_input ? "current_iteration" : "execution_condition", ", got ", in_quotes(purpose)));
}

/// No Parameter may be fed twice, and no output of the layer written twice.
void check_mapped_once(const Layer& outer, const Body& body) {
  const auto parameter = [&](const PortMapping& m) {
    return std::pair(m.internal_layer, m.internal_port.value_or(0));
  };
  std::vector<std::pair<std::size_t, std::size_t>> fed;
  for (const PortMapping& input : body.inputs)
    fed.push_back(parameter(input));
  std::ranges::sort(fed);
  if (const auto at = std::ranges::adjacent_find(fed); at != fed.end()) {
    fail(ErrorCode::parse,
         text("port_map: two inputs lead to ", body.network.layers[at->first].describe()));
  }
  std::vector<std::size_t> written;
  for (const PortMapping& output : body.outputs)
    if (output.external) written.push_back(*output.external);
  std::ranges::sort(written);
  if (const auto at = std::ranges::adjacent_find(written); at != written.end()) {
    fail(ErrorCode::parse,
         text("port_map: two entries lead to output port ", outer.outputs[*at].id));
  }
  for (std::size_t i = 0; i < outer.outputs.size(); ++i) {
    if (!std::ranges::binary_search(written, i)) {
      fail(ErrorCode::parse, text("port_map: no entry leads to output port ", outer.outputs[i].id));
    }
  }
  fed.clear();
  for (const BackEdge& edge : body.back_edges)
    fed.emplace_back(edge.to_layer, edge.to_port.value_or(0));
  std::ranges::sort(fed);
  if (const auto at = std::ranges::adjacent_find(fed); at != fed.end()) {
    fail(ErrorCode::parse,
         text("back_edges: two edges lead to ", body.network.layers[at->first].describe()));
  }
}

}  // namespace

Body Reader::body(const Layer& outer, Body::Role role, pugi::xml_node network_element,
                  pugi::xml_node port_map, pugi::xml_node back_edges) {
  if (++bodies_ > limits_.max_bodies)
    fail(ErrorCode::limit, text("bodies are nested more than ", limits_.max_bodies, " deep"));
  Body body;
  body.role = role;
  in_context([&] { return name_of(role); }, [&] { body.network = network(network_element); });
  --bodies_;

  const NetworkLabels labels(body.network);
  const Labels inputs(outer.inputs);
  const Labels outputs(outer.outputs);
  for (const pugi::xml_node entry : port_map.children()) {
    if (entry.type() != pugi::node_element) continue;
    const bool is_input = std::string_view(entry.name()) == "input";
    if (!is_input && std::string_view(entry.name()) != "output") {
      fail(ErrorCode::parse,
           text("port_map: expected <input> or <output>, got ", in_quotes(entry.name())));
    }
    std::vector<PortMapping>& to = is_input ? body.inputs : body.outputs;
    in_context([&] { return text("port_map: ", entry.name(), ' ', to.size()); },
               [&] {
                 to.push_back(mapping(entry, is_input, is_input ? inputs : outputs,
                                      is_input ? outer.inputs.size() : outer.outputs.size(), body,
                                      labels));
               });
  }
  for (const pugi::xml_node entry : items(back_edges, "edge")) {
    in_context([&] { return text("back_edges: edge ", body.back_edges.size()); },
               [&] { body.back_edges.push_back(back_edge(entry, body, labels)); });
  }
  check_mapped_once(outer, body);
  return body;
}

PortMapping Reader::mapping(pugi::xml_node entry, bool is_input, const Labels& external,
                            std::size_t external_count, const Body& body,
                            const NetworkLabels& labels) const {
  check_attributes(entry, {"external_port_id", "internal_layer_id", "internal_port_id", "axis",
                           "start", "end", "stride", "part_size", "purpose"});
  PortMapping mapping;
  mapping.purpose = purpose_of(entry, is_input);

  const std::int64_t id = integer_attribute(entry, "external_port_id");
  if (id != -1) {
    // A label, and where no port has that label, a position.
    mapping.external = external.find(id);
    if (!mapping.external && id >= 0 && static_cast<std::uint64_t>(id) < external_count)
      mapping.external = static_cast<std::size_t>(id);
    if (!mapping.external) {
      fail(ErrorCode::parse, text("attribute 'external_port_id': the layer has no ",
                                  is_input ? "input" : "output", " port ", id));
    }
  } else if (mapping.purpose == Purpose::none) {
    fail(ErrorCode::parse, "attribute 'external_port_id' is -1, and there is no 'purpose'");
  }

  mapping.internal_layer =
      in_context([] { return "attribute 'internal_layer_id'"; },
                 [&] { return labels.layer(count_attribute(entry, "internal_layer_id")); });
  const std::optional<std::int64_t> port = find_count_attribute(entry, "internal_port_id");
  const Layer& inner = body.network.layers[mapping.internal_layer];
  if (legacy_ && port) {
    mapping.internal_port = is_input ? labels.input(mapping.internal_layer, *port)
                                     : labels.output(mapping.internal_layer, *port);
  } else {
    expect_type(inner, is_input ? "Parameter" : "Result");
  }

  mapping.axis = find_integer_attribute(entry, "axis");
  if (legacy_ && mapping.axis == -1) mapping.axis.reset();  // as those files say: not sliced
  mapping.start = find_integer_attribute(entry, "start").value_or(mapping.start);
  mapping.end = find_integer_attribute(entry, "end").value_or(mapping.end);
  mapping.stride = find_integer_attribute(entry, "stride").value_or(mapping.stride);
  mapping.part_size = find_integer_attribute(entry, "part_size");
  return mapping;
}

BackEdge Reader::back_edge(pugi::xml_node entry, const Body& body,
                           const NetworkLabels& labels) const {
  check_attributes(entry, {"from-layer", "from-port", "to-layer", "to-port"});
  BackEdge edge;
  in_context([] { return "attribute 'from-layer'"; },
             [&] { edge.from_layer = labels.layer(count_attribute(entry, "from-layer")); });
  in_context([] { return "attribute 'to-layer'"; },
             [&] { edge.to_layer = labels.layer(count_attribute(entry, "to-layer")); });
  const std::optional<std::int64_t> from_port = find_count_attribute(entry, "from-port");
  const std::optional<std::int64_t> to_port = find_count_attribute(entry, "to-port");
  if (legacy_ && from_port) {
    edge.from_port = labels.output(edge.from_layer, *from_port);
  } else {
    expect_type(body.network.layers[edge.from_layer], "Result");
  }
  if (legacy_ && to_port) {
    edge.to_port = labels.input(edge.to_layer, *to_port);
  } else {
    expect_type(body.network.layers[edge.to_layer], "Parameter");
  }
  return edge;
}

}  // namespace ir
}  // namespace v0
}  // namespace weft
