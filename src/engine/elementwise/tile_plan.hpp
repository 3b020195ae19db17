// SPDX-License-Identifier: Apache-2.0
/// @file
/// How a span kernel walks an iterator: which operands are staged, in tiles of what shape.
#pragma once

#include <weft/kernel/span_kernel.hpp>

#include "engine/tile_cursor.hpp"
#include "engine/type_change.hpp"
#include "kernels/stage/stage.hpp"
#include "machine/tuning.hpp"

#include <algorithm>
#include <cstdint>

namespace weft {
inline namespace v0 {

/// How the kernel gets at the spans of one operand.
enum class Access : std::uint8_t {
  direct,             ///< in place: unit stride and the kernel's own type
  broadcast,          ///< one value, in place
  staged,             ///< through a buffer for the whole tile
  strided,            ///< in place, whatever its stride: all operands, by the kernel's strided loop
  chunked,            ///< a strided row: through a small buffer, chunk by chunk
  streamed,           ///< an output, by non-temporal stores: from a small buffer, chunk by chunk
  streamed_in_place,  ///< the same by the kernel itself, without a buffer
};

/// One operand of a TilePlan.
struct TileOperand : TypeChange {
  explicit TileOperand(const TypeChange& change) : TypeChange(change) {}

  Access access = Access::direct;
  bool is_output = false;
  bool pack = false;            ///< staged, chunked: the block is not dense in memory, row by row
  bool one_per_row = false;     ///< staged and read as one value: the buffer holds one element for
                                ///< each row (or one in all)
  bool streams_blocks = false;  ///< staged: an output whose blocks are written by non-temporal
                                ///< stores
  bool constant = false;        ///< broadcast: one value for all tiles, converted into `value`
  std::int16_t dense_dim =
      0;  ///< staged: the dim other than 0 along which it is dense, 0 if there is none
  std::int8_t beside = -1;     ///< packed: the operand whose elements lie right before those of
                               ///< this one, as pixels' channels do, where the plan was made; or -1
  std::int32_t chunk = 0;      ///< streamed: elements of a chunk, by what this operand needs
  CopyBlockFn move = nullptr;  ///< between memory and buffer
  alignas(max_element_bytes) char value[max_element_bytes];  ///< of the kernel's type

  bool is_transposed() const noexcept { return dense_dim != 0; }
  /// Whether the kernel gets one value for each row, or one in all.
  bool is_value() const noexcept { return access == Access::broadcast || one_per_row; }
  bool is_read_in_place() const noexcept { return access == Access::direct && !is_output; }
  bool is_beside_another() const noexcept { return beside >= 0; }
  bool is_streamed() const noexcept {
    return access == Access::streamed || access == Access::streamed_in_place;
  }
  /// Whether it has a buffer for a chunk.
  bool has_chunk_buffer() const noexcept {
    return access == Access::chunked || access == Access::streamed;
  }
};
using TileOperands = SmallVector<TileOperand, inline_operands>;

/// The walk: the iteration space is cut into tiles of rows. A row is one span: dim 0, or the first
/// few dims where every operand that is used in place goes on from one to the next. Of `add(a,
/// b.T)`, out and a row-major:
///
///         dim 0 ->  row_elements          memory                       memory
///       +---------------------+----       out, a: direct              b: transposed, dense along
///     d |  row 0 (one span)   | next      ===================          dim d
///     i |  row 1              | tile      ===================            |  |  |  |
///     m |  ...                |           ===================            v  v  v  v
///       |  row rows-1         |                    |                  buffer: rows x row_elements,
///     d +---------------------+----                |                  packed once a tile
///       |  next tile                               +------> kernel <------+
///
/// Dims outside the tile are walked tile by tile, innermost first. What goes through a buffer for
/// the whole tile is staged; a strided row is packed chunk by chunk instead, and a streamed output
/// is computed chunk by chunk.
struct TilePlan {
  /// row_tiles, gathered_tiles, strided_tiles, transposed_tiles, or one of these streamed.
  Strategy strategy = Strategy::row_tiles;
  TileOperands operands;
  bool prefetches = false;      ///< what the next tile needs is prefetched: tiles have rows
  std::int64_t chunk = 0;       ///< elements of a chunk
  std::int64_t chunk_rows = 1;  ///< rows of one, if whole rows
  int row_rank = 1;             ///< dims that make a row: the first of `steps`
  int tile_rank = 0;  ///< dims within a tile: row_rank, one more if a tile has several rows, two if
                      ///< it has planes of them
  TileSteps steps;    ///< those dims, innermost first, then all others
  std::int64_t count = 1;          ///< number of tiles
  std::int64_t row_elements = 1;   ///< of a whole tile's row
  std::int64_t tile_elements = 1;  ///< of a whole tile
  std::int64_t grain = 1;          ///< least tiles a thread gets

  /// Of a tile: elements of a row, rows of a plane, planes.
  std::int64_t row_elements_of(const TileCursor& tile) const { return tile.elements(row_rank); }
  std::int64_t rows_of(const TileCursor& tile) const {
    return tile_rank > row_rank ? tile.extents[row_rank] : 1;
  }
  std::int64_t planes_of(const TileCursor& tile) const {
    return tile_rank > row_rank + 1 ? tile.extents[row_rank + 1] : 1;
  }

  /// Whether rows are run by the kernel's strided loop; nothing is staged then.
  bool is_strided() const { return strategy == Strategy::strided_tiles; }
  /// Whether some output is written by non-temporal stores.
  bool streams() const {
    return std::ranges::any_of(
        operands, [](const TileOperand& t) { return t.is_streamed() || t.streams_blocks; });
  }
  /// Whether the kernel itself writes so.
  bool streams_in_place() const { return operands[0].access == Access::streamed_in_place; }
  /// Whether rows are run chunk by chunk.
  bool in_chunks() const { return std::ranges::any_of(operands, &TileOperand::has_chunk_buffer); }
};

/// Chooses, unless a strategy is wanted. A strategy that cannot be comes out as another one: the
/// plan is right all the same, and names what it is. Preconditions: numel > 0, ndim > 0, types can
/// be cast (check_kernel).
TilePlan plan_tiles(const TensorIterator& iter, const SpanKernel& kernel, const Tuning& tuning,
                    const RunOptions& options, Strategy wanted = Strategy::automatic);

}  // namespace v0
}  // namespace weft
