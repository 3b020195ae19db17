// SPDX-License-Identifier: Apache-2.0
/// @file
/// How a reduction walks an iterator.
#pragma once

#include <weft/kernel/reduction_kernel.hpp>

#include "base/internal_api.hpp"
#include "engine/reduce/computed_input.hpp"
#include "engine/tile_cursor.hpp"
#include "engine/type_change.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// One operand of a ReducePlan.
struct ReduceOperand : TypeChange {
  ReduceOperand(const TypeChange& change, bool is_packed) : TypeChange(change), pack(is_packed) {}

  bool pack;  ///< the block is not dense in memory, or inputs are gathered and this is not read
              ///< where it is

  bool is_staged() const noexcept { return pack || converts(); }
};

/// One side of the walk: the kept or the reduced dims, cut into tiles of their inner ones.
struct ReduceSide {
  TileSteps steps;   ///< its dims, innermost first unless tiles are better in another order
  DimVector places;  ///< per step: elements of the side from one to its neighbour, in the order of
                     ///< the iterator's dims
  int ntile = 0;     ///< steps that lie within a tile; of the others a tile has one element
  std::int64_t count = 1;     ///< number of tiles
  std::int64_t elements = 1;  ///< product of the extents
  std::int64_t tile_elements = 1;

  int ndim() const noexcept { return static_cast<int>(steps.size()); }
  /// Elements of the side before a tile, in that order: all tiles but the last of a dim are whole.
  std::int64_t place_of(const TileCursor& tile) const {
    std::int64_t place = 0;
    for (std::size_t i = 0; i < steps.size(); ++i)
      place += tile.at(i) * steps[i].tile * places[i];
    return place;
  }
};

/// What the kernel sees of a block: the elements of one tile of each side.
enum class ReduceForm : std::uint8_t {
  spans,             ///< rows of reduced elements, where they are
  gathered_spans,    ///< the same, packed into a buffer first
  columns,           ///< rows of kept elements, where they are
  folded,            ///< columns so narrow that several rows are taken as a single wide one
  gathered_columns,  ///< rows of kept elements, packed into a buffer first
};

/// The form of a reduction, and its dims in that form, not cut yet. It decides on the order of
/// combination, and follows from the extents, the order of dims, the strides of the inputs and the
/// kernel's types; an output's type and strides have no say.
struct ReduceDims {
  ReduceForm form = ReduceForm::gathered_spans;
  ReduceSide kept, reduced;
  int row_dims = 1;           ///< kept dims that are one row in the inputs (columns, folded), or in
                              ///< those that are read where they are (gathered_columns; 0: in none)
  std::int64_t fold = 1;      ///< folded: rows taken as one, a power of two
  std::int64_t deferred = 1;  ///< columns, folded: elements of dim 0, which is reduced last of all,
                              ///< and is the first of the kept dims until then

  bool by_columns() const noexcept { return form >= ReduceForm::columns; }
  /// The first of the kept dims that is one of the outputs'.
  int first_kept() const noexcept { return deferred > 1 ? 1 : 0; }
};

/// The reduced elements in blocks: they decide on the order of combination as the form does.
struct ReduceBlocks {
  ReduceSide reduced;      ///< a tile is a block
  std::int64_t span = 0;   ///< by spans: elements that are one span at most
  std::int64_t spans = 1;  ///< spans: of one output in a block, at most; more than one either
                           ///< cut dim 0 or run along dim 1
  bool pack = false;       ///< inputs are packed, whole blocks of them, but those that are rows
                           ///< where they are
};

/// The kept elements in tiles. They are free: an output's result depends on its own elements only.
struct ReduceTiles {
  ReduceSide kept;
  int inner_dims = 1;     ///< kept dims that are one in all inputs: a dense row (columns, folded),
                          ///< or rows one stride after the other (spans)
  bool collects = false;  ///< results are put together before they are written: WalkedOperands
};

/// How threads share the walk.
struct ReduceShares {
  std::int64_t group = 1;   ///< blocks that one thread takes at a time: a power of two
  std::int64_t groups = 1;  ///< for each tile of kept elements
  std::int64_t grain = 1;   ///< kept tiles that a thread gets at least, where groups is 1
};

/// Memory for one block of each input, where they are computed, and the strides that it has there.
struct ReduceWindow {
  std::int64_t elements = 0;  ///< of one input; 0: none is computed
  std::int64_t bytes = 0;     ///< of all, each from a cache line on
  DimVector strides;          ///< by dim of the iterator, in elements
};

struct ReduceInputs;

/// The walk: every tile of kept elements with every block of reduced ones. Each part follows from
/// those before it.
struct ReducePlan {
  /// Throws Error as run_reduction does. Works for any iterator, extents of 0 included. `computed`:
  /// of inputs in no memory.
  ReducePlan(const TensorIterator& iter, const ReductionKernel& kernel, const RunOptions& options,
             const ComputedRows* computed = nullptr);

  ReduceDims dims;
  ReduceBlocks blocks;
  ReduceTiles tiles;
  SmallVector<ReduceOperand, inline_operands> operands;
  ReduceShares shares;
  ReduceWindow window;
  std::uint32_t values;  ///< inputs that are one value in each row: ReductionKernel::take_values
  bool straight;         ///< from the inputs into the outputs, by kernel.reduce_short_rows or
                         ///< kernel.reduce_short_columns

  /// Of a plan for inputs in memory: whether `rows` can compute them as they are reduced
  /// (ComputingKernel), and the plan for that, the same walk over its operands.
  bool suits(const ReductionKernel& rows, const Geometry& geometry) const;
  ReducePlan with_operands_of(const ReductionKernel& rows) const;

  /// The kernel with the loops that this takes.
  ReductionKernel loops_of(const ReductionKernel& kernel) const {
    ReductionKernel with = kernel;
    if (values != 0) kernel.take_values(with, values);
    return with;
  }
  /// The side along which rows lie that the kernel sees, and the one from row to row.
  const ReduceSide& row_side() const noexcept {
    return dims.by_columns() ? tiles.kept : blocks.reduced;
  }
  const ReduceSide& rows_side() const noexcept {
    return dims.by_columns() ? blocks.reduced : tiles.kept;
  }
  /// Accumulators of a kept tile.
  std::int64_t width() const noexcept { return tiles.kept.tile_elements * dims.fold; }

 private:
  ReducePlan(const ReduceInputs& inputs, const RunOptions& options);
};

/// Whether reductions combine the elements that go into a result in the same order, of which `a`
/// has more results.
WEFT_INTERNAL_API bool combine_alike(const TensorIterator& a, const TensorIterator& b,
                                     const ReductionKernel& kernel);

}  // namespace v0
}  // namespace weft
