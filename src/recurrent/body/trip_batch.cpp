// SPDX-License-Identifier: Apache-2.0
#include "recurrent/body/trip_batch.hpp"

#include <weft/graph/operator.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace weft {
inline namespace v0 {
namespace recurrent {

using graph::Node;
using graph::NodeKind;
using graph::PartialShape;
using graph::Value;
using graph::ValueType;

namespace {

/// Elements above which a value is left to its trip: what a trip costs besides no longer matters,
/// and the memory of a block does.
constexpr std::int64_t max_elementwise = 4096;

bool is_product(const Node& node) { return node.op == "MatMul" || node.op == "FullyConnected"; }

bool is_elementwise(const TypedGraph& graph, const Node& node,
                    const graph::OperatorRegistry& operators) {
  std::vector<ScalarType> types;
  for (const Value input : node.inputs) {
    if (!input) return false;
    types.push_back(graph.type(input).dtype);
  }
  graph::ElementwiseBuilder builder(node, types);
  return node.noutputs == 1 && operators.at(node)->elementwise(builder);
}

/// Matrices times matrices, where the axes of trips and of batches line up.
bool can_batch_product(const TypedGraph& graph, const Node& node,
                       const std::vector<bool>& batched) {
  if (node.inputs.size() != 2) return false;
  const int a = graph.type(node.inputs[0]).shape.rank();
  const int b = graph.type(node.inputs[1]).shape.rank();
  if (batched[0] && batched[1]) return a == b && a >= 2;
  if (batched[0]) {
    if (a == 1) return b == 2 && !node.attributes.flag("transpose_a", false);
    return a >= 2 && b >= 2 && b <= a;
  }
  return a >= 2 && b >= 2 && a <= b;
}

}  // namespace

bool shows_another_shape(const Node& node) {
  static constexpr std::array<std::string_view, 4> names = {"Identity", "Reshape", "Squeeze",
                                                            "Unsqueeze"};
  return std::ranges::find(names, node.op) != names.end();
}

bool can_batch(const TypedGraph& graph, int id, const std::vector<bool>& batched,
               const graph::OperatorRegistry& operators) {
  const Node& node = graph.graph().node(id);
  if (node.noutputs != 1 || !node.bodies.empty()) return false;
  const auto known = [&](Value value) {
    const ValueType& type = graph.type(value);
    return type.shape.is_static() && numel(type.shape.shape()) > 0;
  };
  if (!known({id, 0})) return false;
  for (const Value input : node.inputs) {
    if (!input || !known(input)) return false;
  }
  if (shows_another_shape(node)) return batched[0];
  if (node.op == "MatMul") return can_batch_product(graph, node, batched);
  if (node.op == "FullyConnected") {
    return batched[0] && std::count(batched.begin(), batched.end(), true) == 1 &&
           graph.type(node.inputs[0]).shape.extent(-1) ==
               graph.type(node.inputs[1]).shape.extent(1);
  }
  // What is the same in every trip is broadcast to all trips; pdpd counts axes from the first.
  const std::string rule = node.attributes.text("auto_broadcast", "numpy");
  const bool all_batched = std::count(batched.begin(), batched.end(), false) == 0;
  if (rule == "pdpd" || (rule == "none" && !all_batched)) return false;
  return is_elementwise(graph, node, operators);
}

bool is_worth_batching(const TypedGraph& graph, int id, const graph::OperatorRegistry& operators) {
  const Node& node = graph.graph().node(id);
  if (shows_another_shape(node)) return false;
  if (is_product(node)) return true;
  return is_elementwise(graph, node, operators) &&
         numel(graph.type({id, 0}).shape.shape()) <= max_elementwise;
}

const BatchedGraph::Given* BatchedGraph::find(Value value) const {
  const auto found = std::ranges::find(given_, value, &Given::value);
  return found == given_.end() ? nullptr : &*found;
}

bool BatchedGraph::is_batched(Value value) const {
  if (const Given* given = find(value)) return given->batched;
  return copies_[static_cast<std::size_t>(value.node)].batched;
}

Value BatchedGraph::copy_of(Value value) const {
  if (const Given* given = find(value)) return given->parameter;
  return {copies_[static_cast<std::size_t>(value.node)].node, value.output};
}

Value BatchedGraph::reshaped(Value value, const DimVector& element_shape) {
  Tensor target =
      Tensor::empty({static_cast<std::int64_t>(element_shape.size()) + 1}, ScalarType::i64);
  auto* to = static_cast<std::int64_t*>(target.data());
  *to = -1;  // the trips
  std::copy(element_shape.begin(), element_shape.end(), to + 1);
  return made_.add("Reshape", {value, made_.add_constant(std::move(target))});
}

void BatchedGraph::translate(int id) {
  const Node& node = from_.graph().node(id);
  Copy& copy = copies_[static_cast<std::size_t>(id)];
  if (node.kind == NodeKind::constant) {
    copy.node = made_.add_constant(node.constant, node.name).node;
    return;
  }
  Node made = node;
  for (Value& input : made.inputs) {
    if (!input) continue;
    copy.batched = copy.batched || is_batched(input);
    input = copy_of(input);
  }
  if (!copy.batched) {
    copy.node = made_.add_node(std::move(made));
    return;
  }
  const auto extents_of = [&](Value value) { return from_.type(value).shape.shape(); };
  if (shows_another_shape(node)) {
    const IntSpan shape = extents_of({id, 0});
    copy.node = reshaped(made.inputs[0], DimVector(shape.begin(), shape.end())).node;
    return;
  }
  if (!is_product(node)) {
    // Shapes are aligned at the last axis: axes that an operand lacks go between trips and
    // elements.
    const std::size_t rank = extents_of({id, 0}).size();
    for (std::size_t i = 0; i < made.inputs.size(); ++i) {
      const Value input = node.inputs[i];
      const IntSpan shape = extents_of(input);
      if (!is_batched(input) || shape.size() == rank) continue;
      DimVector padded(rank - shape.size(), 1);
      for (const std::int64_t extent : shape)
        padded.push_back(extent);
      made.inputs[i] = reshaped(made.inputs[i], padded);
    }
  }
  copy.node = made_.add_node(std::move(made));
}

/// Slices that are only shown in another shape come as parameters of that shape: they lie densely.
void BatchedGraph::add_reshaped_slices() {
  for (const int id : from_.order()) {
    const Node& node = from_.graph().node(id);
    if (node.kind != NodeKind::operation || !shows_another_shape(node) || !node.inputs[0]) continue;
    const Given* given = find(node.inputs[0]);
    if (given == nullptr || !given->batched || given->source.kind != Source::Kind::iterator)
      continue;
    if (from_.type({id, 0}).shape.is_static() && find({id, 0}) == nullptr)
      add_batched({id, 0}, Source(given->source));
  }
}

Stage BatchedGraph::finish(const std::vector<Value>& outputs) {
  add_reshaped_slices();
  // Only parameters that are read.
  std::vector<bool> read(given_.size(), false);
  std::vector<bool> needed(copies_.size(), false);
  std::vector<int> open;
  const auto need = [&](Value value) {
    if (!value) return;
    if (const Given* given = find(value)) {
      read[static_cast<std::size_t>(given - given_.data())] = true;
    } else if (!needed[static_cast<std::size_t>(value.node)]) {
      needed[static_cast<std::size_t>(value.node)] = true;
      open.push_back(value.node);
    }
  };
  std::ranges::for_each(outputs, need);
  while (!open.empty()) {
    const Node& node = from_.graph().node(open.back());
    open.pop_back();
    std::ranges::for_each(node.inputs, need);
  }
  Stage stage;
  for (std::size_t i = 0; i < given_.size(); ++i) {
    if (!read[i]) continue;
    Given& given = given_[i];
    ValueType type = from_.type(given.value);
    if (given.batched) {
      DimVector shape(1, PartialShape::unknown);
      for (const std::int64_t extent : type.shape.shape())
        shape.push_back(extent);
      type.shape = PartialShape(shape);
    }
    given.parameter = made_.add_parameter(type, from_.graph().node(given.value.node).name);
    stage.parameters.push_back(given.source);
  }
  for (const int id : from_.order()) {
    if (needed[static_cast<std::size_t>(id)]) translate(id);
  }
  for (const Value output : outputs)
    made_.add_result(copy_of(output));
  stage.program.emplace(made_, graph::CompileOptions{.operators = &operators_});
  return stage;
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
