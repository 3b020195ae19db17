// SPDX-License-Identifier: Apache-2.0
#include "graph/cells/expand_cell.hpp"

#include "graph/cells/cell_inputs.hpp"

#include <cctype>
#include <optional>
#include <string>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

std::optional<CellKind> cell_kind(const Node& node) {
  if (node.kind != NodeKind::operation) return std::nullopt;
  std::string op = node.op;
  for (char& c : op)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (op == "lstmcell") return CellKind::lstm;
  if (op == "grucell") return CellKind::gru;
  if (op == "rnncell") return CellKind::rnn;
  return std::nullopt;
}

/// The constant that an input is, if it is one.
const Tensor* constant_at(const Graph& graph, const Node& node, int input) {
  if (input < 0 || static_cast<std::size_t>(input) >= node.inputs.size()) return nullptr;
  const Value value = node.inputs[static_cast<std::size_t>(input)];
  if (!value || graph.node(value.node).kind != NodeKind::constant) return nullptr;
  return &graph.node(value.node).constant;
}

/// W and R of one constant matrix whose rows are [row of W, row of R].
bool split_weights(Graph& graph, const Tensor* both, Value& w, Value& r) {
  if (both == nullptr || both->rank() != 2 || both->extent(0) % 4 != 0) return false;
  const std::int64_t units = both->extent(0) / 4;
  const std::int64_t columns = both->extent(1);
  if (columns < units) return false;
  const Tensor all = *both;  // the list of nodes moves
  w = graph.add_constant(Tensor::share(all.owner(), all.slice(1, 0, columns - units)));
  r = graph.add_constant(Tensor::share(all.owner(), all.slice(1, columns - units, columns)));
  return true;
}

}  // namespace

bool expand_cell(Graph& graph, int index) {
  const std::optional<CellKind> found = cell_kind(graph.node(index));
  if (!found) return false;
  const CellKind kind = *found;
  const Node cell = graph.node(index);
  const int count = static_cast<int>(cell.inputs.size());
  const Tensor* fifth = constant_at(graph, cell, 4);
  // Five inputs may be either form; without constants there is no telling which.
  if (kind == CellKind::lstm && count == 5 && fifth == nullptr) return false;
  const CellInputs at = CellInputs::of_cell(
      kind, count, fifth == nullptr ? PartialShape::unranked() : PartialShape(fifth->shape()));
  if (count <= at.r) return false;
  const auto input = [&](int i) {
    return i >= 0 && i < count ? cell.inputs[static_cast<std::size_t>(i)] : Value();
  };
  Value w = input(at.w), r = input(at.r), b = input(at.b);
  if (at.is_legacy && !split_weights(graph, constant_at(graph, cell, at.w), w, r)) return false;
  // The fourth block of such a bias belongs to the product with the state.
  Value step_bias;
  if (kind == CellKind::gru && b && cell.attributes.flag("linear_before_reset", false)) {
    const Tensor* bias = constant_at(graph, cell, at.b);
    if (bias == nullptr || bias->rank() != 1 || bias->extent(0) % 4 != 0) return false;
    step_bias = b;
    b = graph.add_constant(
        Tensor::share(bias->owner(), bias->slice(0, 0, bias->extent(0) / 4 * 3)));
  }
  Node product;
  product.op = "FullyConnected";
  product.name = cell.name;
  product.layer_id = cell.layer_id;
  product.inputs = {input(at.x), w};
  if (b) product.inputs.push_back(b);
  const Value sums{graph.add_node(std::move(product)), 0};

  Node& step = graph.node(index);
  step.op = kind == CellKind::lstm  ? "LSTMCellStep"
            : kind == CellKind::gru ? "GRUCellStep"
                                    : "RNNCellStep";
  step.opset = 0;
  step.inputs = {sums, input(at.h)};
  if (kind == CellKind::lstm) step.inputs.push_back(input(at.c));
  step.inputs.push_back(r);
  if (step_bias) step.inputs.push_back(step_bias);
  if (const Value p = input(at.p)) step.inputs.push_back(p);
  return true;
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
