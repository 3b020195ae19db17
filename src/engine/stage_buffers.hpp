// SPDX-License-Identifier: Apache-2.0
/// @file
/// Bringing blocks of an operand through buffers: packed, cast or both.
#pragma once

#include "engine/block.hpp"
#include "engine/type_change.hpp"
#include "machine/tuning.hpp"

#include <cstdint>
#include <utility>

namespace weft {
inline namespace v0 {

/// Buffers for the blocks of one operand, or of several whose elements alternate in memory. What a
/// TypeChange does not need may be null.
struct StageBuffers {
  char* kernel = nullptr;          ///< dense, of the kernel's type
  char* via = nullptr;             ///< between two conversions
  char* memory = nullptr;          ///< dense, of the type in memory
  std::int64_t operands = 1;       ///< that alternate
  std::int64_t operand_bytes = 0;  ///< from the buffers of one to those of the next

  /// Where blocks are packed.
  char* packed(const TypeChange& change) const { return change.converts() ? memory : kernel; }
};

/// Bytes of the buffers for so many elements, each beginning on a line.
inline std::int64_t stage_bytes(const TypeChange& change, std::int64_t elements) {
  return whole_lines(elements * change.buffer_bytes()) + 2 * cache_line_bytes;
}
/// Cuts them off from scratch memory.
inline StageBuffers take_buffers(const TypeChange& change, std::int64_t elements, char*& scratch) {
  const auto take = [&](std::int64_t size) {
    return std::exchange(scratch, scratch + whole_lines(elements * size));
  };
  char* const kernel = take(change.kernel_size);
  char* const via = take(change.via_size);
  return {kernel, via, take(change.converts() ? change.memory_size : 0)};
}

/// Brings rows of n elements that are dense in memory, `row_bytes` from row to row, into the
/// kernel's type. Precondition: that is another one.
inline void load_rows(const TypeChange& change, const StageBuffers& to, const char* memory,
                      std::int64_t row_bytes, std::int64_t rows, std::int64_t n) {
  if (row_bytes == n * change.memory_size) {
    n *= rows;
    rows = 1;
  }
  for (std::int64_t r = 0; r < rows; ++r)
    change.convert(to.kernel + r * n * change.kernel_size, memory + r * row_bytes, to.via, n);
}

/// Converts n elements that are packed for each operand of such buffers, and the other way round.
void convert_loaded(const TypeChange& change, const StageBuffers& to, std::int64_t n);
void convert_stored(const TypeChange& change, const StageBuffers& from, std::int64_t n);

/// Whether the rows of a block, or all of it if it is one, are converted one by one: a call for
/// each costs less than to pack them.
bool converts_rows(const TypeChange& change, const BlockDim* dims, int ndims) noexcept;

/// Brings a block of n elements, in memory as `dims` say, into the kernel's type; packed by `move`,
/// a kernel for elements of memory. `dims` has room for two at least, and for one more than it has,
/// and is changed.
void load_block(const TypeChange& change, CopyBlockFn move, const StageBuffers& to, char* memory,
                BlockDim* dims, int ndims, std::int64_t n);

/// The other way round.
void store_block(const TypeChange& change, CopyBlockFn move, const StageBuffers& from, char* memory,
                 BlockDim* dims, int ndims, std::int64_t n);

}  // namespace v0
}  // namespace weft
