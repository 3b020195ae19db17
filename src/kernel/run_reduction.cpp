// SPDX-License-Identifier: Apache-2.0
#include <weft/base/checked.hpp>
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

/// Runs parts of a plan on one thread.
class ReduceRunner {
 public:
  ReduceRunner(const TensorIterator& iter, const ReductionKernel& kernel, const ReducePlan& plan)
      : iter_(iter),
        kernel_(kernel),
        plan_(plan),
        geometry_(iter.geometry()),
        located_(iter.numel() == 0 ? kernel.noutputs : iter.ntensors()) {
    const std::int64_t width = plan.kept.tile_elements;
    const std::int64_t block =
        plan.columns ? width * plan.reduced.tile_elements : plan.reduced.tile_elements;
    std::size_t total = 0;
    const auto reserve = [&](std::int64_t bytes) {
      const std::size_t at = total;
      total += lines(bytes);
      return at;
    };
    const std::size_t tree = reserve(CombiningTree::bytes_needed(kernel, width, plan.group));
    results_ = reserve(width * kernel.accumulator_bytes);
    for (std::size_t k = 0; k < plan.operands.size(); ++k) {
      const ReduceOperand& r = plan.operands[k];
      const std::int64_t elements = static_cast<int>(k) < kernel.noutputs ? width : block;
      Buffers b;
      if (r.staged) {
        b.kernel = reserve(elements * r.kernel_size);
        b.via = reserve(elements * r.via_size);
        b.memory = reserve(elements * r.memory_size);
      }
      buffers_.push_back(b);
      ptrs_.push_back(nullptr);
    }
    scratch_.resize_for_overwrite(total);
    tree_memory_ = at(tree);
  }

  /// Reduces blocks [first, last) of kept tile `tile` and leaves its accumulators (one per kept
  /// element) in memory that lasts until the next call.
  char* reduce(std::int64_t tile, std::int64_t first, std::int64_t last) {
    locate_kept(tile);
    if (plan_.columns) return reduce_columns(first, last);
    char* results = at(results_);
    for (std::int64_t c = 0; c < width_; ++c) {
      const char* result = reduce_spans(c, first, last);
      std::copy_n(result, kernel_.accumulator_bytes, results + c * kernel_.accumulator_bytes);
    }
    return results;
  }

  /// Projects the accumulators of a kept tile into the outputs' memory.
  void project(std::int64_t tile, const char* accumulators) {
    locate_kept(tile);
    char* to[max_operands];
    for (int k = 0; k < kernel_.noutputs; ++k) {
      const auto i = static_cast<std::size_t>(k);
      to[k] = plan_.operands[i].staged ? at(buffers_[i].kernel) : kept_ptr(k);
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
      append_side(plan_.kept, kept_extents_, k, dims, ndims);
      unpack(copy_block_kernel(r.memory_size), kept_ptr(k), from, r.memory_size, dims, ndims);
    }
  }

 private:
  struct Buffers {
    std::size_t kernel = 0, via = 0, memory = 0;  // lines of scratch_
  };

  char* at(std::size_t line) { return reinterpret_cast<char*>(scratch_.data() + line); }

  // ---- Position ---------------------------------------------------------------------------------

  /// Decodes a tile's number into the offset of its first element (per operand, added to offset)
  /// and its extents.
  std::int64_t locate(const ReduceSide& side, std::int64_t number, std::int64_t* extents,
                      char** ptrs) const {
    std::int64_t elements = 1;
    for (std::size_t i = 0; i < side.dims.size(); ++i) {
      const std::int64_t index = number % side.tiles[i];
      number /= side.tiles[i];
      const std::int64_t start = index * side.tile[i];
      extents[i] = std::min(side.tile[i], geometry_.extent(side.dims[i]) - start);
      elements *= extents[i];
      const std::int64_t* strides = geometry_.strides(side.dims[i]);
      for (int k = 0; k < located_; ++k)
        ptrs[k] += start * strides[k];
    }
    return elements;
  }

  void locate_kept(std::int64_t tile) {
    for (int k = 0; k < geometry_.noperands; ++k)
      ptrs_[static_cast<std::size_t>(k)] = iter_.operand(k).data;
    width_ = locate(plan_.kept, tile, kept_extents_, ptrs_.data());
  }
  char* kept_ptr(int k) { return ptrs_[static_cast<std::size_t>(k)]; }

  /// Adds the tile of one side to a block of operand k.
  void append_side(const ReduceSide& side, const std::int64_t* extents, int k, BlockDim* dims,
                   int& ndims) const {
    for (int i = 0; i < side.ntile; ++i) {
      const int d = side.dims[static_cast<std::size_t>(i)];
      append_dim(dims, ndims, {extents[i], geometry_.stride(d, k)});
    }
  }

  // ---- Blocks -----------------------------------------------------------------------------------

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
  char* stage(int k, char* memory, const BlockDim* dims, int ndims, std::int64_t elements) {
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

  /// All blocks of one kept element as spans.
  const char* reduce_spans(std::int64_t column, std::int64_t first, std::int64_t last) {
    CombiningTree tree(kernel_, tree_memory_, 1);
    for (std::int64_t block = first; block < last; ++block) {
      char* ptrs[max_operands];
      std::copy_n(ptrs_.data(), geometry_.noperands, ptrs);
      if (plan_.kept.ntile > 0) {
        const std::int64_t* strides = geometry_.strides(plan_.kept.dims[0]);
        for (int k = 0; k < geometry_.noperands; ++k)
          ptrs[k] += column * strides[k];
      }
      std::int64_t extents[max_rank];
      const std::int64_t elements = locate(plan_.reduced, block, extents, ptrs);
      char* inputs[max_operands];
      for (int k = kernel_.noutputs; k < geometry_.noperands; ++k) {
        BlockDim dims[max_rank];
        int ndims = 0;
        append_side(plan_.reduced, extents, k, dims, ndims);
        inputs[k - kernel_.noutputs] = stage(k, ptrs[k], dims, ndims, elements);
      }
      kernel_.reduce_span(kernel_.context, tree.next(), inputs, elements, first_index(block));
      tree.push(1);
      if (kernel_.done != nullptr && kernel_.done(kernel_.context, tree.first())) break;
    }
    return tree.finish(1);
  }

  /// All blocks of all kept elements of the tile, as columns.
  char* reduce_columns(std::int64_t first, std::int64_t last) {
    CombiningTree tree(kernel_, tree_memory_, plan_.kept.tile_elements);
    for (std::int64_t block = first; block < last; ++block) {
      char* ptrs[max_operands];
      std::copy_n(ptrs_.data(), geometry_.noperands, ptrs);
      std::int64_t extents[max_rank];
      const std::int64_t rows = locate(plan_.reduced, block, extents, ptrs);
      char* inputs[max_operands];
      std::int64_t row_bytes[max_operands];
      for (int k = kernel_.noutputs; k < geometry_.noperands; ++k) {
        const ReduceOperand& r = plan_.operands[static_cast<std::size_t>(k)];
        // Kept dims inside, reduced ones outside: a dense matrix of rows.
        BlockDim dims[2 * max_rank];
        int ndims = 0;
        append_side(plan_.kept, kept_extents_, k, dims, ndims);
        append_side(plan_.reduced, extents, k, dims, ndims);
        const int at = k - kernel_.noutputs;
        inputs[at] = stage(k, ptrs[k], dims, ndims, rows * width_);
        row_bytes[at] = r.staged ? width_ * r.kernel_size : row_stride(k);
      }
      kernel_.reduce_columns(kernel_.context, tree.next(), inputs, row_bytes, rows, width_,
                             first_index(block));
      tree.push(width_);
    }
    return tree.finish(width_);
  }

  std::int64_t row_stride(int k) const {
    return plan_.reduced.dims.empty() ? 0 : geometry_.stride(plan_.reduced.dims[0], k);
  }

  /// Number of reduced elements before a block, for the index. Blocks come in the plan's order, and
  /// all but the last along a dim are whole.
  std::int64_t first_index(std::int64_t block) const {
    std::int64_t index = 0;
    std::int64_t step = 1;
    for (std::size_t i = 0; i < plan_.reduced.dims.size(); ++i) {
      index += block % plan_.reduced.tiles[i] * plan_.reduced.tile[i] * step;
      block /= plan_.reduced.tiles[i];
      step *= geometry_.extent(plan_.reduced.dims[i]);
    }
    return index;
  }

  const TensorIterator& iter_;
  const ReductionKernel& kernel_;
  const ReducePlan& plan_;
  const Geometry& geometry_;
  // 24 KiB of staging, 16 KiB of accumulators a level of the tree in the worst case; more goes to
  // the heap.
  SmallVector<Line, 768> scratch_;
  SmallVector<Buffers, inline_operands> buffers_;
  SmallVector<char*, inline_operands> ptrs_;  // operands at the kept tile's first element
  char* tree_memory_ = nullptr;
  std::size_t results_ = 0;
  int located_;  // operands that have elements: where there are none to reduce, only outputs
  std::int64_t kept_extents_[max_rank];
  std::int64_t width_ = 1;  // elements of the kept tile at hand
};

/// Nothing to reduce: every output gets the identity.
void project_identity(const TensorIterator& iter, const ReductionKernel& kernel,
                      const ReducePlan& plan) {
  ReduceRunner runner(iter, kernel, plan);
  for (std::int64_t tile = 0; tile < plan.kept.count; ++tile) {
    SmallVector<Line, 64> identities;
    identities.resize_for_overwrite(lines(plan.kept.tile_elements * kernel.accumulator_bytes));
    char* acc = reinterpret_cast<char*>(identities.data());
    char* nothing[max_operands] = {};
    for (std::int64_t i = 0; i < plan.kept.tile_elements; ++i) {
      kernel.reduce_span(kernel.context, acc + i * kernel.accumulator_bytes, nothing, 0, 0);
    }
    runner.project(tile, acc);
  }
}

/// Threads share the blocks of each kept tile: a first pass reduces groups, a second combines them.
void run_in_groups(const TensorIterator& iter, const ReductionKernel& kernel,
                   const ReducePlan& plan) {
  const std::int64_t width_bytes = plan.kept.tile_elements * kernel.accumulator_bytes;
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
  std::vector<Line> memory(
      lines(CombiningTree::bytes_needed(kernel, plan.kept.tile_elements, plan.groups)));
  for (std::int64_t tile = 0; tile < plan.kept.count; ++tile) {
    CombiningTree tree(kernel, reinterpret_cast<char*>(memory.data()), plan.kept.tile_elements);
    for (std::int64_t g = 0; g < plan.groups; ++g) {
      std::copy_n(slot_at(tile * plan.groups + g), width_bytes, tree.next());
      tree.push(plan.kept.tile_elements);
    }
    runner.project(tile, tree.finish(plan.kept.tile_elements));
  }
}

}  // namespace

void run_reduction(const TensorIterator& iter, const ReductionKernel& kernel,
                   const RunOptions& options) {
  const ReducePlan plan = plan_reduction(iter, kernel, options);
  if (plan.kept.elements == 0) return;
  if (plan.reduced.elements == 0) {
    project_identity(iter, kernel, plan);
    return;
  }
  if (plan.groups > 1) {
    run_in_groups(iter, kernel, plan);
    return;
  }
  const auto run = [&](std::int64_t begin, std::int64_t end) {
    ReduceRunner runner(iter, kernel, plan);
    for (std::int64_t tile = begin; tile < end; ++tile)
      runner.project(tile, runner.reduce(tile, 0, plan.reduced.count));
  };
  if (options.serial) {
    run(0, plan.kept.count);
  } else {
    parallel_for(plan.kept.count, plan.grain, run);
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
      access = plan.columns ? "reduced into, column by column" : "reduced into, span by span";
    } else {
      access = !r.staged ? "direct" : r.pack ? "staged: packed" : "staged: ";
      if (r.first != nullptr) access += r.pack ? ", cast" : "cast";
    }
  }
  e.run.span = plan.columns ? plan.kept.tile_elements : plan.reduced.tile_elements;
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
