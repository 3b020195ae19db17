// SPDX-License-Identifier: Apache-2.0
// Planning a frame again for parameters of other extents: where only kernels and views are
// concerned, everything else of the plan stays.
#include "graph/frame/arena_layout.hpp"
#include "graph/frame/frame_impl.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace graph {

/// Puts what is planned right for these parameters and returns true; or returns false, and has to
/// be planned anew.
bool Frame::Impl::resize(std::span<const TensorView> parameters) {
  if (!complete_ || !is_static_ || segments_.size() != 1) return false;
  changed_.assign(static_cast<std::size_t>(values_.size()), 0);
  for (int i = 0; i < nparameters(); ++i) {
    const TensorView& given = parameters[static_cast<std::size_t>(i)];
    bind(i, given.data());
    if (geometry_.has_parameter(i, given)) continue;
    const int value = program().parameters[static_cast<std::size_t>(i)];
    if (given.rank() != geometry_.parameter(i).rank() || !may_change(value)) return false;
    geometry_.set_parameter(i, given);
    set_view(value, given);
  }
  bool moved = false;
  try {
    for (std::size_t n = 0; n < program().nodes.size(); ++n) {
      const bool concerned = std::ranges::any_of(program().nodes[n].inputs, [&](int input) {
        return input >= 0 && changed_[static_cast<std::size_t>(input)] != 0;
      });
      if (concerned && !resize_node(static_cast<int>(n), moved)) return false;
    }
  } catch (const Error&) {
    return false;  // planning says what is wrong, and where
  }
  if (!moved) return true;
  lay_out_arena(values_.roots(), 0, program().operators, memory_);
  for (Root& root : values_.roots()) {
    if (root.kind == Root::Kind::arena) root.bind(root.origin);
  }
  return true;
}

/// False for a value that goes to places which it is planned for.
bool Frame::Impl::may_change(int value) const {
  return std::ranges::none_of(uses_.results(value), [&](int result) {
    const ValueState& copied = copied_results_[static_cast<std::size_t>(result)];
    return copied.kind == ValueState::Kind::rooted || !geometry_.place(result).strides.empty();
  });
}

/// Another geometry for a value, where it is.
void Frame::Impl::set_view(int value, const TensorView& like) {
  TensorView& view = values_[value].view;
  view = TensorView::trusted(view.data(), like);
  changed_[static_cast<std::size_t>(value)] = 1;
}

/// `moved`: set if outputs have other sizes.
bool Frame::Impl::resize_node(int index, bool& moved) {
  const PlannedAs& planned = planned_as_[static_cast<std::size_t>(index)];
  if (planned.is_view) return resize_view(index);
  if (planned.step == nullptr) return false;
  const ProgramNode& node = program().nodes[static_cast<std::size_t>(index)];
  resized_inputs_.clear();
  for (const int input : node.inputs)
    resized_inputs_.push_back(input < 0 ? nullptr : &values_[input].view);
  resized_shapes_.resize(static_cast<std::size_t>(node.node.noutputs));
  for (std::size_t i = 0; i < resized_shapes_.size(); ++i)
    resized_shapes_[i].assign(values_[node.first_output + static_cast<int>(i)].view.shape());
  const bool follows = planned.step->kernel->resize(resized_inputs_, resized_shapes_);
  if (!follows && !infer_shapes(index)) return false;
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < resized_shapes_.size(); ++i) {
    const int value = node.first_output + static_cast<int>(i);
    ValueState& at = values_[value];
    if (!same_list(at.view.shape(), resized_shapes_[i])) {
      if (!may_change(value)) return false;
      at.view = TensorView::trusted(at.view.data(), at.view.dtype(), resized_shapes_[i]);
      changed_[static_cast<std::size_t>(value)] = 1;
      values_.root(at.root).bytes = at.view.nbytes();
      moved = true;
    }
    bytes += at.view.nbytes();
  }
  segment().notes.set_kernel_bytes(index, bytes);
  if (!follows) prepare_again(index, *planned.step);
  return true;
}

/// Shapes of outputs, into resized_shapes_. False if the node has to be planned in another way.
bool Frame::Impl::infer_shapes(int index) {
  const ProgramNode& node = program().nodes[static_cast<std::size_t>(index)];
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const TensorView* input = resized_inputs_[i];
    if (input != nullptr && !node.op->accepts_input(node.node, static_cast<int>(i), *input))
      return false;
  }
  std::vector<TensorView> read;
  SmallVector<const TensorView*, 4> values;
  const Inferred inferred = infer(index, read, values);
  for (std::size_t i = 0; i < inferred.outputs.size(); ++i) {
    const PartialShape& shape = inferred.outputs[i].shape;
    if (!shape.is_static() || inferred.values[i].defined()) return false;
    resized_shapes_[i].assign(shape.shape());
  }
  return true;
}

/// Another kernel for a node whose operands are there.
void Frame::Impl::prepare_again(int index, FrameStep& step) {
  const ProgramNode& node = program().nodes[static_cast<std::size_t>(index)];
  std::vector<TensorView> inputs, outputs;
  std::vector<const TensorView*> constants;
  for (const int input : node.inputs) {
    inputs.push_back(input < 0 ? TensorView() : values_[input].view);
    constants.push_back(input < 0 ? nullptr : values_.constant(input));
  }
  for (int i = 0; i < node.node.noutputs; ++i)
    outputs.push_back(values_[node.first_output + i].view);
  const PrepareContext context(node.node, inputs, outputs, constants, program().operators,
                               variables);
  if (step.kernel->adapt(context)) return;
  // The old kernel lives until there is a new one: what it has packed can be shared.
  std::unique_ptr<Kernel> made = node.op->prepare(context);
  step.kernel = std::move(made);
}

bool Frame::Impl::resize_view(int index) {
  const ProgramNode& node = program().nodes[static_cast<std::size_t>(index)];
  std::vector<TensorView> read;
  SmallVector<const TensorView*, 4> values;
  const Inferred inferred = infer(index, read, values);
  std::vector<ValueState> before;
  for (int i = 0; i < node.node.noutputs; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (!inferred.outputs[at].shape.is_static() || inferred.values[at].defined() ||
        !may_change(node.first_output + i)) {
      return false;
    }
    before.push_back(values_[node.first_output + i]);
  }
  std::vector<TensorView> inputs;
  for (const int input : node.inputs)
    inputs.push_back(input < 0 ? TensorView() : values_[input].view);
  const Placeholders before_it = values_.placeholders;
  if (!plan_view(index, inputs, inferred.outputs)) return false;
  values_.placeholders = before_it;
  for (int i = 0; i < node.node.noutputs; ++i) {
    const ValueState& old = before[static_cast<std::size_t>(i)];
    const ValueState& now = values_[node.first_output + i];
    // Pointers follow the root from where they were.
    if (now.root != old.root || now.offset != old.offset) return false;
    changed_[static_cast<std::size_t>(node.first_output + i)] = 1;
  }
  return true;
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
