// SPDX-License-Identifier: Apache-2.0
/// @file
/// The calls that a frame's run consists of.
#pragma once

#include <weft/base/error.hpp>
#include <weft/kernel/span_kernel.hpp>

#include "expr/chain.hpp"
#include "graph/compile/program.hpp"
#include "graph/frame/row_form.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

/// Gives memory to the outputs of the step that runs.
class StepMemory : public OutputMemory {
 public:
  int first_value = -1;  ///< of that step's outputs

 protected:
  ~StepMemory() = default;
};

/// A kernel with its operands.
struct FrameStep {
  std::unique_ptr<Kernel> kernel;
  std::size_t inputs = 0, outputs = 0;  ///< first pointer of each in the table
  int first_value = -1;                 ///< of outputs, if their shape is not known before
  int node = -1;                        ///< that the kernel was prepared for; -1: none of one node
  KernelArguments arguments{};
  StepMemory* memory = nullptr;
};

/// One call, with nothing to look up. A FrameStep is one with itself as the context; a small chain
/// is one for each of its steps.
struct FlatCall {
  SpanKernel::Run run;
  const void* context;
  char* const* data;
  const std::int64_t* row_bytes;
  std::int64_t n, rows;
  std::uint32_t broadcast;
  int node;                ///< for messages; -1: a copy
  std::size_t first_data;  ///< index of `data` in the table of pointers
};

/// Calls one after the other, and the table of pointers that they take their operands from.
class CallList {
 public:
  // ---- Made call by call: an operand's pointer first, and its call behind it

  /// The number of the call that comes next.
  int next_call() const noexcept { return static_cast<int>(calls_.size()); }
  /// One pointer more; its number.
  std::size_t add_pointer(char* at);
  /// Number of the pointer that comes next.
  std::size_t next_pointer() const noexcept { return pointers_.size(); }
  /// A kernel, whose operands' pointers are there. `node`: for messages.
  FrameStep& add_step(FrameStep step, int node);
  /// A call whose operands' pointers are there, from `first` on.
  void add_call(const DirectCall& call, std::size_t first, int node);
  /// What calls need to live.
  FrameStep& keep(std::unique_ptr<Kernel> kernel);
  /// All calls are there: the table stays where it is from now on.
  void connect(StepMemory& memory);
  char** pointer(std::size_t number) { return &pointers_[number]; }

  // ---- Run

  /// Throws what kernels throw, with the node in front.
  void run(std::span<const ProgramNode> nodes) const {
    const FlatCall* call = calls_.data();
    const FlatCall* const end = call + calls_.size();
    try {
      for (; call != end; ++call)
        call->run(call->context, call->data, call->row_bytes, call->n, call->rows, call->broadcast);
    } catch (const Error& error) {
      if (call->node < 0) throw;
      refuse(nodes[static_cast<std::size_t>(call->node)].node, error);
    }
  }
  std::span<const std::unique_ptr<FrameStep>> steps() const noexcept { return steps_; }

  // ---- Other distances from row to row: `where` is a pointer of the table

  /// True for a call, not a kernel, that takes just these rows, so many bytes from each other.
  bool takes_rows(char* const* where, const RowForm& form, std::int64_t row_bytes) const;
  void set_row_bytes(char* const* where, std::int64_t bytes) noexcept {
    row_bytes_[number_of(where)] = bytes;
  }

 private:
  static void run_step(const void* context, char* const* data, const std::int64_t* row_bytes,
                       std::int64_t n, std::int64_t rows, std::uint32_t broadcast);
  [[noreturn]] static void refuse(const Node& node, const Error& error);
  std::size_t number_of(char* const* where) const noexcept {
    return static_cast<std::size_t>(where - pointers_.data());
  }

  std::vector<std::unique_ptr<FrameStep>> steps_;
  std::vector<FlatCall> calls_;
  std::vector<char*> pointers_;
  // By pointer: bytes from row to row, and the call that takes them; -1: a kernel, which has its
  // own.
  std::vector<std::int64_t> row_bytes_;
  std::vector<int> call_of_;
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
