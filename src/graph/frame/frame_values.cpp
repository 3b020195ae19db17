// SPDX-License-Identifier: Apache-2.0
// Planning a frame: where values are, and the calls that compute them.
#include <weft/base/error.hpp>

#include "graph/frame/frame_impl.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace graph {

void Frame::Impl::make_output(int value, const ValueType& type, const ProgramNode* node,
                              int output) {
  ValueState& made = values_[value];
  made = {};
  made.kind = ValueState::Kind::rooted;
  made.segment = segment_index();
  if (!type.shape.is_static()) {
    made.root =
        values_.add_root({.kind = Root::Kind::dynamic, .index = value, .segment = made.segment});
    return;
  }
  const IntSpan shape = type.shape.shape();
  // Straight into its external place, whatever its strides.
  for (const int result : uses_.results(value)) {
    const ResultPlace& place = geometry_.place(result);
    if (!place.external || place.strides.empty()) continue;
    const TensorView view = values_.placeholders.next(type.dtype, shape, place.strides);
    if (node != nullptr && !node->op->accepts_output(node->node, output, view)) continue;
    made.view = view;
    made.root = values_.result_root(result);
    return;
  }
  made.view = values_.placeholders.next(type.dtype, shape);
  const int step = segment().calls.next_call();
  made.root = values_.add_root({.kind = Root::Kind::arena,
                                .index = value,
                                .segment = made.segment,
                                .bytes = made.view.nbytes(),
                                .first_step = step,
                                .last_step = step});
}

void Frame::Impl::use_root(const ValueState& value) {
  if (value.root < 0) return;
  Root& root = values_.root(value.root);
  const int step = segment().calls.next_call();
  root.last_step = root.segment == segment_index() ? std::max(root.last_step, step) : last_of_all;
}

void Frame::Impl::add_pointer(const ValueState& value, std::int64_t offset) {
  if (value.kind == ValueState::Kind::constant) {
    segment().calls.add_pointer(static_cast<char*>(value.view.data()) + offset);
    return;
  }
  const std::size_t pointer = segment().calls.add_pointer(nullptr);
  use_root(value);
  // The table still moves; the address is put in when it is complete.
  if (value.view.defined()) new_pointers_.push_back({pointer, value.root, value.offset + offset});
}

FrameStep& Frame::Impl::add_step(FrameStep step, int node,
                                 std::span<const ValueState* const> inputs,
                                 std::span<const ValueState* const> outputs) {
  CallList& calls = segment().calls;
  const auto add_pointers = [&](std::span<const ValueState* const> operands) {
    const std::size_t first = calls.next_pointer();
    for (const ValueState* operand : operands) {
      if (operand != nullptr) {
        add_pointer(*operand, 0);
      } else {
        calls.add_pointer(nullptr);
      }
    }
    return first;
  };
  step.inputs = add_pointers(inputs);
  step.outputs = add_pointers(outputs);
  return calls.add_step(std::move(step), node);
}

void Frame::Impl::add_direct_calls(std::span<const DirectCall> calls, int node,
                                   std::span<const ValueState* const> inputs,
                                   std::span<const ValueState* const> outputs) {
  CallList& to = segment().calls;
  for (const DirectCall& call : calls) {
    const std::size_t first = to.next_pointer();
    for (const DirectCall::Operand& operand : call.operands) {
      const auto k = static_cast<std::size_t>(operand.operand);
      if (operand.operand < 0) {
        to.add_pointer(operand.fixed);
      } else {
        add_pointer(k < outputs.size() ? *outputs[k] : *inputs[k - outputs.size()], operand.offset);
      }
    }
    to.add_call(call, first, node);
  }
}

void Frame::Impl::add_chain(const Chain& chain, int node, std::span<const TensorView> output_views,
                            std::span<const TensorView> input_views,
                            std::span<const ValueState* const> inputs,
                            std::span<const ValueState* const> outputs) {
  std::unique_ptr<PreparedChain> prepared = prepare_chain(chain, output_views, input_views);
  if (prepared->direct_calls().empty()) {
    add_step({.kernel = std::move(prepared)}, node, inputs, outputs);
    return;
  }
  add_direct_calls(prepared->direct_calls(), node, inputs, outputs);
  segment().calls.keep(std::move(prepared));  // its buffers and numbers
}

/// A row-major copy of a value, made in the steps.
ValueState Frame::Impl::dense_copy(const ValueState& from, int for_node) {
  ValueState made;
  if (from.kind == ValueState::Kind::constant) {
    made.kind = ValueState::Kind::constant;
    made.constant = Tensor::copy_of(from.view);
    made.view = made.constant;
    segment().kept.push_back(made.constant);
    return made;
  }
  made.kind = ValueState::Kind::rooted;
  made.segment = segment_index();
  made.view = values_.placeholders.next(from.view.dtype(), from.view.shape());
  const int step = segment().calls.next_call();
  made.root = values_.add_root({.kind = Root::Kind::arena,
                                .segment = made.segment,
                                .bytes = made.view.nbytes(),
                                .first_step = step,
                                .last_step = step});
  const TensorView outputs[] = {made.view}, inputs[] = {from.view};
  const ValueState* to[] = {&made};
  const ValueState* source[] = {&from};
  segment().notes.add(PlanNote::Kind::copied, {&for_node, 1}, outputs);
  add_chain(Chain::copy(from.view.dtype()), -1, outputs, inputs, source, to);
  segment().bytes_copied += made.view.nbytes();
  return made;
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
