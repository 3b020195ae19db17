// SPDX-License-Identifier: Apache-2.0
// TensorIterator, Loop and If: port maps in the terms of the layer recurrent.
#include <weft/base/error.hpp>
#include <weft/recurrent/choice.hpp>
#include <weft/recurrent/loop.hpp>
#include <weft/recurrent/port_map.hpp>

#include "base/text.hpp"
#include "ir/context.hpp"
#include "ir/lower_network.hpp"
#include "ir/text_values.hpp"

#include <utility>

namespace weft {
inline namespace v0 {
namespace ir {
namespace {

const Body& body_of(const Layer& layer, Body::Role role, const char* name) {
  for (const Body& body : layer.bodies)
    if (body.role == role) return body;
  fail(ErrorCode::parse, text("element <", name, "> is missing"));
}

recurrent::PortRange range_of(const PortMapping& entry) {
  return {
      .start = entry.start, .end = entry.end, .stride = entry.stride, .part_size = entry.part_size};
}

/// The extent of an output along the axis of a port map entry, if the file tells it.
std::optional<std::int64_t> extent_of(const Port& port, std::int64_t axis) {
  const auto rank = static_cast<std::int64_t>(port.dims.size());
  if (axis < -rank || axis >= rank) return std::nullopt;
  const std::int64_t extent = port.dims[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)];
  return extent == open_extent ? std::nullopt : std::optional(extent);
}

/// Only a Loop has a current iteration and a condition.
void check_purpose(const recurrent::PortMap& map, const PortMapping& entry, bool is_twice) {
  if (entry.purpose == Purpose::none) return;
  if (map.kind != recurrent::PortMap::Kind::loop)
    fail(ErrorCode::parse, "port_map: attribute 'purpose' in a TensorIterator");
  if (is_twice) fail(ErrorCode::parse, "port_map: two entries have the same 'purpose'");
}

/// The branches of an If take and give whole tensors.
void check_plain(const PortMapping& entry) {
  if (!entry.external || entry.purpose != Purpose::none || entry.axis)
    fail(ErrorCode::parse, "port_map: an entry of If has neither 'purpose' nor 'axis'");
}

recurrent::PortMap port_map_of(const Layer& layer, const Body& body,
                               const LoweredNetwork& lowered) {
  recurrent::PortMap map;
  map.kind = equal_ignoring_case(layer.type, "Loop") ? recurrent::PortMap::Kind::loop
                                                     : recurrent::PortMap::Kind::tensor_iterator;
  map.name = layer.name;
  for (const PortMapping& entry : body.inputs) {
    const int parameter = lowered.parameter_of[entry.internal_layer];
    check_purpose(map, entry, map.current_iteration.has_value());
    if (entry.purpose == Purpose::current_iteration) map.current_iteration = parameter;
    if (!entry.external) continue;
    map.inputs.push_back({.input = static_cast<int>(*entry.external),
                          .parameter = parameter,
                          .axis = entry.axis,
                          .range = range_of(entry)});
  }
  for (const PortMapping& entry : body.outputs) {
    const int result = lowered.result_of[entry.internal_layer];
    check_purpose(map, entry, map.condition.has_value());
    if (entry.purpose == Purpose::execution_condition) map.condition = result;
    if (!entry.external) continue;
    map.outputs.push_back({.output = static_cast<int>(*entry.external),
                           .result = result,
                           .axis = entry.axis,
                           .range = range_of(entry),
                           .extent = entry.axis
                                         ? extent_of(layer.outputs[*entry.external], *entry.axis)
                                         : std::nullopt});
  }
  for (const BackEdge& edge : body.back_edges) {
    map.back_edges.push_back({.result = lowered.result_of[edge.from_layer],
                              .parameter = lowered.parameter_of[edge.to_layer]});
  }
  return map;
}

/// A branch of an If, all of whose Parameters have to be mapped.
recurrent::Branch branch_of(const Layer& layer, Body::Role role, const char* name,
                            Constants& constants) {
  const Body& body = body_of(layer, role, name);
  return in_context(
      [&] { return name; },
      [&] {
        LoweredNetwork lowered = lower_network(body.network, constants);
        recurrent::Branch branch;
        branch.inputs.assign(lowered.graph.parameters().size(), LoweredNetwork::none);
        branch.results.assign(layer.outputs.size(), LoweredNetwork::none);
        for (const PortMapping& entry : body.inputs) {
          const int parameter = lowered.parameter_of[entry.internal_layer];
          check_plain(entry);
          branch.inputs[static_cast<std::size_t>(parameter)] = static_cast<int>(*entry.external);
        }
        for (const PortMapping& entry : body.outputs) {
          check_plain(entry);
          branch.results[*entry.external] = lowered.result_of[entry.internal_layer];
        }
        for (std::size_t i = 0; i < body.network.layers.size(); ++i) {
          const int parameter = lowered.parameter_of[i];
          if (parameter != LoweredNetwork::none &&
              branch.inputs[static_cast<std::size_t>(parameter)] == LoweredNetwork::none) {
            fail(ErrorCode::parse,
                 text(body.network.layers[i].describe(), ": no entry of the port map leads to it"));
          }
        }
        branch.body = std::make_shared<const graph::Graph>(std::move(lowered.graph));
        return branch;
      });
}

}  // namespace

graph::Node lower_loop(const Layer& layer, std::vector<graph::Value> inputs, Constants& constants) {
  return in_context(
      [&] { return layer.describe(); },
      [&] {
        const Body& body = body_of(layer, Body::Role::loop, "body");
        LoweredNetwork lowered = in_context([] { return "body"; },
                                            [&] { return lower_network(body.network, constants); });
        recurrent::LoopSpec spec = recurrent::to_loop(
            port_map_of(layer, body, lowered), lowered.graph, static_cast<int>(inputs.size()));
        auto graph = std::make_shared<const graph::Graph>(std::move(lowered.graph));
        return recurrent::loop_node(std::move(spec), std::move(graph), std::move(inputs));
      });
}

graph::Node lower_if(const Layer& layer, std::vector<graph::Value> inputs, Constants& constants) {
  return in_context([&] { return layer.describe(); },
                    [&] {
                      using Role = Body::Role;
                      auto yes = branch_of(layer, Role::then_branch, "then_body", constants);
                      auto no = branch_of(layer, Role::else_branch, "else_body", constants);
                      return recurrent::if_node(layer.name, std::move(yes), std::move(no),
                                                std::move(inputs));
                    });
}

}  // namespace ir
}  // namespace v0
}  // namespace weft
