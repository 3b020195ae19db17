// SPDX-License-Identifier: Apache-2.0
/// @file
/// How a span kernel walks an iterator: which operands are staged, in tiles of what shape.
#pragma once

#include <weft/kernel/span_kernel.hpp>

#include "kernels/stage/stage.hpp"
#include "machine/tuning.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// Bytes of stack that one thread stages blocks in, at most: three quarters of a first-level cache of 32 KiB, the
/// smallest in use, so that what streams through does not push them out; and where operands disagree about the order,
/// as much as is worth a visit to every page that a tile touches. Of both, what chunks take. Rows of the tuning table
/// stay below.
inline constexpr std::int64_t max_stage_bytes = 24 << 10;
inline constexpr std::int64_t max_large_stage_bytes = 128 << 10;
inline constexpr std::int64_t max_chunks_bytes = 12 << 10;

/// How spans of one operand are had.
enum class Access : std::uint8_t {
  direct,     ///< in place: unit stride and the kernel's own type
  broadcast,  ///< one value, in place
  staged,     ///< through a buffer for the whole tile
  strided,    ///< in place, wherever its elements lie: the kernel steps over them
  spaced,     ///< elements of long rows that lie apart: through a small buffer, piece by piece
  streamed,   ///< an output: past the caches, from a small buffer unless the plan goes by lines
};

/// One operand of a TilePlan.
struct TileOperand {
  Access access = Access::direct;
  bool is_output = false;
  bool pack = false;         ///< staged, spaced: the block is not dense in memory, row by row
  bool one_per_row = false;  ///< staged and read as one value: the buffer holds one element for
                             ///< each row (or one in all)
  bool transposed = false;   ///< staged, and dense along another dim than dim 0
  bool streams = false;      ///< staged: an output whose blocks are written past the caches
  ConvertFn first =
      nullptr;  ///< conversion memory -> via, or memory -> kernel (outputs: kernel -> ...)
  ConvertFn second = nullptr;    ///< conversion via -> kernel
  CopyBlockFn move = nullptr;    ///< between memory and buffer
  bool constant = false;         ///< broadcast: one value for all tiles, converted into `value`
  alignas(16) char value[16];    ///< of the kernel's type
  std::int32_t memory_size = 0;  ///< bytes of an element in memory
  std::int32_t via_size = 0;     ///< bytes of an element between two conversions
  std::int32_t kernel_size = 0;  ///< bytes of an element as the kernel sees it
};

/// A dim as the walk from tile to tile sees it.
struct TileStep {
  int dim;
  std::int64_t tile;   ///< elements along it in one tile
  std::int64_t tiles;  ///< how many of those
};

/// The walk: the iteration space is cut into tiles of rows. A row is one span: dim 0, or the first few
/// dims where every operand that is used in place goes on from one to the next.
struct TilePlan {
  bool is_strided = false;  ///< rows are run by the kernel's strided loop; nothing is staged
  bool streams = false;     ///< some output is written past the caches
  bool by_lines = false;    ///< without a buffer, by the kernel itself
  bool in_pieces = false;   ///< rows are run piece by piece: some operand is spaced or streamed
  bool prefetches = false;  ///< the caches are asked for what the next tile needs: tiles have rows
  std::int64_t piece = 0;   ///< elements of such a piece
  std::int64_t piece_rows = 1;  ///< rows of one, if whole rows: streamed outputs go on
                                ///< in the next row where one ends
  int row_rank = 1;             ///< dims that make a row: the first of `steps`
  int tile_rank = 0;  ///< dims within a tile: those, or one more, the rows, or two, planes of rows
  SmallVector<TileStep, inline_rank> steps;  ///< those dims, innermost first, then all others
  std::int64_t count = 1;                    ///< number of tiles
  std::int64_t row_elements = 1;             ///< of a whole tile's row
  std::int64_t tile_elements = 1;            ///< of a whole tile
  std::int64_t grain = 1;                    ///< least tiles a thread gets
  std::int64_t staged_bytes = 0;             ///< of all buffers for a tile
  SmallVector<TileOperand, inline_operands> operands;
};

/// Elements of a staged operand's buffer.
inline std::int64_t buffered_elements(const TilePlan& plan, const TileOperand& t) {
  return t.one_per_row ? plan.tile_elements / plan.row_elements : plan.tile_elements;
}

/// Throws Error as run_spans does. Precondition: numel > 0, ndim > 0.
TilePlan plan_tiles(const TensorIterator& iter, const SpanKernel& kernel, const Tuning& tuning,
                    const RunOptions& options);

/// The first element of an operand as the kernel sees it: through the iterator's dtype().
void convert_value(char* to, ScalarType type, const Operand& op);

/// Throws Error(invalid_argument) for an iterator of a reduction, whose outputs several elements share.
void check_elementwise(const TensorIterator& iter);
/// Throws Error unless a kernel of these operand counts fits the iterator.
void check_counts(const TensorIterator& iter, int noutputs, int ninputs);
/// Throws Error unless a kernel of these operand counts and types fits the iterator.
void check_kernel(const TensorIterator& iter, int noutputs, int ninputs, const ScalarType* types);

}  // namespace v0
}  // namespace weft
