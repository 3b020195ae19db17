// SPDX-License-Identifier: Apache-2.0
#include "graph/frame/node_operands.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace graph {

bool NodeInference::has_shapes() const {
  return std::ranges::all_of(inferred.outputs,
                             [](const ValueType& type) { return type.shape.is_static(); });
}

bool NodeInference::has_values() const {
  return std::ranges::all_of(inferred.values, &Tensor::defined);
}

NodeInference infer_now(const ProgramNode& node, const Program& program, const ValueTable& values,
                        int segment) {
  NodeInference out;
  std::vector<ValueType> types(node.inputs.size());
  SmallVector<const ValueType*, 4> type_list;
  if (segment > 0) out.read.resize(node.inputs.size());
  type_list.reserve(node.inputs.size());
  out.values.reserve(node.inputs.size());
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const int input = node.inputs[i];
    type_list.push_back(nullptr);
    out.values.push_back(nullptr);
    if (input < 0) continue;
    const ValueState& at = values[input];
    types[i] = values.type_of(input);
    type_list.back() = &types[i];
    if (at.is_constant()) {
      out.values.back() = &at.view;
    } else if (at.is_rooted() && segment > 0 && at.segment < segment) {
      out.read[i] = values.current_view(at);  // an earlier segment has computed it
      out.values.back() = &out.read[i];
    }
  }
  out.inferred = infer_node(node, type_list, out.values, program.operators);
  return out;
}

NodeOperands::NodeOperands(const ProgramNode& node, const ValueTable& values) {
  inputs.reserve(node.inputs.size());
  constants.reserve(node.inputs.size());
  for (const int input : node.inputs) {
    inputs.push_back(input < 0 ? TensorView() : values[input].view);
    constants.push_back(input < 0 ? nullptr : values.constant(input));
  }
}

bool make_views(const ProgramNode& node, std::span<const ValueType> outputs, const Program& program,
                ValueTable& values, Variables& variables) {
  NodeOperands operands(node, values);
  operands.outputs.reserve(outputs.size());
  for (const ValueType& output : outputs)
    operands.outputs.push_back(values.placeholders.next(output.dtype, output.shape.shape()));
  std::vector<TensorView> views(outputs.size());
  if (!node.op->view(operands.context(node, program, variables), views)) return false;
  // By value: the outputs' states may be where the input's is not to be touched.
  const ValueState from = values[node.inputs[0]];
  for (std::size_t i = 0; i < views.size(); ++i) {
    const int value = node.first_output + static_cast<int>(i);
    if (from.is_constant()) {
      values.set_constant(value, Tensor::share(from.constant.owner(), views[i]));
      continue;
    }
    ValueState& made = values[value];
    made = from;
    made.view = views[i];
    made.offset =
        from.offset + (static_cast<char*>(views[i].data()) - static_cast<char*>(from.view.data()));
  }
  return true;
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
