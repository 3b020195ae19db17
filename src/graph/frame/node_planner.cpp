// SPDX-License-Identifier: Apache-2.0
#include "graph/frame/node_planner.hpp"

#include "graph/chain/reduced_chain_kernel.hpp"
#include "graph/operators/reducing_operator.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

/// Nodes that depend on shapes only are computed while planning, up to this many elements.
constexpr std::int64_t max_folded = 4096;

bool is_small(std::span<const ValueType> outputs) {
  std::int64_t elements = 0;
  for (const ValueType& output : outputs) {
    if (!output.shape.is_static()) return false;
    elements += numel(output.shape.shape());
  }
  return elements <= max_folded;
}

}  // namespace

NodePlanner::Outcome NodePlanner::plan(int index) {
  const ProgramNode& node = program_.nodes[static_cast<std::size_t>(index)];
  const NodeInference now = infer_now(node, program_, values_, writer_.index());
  if (!assume_values(node, now)) return Outcome::waits;
  return naming(node.node, [&] { return plan_known(index, node, now); });
}

/// Notes values of runs that the node's shapes depend on. False if one is not there yet.
bool NodePlanner::assume_values(const ProgramNode& node, const NodeInference& now) {
  const bool has_shapes = now.has_shapes();
  bool waits = false;
  for (std::size_t k = 0; k < now.inferred.asked.size() && !waits; ++k) {
    const auto i = static_cast<std::size_t>(now.inferred.asked[k]);
    const TensorView* value = now.values[i];
    if (value == nullptr) {
      waits = !has_shapes;
    } else if (values_[node.inputs[i]].is_rooted()) {
      writer_.segment().assumed.values.emplace_back(node.inputs[i], Tensor::copy_of(*value));
    }
  }
  return !waits;
}

NodePlanner::Outcome NodePlanner::plan_known(int index, const ProgramNode& node,
                                             const NodeInference& now) {
  const std::vector<ValueType>& outputs = now.inferred.outputs;
  if (now.has_values()) {
    for (std::size_t i = 0; i < now.inferred.values.size(); ++i)
      values_.set_constant(node.first_output + static_cast<int>(i), now.inferred.values[i]);
    note(PlanNote::Kind::folded, index);
    return Outcome::planned;
  }
  const bool has_shapes = now.has_shapes();
  if (has_shapes && fold(node, outputs)) {
    note(PlanNote::Kind::folded, index);
    return Outcome::planned;
  }
  if (has_shapes && node.formula != nullptr) {
    groups_.add(index, outputs[0]);
    return Outcome::planned;
  }
  if (has_shapes && plan_reduced_chain(index, node, outputs[0])) return Outcome::planned;
  for (const int input : node.inputs) {
    if (input >= 0) groups_.close_group_of(input);
  }
  if (has_shapes && plan_view(node, outputs)) {
    note(PlanNote::Kind::viewed, index);
    planned_as(index).is_view = true;
    return Outcome::planned;
  }
  plan_kernel(index, node, outputs);
  return has_shapes ? Outcome::planned : Outcome::ends_segment;
}

/// Computes a node that depends on constants only, now.
[[gnu::cold]] bool NodePlanner::fold(const ProgramNode& node, std::span<const ValueType> outputs) {
  if (!program_.fold || !node.op->is_pure() || !is_small(outputs)) return false;
  for (const int input : node.inputs) {
    if (input >= 0 && !values_[input].is_constant()) return false;
  }
  auto part = std::make_shared<Program>();
  part->name = program_.name;
  part->operators = program_.operators;
  part->fold = false;
  part->nodes.push_back(node);
  part->values.resize(program_.values.size());
  for (const int input : node.inputs) {
    if (input < 0) continue;
    part->values[static_cast<std::size_t>(input)] = {values_.type_of(input),
                                                     values_[input].constant, -1};
  }
  for (int i = 0; i < node.node.noutputs; ++i) {
    const int value = node.first_output + i;
    part->values[static_cast<std::size_t>(value)].type = outputs[static_cast<std::size_t>(i)];
    part->results.push_back(value);
    part->result_names.emplace_back();
  }
  const std::vector<Tensor> results = run_program(part, {});
  for (int i = 0; i < node.node.noutputs; ++i)
    values_.set_constant(node.first_output + i, results[static_cast<std::size_t>(i)]);
  return true;
}

/// A reduction of what an open group computes: by one kernel with the part of the group that does.
bool NodePlanner::plan_reduced_chain(int index, const ProgramNode& node, const ValueType& output) {
  const auto* op = dynamic_cast<const ReducingOperator*>(node.op.get());
  if (op == nullptr || node.inputs[0] < 0 || !values_[node.inputs[0]].is_pending()) return false;
  const NodeOperands operands(node, values_);
  std::optional<NodeReduction> reduction =
      op->reduction(operands.context(node, program_, variables_));
  if (!reduction) return false;
  std::optional<ElementwiseGroups::Part> part = groups_.take_part(node.inputs[0], index);
  if (!part) return false;
  OperandList writes;
  writes.add(placer_.place_output(node.first_output, output, &node, 0));
  FrameStep step;
  step.kernel =
      std::make_unique<ReducedChainKernel>(std::move(part->chain), part->shape, part->inputs.views,
                                           *std::move(reduction), writes.views[0]);
  FrameStep& made = writer_.add_kernel(std::move(step), index, writes, part->inputs);
  part->nodes.push_back(index);
  writer_.segment().notes.add(PlanNote::Kind::fused, part->nodes, writes.views, &made);
  return true;
}

bool NodePlanner::plan_view(const ProgramNode& node, std::span<const ValueType> outputs) {
  const int input = node.inputs.empty() ? -1 : node.inputs[0];
  return input >= 0 && values_[input].view.defined() &&
         make_views(node, outputs, program_, values_, variables_);
}

void NodePlanner::plan_kernel(int index, const ProgramNode& node,
                              std::span<const ValueType> outputs) {
  // By value: an operand may be a copy that is made for the node.
  std::vector<ValueState> operands(node.inputs.size());
  OperandList reads, writes;
  std::vector<const TensorView*> constants;
  bool in_place = true;
  constants.reserve(node.inputs.size());
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] < 0) {
      reads.add(nullptr, {});
      constants.push_back(nullptr);
      continue;
    }
    ValueState& operand = operands[i];
    operand = values_[node.inputs[i]];
    if (!node.op->accepts_input(node.node, static_cast<int>(i), operand.view)) {
      operand = placer_.dense_copy(operand, index);
      in_place = false;
    }
    reads.add(operand);
    constants.push_back(operand.is_constant() ? &operand.view : nullptr);
  }
  FrameStep step;
  step.node = index;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const int number = static_cast<int>(i);
    const ValueState& output =
        placer_.place_output(node.first_output + number, outputs[i], &node, number);
    writes.add(output);
    if (!output.view.defined()) step.first_value = node.first_output;
  }
  step.kernel = kernels_.prepare(
      index, *node.op,
      {node.node, reads.views, writes.views, constants, program_.operators, variables_});
  FrameStep& made = writer_.add_kernel(std::move(step), index, writes, reads);
  writer_.segment().notes.add(PlanNote::Kind::kernel, {&index, 1}, writes.views, &made);
  if (in_place) planned_as(index) = {.is_view = false, .step = &made};
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
