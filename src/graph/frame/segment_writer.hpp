// SPDX-License-Identifier: Apache-2.0
/// @file
/// Adding calls to a segment.
#pragma once

#include "expr/chain.hpp"
#include "graph/frame/segment.hpp"
#include "graph/frame/value_table.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

/// Operands of a kernel, or of a chain: values, and how it sees them.
struct OperandList {
  SmallVector<const ValueState*, 4> values;  ///< null: left out
  /// On the heap: a view is large, and a loop inside another one is planned while its list waits.
  std::vector<TensorView> views;

  void add(const ValueState* value, const TensorView& view) {
    values.push_back(value);
    views.push_back(view);
  }
  void add(const ValueState& value) { add(&value, value.view); }
};

/// The segment that is being planned. Knows which values its calls read and write, and has their
/// pointers follow them in the end.
class SegmentWriter {
 public:
  /// `index`: of the segment in its plan.
  SegmentWriter(Segment& segment, int index, ValueTable& values)
      : segment_(segment), index_(index), values_(values) {}

  Segment& segment() noexcept { return segment_; }
  int index() const noexcept { return index_; }
  /// The number of the call that comes next.
  int next_call() const noexcept { return segment_.calls.next_call(); }

  // `node`: for messages, -1 for a copy. They return what holds the kernel.
  FrameStep& add_kernel(FrameStep step, int node, const OperandList& outputs,
                        const OperandList& inputs);
  FrameStep& add_chain(const Chain& chain, int node, const OperandList& outputs,
                       const OperandList& inputs);
  FrameStep& add_copy(const ValueState& to, const ValueState& from);

  /// All calls are there, and roots are where they are going to be.
  void connect(StepMemory& memory);

 private:
  /// A place in the table of pointers that follows a value.
  void add_pointer(const ValueState& value, std::int64_t offset);
  std::size_t add_pointers(const OperandList& operands);
  void add_calls(std::span<const DirectCall> calls, int node, const OperandList& outputs,
                 const OperandList& inputs);
  void use_root(const ValueState& value);

  Segment& segment_;
  int index_;
  ValueTable& values_;
  /// Pointers, by their number, and what they are to follow: the table still moves.
  struct NewPointer {
    std::size_t number;
    int root;
    std::int64_t offset;
  };
  std::vector<NewPointer> new_pointers_;
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
