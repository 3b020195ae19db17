// SPDX-License-Identifier: Apache-2.0
/// @file
/// Which of the forms of tiles a plan takes: rows, gathered, strided or transposed; and how large
/// transposed ones are.
#pragma once

#include "engine/elementwise/operand_access.hpp"

namespace weft {
inline namespace v0 {

/// Without streaming.
constexpr Strategy plain_form(Strategy strategy) {
  switch (strategy) {
    case Strategy::streamed_row_tiles: return Strategy::row_tiles;
    case Strategy::streamed_transposed_tiles: return Strategy::transposed_tiles;
    default: return strategy;
  }
}
/// The operands (bits) that rows over the dims so far, of so many elements, and `dim` stage: those
/// that are not yet, or for every row and not for every element.
std::uint32_t staged_by(const TileOperands& operands, const Geometry& geometry, int dim,
                        std::int64_t elements);
/// Whether rows along dim 0 are spans of their own, rather than gathered.
bool goes_by_rows(const TileOperands& operands, const Geometry& geometry, const Totals& totals,
                  const Tuning& t, float cost);
/// Of row_tiles, gathered_tiles, strided_tiles and transposed_tiles.
Strategy choose_form(const TileOperands& operands, const Geometry& geometry, const Totals& totals,
                     const SpanKernel& kernel, const Tuning& t);
/// The form that is wanted, or another one if operands are not made for it.
Strategy possible_form(const TileOperands& operands, const Geometry& geometry, const Totals& totals,
                       const SpanKernel& kernel, Strategy wanted);

/// Bytes of a tile through operands of different orders: of what is read or written at a time of
/// the transposed one, and of all buffers.
struct TransposedTile {
  std::int64_t run_bytes;
  std::int64_t stage_bytes;
  bool in_first_level;
};

/// The tile for a plan whose operands, and whether it prefetches, are settled.
TransposedTile transposed_tile(const TilePlan& plan, const TensorIterator& iter,
                               const Totals& totals, const Tuning& tuning);

/// Rows of a buffer, and the elements of one.
struct BufferRows {
  std::int64_t elements, rows;
};

/// Elements of a row of such a tile along dim 0, whose extent is given: whole lines of the
/// transposed operands and those that are streamed, and so many that rows of the buffers have no
/// set conflicts in the first level. Tiles are about equally long.
std::int64_t row_of_transposed(const TilePlan& plan, const Totals& totals, const Tuning& tuning,
                               std::int64_t extent, const BufferRows& most);

/// Whether tiles of transposed operands are better prefetched than streamed where the last level is
/// as far away as memory: an input is read in place, and lines of the transposed ones have no set
/// conflicts, or are few among those of all operands.
bool worth_prefetching(const TilePlan& plan, const Geometry& geometry, const Totals& totals,
                       const Tuning& tuning);

/// Whether `rows` rows of a tile, along `dim` of all operands that are used in place, find room in
/// the second-level cache together: of rows whose distance is a multiple of a power of two, it
/// holds as many as that goes into it.
bool rows_fit(const TilePlan& plan, const Geometry& geometry, const Tuning& tuning, int dim,
              std::int64_t rows);

}  // namespace v0
}  // namespace weft
