// SPDX-License-Identifier: Apache-2.0
/// @file
/// How a reduction walks an iterator.
#pragma once

#include <weft/kernel/reduction_kernel.hpp>

#include "engine/tile_cursor.hpp"
#include "engine/type_change.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// One operand of a ReducePlan.
struct ReduceOperand : TypeChange {
  explicit ReduceOperand(const TypeChange& change) : TypeChange(change) {}

  bool staged = false;  ///< through a buffer
  bool pack = false;    ///< the block is not dense in memory
};

/// One side of the walk: the kept or the reduced dims, cut into tiles of their inner ones.
struct ReduceSide {
  SmallVector<std::uint8_t, inline_rank>
      dims;                   ///< plan dims, innermost first, as tile_kept left them
  DimVector places;           ///< per entry of dims: the step from one to the next
                              ///< among the side's elements, in the plan's order
  TileSteps steps;            ///< per entry of dims
  int ntile = 0;              ///< entries that lie within a tile; beyond, tile extents are 1
  std::int64_t count = 1;     ///< number of tiles
  std::int64_t elements = 1;  ///< product of the extents
  std::int64_t tile_elements = 1;
};

/// What the kernel sees of a block: the elements of one tile of each side.
enum class ReduceForm : std::uint8_t {
  spans,             ///< rows of reduced elements, where they stand
  gathered_spans,    ///< the same, packed into a buffer first
  columns,           ///< rows of kept elements, where they stand
  folded,            ///< columns so narrow that several rows are taken as a single wide one
  gathered_columns,  ///< rows of kept elements, packed into a buffer first
};

/// The walk: every tile of kept elements with every tile ("block") of reduced ones.
///
/// What stands in which block, and how a block is cut into spans, decides on the order of
/// combination. It follows from the extents, the order of dims, the strides of the inputs and the
/// kernel's types. The tiles of the kept side are free: an output's result depends on its own
/// elements only.
struct ReducePlan {
  ReduceForm form = ReduceForm::spans;
  ReduceSide kept, reduced;
  std::int64_t span = 0;  ///< spans: elements that are one span at most
  std::int64_t pieces =
      1;                  ///< spans: most spans of one output in a block; more than one either cut
                          ///< dim 0 or run along dim 1
  std::int64_t fold = 1;  ///< folded: rows taken as one, a power of two
  std::int64_t strands =
      1;  ///< columns, folded: elements of dim 0, which is reduced, that are columns of
          ///< their own at first; the dim is the first of `kept` then
  int inner_dims =
      0;  ///< kept dims that are one in all inputs: a dense row (columns, folded), or rows
          ///< of one stride (spans)
  std::int64_t group = 1;   ///< blocks that one thread takes at a time: a power of two
  std::int64_t groups = 1;  ///< for each tile of kept elements
  std::int64_t grain = 1;   ///< least kept tiles a thread gets, where groups is 1
  bool stages_inputs = false;
  bool transposes_results =
      false;  ///< results lie along another dim than they are made: see TransposedResults
  bool straight = false;  ///< from the inputs into the outputs, by kernel.reduce_short_rows
  SmallVector<ReduceOperand, inline_operands> operands;

  bool by_columns() const noexcept { return form >= ReduceForm::columns; }
  /// Accumulators of a kept tile.
  std::int64_t width() const noexcept { return kept.tile_elements * fold; }
  /// The first entry of kept.dims that is one of the outputs'.
  int first_kept() const noexcept { return strands > 1 ? 1 : 0; }
};

/// Whether to reduce by columns (kept elements next to each other) rather than spans: `kept` and
/// `reduced` elements in all, and whether dim 0 is kept, then of how many columns. `short_rows`:
/// whether rows that are not gathered may be short.
bool reduces_by_columns(std::int64_t kept, std::int64_t reduced, bool kept_inside,
                        std::int64_t columns, bool short_rows) noexcept;

/// Throws Error as run_reduction does. Works for any iterator, extents of 0 included.
ReducePlan plan_reduction(const TensorIterator& iter, const ReductionKernel& kernel,
                          const RunOptions& options);

}  // namespace v0
}  // namespace weft
