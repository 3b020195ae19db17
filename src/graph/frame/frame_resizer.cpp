// SPDX-License-Identifier: Apache-2.0
#include "graph/frame/frame_resizer.hpp"

#include "graph/frame/arena_layout.hpp"
#include "graph/frame/node_operands.hpp"
#include "graph/frame/retired_kernels.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace graph {

bool FrameResizer::resize(std::span<const TensorView> parameters) {
  if (!plan_.complete || !plan_.is_static || plan_.segments.size() != 1) return false;
  changed_.assign(static_cast<std::size_t>(values_.size()), 0);
  moved_ = false;
  if (!take_parameters(parameters)) return false;
  try {
    for (std::size_t n = 0; n < plan_.program.nodes.size(); ++n) {
      const bool concerned = std::ranges::any_of(plan_.program.nodes[n].inputs, [&](int input) {
        return input >= 0 && is_changed(input);
      });
      if (concerned && !resize_node(static_cast<int>(n))) return false;
    }
  } catch (const Error&) {
    return false;  // planning says what is wrong, and where
  }
  if (!moved_) return true;
  lay_out_arena(values_.roots(), 0, plan_.program.operators, memory_);
  for (Root& root : values_.roots()) {
    if (root.kind == Root::Kind::arena) root.bind(root.origin);
  }
  return true;
}

bool FrameResizer::take_parameters(std::span<const TensorView> parameters) {
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const int i = static_cast<int>(p);
    const TensorView& given = parameters[p];
    values_.root(values_.parameter_root(i)).bind(given.data());
    if (geometry_.has_parameter(i, given)) continue;
    const int value = plan_.program.parameters[p];
    if (given.rank() != geometry_.parameter(i).rank() || !may_change(value)) return false;
    geometry_.set_parameter(i, given);
    TensorView& view = values_[value].view;
    view = TensorView::trusted(view.data(), given);
    set_changed(value);
  }
  return true;
}

/// False for a value that goes to places which it is planned for.
bool FrameResizer::may_change(int value) const {
  return std::ranges::none_of(uses_.results(value), [&](int result) {
    const ValueState& copied = plan_.copied_results[static_cast<std::size_t>(result)];
    return copied.is_rooted() || !geometry_.place(result).strides.empty();
  });
}

bool FrameResizer::resize_node(int index) {
  const FramePlan::PlannedAs& planned = plan_.planned_as[static_cast<std::size_t>(index)];
  const ProgramNode& node = plan_.program.nodes[static_cast<std::size_t>(index)];
  if (planned.is_view) return resize_view(node);
  return planned.step != nullptr && resize_kernel(index, node, *planned.step);
}

bool FrameResizer::resize_kernel(int index, const ProgramNode& node, FrameStep& step) {
  inputs_.clear();
  for (const int input : node.inputs)
    inputs_.push_back(input < 0 ? nullptr : &values_[input].view);
  shapes_.resize(static_cast<std::size_t>(node.node.noutputs));
  for (std::size_t i = 0; i < shapes_.size(); ++i)
    shapes_[i].assign(values_[node.first_output + static_cast<int>(i)].view.shape());
  const bool follows = step.kernel->resize(inputs_, shapes_);
  if (!follows && !infer_shapes(node)) return false;
  if (!set_shapes(node)) return false;
  std::int64_t bytes = 0;
  for (int i = 0; i < node.node.noutputs; ++i)
    bytes += values_[node.first_output + i].view.nbytes();
  plan_.segments[0]->notes.set_kernel_bytes(index, bytes);
  if (!follows) prepare_again(node, step);
  return true;
}

/// Shapes of outputs, into shapes_. False if the node has to be planned in another way.
bool FrameResizer::infer_shapes(const ProgramNode& node) {
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (inputs_[i] != nullptr &&
        !node.op->accepts_input(node.node, static_cast<int>(i), *inputs_[i])) {
      return false;
    }
  }
  const Inferred inferred = infer_now(node, plan_.program, values_, 0).inferred;
  for (std::size_t i = 0; i < inferred.outputs.size(); ++i) {
    const PartialShape& shape = inferred.outputs[i].shape;
    if (!shape.is_static() || inferred.values[i].defined()) return false;
    shapes_[i].assign(shape.shape());
  }
  return true;
}

/// Gives outputs these shapes, where they are.
bool FrameResizer::set_shapes(const ProgramNode& node) {
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const int value = node.first_output + static_cast<int>(i);
    ValueState& at = values_[value];
    if (same_list(at.view.shape(), shapes_[i])) continue;
    if (!may_change(value)) return false;
    at.view = TensorView::trusted(at.view.data(), at.view.dtype(), shapes_[i]);
    set_changed(value);
    values_.root(at.root).bytes = at.view.nbytes();
    moved_ = true;
  }
  return true;
}

/// Another kernel for a node whose operands are there.
void FrameResizer::prepare_again(const ProgramNode& node, FrameStep& step) {
  NodeOperands operands(node, values_);
  for (int i = 0; i < node.node.noutputs; ++i)
    operands.outputs.push_back(values_[node.first_output + i].view);
  prepare_kernel(step.kernel, *node.op, operands.context(node, plan_.program, variables_));
}

bool FrameResizer::resize_view(const ProgramNode& node) {
  const Inferred inferred = infer_now(node, plan_.program, values_, 0).inferred;
  std::vector<ValueState> before;
  for (std::size_t i = 0; i < inferred.outputs.size(); ++i) {
    const int value = node.first_output + static_cast<int>(i);
    if (!inferred.outputs[i].shape.is_static() || inferred.values[i].defined() ||
        !may_change(value)) {
      return false;
    }
    before.push_back(values_[value]);
  }
  const Placeholders placeholders = values_.placeholders;
  if (!make_views(node, inferred.outputs, plan_.program, values_, variables_)) return false;
  values_.placeholders = placeholders;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const int value = node.first_output + static_cast<int>(i);
    const ValueState& now = values_[value];
    // Pointers follow the root from where they were.
    if (now.root != before[i].root || now.offset != before[i].offset) return false;
    set_changed(value);
  }
  return true;
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
