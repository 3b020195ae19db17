// SPDX-License-Identifier: Apache-2.0
#include "ir/bare_layer.hpp"

#include "ir/text_values.hpp"

#include <string>
#include <utility>

namespace weft {
inline namespace v0 {
namespace ir {
namespace {

/// The precision of what the bodies map an input to, if they do and tell it.
std::string mapped_precision(const Layer& layer, std::size_t input) {
  for (const Body& body : layer.bodies) {
    for (const PortMapping& entry : body.inputs) {
      if (entry.external != input) continue;
      const Layer& parameter = body.network.layers[entry.internal_layer];
      if (parameter.has("element_type")) return parameter.string("element_type");
      if (!parameter.outputs.empty() && !parameter.outputs[0].precision.empty())
        return parameter.outputs[0].precision;
    }
  }
  if (equal_ignoring_case(layer.type, "Loop") && input < 2) return input == 0 ? "i64" : "boolean";
  return "f32";
}

Layer end(std::int64_t port_id, const char* type) {
  Layer layer;
  layer.id = port_id;
  layer.name = std::to_string(port_id);
  layer.type = type;
  return layer;
}

}  // namespace

Network with_ends(Layer layer) {
  Network network;
  const std::size_t at = layer.inputs.size();
  for (std::size_t i = 0; i < at; ++i) {
    Layer parameter = end(layer.inputs[i].id, "Parameter");
    parameter.outputs.push_back(layer.inputs[i]);
    std::string& precision = parameter.outputs[0].precision;
    if (precision.empty()) precision = mapped_precision(layer, i);
    network.layers.push_back(std::move(parameter));
    network.edges.push_back({{i, 0}, {at, i}});
  }
  for (std::size_t i = 0; i < layer.outputs.size(); ++i)
    network.edges.push_back({{at, i}, {at + 1 + i, 0}});
  network.layers.push_back(std::move(layer));
  for (std::size_t i = 0; i < network.layers[at].outputs.size(); ++i) {
    Layer result = end(network.layers[at].outputs[i].id, "Result");
    result.inputs.push_back(network.layers[at].outputs[i]);
    network.layers.push_back(std::move(result));
  }
  return network;
}

}  // namespace ir
}  // namespace v0
}  // namespace weft
