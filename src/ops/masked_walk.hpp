// SPDX-License-Identifier: Apache-2.0
/// @file
/// Lines along an axis of which a mask selects elements, block by block.
#pragma once

#include <weft/base/function_ref.hpp>
#include <weft/core/tensor_view.hpp>
#include <weft/iter/tensor_iterator.hpp>

#include "kernels/stage/stage.hpp"
#include "ops/left_out.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// The elements of a block in a buffer, dense and of the types of the work: `rows` rows of n each.
/// A row is a part of a line, or the same place of several lines that are next to each other.
struct MaskedBlock {
  char* values;   ///< with a number in place of what is left out
  char* results;  ///< is `values` if both types are the same
  std::int64_t n, rows;
};

/// An output, an input and a mask of one shape, their lines in groups. Which lines are a group
/// depends on the operands alone.
class MaskedWalk {
 public:
  /// How a group of lines is cut into blocks.
  enum class Cut : std::uint8_t {
    whole_lines,  ///< a row of a block is a line
    along,        ///< blocks follow each other along the axis
  };
  /// `mask` has the shape of `a`; types are those of the work. Throws Error: shape, axis, cast,
  /// overlap.
  MaskedWalk(const TensorView& out, const TensorView& a, const TensorView& mask, std::int64_t axis,
             ScalarType out_type, ScalarType in_type, Neutral number, Cut cut);

  bool rows_are_lines() const noexcept { return by_lines_; }
  /// Lines that a group has, at most.
  std::int64_t most_lines() const noexcept { return most_lines_; }

  /// Calls work(block, room, is_first) for the blocks of each group in turn, and stores what is
  /// selected of its results. Threads share the groups. Each has so many bytes of `room`, which
  /// stay as they are from one block of a group to the next.
  void run(std::int64_t room_bytes,
           FunctionRef<void(const MaskedBlock& block, char* room, bool is_first)> work) const;

 private:
  struct Side {
    char* origin;
    std::int64_t axis_bytes, line_bytes;  // from one element to the next, and from line to line
    std::int64_t memory_size, work_size;
    ConvertFn convert;  // null if the types are the same
  };
  struct Memory;
  struct Rows {
    char* data;
    std::int64_t step, row;
  };
  Side side(int k, const TensorView& view, int axis, ScalarType type, bool is_output) const;
  std::int64_t most_staged_lines() const;
  Rows rows_of(const Side& side, std::int64_t group_offset, std::int64_t first) const;
  void pack_rows(char* to, Rows& rows, std::int64_t size, const MaskedBlock& block) const;
  void store(MaskedBlock block, Rows out, Rows flags, const Memory& memory) const;

  TensorIterator iter_;
  LeftOut left_out_;
  std::int64_t length_;
  Side sides_[3];     // the output, the input, the mask
  bool has_results_;  // of another type than the values
  bool by_lines_ = true;
  bool turns_ = false;  // whole lines are columns in memory
  std::int64_t most_lines_ = 1, block_length_ = 1;
};

}  // namespace v0
}  // namespace weft
