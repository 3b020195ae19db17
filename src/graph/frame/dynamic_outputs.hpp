// SPDX-License-Identifier: Apache-2.0
/// @file
/// Outputs whose shape turns up while their node runs.
#pragma once

#include "graph/frame/call_list.hpp"
#include "graph/frame/frame_memory.hpp"
#include "graph/frame/value_table.hpp"

namespace weft {
inline namespace v0 {
namespace graph {

/// Gives each such output a buffer, and the value its shape.
class DynamicOutputs final : public StepMemory {
 public:
  DynamicOutputs(const Program& program, ValueTable& values, FrameMemory& memory)
      : program_(program), values_(values), memory_(memory) {}

 private:
  void* allocate(int output, IntSpan shape) override;

  const Program& program_;
  ValueTable& values_;
  FrameMemory& memory_;
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
