// SPDX-License-Identifier: Apache-2.0
/// @file
/// One thread's share of a reduction: blocks are staged, reduced, combined and projected.
#pragma once

#include <weft/base/checked.hpp>

#include "engine/block.hpp"
#include "engine/elementwise/tile_plan.hpp"
#include "engine/reduce/combining_tree.hpp"
#include "engine/reduce/output_transpose.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {

/// Runs parts of a plan on one thread.
class ReduceRunner {
 public:
  ReduceRunner(const TensorIterator& iter, const ReductionKernel& kernel, const ReducePlan& plan)
      : iter_(iter),
        kernel_(kernel),
        plan_(plan),
        geometry_(iter.geometry()),
        kept_(geometry_, plan.kept.steps, iter.numel() == 0 ? kernel.noutputs : iter.ntensors()),
        block_(geometry_, plan.reduced.steps, iter.ntensors()) {
    std::size_t total = 0;
    const auto reserve = [&](std::int64_t bytes) {
      const std::size_t at = total;
      total += lines(bytes);
      return at;
    };
    const std::size_t tree = reserve(CombiningTree::bytes_needed(kernel, plan.width(), plan.group));
    pieces_ = reserve(std::max(plan.pieces, plan.fold * plan.kept.tile_elements) *
                      kernel.accumulator_bytes);
    for (std::size_t k = 0; k < plan.operands.size(); ++k) {
      const ReduceOperand& r = plan.operands[k];
      Buffers b;
      if (r.staged) {
        const std::int64_t elements =
            static_cast<int>(k) < kernel.noutputs ? plan.kept.tile_elements : staged_elements();
        b.kernel = reserve(elements * r.kernel_size);
        b.via = reserve(elements * r.via_size);
        if (r.converts()) b.memory = reserve(elements * r.memory_size);
      }
      buffers_.push_back(b);
    }
    scratch_.resize_for_overwrite(total);
    tree_memory_ = at(tree);
  }

  /// Reduces blocks [first, last) of kept tile `tile` and leaves its accumulators (plan.width() of
  /// them) in memory that lasts until the next call.
  char* reduce(std::int64_t tile, std::int64_t first, std::int64_t last) {
    locate_kept(tile);
    CombiningTree tree(kernel_, tree_memory_, plan_.width());
    const std::int64_t width = width_ * plan_.fold;
    block_.seek(first, kept_.ptrs);
    for (std::int64_t block = first;;) {
      reduce_block(tree.next());
      tree.push(width);
      if (++block == last || all_done(tree.first(), width)) break;
      block_.next();
    }
    return tree.finish(width);
  }

  /// Reduces a kept tile into its outputs, where the plan goes straight.
  void reduce_straight(std::int64_t tile) {
    locate_kept(tile);
    kernel_.reduce_short_rows(kernel_.context, kept_.ptrs[0], kept_.ptrs[1], width_,
                              geometry_.extent(0));
  }

  /// Whether nothing more can change the accumulators of the tile at hand.
  bool all_done(const char* accumulators) const {
    return all_done(accumulators, width_ * plan_.fold);
  }

  /// Makes one accumulator for each kept element of a tile out of plan.width().
  void fold(std::int64_t tile, char* accumulators) {
    if (plan_.fold == 1 && plan_.strands == 1) return;
    locate_kept(tile);
    fold_rows(accumulators, plan_.fold, width_);
    if (plan_.strands > 1) fold_strands(accumulators);
  }

  /// Calls f(accumulators, place, count) for runs of a tile's kept elements, `place` being that
  /// among all of them, dim 0 fastest.
  template <class F>
  void for_places(std::int64_t tile, char* accumulators, F&& f) {
    locate_kept(tile);
    const ReduceSide& side = plan_.kept;
    const int first = plan_.first_kept();
    const std::int64_t run = side.ntile > first ? kept_.extents[first] : 1;
    std::int64_t index[max_rank] = {};
    std::int64_t place = first_index(plan_.kept, kept_);
    for (;;) {
      f(accumulators, place, run);
      accumulators = accumulator(accumulators, run);
      int i = first + 1;
      for (; i < side.ntile; ++i) {
        const bool more = ++index[i] < kept_.extents[i];
        place += (more ? 1 : 1 - kept_.extents[i]) * side.places[static_cast<std::size_t>(i)];
        if (more) break;
        index[i] = 0;
      }
      if (i >= side.ntile) return;
    }
  }

  /// Projects the accumulators of a kept tile, one for each element, into the outputs' memory or,
  /// where they are put together first, into `transposed`.
  void project(std::int64_t tile, const char* accumulators, const TransposedResults& transposed) {
    locate_kept(tile);
    const std::int64_t n = width_ / plan_.strands;
    char* to[max_operands];
    for (int k = 0; k < kernel_.noutputs; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const ReduceOperand& r = plan_.operands[i];
      to[k] = !r.converts() && transposed ? transposed_at(k, transposed)
              : r.staged                  ? at(buffers_[i].kernel)
                                          : kept_.ptrs[k];
    }
    kernel_.project(kernel_.context, accumulators, n, to);
    for (int k = 0; k < kernel_.noutputs; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const ReduceOperand& r = plan_.operands[i];
      if (!r.staged || (!r.converts() && transposed)) continue;
      const char* from = to[k];
      if (r.converts()) {
        char* const memory = transposed ? transposed_at(k, transposed) : at(buffers_[i].memory);
        convert(i, from, memory, n);
        if (transposed) continue;
        from = memory;
      }
      BlockDim dims[max_rank];
      int ndims = 0;
      append_side(plan_.kept, kept_, k, dims, ndims, plan_.first_kept());
      unpack(copy_block_kernel(r.memory_size), kept_.ptrs[k], from, r.memory_size, dims, ndims);
    }
  }

 private:
  struct Buffers {
    std::size_t kernel = 0, via = 0, memory = 0;  // lines of scratch_
  };

  char* at(std::size_t line) { return reinterpret_cast<char*>(scratch_.data() + line); }
  char* accumulator(char* accumulators, std::int64_t i) const {
    return accumulators + i * kernel_.accumulator_bytes;
  }

  /// Elements of an input that are staged at a time.
  std::int64_t staged_elements() const {
    switch (plan_.form) {
      case ReduceForm::spans: return plan_.span;
      default: return plan_.kept.tile_elements * plan_.reduced.tile_elements;
    }
  }

  /// Combines `count` rows of n accumulators by halves, into the first one.
  void fold_rows(char* rows, std::int64_t count, std::int64_t n) const {
    while (count > 1) {
      const auto half =
          static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(count)) / 2);
      kernel_.combine(kernel_.context, rows, accumulator(rows, half * n), (count - half) * n);
      count = half;
    }
  }

  /// Makes one accumulator of the strands of each kept element.
  void fold_strands(char* accumulators) {
    const std::int64_t n = width_ / plan_.strands, size = kernel_.accumulator_bytes;
    char* const parts = at(pieces_);
    if (kernel_.combine_rows != nullptr) {
      kernel_.combine_rows(kernel_.context, parts, accumulators, n, plan_.strands);
    } else {
      BlockDim dims[] = {{n, plan_.strands * size}, {plan_.strands, size}};
      pack(copy_block_kernel(size), parts, accumulators, size, dims, 2);
      fold_rows(parts, plan_.strands, n);
    }
    std::copy_n(parts, n * size, accumulators);
  }

  /// Where the results of the tile at hand are put together: tiles are one run each, as the plan
  /// orders them.
  char* transposed_at(int k, const TransposedResults& transposed) const {
    return transposed.at(k, first_index(plan_.kept, kept_));
  }

  /// Number of elements of a side before the tile at hand, in the plan's order: all tiles but the
  /// last along a dim are whole.
  static std::int64_t first_index(const ReduceSide& side, const TileCursor& tile) {
    std::int64_t index = 0;
    for (std::size_t i = 0; i < side.steps.size(); ++i)
      index += tile.at(i) * side.steps[i].tile * side.places[i];
    return index;
  }

  void locate_kept(std::int64_t tile) {
    char* base[max_operands];
    for (int k = 0; k < geometry_.noperands; ++k)
      base[k] = iter_.operand(k).data;
    kept_.seek(tile, base);
    width_ = kept_.elements(plan_.kept.ntile);
  }

  bool all_done(const char* accumulators, std::int64_t width) const {
    if (kernel_.done == nullptr) return false;
    for (std::int64_t i = 0; i < width; ++i) {
      if (!kernel_.done(kernel_.context, accumulators + i * kernel_.accumulator_bytes))
        return false;
    }
    return true;
  }

  /// Adds the tile of one side, its dims from entry `first` on, to a block of operand k.
  void append_side(const ReduceSide& side, const TileCursor& tile, int k, BlockDim* dims,
                   int& ndims, int first = 0) const {
    for (int i = first; i < side.ntile; ++i) {
      const int d = side.dims[static_cast<std::size_t>(i)];
      append_dim(dims, ndims, {tile.extents[i], geometry_.stride(d, k)});
    }
  }

  // ---- Staging ----------------------------------------------------------------------------------

  void convert(std::size_t k, const char* from, char* to, std::int64_t n) {
    plan_.operands[k].convert(to, from, at(buffers_[k].via), n);
  }

  /// Brings input k's block into the kernel's form and returns where it stands.
  char* stage(int k, char* memory, BlockDim* dims, int ndims, std::int64_t elements) {
    const auto i = static_cast<std::size_t>(k);
    const ReduceOperand& r = plan_.operands[i];
    if (!r.staged) return memory;
    char* kernel = at(buffers_[i].kernel);
    if (!r.pack) {
      convert(i, memory, kernel, elements);
      return kernel;
    }
    char* dense = r.converts() ? at(buffers_[i].memory) : kernel;
    pack(copy_block_kernel(r.memory_size), dense, memory, r.memory_size, dims, ndims);
    if (r.converts()) convert(i, dense, kernel, elements);
    return kernel;
  }

  // ---- Blocks -----------------------------------------------------------------------------------

  void reduce_block(char* accumulators) {
    switch (plan_.form) {
      case ReduceForm::spans:
        return for_kept_rows(accumulators, [&](auto... row) { spans(row...); });
      case ReduceForm::gathered_spans: return gathered_spans(accumulators);
      case ReduceForm::columns:
        if (by_blocks())
          return for_kept_rows(accumulators, [&](auto... row) { column_blocks(row...); });
        return for_kept_rows(accumulators, [&](auto... row) { columns(row...); });
      case ReduceForm::folded: return folded(accumulators);
      case ReduceForm::gathered_columns: return gathered_columns(accumulators);
    }
  }

  /// Whether columns go to the kernel block by block: along one more dim of the tile than are
  /// dense.
  bool by_blocks() const {
    return plan_.form == ReduceForm::columns && kernel_.reduce_column_blocks != nullptr &&
           plan_.kept.ntile > plan_.inner_dims;
  }

  /// Calls f(accumulators, pointers of the operands, number of elements) for each run of kept
  /// elements along the dims of the tile that are one in the inputs, and the next one of columns by
  /// blocks.
  template <class F>
  void for_kept_rows(char* accumulators, F&& f) {
    const ReduceSide& side = plan_.kept;
    int inner = 0;  // dims that a run goes along
    std::int64_t run = 1;
    for (; inner < std::min(side.ntile, std::max(plan_.inner_dims, 1)); ++inner)
      run *= kept_.extents[inner];
    if (by_blocks() && side.ntile > inner) run *= kept_.extents[inner++];
    if (side.ntile <= inner) {
      f(accumulators, static_cast<char* const*>(block_.ptrs), run);
      return;
    }
    char* ptrs[max_operands];
    std::copy_n(block_.ptrs, geometry_.noperands, ptrs);
    std::int64_t index[max_rank] = {};
    for (;;) {
      f(accumulators, static_cast<char* const*>(ptrs), run);
      accumulators = accumulator(accumulators, run);
      int i = inner;
      for (; i < side.ntile; ++i) {
        const bool more = ++index[i] < kept_.extents[i];
        const std::int64_t by = more ? 1 : 1 - kept_.extents[i];
        const std::int64_t* strides = geometry_.strides(side.dims[static_cast<std::size_t>(i)]);
        for (int k = 0; k < geometry_.noperands; ++k)
          ptrs[k] += by * strides[k];
        if (more) break;
        index[i] = 0;
      }
      if (i == side.ntile) return;
    }
  }

  /// Strides of the inputs along one of a side's dims, by the place of the dim in the side; zeros
  /// if the side has no such dim.
  const std::int64_t* input_strides(const ReduceSide& side, std::size_t i) const {
    static constexpr std::int64_t none[max_operands] = {};
    return i < side.dims.size() ? geometry_.strides(side.dims[i]) + kernel_.noutputs : none;
  }

  /// Spans of `run` kept elements, or several spans of each of them.
  void spans(char* accumulators, char* const* ptrs, std::int64_t run) {
    const std::int64_t* kept = input_strides(plan_.kept, 0);
    char* const* inputs = ptrs + kernel_.noutputs;
    const std::int64_t n = block_.extents[0];
    const std::int64_t index = kernel_.indexed ? first_index(plan_.reduced, block_) : 0;
    if (plan_.pieces == 1) {
      reduce_rows(accumulators, inputs, kept, run, n, index, 0);
      return;
    }
    for (std::int64_t i = 0; i < run; ++i) {
      char* first[max_operands];
      for (int k = 0; k < kernel_.ninputs; ++k)
        first[k] = inputs[k] + i * kept[k];
      pieces(accumulator(accumulators, i), first, n, index);
    }
  }

  /// The spans of one kept element, folded into a single accumulator by halves.
  void pieces(char* result, char* const* inputs, std::int64_t n, std::int64_t index) {
    char* parts = at(pieces_);
    std::int64_t count = 0;
    if (n > plan_.span || geometry_.extent(0) > plan_.span) {
      std::int64_t step[max_operands];
      for (int k = 0; k < kernel_.ninputs; ++k)
        step[k] = plan_.span * input_strides(plan_.reduced, 0)[k];
      const std::int64_t whole = n / plan_.span;
      const std::int64_t rest = n % plan_.span;
      if (whole > 0) reduce_rows(parts, inputs, step, whole, plan_.span, index, plan_.span);
      count = whole;
      if (rest > 0) {
        char* tail[max_operands];
        for (int k = 0; k < kernel_.ninputs; ++k)
          tail[k] = inputs[k] + whole * step[k];
        reduce_rows(accumulator(parts, count++), tail, step, 1, rest, index + whole * plan_.span,
                    0);
      }
    } else {
      count = block_.extents[1];
      reduce_rows(parts, inputs, input_strides(plan_.reduced, 1), count, n, index, n);
    }
    fold_rows(parts, count, 1);
    std::copy_n(parts, kernel_.accumulator_bytes, result);
  }

  /// Rows that are dense in memory, converted if need be as many at a time as the buffers hold.
  void reduce_rows(char* accumulators, char* const* inputs, const std::int64_t* row_bytes,
                   std::int64_t rows, std::int64_t n, std::int64_t index, std::int64_t index_step) {
    if (!plan_.stages_inputs) {
      kernel_.reduce_spans(kernel_.context, accumulators, inputs, row_bytes, rows, n, index,
                           index_step);
      return;
    }
    const std::int64_t most = plan_.span / n;
    for (std::int64_t row = 0; row < rows; row += most) {
      const std::int64_t count = std::min(most, rows - row);
      char* staged[max_operands];
      std::int64_t staged_bytes[max_operands];
      for (int k = 0; k < kernel_.ninputs; ++k) {
        const auto i = static_cast<std::size_t>(kernel_.noutputs + k);
        const ReduceOperand& r = plan_.operands[i];
        char* from = inputs[k] + row * row_bytes[k];
        staged[k] = from;
        staged_bytes[k] = row_bytes[k];
        if (!r.staged) continue;
        staged[k] = at(buffers_[i].kernel);
        staged_bytes[k] = n * r.kernel_size;
        if (row_bytes[k] == n * r.memory_size) {
          convert(i, from, staged[k], count * n);
          continue;
        }
        for (std::int64_t c = 0; c < count; ++c)
          convert(i, from + c * row_bytes[k], staged[k] + c * staged_bytes[k], n);
      }
      kernel_.reduce_spans(kernel_.context, accumulator(accumulators, row), staged, staged_bytes,
                           count, n, index + row * index_step, index_step);
    }
  }

  /// Inputs packed into dense matrices of `elements` elements: rows of `row` of them along the dims
  /// of the tile `inside`, one for each place of the tile `outside`.
  struct Gathered {
    char* inputs[max_operands];
    std::int64_t row_bytes[max_operands];
  };
  Gathered gather(const ReduceSide& inside, const TileCursor& inside_tile,
                  const ReduceSide& outside, const TileCursor& outside_tile, std::int64_t row,
                  std::int64_t elements) {
    Gathered gathered;
    for (int k = kernel_.noutputs; k < geometry_.noperands; ++k) {
      BlockDim dims[2 * max_rank];
      int ndims = 0;
      append_side(inside, inside_tile, k, dims, ndims);
      append_side(outside, outside_tile, k, dims, ndims);
      const int input = k - kernel_.noutputs;
      gathered.inputs[input] = stage(k, block_.ptrs[k], dims, ndims, elements);
      gathered.row_bytes[input] = row * plan_.operands[static_cast<std::size_t>(k)].kernel_size;
    }
    return gathered;
  }

  /// One packed span for each kept element of the tile.
  void gathered_spans(char* accumulators) {
    const std::int64_t n = block_.elements(plan_.reduced.ntile);
    const Gathered g = gather(plan_.reduced, block_, plan_.kept, kept_, n, n * width_);
    kernel_.reduce_spans(kernel_.context, accumulators, g.inputs, g.row_bytes, width_, n,
                         kernel_.indexed ? first_index(plan_.reduced, block_) : 0, 0);
  }

  /// Columns of `run` kept elements.
  void columns(char* accumulators, char* const* ptrs, std::int64_t run) {
    const std::int64_t rows = plan_.reduced.ntile > 0 ? block_.extents[0] : 1;
    kernel_.reduce_columns(kernel_.context, accumulators, ptrs + kernel_.noutputs,
                           input_strides(plan_.reduced, 0), rows, run,
                           kernel_.indexed ? first_index(plan_.reduced, block_) : 0);
  }

  void column_blocks(char* accumulators, char* const* ptrs, std::int64_t run) {
    const std::int64_t rows = plan_.reduced.ntile > 0 ? block_.extents[0] : 1;
    const auto outer = static_cast<std::size_t>(plan_.inner_dims);
    const std::int64_t blocks = kept_.extents[outer];
    kernel_.reduce_column_blocks(kernel_.context, accumulators, ptrs + kernel_.noutputs,
                                 input_strides(plan_.reduced, 0), rows, run / blocks,
                                 input_strides(plan_.kept, outer), blocks);
  }

  /// Columns of all kept elements of the tile, `fold` rows as one. The rows that are left at the
  /// end go to the first accumulators.
  void folded(char* accumulators) {
    const std::int64_t rows = block_.extents[0] / plan_.fold;
    const std::int64_t rest = block_.extents[0] % plan_.fold;
    char* const* inputs = block_.ptrs + kernel_.noutputs;
    std::int64_t row_bytes[max_operands];
    for (int k = 0; k < kernel_.ninputs; ++k)
      row_bytes[k] = input_strides(plan_.reduced, 0)[k] * plan_.fold;
    kernel_.reduce_columns(kernel_.context, accumulators, inputs, row_bytes, rows,
                           width_ * plan_.fold, 0);
    if (rest == 0) return;
    char* tail[max_operands];
    for (int k = 0; k < kernel_.ninputs; ++k)
      tail[k] = inputs[k] + rows * row_bytes[k];
    char* part = at(pieces_);
    kernel_.reduce_columns(kernel_.context, part, tail, row_bytes, 1, width_ * rest, 0);
    kernel_.combine(kernel_.context, accumulators, part, width_ * rest);
  }

  /// Columns of all kept elements of the tile, packed.
  void gathered_columns(char* accumulators) {
    const std::int64_t rows = block_.elements(plan_.reduced.ntile);
    const Gathered g = gather(plan_.kept, kept_, plan_.reduced, block_, width_, rows * width_);
    kernel_.reduce_columns(kernel_.context, accumulators, g.inputs, g.row_bytes, rows, width_,
                           kernel_.indexed ? first_index(plan_.reduced, block_) : 0);
  }

  const TensorIterator& iter_;
  const ReductionKernel& kernel_;
  const ReducePlan& plan_;
  const Geometry& geometry_;
  // 24 KiB of staging and 96 KiB of accumulators, most often; more goes to the heap.
  SmallVector<Line, 2048> scratch_;
  SmallVector<Buffers, inline_operands> buffers_;
  TileCursor kept_, block_;
  char* tree_memory_ = nullptr;
  std::size_t pieces_ = 0;
  std::int64_t width_ = 1;  // elements of the kept tile at hand
};

}  // namespace v0
}  // namespace weft
