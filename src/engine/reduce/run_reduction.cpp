// SPDX-License-Identifier: Apache-2.0
#include <weft/base/function_ref.hpp>
#include <weft/parallel/parallel.hpp>

#include "engine/check_kernel.hpp"
#include "engine/reduce/prepared_reduction.hpp"
#include "engine/reduce/reduce_runner.hpp"

#include <algorithm>
#include <utility>

namespace weft {
inline namespace v0 {
namespace {

/// Whether outputs have no elements. Of an axis of extent 0 that has stride 0, strides do not tell
/// whether it is reduced.
bool writes_nothing(const TensorIterator& iter, const ReducePlan& plan) {
  return plan.tiles.kept.elements == 0 || (iter.numel() == 0 && iter.output().numel() == 0);
}

/// What becomes of a kept tile's accumulators: sink(runner, accumulators), once for each tile, the
/// runner being there.
using Sink = FunctionRef<void(ReduceRunner&, char*)>;

/// A reduction by a plan, on as many threads as that says.
struct ReductionRun {
  const TensorIterator& iter;
  const ReductionKernel kernel;
  const ReducePlan& plan;
  Sink sink;
  const ComputeBlock* compute = nullptr;  ///< inputs in no memory
  const ComputingKernel* rows = nullptr;  ///< its operands are the inputs, and it is the kernel
  const WalkedOperands operands{iter, plan, rows};

  /// Not inlined: it is called in three places.
  [[gnu::noinline]] void run() const {
    const std::int64_t tiles = plan.tiles.kept.count;
    if (writes_nothing(iter, plan)) return;
    // Tiles may be done after their first block: too little for other threads to be asked.
    const bool may_be_done = kernel.done != nullptr && plan.blocks.reduced.count > 1 &&
                             (plan.shares.groups > 1 || plan.shares.grain < tiles);
    const std::int64_t first = may_be_done ? run_tiles(0, tiles, true) : 0;
    if (first < tiles && plan.shares.groups > 1) {
      run_groups(first);
    } else {
      parallel_for(tiles - first, plan.shares.grain, [&](std::int64_t begin, std::int64_t end) {
        run_tiles(first + begin, first + end);
      });
    }
    operands.write();
  }

  ReduceRunner make_runner() const { return ReduceRunner(iter, kernel, plan, operands, compute); }
  void finish(ReduceRunner& runner, char* accumulators) const {
    runner.fold(accumulators);
    sink(runner, accumulators);
  }

  /// Runs tiles [begin, end), up to one that is not done after its first block if these are wanted
  /// only. Returns which it is.
  std::int64_t run_tiles(std::int64_t begin, std::int64_t end, bool only_done = false) const {
    ReduceRunner runner = make_runner();
    for (std::int64_t tile = begin; tile < end; ++tile) {
      runner.seek(tile);
      if (plan.straight) {
        runner.reduce_straight();
        continue;
      }
      char* const accumulators = runner.reduce(0, only_done ? 1 : plan.blocks.reduced.count);
      if (only_done && !runner.all_done(accumulators)) return tile;
      finish(runner, accumulators);
    }
    return end;
  }

  /// Threads share the blocks of each kept tile from `first_tile` on: a first pass reduces groups,
  /// a second combines them. Not inlined, or calls that share none would have its runner on their
  /// stack.
  [[gnu::noinline]] void run_groups(std::int64_t first_tile) const {
    const std::int64_t tiles = plan.tiles.kept.count - first_tile, groups = plan.shares.groups;
    const std::int64_t bytes = plan.width() * kernel.accumulator_bytes;
    const ScratchMemory partial(tiles * groups * whole_lines(bytes));
    const auto slot = [&](std::int64_t i) { return partial.data() + i * whole_lines(bytes); };
    parallel_for(tiles * groups, 1, [&](std::int64_t begin, std::int64_t end) {
      ReduceRunner runner = make_runner();
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t first = i % groups * plan.shares.group;
        const std::int64_t last = std::min(first + plan.shares.group, plan.blocks.reduced.count);
        runner.seek(first_tile + i / groups);
        std::copy_n(runner.reduce(first, last),
                    runner.tile_accumulators() * kernel.accumulator_bytes, slot(i));
      }
    });
    ReduceRunner runner = make_runner();
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
      const std::int64_t first = tile * groups;
      runner.seek(first_tile + tile);
      for (std::int64_t step = 1; step < groups; step *= 2) {
        for (std::int64_t g = first; g + step < first + groups; g += 2 * step)
          kernel.combine(kernel.context, slot(g), slot(g + step), runner.tile_accumulators());
      }
      finish(runner, slot(first));
    }
  }
};

/// A few elements are computed as a whole, and reduced as they would be in memory. Not inlined, or
/// large reductions would have its memory on their stack.
[[gnu::noinline]] void run_small_computed(const SmallReduction& small, const TensorIterator& iter,
                                          const ReductionKernel& kernel, ComputeBlock compute) {
  const int first = iter.noutputs();  // of the inputs, which lie alike
  const auto bytes_of = [&](int k) {
    return whole_lines(iter.numel() * element_size(iter.operand(k).storage));
  };
  std::int64_t bytes = 0;
  for (int k = first; k < iter.ntensors(); ++k)
    bytes += bytes_of(k);
  SmallScratch memory(bytes);
  char* to[max_operands];
  char* at = memory.data();
  for (int k = first; k < iter.ntensors(); ++k)
    to[k - first] = std::exchange(at, at + bytes_of(k));
  std::int64_t begin[max_rank] = {}, extents[max_rank], strides[max_rank];
  for (int d = 0; d < iter.ndim(); ++d) {
    extents[d] = iter.geometry().extent(d);
    strides[d] = iter.geometry().stride(d, first) / element_size(iter.operand(first).storage);
  }
  compute({begin, extents, strides, to});
  run_small_reduction(small, iter, kernel, to);
}

}  // namespace

PreparedReduction::PreparedReduction(const TensorIterator& iter, const ReductionKernel& kernel,
                                     const RunOptions& options, const ComputedRows* computed,
                                     const ReductionKernel* rows)
    : small_(choose_small_reduction(iter, kernel, options, computed != nullptr)) {
  check_grain(options);
  if (small_.fits) return;
  // What `rows` computes needs no window: its plan is that of inputs in memory.
  plan_.emplace(iter, kernel, options, rows == nullptr ? computed : nullptr);
  if (rows == nullptr) return;
  by_rows_ = plan_->suits(*rows, iter.geometry());
  if (by_rows_)
    plan_.emplace(plan_->with_operands_of(*rows));
  else
    plan_.emplace(iter, kernel, options, computed);
}

void PreparedReduction::run(const TensorIterator& iter, const ReductionKernel& kernel,
                            const ComputeBlock* compute, const ComputingKernel* rows) const {
  if (small_.fits && compute != nullptr) return run_small_computed(small_, iter, kernel, *compute);
  if (small_.fits) return run_small_reduction(small_, iter, kernel);
  const auto project = [](ReduceRunner& runner, char* from) { runner.project(from); };
  if (by_rows_)
    ReductionRun{iter, rows->kernel, *plan_, project, nullptr, rows}.run();
  else
    ReductionRun{iter, plan_->loops_of(kernel), *plan_, project, compute}.run();
}

void run_reduction(const TensorIterator& iter, const ReductionKernel& kernel,
                   const RunOptions& options) {
  PreparedReduction(iter, kernel, options).run(iter, kernel);
}

void run_partial_reduction(const TensorIterator& iter, const ReductionKernel& kernel,
                           void* accumulators, const RunOptions& options) {
  ReducePlan plan(iter, kernel, options);
  plan.straight = plan.tiles.collects = false;  // nothing is written into outputs
  const auto copy = [&](ReduceRunner& runner, char* from) {
    runner.copy_places(static_cast<char*>(accumulators), from);
  };
  ReductionRun{iter, plan.loops_of(kernel), plan, copy}.run();
}

void finalize_reduction(const TensorIterator& iter, const ReductionKernel& kernel,
                        const void* accumulators) {
  const ReducePlan plan(iter, kernel, {.serial = true});
  if (writes_nothing(iter, plan)) return;
  auto* const all = static_cast<char*>(const_cast<void*>(accumulators));  // which are only read
  const WalkedOperands operands(iter, plan);
  ReduceRunner runner(iter, kernel, plan, operands, nullptr);
  for (std::int64_t tile = 0; tile < plan.tiles.kept.count; ++tile) {
    runner.seek(tile);
    runner.copy_places(all, runner.accumulators(), true);
    runner.project(runner.accumulators());
  }
  operands.write();
}

}  // namespace v0
}  // namespace weft
