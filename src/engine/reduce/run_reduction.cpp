// SPDX-License-Identifier: Apache-2.0
#include <weft/base/function_ref.hpp>
#include <weft/parallel/parallel.hpp>

#include "engine/reduce/reduce_runner.hpp"
#include "engine/reduce/small_reduction.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace weft {
inline namespace v0 {
namespace {

/// What becomes of a kept tile's accumulators: sink(runner, tile, accumulators), once for each
/// tile.
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

/// Deals with the tiles that are done after their first block, up to one that is not: there may be
/// too little to do for other threads to be asked. Returns how many they were.
std::int64_t reduce_at_once(const TensorIterator& iter, const ReductionKernel& kernel,
                            const ReducePlan& plan, Sink sink) {
  if (kernel.done == nullptr || plan.reduced.count < 2) return 0;
  ReduceRunner runner(iter, kernel, plan);
  std::int64_t tile = 0;
  for (; tile < plan.kept.count; ++tile) {
    char* acc = runner.reduce(tile, 0, 1);
    if (!runner.all_done(acc)) break;
    runner.fold(tile, acc);
    sink(runner, tile, acc);
  }
  return tile;
}

/// Threads share the blocks of each kept tile from `first_tile` on: a first pass reduces groups, a
/// second combines them.
void reduce_in_groups(const TensorIterator& iter, const ReductionKernel& kernel,
                      const ReducePlan& plan, std::int64_t first_tile, Sink sink) {
  const std::int64_t tiles = plan.kept.count - first_tile;
  const std::int64_t width_bytes = plan.width() * kernel.accumulator_bytes;
  const std::size_t slot = lines(width_bytes);
  const auto partial =
      std::make_unique_for_overwrite<Line[]>(static_cast<std::size_t>(tiles * plan.groups) * slot);
  const auto slot_at = [&](std::int64_t i) {
    return reinterpret_cast<char*>(partial.get() + static_cast<std::size_t>(i) * slot);
  };
  parallel_for(tiles * plan.groups, 1, [&](std::int64_t begin, std::int64_t end) {
    ReduceRunner runner(iter, kernel, plan);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t first = i % plan.groups * plan.group;
      const char* acc = runner.reduce(first_tile + i / plan.groups, first,
                                      std::min(first + plan.group, plan.reduced.count));
      std::copy_n(acc, width_bytes, slot_at(i));
    }
  });
  ReduceRunner runner(iter, kernel, plan);
  for (std::int64_t tile = 0; tile < tiles; ++tile) {
    const std::int64_t first = tile * plan.groups;
    for (std::int64_t step = 1; step < plan.groups; step *= 2) {
      for (std::int64_t g = 0; g + step < plan.groups; g += 2 * step)
        kernel.combine(kernel.context, slot_at(first + g), slot_at(first + g + step), plan.width());
    }
    runner.fold(first_tile + tile, slot_at(first));
    sink(runner, first_tile + tile, slot_at(first));
  }
}

/// Reduces, on as many threads as the plan says. `results`: nothing but the outputs is wanted.
void reduce_all(const TensorIterator& iter, const ReductionKernel& kernel, const ReducePlan& plan,
                const RunOptions& options, bool results, Sink sink) {
  if (plan.kept.elements == 0) return;
  if (plan.reduced.elements == 0) return sink_identity(iter, kernel, plan, sink);
  const bool shared = plan.groups > 1 || (!options.serial && plan.grain < plan.kept.count);
  const std::int64_t first = shared ? reduce_at_once(iter, kernel, plan, sink) : 0;
  if (first == plan.kept.count) return;
  if (plan.groups > 1) return reduce_in_groups(iter, kernel, plan, first, sink);
  const auto run = [&](std::int64_t begin, std::int64_t end) {
    ReduceRunner runner(iter, kernel, plan);
    for (std::int64_t tile = begin; tile < end; ++tile) {
      if (results && plan.straight) {
        runner.reduce_straight(tile);
        continue;
      }
      char* acc = runner.reduce(tile, 0, plan.reduced.count);
      runner.fold(tile, acc);
      sink(runner, tile, acc);
    }
  };
  if (options.serial) {
    run(first, plan.kept.count);
  } else {
    parallel_for(plan.kept.count - first, plan.grain,
                 [&](std::int64_t begin, std::int64_t end) { run(first + begin, first + end); });
  }
}

}  // namespace

void run_reduction(const TensorIterator& iter, const ReductionKernel& kernel,
                   const RunOptions& options) {
  if (const SmallReduction small = choose_small_reduction(iter, kernel); small.fits)
    return run_small_reduction(small, iter, kernel);
  const ReducePlan plan = plan_reduction(iter, kernel, options);
  const TransposedResults transposed(iter, plan);
  reduce_all(iter, kernel, plan, options, true,
             [&](ReduceRunner& runner, std::int64_t tile, char* acc) {
               runner.project(tile, acc, transposed);
             });
  transposed.write();
}

void run_partial_reduction(const TensorIterator& iter, const ReductionKernel& kernel,
                           void* accumulators, const RunOptions& options) {
  char* all = static_cast<char*>(accumulators);
  const std::int64_t size = kernel.accumulator_bytes;
  const ReducePlan plan = plan_reduction(iter, kernel, options);
  reduce_all(
      iter, kernel, plan, options, false, [&](ReduceRunner& runner, std::int64_t tile, char* acc) {
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
  const TransposedResults transposed(iter, plan);
  ReduceRunner runner(iter, kernel, plan);
  SmallVector<Line, 64> memory;
  memory.resize_for_overwrite(lines(plan.kept.tile_elements * size));
  char* acc = reinterpret_cast<char*>(memory.data());
  for (std::int64_t tile = 0; tile < plan.kept.count; ++tile) {
    runner.for_places(tile, acc, [&](char* to, std::int64_t place, std::int64_t n) {
      std::copy_n(all + place * size, n * size, to);
    });
    runner.project(tile, acc, transposed);
  }
  transposed.write();
}

}  // namespace v0
}  // namespace weft
