// SPDX-License-Identifier: Apache-2.0
#include "recurrent/cell_products.hpp"

#include <algorithm>
#include <vector>

namespace weft::inline v0::recurrent {

using graph::Graph;
using graph::Node;
using graph::NodeKind;
using graph::Value;

namespace {

/// Nodes that depend on one of these parameters.
std::vector<bool> depending_on(const Graph& body, const std::vector<int>& order,
                               const std::vector<int>& parameters) {
  std::vector<bool> depends(body.nodes().size(), false);
  for (const int parameter : parameters)
    depends[static_cast<std::size_t>(body.parameters()[static_cast<std::size_t>(parameter)])] =
        true;
  for (const int id : order) {
    for (const Value input : body.node(id).inputs) {
      if (input && depends[static_cast<std::size_t>(input.node)])
        depends[static_cast<std::size_t>(id)] = true;
    }
  }
  return depends;
}

class Separation {
 public:
  Separation(Graph& body, int cell) : body_(body), cell_(body.node(cell)), id_(cell) {}

  bool run() {
    is_lstm_ = cell_.op == "LSTMCell";
    const bool is_gru = cell_.op == "GRUCell";
    const std::size_t first_weight = is_lstm_ ? 3 : 2;
    if (cell_.inputs.size() < first_weight + 2) return false;
    Value w = cell_.inputs[first_weight], r = cell_.inputs[first_weight + 1];
    Value b = input(first_weight + 2);
    const Value p = is_lstm_ ? input(6) : Value();
    if (is_lstm_ && cell_.inputs.size() == 5) {
      const Tensor* fifth = constant(r);
      if (fifth == nullptr) return false;  // W and R apart, or WR and B: it cannot be told yet
      if (fifth->rank() == 1) {
        b = r;
        if (!split_legacy(w, r)) return false;
      }
    }
    const Value bias = is_gru && reset_after_product() ? first_part(b) : b;
    if (b && !bias) return false;

    std::vector<Value> product_inputs = {cell_.inputs[0], w};
    if (bias) product_inputs.push_back(bias);
    Node product;
    product.op = "FullyConnected";
    product.name = cell_.name;
    product.layer_id = cell_.layer_id;
    product.inputs = std::move(product_inputs);
    const Value sums{body_.add_node(std::move(product)), 0};

    std::vector<Value> inputs = {sums, cell_.inputs[1]};
    if (is_lstm_) inputs.push_back(cell_.inputs[2]);
    inputs.push_back(r);
    if (is_gru && reset_after_product() && b) inputs.push_back(b);
    if (p) inputs.push_back(p);
    Node step = cell_;
    step.op += "Step";
    step.opset = 0;
    step.inputs = std::move(inputs);
    body_.node(id_) = std::move(step);
    return true;
  }

 private:
  Value input(std::size_t i) const { return i < cell_.inputs.size() ? cell_.inputs[i] : Value(); }
  bool reset_after_product() const { return cell_.attributes.flag("linear_before_reset", false); }
  const Tensor* constant(Value value) const {
    const Node& node = body_.node(value.node);
    return node.kind == NodeKind::constant ? &node.constant : nullptr;
  }
  Value part(const Tensor& whole, const TensorView& view) {
    return body_.add_constant(Tensor::share(whole.owner(), view), cell_.name);
  }
  /// Rows of WR are [row of W, row of R], and there are four rows a unit.
  bool split_legacy(Value& w, Value& r) {
    const Tensor* both = constant(w);
    if (both == nullptr || both->rank() != 2) return false;
    const Tensor whole = *both;
    const std::int64_t columns = whole.extent(1), units = whole.extent(0) / 4;
    if (units > columns) return false;
    w = part(whole, whole.slice(1, 0, columns - units));
    r = part(whole, whole.slice(1, columns - units, columns));
    return true;
  }
  /// Of four blocks of biases, the first three belong to the product of X.
  Value first_part(Value b) {
    if (!b) return {};
    const Tensor* whole = constant(b);
    if (whole == nullptr || whole->rank() != 1) return {};
    const Tensor kept = *whole;
    return part(kept, kept.slice(0, 0, kept.extent(0) / 4 * 3));
  }

  Graph& body_;
  Node cell_;  // a copy: adding nodes moves them
  int id_;
  bool is_lstm_ = false;
};

}  // namespace

int separate_input_products(Graph& body, const LoopSpec& spec) {
  std::vector<int> slices, others = spec.indexes;
  for (const LoopIterator& iterator : spec.iterators)
    slices.push_back(iterator.parameter);
  for (const LoopState& state : spec.states)
    others.push_back(state.parameter);
  const std::vector<int> order = body.topological_order();
  const std::vector<bool> sliced = depending_on(body, order, slices);
  const std::vector<bool> carried = depending_on(body, order, others);
  int cut = 0;
  for (const int id : order) {
    const Node& node = body.node(id);
    const bool is_cell = node.op == "LSTMCell" || node.op == "GRUCell" || node.op == "RNNCell";
    if (node.kind != NodeKind::operation || !is_cell || node.inputs.empty()) continue;
    const auto x = static_cast<std::size_t>(node.inputs[0].node);
    if (sliced[x] && !carried[x] && Separation(body, id).run()) ++cut;
  }
  return cut;
}

}  // namespace weft::inline v0::recurrent
