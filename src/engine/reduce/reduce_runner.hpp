// SPDX-License-Identifier: Apache-2.0
/// @file
/// One thread's share of a reduction: blocks are staged, reduced, combined and projected.
#pragma once

#include "engine/reduce/combining_tree.hpp"
#include "engine/reduce/computed_input.hpp"
#include "engine/reduce/walked_operands.hpp"
#include "engine/stage_buffers.hpp"
#include "machine/scratch_memory.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {

/// Works on the kept tiles of a plan, one at a time: seek() goes to one, all else is about it.
class ReduceRunner {
 public:
  /// `compute` is for the plan's window, if it has one. Throws std::bad_alloc if there is no memory
  /// for buffers and accumulators.
  ReduceRunner(const TensorIterator& iter, const ReductionKernel& kernel, const ReducePlan& plan,
               const WalkedOperands& operands, const ComputeBlock* compute)
      : kernel_(kernel),
        plan_(plan),
        dims_(plan.dims),
        blocks_(plan.blocks),
        tiles_(plan.tiles),
        geometry_(operands.geometry()),
        data_(operands.data()),
        compute_(compute),
        noperands_(kernel.noutputs + kernel.ninputs),
        walked_(compute != nullptr ? kernel.noutputs : noperands_),
        tree_bytes_(
            whole_lines(CombiningTree::bytes_needed(kernel, plan.width(), plan.shares.group))),
        parts_bytes_(whole_lines(std::max(blocks_.spans, plan.width()) * kernel.accumulator_bytes)),
        scratch_(tree_bytes_ + parts_bytes_ + plan.window.bytes + bytes_of_buffers()),
        kept_(geometry_, plan.tiles.kept.steps, iter.numel() == 0 ? kernel.noutputs : walked_),
        block_(geometry_, plan.blocks.reduced.steps, walked_) {
    parts_ = accumulators() + tree_bytes_;
    char* scratch = parts_ + parts_bytes_;
    for (int k = kernel.noutputs; plan.window.elements > 0 && k < noperands_; ++k) {
      windows_.push_back(scratch);
      scratch += whole_lines(plan.window.elements * plan.operands[k].memory_size);
    }
    for (int k = 0; k < noperands_; ++k) {
      const ReduceOperand& r = plan.operands[k];
      casts_ = casts_ || (k >= kernel.noutputs && r.converts());
      buffers_.push_back(r.is_staged() ? take_buffers(r, staged_elements(k), scratch)
                                       : StageBuffers());
    }
  }

  void seek(std::int64_t tile) {
    kept_.seek(tile, data_);
    std::ranges::copy(windows_, kept_.ptrs + kernel_.noutputs);
    width_ = kept_.elements(tiles_.kept.ntile);
  }

  /// Accumulators of the tile that it stands at: plan.width() of them, fewer at an edge.
  std::int64_t tile_accumulators() const { return width_ * dims_.fold; }
  /// Room for an accumulator of each element.
  char* accumulators() { return scratch_.data(); }
  /// Reduces blocks [first, last) into accumulators, tile_accumulators() of them, in memory
  /// that lasts until the next call; into identities if there is nothing to reduce.
  char* reduce(std::int64_t first, std::int64_t last) {
    if (blocks_.reduced.elements == 0) {
      char* const nothing[max_operands] = {};
      const std::int64_t nowhere[max_operands] = {};
      kernel_.reduce_spans(kernel_.context, accumulators(), nothing, nowhere, width_, 0, 0, 0);
      return accumulators();
    }
    CombiningTree tree(kernel_, accumulators(), plan_.width());
    block_.seek(first, kept_.ptrs);
    for (std::int64_t block = first;;) {
      if (compute_ != nullptr) compute_block();
      reduce_block(tree.next());
      tree.push(tile_accumulators());
      if (++block == last || all_done(tree.first())) break;
      block_.next();
    }
    return tree.finish(tile_accumulators());
  }
  /// Whether nothing more can change them.
  bool all_done(const char* accumulators) const {
    if (kernel_.done == nullptr) return false;
    for (std::int64_t i = 0; i < tile_accumulators(); ++i) {
      if (!kernel_.done(kernel_.context, accumulators + i * kernel_.accumulator_bytes))
        return false;
    }
    return true;
  }
  /// Makes one accumulator for each kept element out of them.
  void fold(char* accumulators) {
    fold_rows(accumulators, dims_.fold, width_);
    if (dims_.deferred > 1) fold_deferred(accumulators);
  }
  /// Projects accumulators, one for each element, into the outputs. Not inline: several ways end
  /// here, once a tile.
  [[gnu::noinline]] void project(const char* accumulators) {
    const std::int64_t n = width_ / dims_.deferred;
    char* to[max_operands];
    for (int k = 0; k < kernel_.noutputs; ++k)
      to[k] = plan_.operands[k].is_staged() ? buffers_[k].kernel : kept_.ptrs[k];
    kernel_.project(kernel_.context, accumulators, n, to);
    for (int k = 0; k < kernel_.noutputs; ++k) {
      if (!plan_.operands[k].is_staged()) continue;
      BlockDim dims[max_rank];
      int ndims = 0;
      append_side(tiles_.kept, kept_, k, dims, ndims, dims_.first_kept());
      const ReduceOperand& r = plan_.operands[k];
      store_block(r, copy_block_kernel(r.memory_size), buffers_[k], kept_.ptrs[k], dims, ndims, n);
    }
  }

  /// All of that, where the plan goes straight.
  void reduce_straight() {
    if (!dims_.by_columns()) {
      return kernel_.reduce_short_rows(kernel_.context, kept_.ptrs[0], kept_.ptrs[1], width_,
                                       geometry_.extent(0));
    }
    block_.seek(0, kept_.ptrs);
    if (compute_ != nullptr) compute_block();
    if (blocks_.pack) {
      const Rows in = packed_rows();
      return kernel_.reduce_short_columns(kernel_.context, kept_.ptrs, in.inputs, in.row_bytes,
                                          block_.elements(blocks_.reduced.ntile), width_, index());
    }
    for_each_run([&](std::int64_t first, char* const* inputs, std::int64_t run) {
      char* outputs[max_operands];
      for (int k = 0; k < kernel_.noutputs; ++k)
        outputs[k] = kept_.ptrs[k] + first * plan_.operands[k].memory_size;
      kernel_.reduce_short_columns(kernel_.context, outputs, inputs,
                                   input_strides(blocks_.reduced, 0), rows_of_block(), run,
                                   index());
    });
  }

  /// Copies accumulators, one for each element, to their places among those of all kept elements,
  /// in the order of the iterator's dims, dim 0 fastest; or from there, if `from`.
  void copy_places(char* all, char* accumulators, bool from = false) const {
    const std::int64_t size = kernel_.accumulator_bytes;
    const CopyBlockFn copy = copy_block_kernel(1);
    all += tiles_.kept.place_of(kept_) * size;
    BlockDim dims[max_rank + 1];
    int ndims = 0;
    append_dim(dims, ndims, {size, 1});
    for (int i = dims_.first_kept(); i < tiles_.kept.ntile; ++i)
      append_dim(dims, ndims, {kept_.extents[i], tiles_.kept.places[i] * size});
    from ? pack(copy, accumulators, all, 1, dims, ndims)
         : unpack(copy, all, accumulators, 1, dims, ndims);
  }

 private:
  /// Rows of the inputs, as the kernel sees them.
  struct Rows {
    char* inputs[max_operands];
    std::int64_t row_bytes[max_operands];
  };

  /// Elements of a staged operand's buffers.
  std::int64_t staged_elements(int k) const {
    if (k >= kernel_.noutputs && !blocks_.pack) return blocks_.span;
    return tiles_.kept.tile_elements * (k < kernel_.noutputs ? 1 : blocks_.reduced.tile_elements);
  }
  std::int64_t bytes_of_buffers() const {
    std::int64_t bytes = 0;
    for (int k = 0; k < noperands_; ++k) {
      const ReduceOperand& r = plan_.operands[k];
      if (r.is_staged()) bytes += stage_bytes(r, staged_elements(k));
    }
    return bytes;
  }
  char* accumulator(char* accumulators, std::int64_t i) const {
    return accumulators + i * kernel_.accumulator_bytes;
  }
  /// Adds the tile of one side, its dims from step `first` on, to a block of operand k.
  void append_side(const ReduceSide& side, const TileCursor& tile, int k, BlockDim* dims,
                   int& ndims, int first = 0) const {
    for (int i = first; i < side.ntile; ++i)
      append_dim(dims, ndims, {tile.extents[i], geometry_.stride(side.steps[i].dim, k)});
  }
  /// Strides of the inputs along the dim of a side's step; zeros if there is no such step.
  const std::int64_t* input_strides(const ReduceSide& side, int i) const {
    static constexpr std::int64_t none[max_operands] = {};
    return i < side.ndim() ? geometry_.strides(side.steps[i].dim) + kernel_.noutputs : none;
  }
  /// Bytes from one element of a side's tile to the next in operand k's memory, where they are one
  /// stride after the other.
  std::int64_t step_of(const ReduceSide& side, int k) const {
    for (int i = 0; i < side.ntile; ++i)
      if (side.steps[i].tile > 1) return geometry_.stride(side.steps[i].dim, k);
    return 0;
  }
  /// The index of the block's first element, if that means anything.
  std::int64_t index() const { return kernel_.indexed ? blocks_.reduced.place_of(block_) : 0; }

  void fold_rows(char* rows, std::int64_t count, std::int64_t n) const {
    combine_by_halves(kernel_, rows, count, n);
  }

  /// Makes one accumulator of those of the deferred elements, for each kept one.
  void fold_deferred(char* accumulators) {
    const std::int64_t n = width_ / dims_.deferred, size = kernel_.accumulator_bytes;
    if (kernel_.combine_rows != nullptr) {
      kernel_.combine_rows(kernel_.context, parts_, accumulators, n, dims_.deferred);
    } else {
      BlockDim dims[] = {{n, dims_.deferred * size}, {dims_.deferred, size}};
      pack(copy_block_kernel(size), parts_, accumulators, size, dims, 2);
      fold_rows(parts_, dims_.deferred, n);
    }
    std::copy_n(parts_, n * size, accumulators);
  }

  // ---- Blocks -----------------------------------------------------------------------------------

  /// The inputs' elements of the block, into their windows.
  void compute_block() const {
    std::int64_t begin[max_rank], extents[max_rank];
    const auto add = [&](const TileSteps& steps, const TileCursor& tile) {
      for (std::size_t i = 0; i < steps.size(); ++i) {
        begin[steps[i].dim] = tile.at(i) * steps[i].tile;
        extents[steps[i].dim] = tile.extents[i];
      }
    };
    add(tiles_.kept.steps, kept_);
    add(blocks_.reduced.steps, block_);
    (*compute_)({begin, extents, plan_.window.strides.data(), windows_.data()});
  }

  /// Whether columns go to the kernel block by block: along one more dim of the tile than are
  /// dense.
  bool by_blocks() const {
    return dims_.by_columns() && kernel_.reduce_column_blocks != nullptr &&
           tiles_.kept.ntile > tiles_.inner_dims;
  }

  void reduce_block(char* to) {
    if (blocks_.pack) return reduce_packed(to);
    for_each_run([&](std::int64_t first, char* const* inputs, std::int64_t run) {
      char* const at = accumulator(to, first);
      dims_.by_columns() ? reduce_columns(at, inputs, run) : reduce_spans(at, inputs, run);
    });
  }

  /// Kept elements of the tile go to the kernel in runs: along the dims that are one in the inputs,
  /// and the next one of columns by blocks. Calls f(first, inputs, run) for `run` elements from
  /// `first` on.
  template <class F>
  void for_each_run(const F& f) {
    const ReduceSide& side = tiles_.kept;
    const int inner =
        std::min(side.ntile, std::max(tiles_.inner_dims, 1) + static_cast<int>(by_blocks()));
    const std::int64_t run = kept_.elements(inner);
    char* inputs[max_operands];
    std::copy_n(block_.ptrs + kernel_.noutputs, kernel_.ninputs, inputs);
    std::int64_t index[max_rank];
    std::fill(index + inner, index + side.ntile, 0);
    for (std::int64_t first = 0;; first += run) {
      f(first, inputs, run);
      int i = inner;
      for (; i < side.ntile; ++i) {
        const bool more = ++index[i] < kept_.extents[i];
        const std::int64_t by = more ? 1 : 1 - kept_.extents[i];
        for (int k = 0; k < kernel_.ninputs; ++k)
          inputs[k] += by * input_strides(side, i)[k];
        if (more) break;
        index[i] = 0;
      }
      if (i == side.ntile) return;
    }
  }

  /// Spans of `run` kept elements, or several spans of each of them.
  void reduce_spans(char* to, char* const* inputs, std::int64_t run) {
    const std::int64_t* kept = input_strides(tiles_.kept, 0);
    if (blocks_.spans == 1) {
      const std::int64_t n = block_.elements(blocks_.reduced.ntile);
      return reduce_rows(to, inputs, kept, run, n, index(), 0);
    }
    for (std::int64_t i = 0; i < run; ++i) {
      char* first[max_operands];
      for (int k = 0; k < kernel_.ninputs; ++k)
        first[k] = inputs[k] + i * kept[k];
      reduce_spans_of_one(accumulator(to, i), first);
    }
  }

  /// The spans of one kept element, parts of dim 0 or rows along dim 1, folded into a single
  /// accumulator by halves.
  void reduce_spans_of_one(char* to, char* const* inputs) {
    const bool is_cut = geometry_.extent(0) > blocks_.span;
    const std::int64_t n = block_.extents[0], length = is_cut ? blocks_.span : n;
    const std::int64_t whole = is_cut ? n / length : block_.extents[1], rest = n % length;
    std::int64_t step[max_operands];
    for (int k = 0; k < kernel_.ninputs; ++k)
      step[k] = is_cut ? length * input_strides(blocks_.reduced, 0)[k]
                       : input_strides(blocks_.reduced, 1)[k];
    if (whole > 0) reduce_rows(parts_, inputs, step, whole, length, index(), length);
    if (rest > 0) {
      char* tail[max_operands];
      for (int k = 0; k < kernel_.ninputs; ++k)
        tail[k] = inputs[k] + whole * step[k];
      reduce_rows(accumulator(parts_, whole), tail, step, 1, rest, index() + whole * length, 0);
    }
    fold_rows(parts_, whole + static_cast<int>(rest > 0), 1);
    std::copy_n(parts_, kernel_.accumulator_bytes, to);
  }

  /// Rows that are dense in memory; where some input is cast, as many at a time as buffers hold.
  void reduce_rows(char* to, char* const* inputs, const std::int64_t* row_bytes, std::int64_t rows,
                   std::int64_t n, std::int64_t index, std::int64_t index_step) {
    const std::int64_t max = casts_ ? blocks_.span / n : rows;
    for (std::int64_t row = 0; row < rows; row += max) {
      const std::int64_t count = std::min(max, rows - row);
      char* given[max_operands];
      std::int64_t given_bytes[max_operands];
      for (int k = 0; k < kernel_.ninputs; ++k) {
        const ReduceOperand& r = plan_.operands[kernel_.noutputs + k];
        given[k] = inputs[k] + row * row_bytes[k];
        given_bytes[k] = row_bytes[k];
        if (!r.converts()) continue;
        const StageBuffers& b = buffers_[kernel_.noutputs + k];
        load_rows(r, b, given[k], row_bytes[k], count, n);
        given[k] = b.kernel;
        given_bytes[k] = n * r.kernel_size;
      }
      kernel_.reduce_spans(kernel_.context, accumulator(to, row), given, given_bytes, count, n,
                           index + row * index_step, index_step);
    }
  }

  std::int64_t rows_of_block() const { return blocks_.reduced.ntile > 0 ? block_.extents[0] : 1; }
  /// Columns of `run` kept elements, `fold` rows as one. The rows that are left at the end go to
  /// the first accumulators.
  void reduce_columns(char* to, char* const* inputs, std::int64_t run) {
    const std::int64_t rows = rows_of_block() / dims_.fold, rest = rows_of_block() % dims_.fold;
    std::int64_t row_bytes[max_operands];
    for (int k = 0; k < kernel_.ninputs; ++k)
      row_bytes[k] = input_strides(blocks_.reduced, 0)[k] * dims_.fold;
    if (by_blocks()) {
      const std::int64_t blocks = kept_.extents[tiles_.inner_dims];
      kernel_.reduce_column_blocks(kernel_.context, to, inputs, row_bytes, rows, run / blocks,
                                   input_strides(tiles_.kept, tiles_.inner_dims), blocks);
      return;
    }
    kernel_.reduce_columns(kernel_.context, to, inputs, row_bytes, rows, run * dims_.fold, index());
    if (rest == 0) return;
    char* tail[max_operands];
    for (int k = 0; k < kernel_.ninputs; ++k)
      tail[k] = inputs[k] + rows * row_bytes[k];
    kernel_.reduce_columns(kernel_.context, parts_, tail, row_bytes, 1, run * rest, 0);
    kernel_.combine(kernel_.context, to, parts_, run * rest);
  }

  /// The block as rows, packed where an input has none: of kept elements, which are columns, or a
  /// span for each kept element. Of an input that is one value in each row, these values alone.
  [[gnu::noinline]] Rows packed_rows() {
    const bool columns = dims_.by_columns();
    const std::int64_t reduced = block_.elements(blocks_.reduced.ntile);
    const std::int64_t row = columns ? width_ : reduced, rows = columns ? reduced : width_;
    Rows in;
    for (int k = 0; k < kernel_.ninputs; ++k) {
      const int operand = kernel_.noutputs + k;
      const ReduceOperand& r = plan_.operands[operand];
      if (!r.is_staged()) {
        in.inputs[k] = block_.ptrs[operand];
        in.row_bytes[k] = step_of(plan_.rows_side(), operand);
        continue;
      }
      const std::int64_t length = (plan_.values >> k & 1) != 0 ? 1 : row;
      BlockDim dims[2 * max_rank];
      int ndims = 0;
      if (length == row)
        append_side(plan_.row_side(), columns ? kept_ : block_, operand, dims, ndims);
      append_side(plan_.rows_side(), columns ? block_ : kept_, operand, dims, ndims);
      const StageBuffers& b = buffers_[operand];
      load_block(r, copy_block_kernel(r.memory_size), b, block_.ptrs[operand], dims, ndims,
                 length * rows);
      in.inputs[k] = b.kernel;
      in.row_bytes[k] = length * r.kernel_size;
    }
    return in;
  }
  void reduce_packed(char* to) {
    const Rows in = packed_rows();
    const std::int64_t reduced = block_.elements(blocks_.reduced.ntile);
    dims_.by_columns() ? kernel_.reduce_columns(kernel_.context, to, in.inputs, in.row_bytes,
                                                reduced, width_, index())
                       : kernel_.reduce_spans(kernel_.context, to, in.inputs, in.row_bytes, width_,
                                              reduced, index(), 0);
  }

  const ReductionKernel& kernel_;
  const ReducePlan& plan_;
  const ReduceDims& dims_;  // the plan's, as the next two
  const ReduceBlocks& blocks_;
  const ReduceTiles& tiles_;
  const Geometry& geometry_;
  char* const* data_;
  const ComputeBlock* compute_;
  int noperands_;
  int walked_;  // operands that are in memory: the first ones
  std::int64_t tree_bytes_, parts_bytes_;
  ScratchMemory scratch_;  // accumulators of the tree, parts_, windows_, buffers
  SmallVector<StageBuffers, inline_operands> buffers_;
  TileCursor kept_, block_;
  bool casts_ = false;     // any input
  char* parts_ = nullptr;  // in scratch_: accumulators of spans, folded rows or deferred elements
  SmallVector<char*, inline_operands> windows_;  // in scratch_: a block of each computed input
  std::int64_t width_ = 1;                       // elements of the kept tile
};

}  // namespace v0
}  // namespace weft
