// SPDX-License-Identifier: Apache-2.0
/// @file
/// Working on whole lines along an axis, dense and of one type, whatever the operands' layouts.
#pragma once

#include <weft/base/function_ref.hpp>
#include <weft/core/tensor.hpp>
#include <weft/iter/tensor_iterator.hpp>

#include "kernels/stage/stage.hpp"
#include "machine/scratch_memory.hpp"

#include <cstdint>
#include <span>

namespace weft {
inline namespace v0 {

/// Memory for a while: scratch memory, or what tensors have if it is more than a block of that, so
/// that large blocks are kept as well.
class LineMemory {
 public:
  explicit LineMemory(std::int64_t bytes) : scratch_(bytes <= scratch_block_bytes ? bytes : 0) {
    if (bytes > scratch_block_bytes) tensor_ = Tensor::empty({bytes}, ScalarType::u8);
  }

  char* data() const noexcept {
    return tensor_.defined() ? static_cast<char*>(tensor_.data()) : scratch_.data();
  }

 private:
  ScratchMemory scratch_;
  Tensor tensor_;
};

/// Throws Error(overflow) for lines so long that the bytes of what they need cannot be counted.
void check_line_length(std::int64_t n);

/// One side of a walk: a tensor, of which lines have `length` elements along the axis, and the type
/// in which work sees them.
struct LineOperand {
  TensorView view;
  std::int64_t length;
  ScalarType type;
};

/// A line: what is read, and where results go, dense and in the types of the work. `room` is for
/// the work alone.
struct Line {
  const char* in;
  char* out[2];
  char* room;
};

/// Lines of one input and of one or two outputs, whose other axes are the same. An output that is
/// the input is written when the line has been read.
class LineWalk {
 public:
  /// Preconditions: all have the axis, and elements; outputs have at most two.
  LineWalk(const LineOperand& in, std::span<const LineOperand> outs, std::size_t axis);

  /// Calls work(line) for all lines, which threads share. Each call gets so many bytes of room.
  void run(std::int64_t room_bytes, FunctionRef<void(const Line& line)> work) const;

  /// How run() goes about it.
  Explanation explain() const;

 private:
  struct Side {
    std::int64_t length, axis_bytes;      // elements along the axis, and from one to the next
    std::int64_t memory_size, work_size;  // bytes of an element
    ConvertFn convert;                    // null if the types are the same
  };
  struct Buffers;
  Side side(const LineOperand& operand, std::size_t axis, bool is_output) const;
  bool is_dense(const Side& s, std::int64_t lines, std::int64_t line_bytes) const;
  std::int64_t grain() const;
  void run_lines(char* const* data, const std::int64_t* steps, std::int64_t lines,
                 const Buffers& buffers, FunctionRef<void(const Line& line)> work) const;

  int noutputs_;
  std::size_t axis_;
  Side sides_[3];       // outputs, then the input
  std::int64_t lines_;  // that are staged together
  TensorIterator iter_;
};

}  // namespace v0
}  // namespace weft
