// SPDX-License-Identifier: Apache-2.0
// Planning a frame: from nodes to steps.
#include <weft/base/error.hpp>

#include "graph/frame/frame_impl.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

/// Nodes that depend on shapes only are computed while planning, up to this many elements.
constexpr std::int64_t most_folded = 4096;

}  // namespace

/// Computes a node that depends on constants only, now.
bool Frame::Impl::fold_node(int index, std::span<const ValueType> outputs) {
  const ProgramNode& node = program().nodes[static_cast<std::size_t>(index)];
  if (!program().fold || !node.op->is_pure()) return false;
  std::int64_t elements = 0;
  for (const ValueType& output : outputs) {
    if (!output.shape.is_static()) return false;
    elements += numel(output.shape.shape());
  }
  if (elements > most_folded) return false;
  for (const int input : node.inputs) {
    if (input >= 0 && values_[input].kind != ValueState::Kind::constant) return false;
  }
  auto part = std::make_shared<Program>();
  part->name = program().name;
  part->operators = program().operators;
  part->fold = false;
  part->nodes.push_back(node);
  part->values.resize(program().values.size());
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
  segment().notes.add(PlanNote::Kind::folded, {&index, 1});
  return true;
}

bool Frame::Impl::plan_view(int index, std::span<const TensorView> inputs,
                            std::span<const ValueType> outputs) {
  const ProgramNode& node = program().nodes[static_cast<std::size_t>(index)];
  std::vector<TensorView> shapes;
  std::vector<const TensorView*> constants;
  shapes.reserve(outputs.size());
  constants.reserve(node.inputs.size());
  for (const ValueType& output : outputs) {
    shapes.push_back(values_.placeholders.next(output.dtype, output.shape.shape()));
  }
  for (const int input : node.inputs)
    constants.push_back(input < 0 ? nullptr : values_.constant(input));
  const PrepareContext context(node.node, inputs, shapes, constants, program().operators,
                               variables);
  std::vector<TensorView> views(outputs.size());
  if (!node.op->view(context, views)) return false;
  // By value: the outputs' states may be where the input's is not to be touched.
  const ValueState from = values_[node.inputs[0]];
  for (std::size_t i = 0; i < views.size(); ++i) {
    const int value = node.first_output + static_cast<int>(i);
    if (from.kind == ValueState::Kind::constant) {
      values_.set_constant(value, Tensor::share(from.constant.owner(), views[i]));
      continue;
    }
    ValueState& made = values_[value];
    made = from;
    made.view = views[i];
    made.offset =
        from.offset + (static_cast<char*>(views[i].data()) - static_cast<char*>(from.view.data()));
  }
  return true;
}

std::unique_ptr<Kernel> Frame::Impl::prepare_kernel(int index, const PrepareContext& context) {
  // The old kernel lives until there is a new one: what it has packed can be shared.
  std::unique_ptr<Kernel> kernel = std::move(retired_[static_cast<std::size_t>(index)]);
  if (kernel != nullptr && kernel->adapt(context)) return kernel;
  return program().nodes[static_cast<std::size_t>(index)].op->prepare(context);
}

void Frame::Impl::plan_kernel(int index, std::span<const ValueType> outputs) {
  const ProgramNode& node = program().nodes[static_cast<std::size_t>(index)];
  std::vector<ValueState> operands(node.inputs.size());
  std::vector<const ValueState*> inputs, results;
  std::vector<TensorView> input_views, output_views;
  std::vector<const TensorView*> constants;
  bool in_place = true;
  inputs.reserve(node.inputs.size());
  input_views.reserve(node.inputs.size());
  constants.reserve(node.inputs.size());
  results.reserve(outputs.size());
  output_views.reserve(outputs.size());
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    ValueState& operand = operands[i];
    if (node.inputs[i] < 0) {
      inputs.push_back(nullptr);
      input_views.emplace_back();
      constants.push_back(nullptr);
      continue;
    }
    operand = values_[node.inputs[i]];
    if (!node.op->accepts_input(node.node, static_cast<int>(i), operand.view)) {
      operand = dense_copy(operand, index);
      in_place = false;
    }
    inputs.push_back(&operand);
    input_views.push_back(operand.view);
    constants.push_back(operand.kind == ValueState::Kind::constant ? &operand.view : nullptr);
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const int value = node.first_output + static_cast<int>(i);
    make_output(value, outputs[i], &node, static_cast<int>(i));
    results.push_back(&values_[value]);
    output_views.push_back(values_[value].view);
  }
  const PrepareContext context(node.node, input_views, output_views, constants, program().operators,
                               variables);
  segment().notes.add(PlanNote::Kind::kernel, {&index, 1}, output_views);
  FrameStep step{.kernel = prepare_kernel(index, context), .node = index};
  for (const ValueState* result : results) {
    if (!result->view.defined()) step.first_value = node.first_output;
  }
  FrameStep& made = add_step(std::move(step), index, inputs, results);
  if (in_place) planned_as_[static_cast<std::size_t>(index)] = {false, &made};
}

/// What a node gives, as far as it is known now. `read`: room for values that earlier segments have
/// computed; `values`: of inputs, where they are known.
Inferred Frame::Impl::infer(int index, std::vector<TensorView>& read,
                            SmallVector<const TensorView*, 4>& values) const {
  const ProgramNode& node = program().nodes[static_cast<std::size_t>(index)];
  std::vector<ValueType> types(node.inputs.size());
  SmallVector<const ValueType*, 4> type_list;
  if (segment_index() > 0) read.resize(node.inputs.size());
  type_list.reserve(node.inputs.size());
  values.reserve(node.inputs.size());
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const int input = node.inputs[i];
    type_list.push_back(nullptr);
    values.push_back(nullptr);
    if (input < 0) continue;
    const ValueState& at = values_[input];
    types[i] = at.kind == ValueState::Kind::pending
                   ? ValueType{program().values[static_cast<std::size_t>(input)].type.dtype,
                               PartialShape(pending_shape(input))}
                   : values_.type_of(input);
    type_list.back() = &types[i];
    if (at.kind == ValueState::Kind::constant) {
      values.back() = &at.view;
    } else if (at.kind == ValueState::Kind::rooted && at.segment < segment_index() &&
               segment_index() > 0) {
      read[i] = values_.current_view(at);  // an earlier segment has computed it
      values.back() = &read[i];
    }
  }
  return infer_node(node, type_list, values, program().operators);
}

/// Plans one node. False, with nothing done, if its shapes depend on values of this segment, so
/// that it has to wait for the next.
bool Frame::Impl::plan_node(int index) {
  const ProgramNode& node = program().nodes[static_cast<std::size_t>(index)];
  std::vector<TensorView> read;
  SmallVector<const TensorView*, 4> values;
  const Inferred inferred = infer(index, read, values);
  const bool is_known = std::ranges::all_of(
      inferred.outputs, [](const ValueType& type) { return type.shape.is_static(); });
  for (const int i : inferred.asked) {
    const int input = node.inputs[static_cast<std::size_t>(i)];
    if (values[static_cast<std::size_t>(i)] == nullptr) {
      if (!is_known) return false;
    } else if (values_[input].kind == ValueState::Kind::rooted) {
      segment().assumed.values.emplace_back(input,
                                            Tensor::copy_of(*values[static_cast<std::size_t>(i)]));
    }
  }
  return naming(node.node, [&] {
    bool all_values = true;
    for (const Tensor& value : inferred.values)
      all_values = all_values && value.defined();
    if (all_values) {
      for (std::size_t i = 0; i < inferred.values.size(); ++i)
        values_.set_constant(node.first_output + static_cast<int>(i), inferred.values[i]);
      segment().notes.add(PlanNote::Kind::folded, {&index, 1});
      return true;
    }
    if (is_known && fold_node(index, inferred.outputs)) return true;
    if (is_known && plan_elementwise(index, inferred.outputs[0])) return true;
    std::vector<TensorView> inputs;
    inputs.reserve(node.inputs.size());
    for (const int input : node.inputs) {
      if (input >= 0) close_group_of(input);
      inputs.push_back(input < 0 ? TensorView() : values_[input].view);
    }
    if (is_known && !inputs.empty() && inputs[0].defined() &&
        plan_view(index, inputs, inferred.outputs)) {
      segment().notes.add(PlanNote::Kind::viewed, {&index, 1});
      planned_as_[static_cast<std::size_t>(index)].is_view = true;
      return true;
    }
    plan_kernel(index, inferred.outputs);
    if (!is_known) cut_ = true;
    return true;
  });
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
