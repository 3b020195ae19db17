// SPDX-License-Identifier: Apache-2.0
#include "graph/frame/segment_writer.hpp"

#include "graph/chain/chain_kernel.hpp"

#include <algorithm>
#include <utility>

namespace weft {
inline namespace v0 {
namespace graph {

void SegmentWriter::use_root(const ValueState& value) {
  if (value.root < 0) return;
  Root& root = values_.root(value.root);
  root.last_step = root.segment == index_ ? std::max(root.last_step, next_call()) : last_of_all;
}

void SegmentWriter::add_pointer(const ValueState& value, std::int64_t offset) {
  if (value.is_constant()) {
    segment_.calls.add_pointer(static_cast<char*>(value.view.data()) + offset);
    return;
  }
  const std::size_t number = segment_.calls.add_pointer(nullptr);
  use_root(value);
  if (value.view.defined()) new_pointers_.push_back({number, value.root, value.offset + offset});
}

std::size_t SegmentWriter::add_pointers(const OperandList& operands) {
  const std::size_t first = segment_.calls.next_pointer();
  for (const ValueState* operand : operands.values) {
    if (operand != nullptr) {
      add_pointer(*operand, 0);
    } else {
      segment_.calls.add_pointer(nullptr);
    }
  }
  return first;
}

FrameStep& SegmentWriter::add_kernel(FrameStep step, int node, const OperandList& outputs,
                                     const OperandList& inputs) {
  step.inputs = add_pointers(inputs);
  step.outputs = add_pointers(outputs);
  return segment_.calls.add_step(std::move(step), node);
}

void SegmentWriter::add_calls(std::span<const DirectCall> calls, int node,
                              const OperandList& outputs, const OperandList& inputs) {
  for (const DirectCall& call : calls) {
    const std::size_t first = segment_.calls.next_pointer();
    for (const DirectCall::Operand& operand : call.operands) {
      const auto k = static_cast<std::size_t>(operand.operand);
      const std::size_t noutputs = outputs.values.size();
      if (operand.operand < 0) {
        segment_.calls.add_pointer(operand.fixed);
      } else {
        add_pointer(k < noutputs ? *outputs.values[k] : *inputs.values[k - noutputs],
                    operand.offset);
      }
    }
    segment_.calls.add_call(call, first, node);
  }
}

FrameStep& SegmentWriter::add_chain(const Chain& chain, int node, const OperandList& outputs,
                                    const OperandList& inputs) {
  std::unique_ptr<ChainKernel> prepared = prepare_chain(chain, outputs.views, inputs.views);
  PreparedChain& calls = prepared->chain();
  if (calls.direct_calls().empty())
    return add_kernel({.kernel = std::move(prepared)}, node, outputs, inputs);
  calls.run_by_direct_calls();
  add_calls(calls.direct_calls(), node, outputs, inputs);
  return segment_.calls.keep(std::move(prepared));  // its buffers and numbers
}

FrameStep& SegmentWriter::add_copy(const ValueState& to, const ValueState& from) {
  OperandList outputs, inputs;
  outputs.add(to);
  inputs.add(from);
  segment_.bytes_copied += from.view.nbytes();
  return add_chain(Chain::copy(from.view.dtype()), -1, outputs, inputs);
}

void SegmentWriter::connect(StepMemory& memory) {
  for (const NewPointer& pointer : new_pointers_) {
    char** const where = segment_.calls.pointer(pointer.number);
    Root& root = values_.current_root(pointer.root);
    root.patches.push_back({where, pointer.offset, index_});
    *where = root.origin == nullptr ? nullptr : root.origin + pointer.offset;
  }
  segment_.calls.connect(memory);
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
