// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/ir/model.hpp>
#include <weft/ir/read_document.hpp>
#include <weft/recurrent/loop.hpp>

#include "base/text.hpp"
#include "ir/bare_layer.hpp"
#include "ir/constants.hpp"
#include "ir/context.hpp"
#include "ir/lower_network.hpp"
#include "ir/modernise.hpp"
#include "ir/text_values.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace weft {
inline namespace v0 {
namespace ir {
namespace {

Network network_of(const Document& document) {
  if (document.is_bare_layer()) return with_ends(document.network.layers.at(0));
  return modernise(document).network;
}

/// Operations that there are none of are found here, so that a model with one is refused before its
/// constants are folded. Those of bodies come first: they are what a body is refused for.
void check_operators(const graph::Graph& graph, const graph::OperatorRegistry& operators) {
  for (const int i : graph.topological_order()) {
    const graph::Node& node = graph.node(i);
    for (const auto& body : node.bodies) {
      in_context([&] { return text(graph::describe(node), ", body"); },
                 [&] { check_operators(*body, operators); });
    }
    if (node.kind == graph::NodeKind::operation) operators.at(node);
  }
}

std::vector<ModelPort> inputs_of(const graph::Graph& graph) {
  std::vector<ModelPort> ports;
  for (const int i : graph.parameters()) {
    const graph::Node& node = graph.node(i);
    ports.push_back({node.name.empty() ? node.layer_id : node.name, node.layer_id, node.type});
  }
  return ports;
}

std::vector<ModelPort> outputs_of(const graph::Graph& graph, const graph::Executable& program) {
  std::vector<ModelPort> ports;
  for (const graph::Result& result : graph.results()) {
    ports.push_back({result.name.empty() ? result.layer_id : result.name, result.layer_id,
                     program.result_type(static_cast<int>(ports.size()))});
  }
  return ports;
}

/// Whether any layer reads the weights file.
bool has_constants(const Network& network) {
  return std::ranges::any_of(network.layers, [](const Layer& layer) {
    return !layer.blobs.empty() || layer.has("offset") ||
           std::ranges::any_of(layer.bodies,
                               [](const Body& body) { return has_constants(body.network); });
  });
}

}  // namespace

int find_port(const std::vector<ModelPort>& ports, std::string_view name) noexcept {
  auto found = std::ranges::find(ports, name, &ModelPort::name);
  if (found == ports.end()) found = std::ranges::find(ports, name, &ModelPort::id);
  return found == ports.end() ? -1 : static_cast<int>(found - ports.begin());
}

Model build_model(const Document& document, const Tensor& weights, const Limits& limits) {
  return in_context([&] { return document.file; },
                    [&] {
                      Constants constants(weights, limits);
                      graph::Graph graph = lower_network(network_of(document), constants).graph;
                      if (graph.results().empty())
                        fail(ErrorCode::parse, "the model has no outputs");
                      graph::OperatorRegistry operators = recurrent::operators();
                      operators.set_max_bytes(limits.max_run_bytes);
                      operators.set_max_trips(limits.max_trips);
                      check_operators(graph, operators);
                      graph::Executable program(graph,
                                                {.operators = &operators, .origin = document.file});
                      std::vector<ModelPort> inputs = inputs_of(graph);
                      std::vector<ModelPort> outputs = outputs_of(graph, program);
                      return Model{document.file,      document.name,     std::move(graph),
                                   std::move(program), std::move(inputs), std::move(outputs)};
                    });
}

Model load_model(const std::string& xml_path, const std::optional<std::string>& weights_path,
                 const Limits& limits) {
  const Document document = load_document(xml_path, limits);
  Tensor weights;
  if (weights_path) {
    weights = load_weights(*weights_path, limits);
  } else if (has_constants(document.network)) {
    weights =
        load_weights(std::filesystem::path(xml_path).replace_extension(".bin").string(), limits);
  }
  return build_model(document, weights, limits);
}

}  // namespace ir
}  // namespace v0
}  // namespace weft
