// SPDX-License-Identifier: Apache-2.0
#include "ir/lower_network.hpp"

#include <weft/base/error.hpp>
#include <weft/recurrent/loop.hpp>
#include <weft/recurrent/sequence.hpp>

#include "base/text.hpp"
#include "ir/context.hpp"
#include "ir/operator_forms.hpp"
#include "ir/text_values.hpp"
#include "ir/wiring.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace weft {
inline namespace v0 {
namespace ir {
namespace {

bool is(const Layer& layer, std::string_view type) { return equal_ignoring_case(layer.type, type); }

class Lowering {
 public:
  Lowering(const Network& network, Constants& constants)
      : network_(network),
        constants_(constants),
        wiring_(wire(network)),
        outputs_(network.layers.size()) {
    lowered_.parameter_of.assign(network.layers.size(), LoweredNetwork::none);
    lowered_.result_of.assign(network.layers.size(), LoweredNetwork::none);
  }

  LoweredNetwork run() {
    for (std::size_t i = 0; i < network_.layers.size(); ++i)
      if (is(network_.layers[i], "Parameter")) parameter(i);
    for (const std::size_t i : wiring_.order) {
      const Layer& layer = network_.layers[i];
      if (!is(layer, "Parameter") && !is(layer, "Result")) operation(i);
    }
    for (std::size_t i = 0; i < network_.layers.size(); ++i)
      if (is(network_.layers[i], "Result")) result(i);
    return std::move(lowered_);
  }

 private:
  graph::Node node_of(const Layer& layer) const {
    graph::Node node;
    node.name = layer.name;
    node.layer_id = std::to_string(layer.id);
    return node;
  }

  void parameter(std::size_t at) {
    const Layer& layer = network_.layers[at];
    graph::Node node = node_of(layer);
    node.kind = graph::NodeKind::parameter;
    node.type = declared_type(layer);
    lowered_.parameter_of[at] = static_cast<int>(lowered_.graph.parameters().size());
    outputs_[at] = {{lowered_.graph.add_node(std::move(node)), 0}};
  }

  void result(std::size_t at) {
    const Layer& layer = network_.layers[at];
    const std::vector<graph::Value> values = inputs(at);
    if (values.size() != 1) {
      fail(ErrorCode::parse,
           text(layer.describe(), ": expected one input port, got ", values.size()));
    }
    lowered_.result_of[at] =
        lowered_.graph.add_result(values[0], layer.name, std::to_string(layer.id));
  }

  void operation(std::size_t at) {
    const Layer& layer = network_.layers[at];
    const bool is_sink = is(layer, "Assign");  // run for its effect, with or without an output
    if (layer.outputs.empty() && !is_sink)
      fail(ErrorCode::parse, text(layer.describe(), ": has no output port"));
    if (is(layer, "Const") || is(layer, "Constant")) {
      graph::Node node = node_of(layer);
      node.kind = graph::NodeKind::constant;
      node.constant = constants_.value(layer);
      outputs_[at] = {{lowered_.graph.add_node(std::move(node)), 0}};
      return;
    }
    graph::Node node;
    const bool has_bodies = is(layer, "TensorIterator") || is(layer, "Loop") || is(layer, "If");
    if (has_bodies) {
      node = is(layer, "If") ? lower_if(layer, inputs(at), constants_)
                             : lower_loop(layer, inputs(at), constants_);
    } else {
      if (!layer.bodies.empty())
        fail(ErrorCode::parse, text(layer.describe(), ": expected no body in such a layer"));
      node = node_of(layer);
      node.op = layer.type;
      node.opset = opset_of(layer);
      for (const Attribute& attribute : layer.data)
        node.attributes.set(attribute.name, attribute.value);
      node.inputs = inputs(at);
      node.noutputs = std::max(1, static_cast<int>(layer.outputs.size()));
      in_context([&] { return layer.describe(); },
                 [&] { rewrite_older_form(layer, node, lowered_.graph); });
      if (recurrent::is_sequence(node)) node = recurrent::sequence_node(std::move(node));
    }
    node.name = layer.name;
    node.layer_id = std::to_string(layer.id);
    const int index =
        has_bodies
            ? in_context([&] { return layer.describe(); },
                         [&] { return recurrent::add_node(lowered_.graph, std::move(node)); })
            : lowered_.graph.add_node(std::move(node));
    if (is_sink) lowered_.graph.add_sink(index);
    for (std::size_t port = 0; port < layer.outputs.size(); ++port)
      outputs_[at].push_back({index, static_cast<int>(port)});
  }

  std::vector<graph::Value> inputs(std::size_t at) const {
    const Layer& layer = network_.layers[at];
    std::vector<graph::Value> values;
    for (std::size_t port = 0; port < layer.inputs.size(); ++port) {
      const std::optional<PortPlace>& source = wiring_.sources[at][port];
      if (!source) {
        fail(ErrorCode::parse, text(layer.describe(), ": input port ", layer.inputs[port].id,
                                    ": no edge leads to it"));
      }
      if (source->port >= outputs_[source->layer].size()) {
        const Layer& from = network_.layers[source->layer];
        fail(ErrorCode::parse,
             text(from.describe(), ": output port ", from.outputs[source->port].id,
                  ": such a layer does not have it"));
      }
      values.push_back(outputs_[source->layer][source->port]);
    }
    return values;
  }

  const Network& network_;
  Constants& constants_;
  Wiring wiring_;
  std::vector<std::vector<graph::Value>> outputs_;  // by layer and port
  LoweredNetwork lowered_;
};

}  // namespace

int opset_of(const Layer& layer) {
  constexpr int newest = 16;  // what a later one means by a name is not known
  if (layer.version.empty()) return 0;
  // What had no operation set of its own when it came, and has been in the sixth since.
  if (layer.version == "experimental" || layer.version == "extension") return 6;
  constexpr std::string_view prefix = "opset";
  const std::string_view version = layer.version;
  if (version.starts_with(prefix)) {
    const std::optional<std::int64_t> number = parse_count(version.substr(prefix.size()));
    if (number && *number >= 1 && *number <= newest) return static_cast<int>(*number);
  }
  fail(ErrorCode::parse, text(layer.describe(),
                              ": attribute 'version': expected an operation set, "
                              "opset1 to opset",
                              newest, ", got ", in_quotes(layer.version)));
}

LoweredNetwork lower_network(const Network& network, Constants& constants) {
  return Lowering(network, constants).run();
}

}  // namespace ir
}  // namespace v0
}  // namespace weft
