// SPDX-License-Identifier: Apache-2.0
#include "ir/modernise.hpp"

#include <weft/base/error.hpp>

#include "base/text.hpp"
#include "ir/context.hpp"
#include "ir/text_values.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace weft {
inline namespace v0 {
namespace ir {
namespace {

/// Gates of a cell: its weights have that many times hidden_size rows.
std::int64_t gates_of(const Layer& layer) {
  if (equal_ignoring_case(layer.type, "LSTMCell")) return 4;
  if (equal_ignoring_case(layer.type, "GRUCell")) return 3;
  return equal_ignoring_case(layer.type, "RNNCell") ? 1 : 0;
}

/// The shape of a blob of that many elements, of which a file before version 10 tells the bytes
/// only.
DimVector blob_shape(const Layer& layer, const Blob& blob, std::int64_t count) {
  std::int64_t rows = 0;
  if (blob.name == "weights" && gates_of(layer) != 0) {
    if (__builtin_mul_overflow(gates_of(layer), layer.integer("hidden_size"), &rows)) rows = 0;
  } else if (blob.name == "weights" && equal_ignoring_case(layer.type, "FullyConnected")) {
    rows = layer.integer("out-size");
  } else {
    return {count};
  }
  if (rows <= 0 || count % rows != 0) {
    fail(ErrorCode::parse, text(layer.describe(), ": blob 'weights': expected a multiple of ", rows,
                                " elements, got ", count));
  }
  return {rows, count / rows};
}

/// One network on its way. Positions stay what they are: layers and ports are only added at the
/// end. What is added has the id of the layer that it is added for, for messages.
class Modernizer {
 public:
  explicit Modernizer(Network& network) : network_(network) {}

  void layers() {
    const std::size_t count = network_.layers.size();
    for (std::size_t i = 0; i < count; ++i) {
      Layer& layer = network_.layers[i];
      if (equal_ignoring_case(layer.type, "Input")) layer.type = "Parameter";
      for (Port& port : layer.outputs)
        if (port.precision.empty()) port.precision = layer.precision;
      for (Body& body : layer.bodies) {
        in_context([&] { return text(layer.describe(), ", body"); },
                   [&] { Modernizer(body.network).body(body); });
      }
    }
    for (std::size_t i = 0; i < count; ++i)
      blobs(i);
  }

  /// Results for the outputs that no edge reads.
  void results() {
    std::vector<PortPlace> read;
    for (const Edge& edge : network_.edges)
      read.push_back(edge.from);
    const auto key = [](const PortPlace& p) { return std::pair(p.layer, p.port); };
    std::ranges::sort(read, {}, key);
    const std::size_t count = network_.layers.size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t ports = network_.layers[i].outputs.size();
      for (std::size_t port = 0; port < ports; ++port) {
        if (std::ranges::binary_search(read, key({i, port}), {}, key)) continue;
        const Layer& layer = network_.layers[i];
        if (is_constant(layer) || equal_ignoring_case(layer.type, "Parameter")) continue;
        add_result({i, port}, ports == 1 ? layer.name : text(layer.name, '.', port));
      }
    }
  }

 private:
  static bool is_constant(const Layer& layer) { return equal_ignoring_case(layer.type, "Const"); }

  /// Parameters and Results where the port map and back edges of a body lead to ports.
  void body(Body& body) {
    layers();
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> parameters;
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> results;
    for (PortMapping& input : body.inputs) {
      if (!input.internal_port) continue;
      const PortPlace to{input.internal_layer, *input.internal_port};
      input.internal_layer = parameters[{to.layer, to.port}] = add_parameter(to);
      input.internal_port.reset();
    }
    const auto result_of = [&](PortPlace from) {
      const auto [place, is_new] = results.try_emplace({from.layer, from.port}, 0);
      if (is_new) place->second = add_result(from, network_.layers[from.layer].name);
      return place->second;
    };
    for (PortMapping& output : body.outputs) {
      if (!output.internal_port) continue;
      output.internal_layer = result_of({output.internal_layer, *output.internal_port});
      output.internal_port.reset();
    }
    for (BackEdge& edge : body.back_edges) {
      if (edge.from_port) edge.from_layer = result_of({edge.from_layer, *edge.from_port});
      if (edge.to_port) {
        const auto parameter = parameters.find({edge.to_layer, *edge.to_port});
        if (parameter == parameters.end()) {
          const Layer& to = network_.layers[edge.to_layer];
          fail(ErrorCode::parse,
               text("back_edges: ", to.describe(), ": input port ", to.inputs[*edge.to_port].id,
                    ": no entry of the port map gives its first value"));
        }
        edge.to_layer = parameter->second;
      }
      edge.from_port.reset();
      edge.to_port.reset();
    }
  }

  void blobs(std::size_t at) {
    const std::vector<Blob> blobs = std::exchange(network_.layers[at].blobs, {});
    for (const Blob& blob : blobs) {
      Layer& layer = network_.layers[at];
      if (is_constant(layer)) {
        layer.data.push_back({"offset", std::to_string(blob.offset)});
        layer.data.push_back({"size", std::to_string(blob.size)});
        continue;
      }
      const std::string precision = blob.precision.empty() ? layer.precision : blob.precision;
      const std::optional<ScalarType> type = find_element_type(precision);
      if (!type) {
        fail(ErrorCode::dtype, text(layer.describe(), ": blob ", in_quotes(blob.name),
                                    ": element type ", in_quotes(precision), " is not supported"));
      }
      Layer constant;
      constant.id = layer.id;
      constant.name = text(layer.name, '/', blob.name);
      constant.type = "Const";
      constant.data = {{"offset", std::to_string(blob.offset)},
                       {"size", std::to_string(blob.size)}};
      Port out;
      out.precision = precision;
      out.dims = blob_shape(layer, blob, blob.size / element_size(*type));
      constant.outputs.push_back(std::move(out));
      Port in;
      in.id = static_cast<std::int64_t>(layer.inputs.size());
      in.dims = constant.outputs[0].dims;
      layer.inputs.push_back(std::move(in));
      network_.edges.push_back({{network_.layers.size(), 0}, {at, layer.inputs.size() - 1}});
      network_.layers.push_back(std::move(constant));
    }
  }

  /// A Parameter that feeds an input.
  std::size_t add_parameter(PortPlace to) {
    const Layer& reader = network_.layers[to.layer];
    Layer parameter;
    parameter.id = reader.id;
    parameter.name = text(reader.name, "/input ", reader.inputs[to.port].id);
    parameter.type = "Parameter";
    Port port = reader.inputs[to.port];
    if (port.precision.empty()) port.precision = reader.precision;
    parameter.outputs.push_back(std::move(port));
    network_.edges.push_back({{network_.layers.size(), 0}, to});
    network_.layers.push_back(std::move(parameter));
    return network_.layers.size() - 1;
  }

  /// A Result of an output.
  std::size_t add_result(PortPlace from, std::string name) {
    const Layer& writer = network_.layers[from.layer];
    Layer result;
    result.id = writer.id;
    result.name = std::move(name);
    result.type = "Result";
    result.inputs.push_back(writer.outputs[from.port]);
    network_.edges.push_back({from, {network_.layers.size(), 0}});
    network_.layers.push_back(std::move(result));
    return network_.layers.size() - 1;
  }

  Network& network_;
};

}  // namespace

Document modernise(Document document) {
  if (!document.is_legacy()) return document;
  Modernizer modernizer(document.network);
  modernizer.layers();
  modernizer.results();
  return document;
}

}  // namespace ir
}  // namespace v0
}  // namespace weft
