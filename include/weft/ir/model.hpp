// SPDX-License-Identifier: Apache-2.0
/// @file
/// Models of OpenVINO IR as graphs that can be run.
///
///     const ir::Model model = ir::load_model("lstm.xml");        // and lstm.bin beside it
///     const std::vector<TensorView> inputs = {x, h, c};          // in the order of model.inputs
///     const std::vector<Tensor> outputs = model.program.run(inputs);
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/tensor.hpp>
#include <weft/graph/executable.hpp>
#include <weft/graph/graph.hpp>
#include <weft/ir/document.hpp>
#include <weft/ir/limits.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {
inline namespace v0 {
namespace ir {

/// What a model takes or gives.
struct ModelPort {
  std::string name;       ///< of the Parameter or Result; of a bare layer the id of its port
  std::string id;         ///< of the same layer, or of the port
  graph::ValueType type;  ///< of inputs as declared, of outputs as far as it is inferred
};

/// A model, compiled.
struct Model {
  std::string file;  ///< as messages name it
  std::string name;
  graph::Graph graph;         ///< loops in it tell what they did: recurrent::loop_report(node)
  graph::Executable program;  ///< the graph, compiled with the operators of recurrent::operators()
  std::vector<ModelPort> inputs;   ///< one per parameter
  std::vector<ModelPort> outputs;  ///< one per result
};

/// The number of the port of that name, or of that id where no port has the name; -1 if there is
/// none.
WEFT_API int find_port(const std::vector<ModelPort>& ports, std::string_view name) noexcept;

/// The graph that a document describes. Parameters and results are in the file's order. A bare
/// layer becomes a model whose inputs and outputs are its ports; an element type that such a port
/// does not tell is that of the Parameter it is mapped to, else f32.
///
/// Constants are views of `weights`, which they share, where that is possible: elements that are
/// not aligned to their size are copied, and so are bools that are neither 0 nor 1.
///
/// @param weights  u8 [bytes]: the .bin; undefined if there is none
/// Throws Error: parse, limit, and bounds (a constant that is not wholly inside the weights), dtype
/// (an element type that weft does not have), invalid_argument (an operation that is not known,
/// with its name, layer and operation set), and what operators throw for shapes and types that do
/// not fit. All name the file and the layer.
WEFT_API Model build_model(const Document& document, const Tensor& weights = {},
                           const Limits& limits = {});

/// Reads a model from files. Without `weights_path`, the file beside `xml_path` whose name ends in
/// .bin instead of .xml is read, if the model has constants. No other file is opened, whatever the
/// model says. Throws as read_document() and build_model(), and Error(io).
WEFT_API Model load_model(const std::string& xml_path,
                          const std::optional<std::string>& weights_path = {},
                          const Limits& limits = {});

}  // namespace ir
}  // namespace v0
}  // namespace weft
