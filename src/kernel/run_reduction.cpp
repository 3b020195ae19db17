// SPDX-License-Identifier: Apache-2.0
#include <weft/base/checked.hpp>
#include <weft/base/function_ref.hpp>
#include <weft/kernel/cpu_info.hpp>
#include <weft/parallel/parallel.hpp>

#include "kernel/block.hpp"
#include "kernel/reduce_plan.hpp"
#include "kernel/tile_plan.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace weft::inline v0 {
namespace {

/// 64 bytes, aligned to them: what scratch memory is counted in.
struct alignas(64) Line {
  std::byte bytes[64];
};
std::size_t lines(std::int64_t bytes) { return static_cast<std::size_t>((bytes + 63) / 64); }

/// Combines accumulators that arrive in order as a binary tree: of n of them, the largest power of
/// two below n (or half of n) on the left. Works like a binary counter: the sum of 2^k arrivals
/// waits at level k.
class CombiningTree {
 public:
  /// Arrays of `width` accumulators, for up to `count` arrivals, in memory of bytes_needed().
  CombiningTree(const ReductionKernel& kernel, char* memory, std::int64_t width)
      : kernel_(kernel), memory_(memory), level_bytes_(width * kernel.accumulator_bytes) {}

  static std::int64_t bytes_needed(const ReductionKernel& kernel, std::int64_t width,
                                   std::int64_t count) {
    const int levels =
        std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(count, 1))) + 1;
    return levels * width * kernel.accumulator_bytes;
  }

  /// Where the next arrival is to be written.
  char* next() { return memory_ + filled_ * level_bytes_; }
  /// Takes what was written to next(), `n` accumulators.
  void push(std::int64_t n) {
    ++filled_;
    for (std::int64_t bits = arrivals_++; (bits & 1) != 0; bits >>= 1)
      merge_top(n);
  }
  /// The result of all arrivals (at least one).
  char* finish(std::int64_t n) {
    while (filled_ > 1)
      merge_top(n);
    return memory_;
  }
  void restart() {
    filled_ = 0;
    arrivals_ = 0;
  }
  /// The accumulator that holds the first arrivals.
  const char* first() const { return memory_; }
  bool empty() const { return filled_ == 0; }

 private:
  void merge_top(std::int64_t n) {
    char* left = memory_ + (filled_ - 2) * level_bytes_;
    kernel_.combine(kernel_.context, left, left + level_bytes_, n);
    --filled_;
  }

  const ReductionKernel& kernel_;
  char* memory_;
  std::int64_t level_bytes_;
  std::int64_t filled_ = 0;    // arrays in use
  std::int64_t arrivals_ = 0;  // in binary: which levels they stand for
};

/// The tile of one side at hand: where it begins in every operand, and its extents.
class TileCursor {
 public:
  /// `located` operands have addresses; those of the rest stay as they are.
  TileCursor(const Geometry& geometry, const ReduceSide& side, int located)
      : geometry_(geometry), side_(side), located_(located) {}

  /// Goes to tile `number`; `base` points to the operands' elements at the start of the side.
  void seek(std::int64_t number, char* const* base) {
    std::copy_n(base, geometry_.noperands, ptrs);
    for (std::size_t i = 0; i < side_.dims.size(); ++i) {
      index_[i] = number % side_.tiles[i];
      number /= side_.tiles[i];
      move(i, index_[i]);
      measure(i);
    }
  }

  /// Goes to the next tile, of which there must be one.
  void next() {
    for (std::size_t i = 0; i < side_.dims.size(); ++i) {
      const bool more = index_[i] + 1 < side_.tiles[i];
      move(i, more ? 1 : -index_[i]);
      index_[i] = more ? index_[i] + 1 : 0;
      measure(i);
      if (more) return;
    }
  }

  std::int64_t elements() const {
    std::int64_t elements = 1;
    for (int i = 0; i < side_.ntile; ++i)
      elements *= extents[i];
    return elements;
  }

  /// Number of elements of the side before the tile, in the plan's order: all tiles but the last
  /// along a dim are whole.
  std::int64_t first_index() const {
    std::int64_t index = 0;
    std::int64_t step = 1;
    for (std::size_t i = 0; i < side_.dims.size(); ++i) {
      index += index_[i] * side_.tile[i] * step;
      step *= geometry_.extent(side_.dims[i]);
    }
    return index;
  }

  char* ptrs[max_operands];
  std::int64_t extents[max_rank];  // per entry of the side's dims

 private:
  void move(std::size_t i, std::int64_t tiles) {
    const std::int64_t* strides = geometry_.strides(side_.dims[i]);
    for (int k = 0; k < located_; ++k)
      ptrs[k] += tiles * side_.tile[i] * strides[k];
  }
  void measure(std::size_t i) {
    const std::int64_t start = index_[i] * side_.tile[i];
    extents[i] = std::min(side_.tile[i], geometry_.extent(side_.dims[i]) - start);
  }

  const Geometry& geometry_;
  const ReduceSide& side_;
  int located_;
  std::int64_t index_[max_rank];
};

/// Runs parts of a plan on one thread.
class ReduceRunner {
 public:
  ReduceRunner(const TensorIterator& iter, const ReductionKernel& kernel, const ReducePlan& plan)
      : iter_(iter),
        kernel_(kernel),
        plan_(plan),
        geometry_(iter.geometry()),
        kept_(geometry_, plan.kept, iter.numel() == 0 ? kernel.noutputs : iter.ntensors()),
        block_(geometry_, plan.reduced, iter.ntensors()) {
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
        b.memory = reserve(elements * r.memory_size);
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

  /// Makes one accumulator for each kept element of a tile out of plan.width().
  void fold(std::int64_t tile, char* accumulators) {
    if (plan_.fold == 1) return;
    locate_kept(tile);
    for (std::int64_t rows = plan_.fold / 2; rows > 0; rows /= 2)
      kernel_.combine(kernel_.context, accumulators, accumulator(accumulators, rows * width_),
                      rows * width_);
  }

  /// Calls f(accumulators, place, count) for runs of a tile's kept elements, `place` being that among
  /// all of them, dim 0 fastest.
  template <class F>
  void for_places(std::int64_t tile, char* accumulators, F&& f) {
    locate_kept(tile);
    const ReduceSide& side = plan_.kept;
    const std::int64_t run = side.ntile > 0 ? kept_.extents[0] : 1;
    std::int64_t index[max_rank] = {};
    std::int64_t place = kept_.first_index();
    for (;;) {
      f(accumulators, place, run);
      accumulators = accumulator(accumulators, run);
      std::int64_t step = side.ntile > 0 ? geometry_.extent(side.dims[0]) : 1;
      int i = 1;
      for (; i < side.ntile; ++i) {
        const bool more = ++index[i] < kept_.extents[i];
        place += more ? step : (1 - kept_.extents[i]) * step;
        if (more) break;
        index[i] = 0;
        step *= geometry_.extent(side.dims[static_cast<std::size_t>(i)]);
      }
      if (i >= side.ntile) return;
    }
  }

  /// Projects the accumulators of a kept tile, one for each element, into the outputs' memory.
  void project(std::int64_t tile, const char* accumulators) {
    locate_kept(tile);
    char* to[max_operands];
    for (int k = 0; k < kernel_.noutputs; ++k) {
      const auto i = static_cast<std::size_t>(k);
      to[k] = plan_.operands[i].staged ? at(buffers_[i].kernel) : kept_.ptrs[k];
    }
    kernel_.project(kernel_.context, accumulators, width_, to);
    for (int k = 0; k < kernel_.noutputs; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const ReduceOperand& r = plan_.operands[i];
      if (!r.staged) continue;
      const char* from = to[k];
      if (r.first != nullptr) {
        convert(i, from, at(buffers_[i].memory), width_);
        from = at(buffers_[i].memory);
      }
      BlockDim dims[max_rank];
      int ndims = 0;
      append_side(plan_.kept, kept_, k, dims, ndims);
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
      case ReduceForm::gathered_spans: return plan_.reduced.tile_elements;
      default: return plan_.kept.tile_elements * plan_.reduced.tile_elements;
    }
  }

  void locate_kept(std::int64_t tile) {
    char* base[max_operands];
    for (int k = 0; k < geometry_.noperands; ++k)
      base[k] = iter_.operand(k).data;
    kept_.seek(tile, base);
    width_ = kept_.elements();
  }

  bool all_done(const char* accumulators, std::int64_t width) const {
    if (kernel_.done == nullptr) return false;
    for (std::int64_t i = 0; i < width; ++i) {
      if (!kernel_.done(kernel_.context, accumulators + i * kernel_.accumulator_bytes))
        return false;
    }
    return true;
  }

  /// Adds the tile of one side to a block of operand k.
  void append_side(const ReduceSide& side, const TileCursor& tile, int k, BlockDim* dims,
                   int& ndims) const {
    for (int i = 0; i < side.ntile; ++i) {
      const int d = side.dims[static_cast<std::size_t>(i)];
      append_dim(dims, ndims, {tile.extents[i], geometry_.stride(d, k)});
    }
  }

  // ---- Staging ----------------------------------------------------------------------------------

  void convert(std::size_t k, const char* from, char* to, std::int64_t n) {
    const ReduceOperand& r = plan_.operands[k];
    if (r.second == nullptr) {
      r.first(to, from, n);
    } else {
      r.first(at(buffers_[k].via), from, n);
      r.second(to, at(buffers_[k].via), n);
    }
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
    char* dense = r.first != nullptr ? at(buffers_[i].memory) : kernel;
    pack(copy_block_kernel(r.memory_size), dense, memory, r.memory_size, dims, ndims);
    if (r.first != nullptr) convert(i, dense, kernel, elements);
    return kernel;
  }

  // ---- Blocks -----------------------------------------------------------------------------------

  void reduce_block(char* accumulators) {
    switch (plan_.form) {
      case ReduceForm::spans:
        return for_kept_rows(accumulators, [&](auto... row) { spans(row...); });
      case ReduceForm::gathered_spans:
        return for_kept_rows(accumulators, [&](auto... row) { gathered_spans(row...); });
      case ReduceForm::columns:
        return for_kept_rows(accumulators, [&](auto... row) { columns(row...); });
      case ReduceForm::folded: return folded(accumulators);
      case ReduceForm::gathered_columns: return gathered_columns(accumulators);
    }
  }

  /// Calls f(accumulators, pointers of the operands, number of elements) for each run of kept
  /// elements along the innermost kept dim of the tile, or along all that are dense in the inputs.
  template <class F>
  void for_kept_rows(char* accumulators, F&& f) {
    const ReduceSide& side = plan_.kept;
    std::int64_t run = side.ntile > 0 ? kept_.extents[0] : 1;
    int inner = 1;  // dims that a run goes along
    if (plan_.form == ReduceForm::columns) {
      for (; inner < std::min(side.ntile, plan_.inner_dims); ++inner)
        run *= kept_.extents[inner];
    }
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

  /// Strides of the inputs along one of a side's dims, by the place of the dim in the side; zeros if
  /// the side has no such dim.
  const std::int64_t* input_strides(const ReduceSide& side, std::size_t i) const {
    static constexpr std::int64_t none[max_operands] = {};
    return i < side.dims.size() ? geometry_.strides(side.dims[i]) + kernel_.noutputs : none;
  }

  /// Spans of `run` kept elements, or several spans of each of them.
  void spans(char* accumulators, char* const* ptrs, std::int64_t run) {
    const std::int64_t* kept = input_strides(plan_.kept, 0);
    char* const* inputs = ptrs + kernel_.noutputs;
    const std::int64_t n = block_.extents[0];
    const std::int64_t index = kernel_.indexed ? block_.first_index() : 0;
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
    while (count > 1) {
      const auto half =
          static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(count)) / 2);
      kernel_.combine(kernel_.context, parts, accumulator(parts, half), count - half);
      count = half;
    }
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

  /// One packed span for each of `run` kept elements.
  void gathered_spans(char* accumulators, char* const* ptrs, std::int64_t run) {
    const std::int64_t* kept = input_strides(plan_.kept, 0);
    const std::int64_t index = kernel_.indexed ? block_.first_index() : 0;
    const std::int64_t elements = block_.elements();
    for (std::int64_t i = 0; i < run; ++i) {
      char* inputs[max_operands];
      for (int k = kernel_.noutputs; k < geometry_.noperands; ++k) {
        BlockDim dims[max_rank];
        int ndims = 0;
        append_side(plan_.reduced, block_, k, dims, ndims);
        char* from = ptrs[k] + i * kept[k - kernel_.noutputs];
        inputs[k - kernel_.noutputs] = stage(k, from, dims, ndims, elements);
      }
      static constexpr std::int64_t one_row[max_operands] = {};
      kernel_.reduce_spans(kernel_.context, accumulator(accumulators, i), inputs, one_row, 1,
                           elements, index, 0);
    }
  }

  /// Columns of `run` kept elements.
  void columns(char* accumulators, char* const* ptrs, std::int64_t run) {
    const std::int64_t rows = plan_.reduced.ntile > 0 ? block_.extents[0] : 1;
    kernel_.reduce_columns(kernel_.context, accumulators, ptrs + kernel_.noutputs,
                           input_strides(plan_.reduced, 0), rows, run,
                           kernel_.indexed ? block_.first_index() : 0);
  }

  /// Columns of all kept elements of the tile, `fold` rows as one. The rows that are left at the end
  /// go to the first accumulators.
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
    const std::int64_t rows = block_.elements();
    char* inputs[max_operands];
    std::int64_t row_bytes[max_operands];
    for (int k = kernel_.noutputs; k < geometry_.noperands; ++k) {
      // Kept dims inside, reduced ones outside: a dense matrix of rows.
      BlockDim dims[2 * max_rank];
      int ndims = 0;
      append_side(plan_.kept, kept_, k, dims, ndims);
      append_side(plan_.reduced, block_, k, dims, ndims);
      const int input = k - kernel_.noutputs;
      inputs[input] = stage(k, block_.ptrs[k], dims, ndims, rows * width_);
      row_bytes[input] = width_ * plan_.operands[static_cast<std::size_t>(k)].kernel_size;
    }
    kernel_.reduce_columns(kernel_.context, accumulators, inputs, row_bytes, rows, width_,
                           kernel_.indexed ? block_.first_index() : 0);
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

/// What becomes of a kept tile's accumulators: sink(runner, tile, accumulators), once for each tile.
using Sink = FunctionRef<void(ReduceRunner&, std::int64_t, char*)>;

/// Nothing to reduce: every kept element has the identity.
void sink_identity(const TensorIterator& iter, const ReductionKernel& kernel,
                   const ReducePlan& plan, Sink sink) {
  ReduceRunner runner(iter, kernel, plan);
  SmallVector<Line, 64> identities;
  identities.resize_for_overwrite(lines(plan.kept.tile_elements * kernel.accumulator_bytes));
  char* acc = reinterpret_cast<char*>(identities.data());
  for (std::int64_t tile = 0; tile < plan.kept.count; ++tile) {
    char* nothing[max_operands] = {};
    static constexpr std::int64_t nowhere[max_operands] = {};
    kernel.reduce_spans(kernel.context, acc, nothing, nowhere, plan.kept.tile_elements, 0, 0, 0);
    sink(runner, tile, acc);
  }
}

/// Threads share the blocks of each kept tile: a first pass reduces groups, a second combines them.
void reduce_in_groups(const TensorIterator& iter, const ReductionKernel& kernel,
                      const ReducePlan& plan, Sink sink) {
  const std::int64_t width_bytes = plan.width() * kernel.accumulator_bytes;
  const std::size_t slot = lines(width_bytes);
  std::vector<Line> partial(static_cast<std::size_t>(plan.kept.count * plan.groups) * slot);
  const auto slot_at = [&](std::int64_t i) {
    return reinterpret_cast<char*>(partial.data() + static_cast<std::size_t>(i) * slot);
  };
  parallel_for(plan.kept.count * plan.groups, 1, [&](std::int64_t begin, std::int64_t end) {
    ReduceRunner runner(iter, kernel, plan);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t first = i % plan.groups * plan.group;
      const char* acc =
          runner.reduce(i / plan.groups, first, std::min(first + plan.group, plan.reduced.count));
      std::copy_n(acc, width_bytes, slot_at(i));
    }
  });
  ReduceRunner runner(iter, kernel, plan);
  std::vector<Line> memory(lines(CombiningTree::bytes_needed(kernel, plan.width(), plan.groups)));
  for (std::int64_t tile = 0; tile < plan.kept.count; ++tile) {
    CombiningTree tree(kernel, reinterpret_cast<char*>(memory.data()), plan.width());
    for (std::int64_t g = 0; g < plan.groups; ++g) {
      std::copy_n(slot_at(tile * plan.groups + g), width_bytes, tree.next());
      tree.push(plan.width());
    }
    char* acc = tree.finish(plan.width());
    runner.fold(tile, acc);
    sink(runner, tile, acc);
  }
}

/// Reduces, on as many threads as the plan says.
void reduce_all(const TensorIterator& iter, const ReductionKernel& kernel,
                const RunOptions& options, Sink sink) {
  const ReducePlan plan = plan_reduction(iter, kernel, options);
  if (plan.kept.elements == 0) return;
  if (plan.reduced.elements == 0) return sink_identity(iter, kernel, plan, sink);
  if (plan.groups > 1) return reduce_in_groups(iter, kernel, plan, sink);
  const auto run = [&](std::int64_t begin, std::int64_t end) {
    ReduceRunner runner(iter, kernel, plan);
    for (std::int64_t tile = begin; tile < end; ++tile) {
      char* acc = runner.reduce(tile, 0, plan.reduced.count);
      runner.fold(tile, acc);
      sink(runner, tile, acc);
    }
  };
  if (options.serial) {
    run(0, plan.kept.count);
  } else {
    parallel_for(plan.kept.count, plan.grain, run);
  }
}

/// A few elements of one input into one output, both of the kernel's own types: too little work to plan
/// for. The same blocks as those of the plan, of which there is one for each output. False, with
/// nothing done, if there is more to do than that.
bool reduce_few(const TensorIterator& iter, const ReductionKernel& kernel) {
  const Geometry& geometry = iter.geometry();
  const int ndim = geometry.ndim();
  if (iter.numel() > few_elements || iter.numel() == 0 || ndim == 0 || ndim > 2) return false;
  if (geometry.noperands != 2 || kernel.noutputs != 1 || kernel.ninputs != 1) return false;
  for (int k = 0; k < 2; ++k) {
    const Operand& op = iter.operand(k);
    if (op.storage != kernel.types[k] || op.dtype != kernel.types[k]) return false;
  }
  const bool reduced0 = geometry.stride(0, 0) == 0;
  const bool reduced1 = ndim > 1 && geometry.stride(1, 0) == 0;
  if (ndim > 1 ? reduced0 == reduced1 : !reduced0) return false;
  const int kept_dim = reduced0 ? 1 : 0;
  const int reduced_dim = 1 - kept_dim;
  const std::int64_t kept = ndim > 1 ? geometry.extent(kept_dim) : 1;
  const std::int64_t reduced = ndim > 1 ? geometry.extent(reduced_dim) : geometry.extent(0);
  const std::int64_t size = element_size(kernel.types[1]);
  if (kept > 1 && geometry.stride(kept_dim, 0) != element_size(kernel.types[0])) return false;
  alignas(64) char accumulators[4096];
  if (kept * kernel.accumulator_bytes > static_cast<std::int64_t>(sizeof(accumulators)))
    return false;
  char* input = iter.operand(1).data;
  char* output = iter.operand(0).data;
  if (!reduces_by_columns(kept, reduced, !reduced0, kept)) {
    if (!reduced0 || geometry.stride(0, 1) != size) return false;
    const std::int64_t row_bytes = ndim > 1 ? geometry.stride(1, 1) : 0;
    kernel.reduce_spans(kernel.context, accumulators, &input, &row_bytes, kept, reduced, 0, 0);
  } else {
    if (reduced > block_rows) return false;
    alignas(64) char packed[few_elements * 16];
    std::int64_t row_bytes = geometry.stride(reduced_dim, 1);
    if (geometry.stride(kept_dim, 1) != size) {
      copy_block_kernel(size)(packed, size, kept * size, input, geometry.stride(kept_dim, 1),
                              row_bytes, kept, reduced);
      input = packed;
      row_bytes = kept * size;
    }
    kernel.reduce_columns(kernel.context, accumulators, &input, &row_bytes, reduced, kept, 0);
  }
  kernel.project(kernel.context, accumulators, kept, &output);
  return true;
}

}  // namespace

void run_reduction(const TensorIterator& iter, const ReductionKernel& kernel,
                   const RunOptions& options) {
  if (reduce_few(iter, kernel)) return;
  reduce_all(iter, kernel, options,
             [](ReduceRunner& runner, std::int64_t tile, char* acc) { runner.project(tile, acc); });
}

void run_partial_reduction(const TensorIterator& iter, const ReductionKernel& kernel,
                           void* accumulators, const RunOptions& options) {
  char* all = static_cast<char*>(accumulators);
  const std::int64_t size = kernel.accumulator_bytes;
  reduce_all(iter, kernel, options, [&](ReduceRunner& runner, std::int64_t tile, char* acc) {
    runner.for_places(tile, acc, [&](const char* from, std::int64_t place, std::int64_t n) {
      std::copy_n(from, n * size, all + place * size);
    });
  });
}

void finalize_reduction(const TensorIterator& iter, const ReductionKernel& kernel,
                        const void* accumulators) {
  const ReducePlan plan = plan_reduction(iter, kernel, {.serial = true});
  if (plan.kept.elements == 0) return;
  const char* all = static_cast<const char*>(accumulators);
  const std::int64_t size = kernel.accumulator_bytes;
  ReduceRunner runner(iter, kernel, plan);
  SmallVector<Line, 64> memory;
  memory.resize_for_overwrite(lines(plan.kept.tile_elements * size));
  char* acc = reinterpret_cast<char*>(memory.data());
  for (std::int64_t tile = 0; tile < plan.kept.count; ++tile) {
    runner.for_places(tile, acc, [&](char* to, std::int64_t place, std::int64_t n) {
      std::copy_n(all + place * size, n * size, to);
    });
    runner.project(tile, acc);
  }
}

Explanation explain_reduction(const TensorIterator& iter, const ReductionKernel& kernel,
                              const RunOptions& options) {
  const ReducePlan plan = plan_reduction(iter, kernel, options);
  Explanation e = iter.explain();
  e.has_run = true;
  e.run.instruction_set = name(current_level());
  for (int k = 0; k < iter.ntensors(); ++k) {
    const ReduceOperand& r = plan.operands[static_cast<std::size_t>(k)];
    std::int64_t bytes = r.memory_size;
    for (int d = 0; d < iter.ndim(); ++d)
      bytes *= iter.geometry().stride(d, k) != 0 ? iter.geometry().extent(d) : 1;
    e.run.bytes_moved += bytes;
    std::string& access = e.operands[static_cast<std::size_t>(k)].access;
    if (k < iter.noutputs()) {
      access = plan.by_columns() ? "reduced into, column by column" : "reduced into, span by span";
    } else {
      access = !r.staged ? "direct" : r.pack ? "staged: packed" : "staged: ";
      if (r.first != nullptr) access += r.pack ? ", cast" : "cast";
    }
  }
  e.run.span = plan.by_columns()                ? plan.width()
               : plan.form == ReduceForm::spans ? std::min(plan.span, plan.reduced.tile_elements)
                                                : plan.reduced.tile_elements;
  e.run.tile[0] = plan.kept.tile_elements;
  e.run.tile[1] = plan.reduced.tile_elements;
  e.run.blocks = plan.kept.count * plan.reduced.count;
  const std::int64_t pieces =
      plan.groups > 1 ? plan.kept.count * plan.groups : ceil_div(plan.kept.count, plan.grain);
  e.run.threads =
      options.serial ? 1 : static_cast<int>(std::clamp<std::int64_t>(pieces, 1, num_threads()));
  return e;
}

}  // namespace weft::inline v0
