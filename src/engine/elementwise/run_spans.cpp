// SPDX-License-Identifier: Apache-2.0
#include "engine/elementwise/run_spans.hpp"

#include <weft/kernel/span_kernel.hpp>
#include <weft/parallel/parallel.hpp>

#include "engine/check_kernel.hpp"
#include "engine/elementwise/elementwise_plan.hpp"
#include "engine/elementwise/tile_runner.hpp"

namespace weft {
inline namespace v0 {

#if defined(__GNUC__)
__attribute__((noinline))  // or small calls would get its frame
#endif
void run_tiles(const TensorIterator& iter, const SpanKernel& kernel, const TilePlan& plan,
               std::int64_t begin, std::int64_t end) {
  TileRunner(iter, kernel, plan).run(begin, end);
}

void run_spans(const TensorIterator& iter, const SpanKernel& kernel, const RunOptions& options) {
  run_spans(iter, kernel, options, tuning());
}

void run_spans(const TensorIterator& iter, const SpanKernel& kernel, const RunOptions& options,
               const Tuning& t) {
  check_options(options);
  check_elementwise(iter);
  if (iter.numel() == 0) {
    check_kernel(iter, kernel.noutputs, kernel.ninputs, kernel.types);
    return;
  }
  check_counts(iter, kernel.noutputs, kernel.ninputs, kernel.types);
  const Strategy wanted = wanted_strategy(options, t);
  const SimpleRun simple = plan_simple(iter, kernel, t, wanted);
  const bool is_simple = simple.strategy != Strategy::automatic;
  if (!is_simple || simple.cast != 0)
    check_kernel(iter, kernel.noutputs, kernel.ninputs, kernel.types);
  if (is_simple) return run_simple(simple, iter, kernel, options);
  const TilePlan plan = plan_wanted_tiles(iter, kernel, t, options, wanted);
  const auto run = [&](std::int64_t begin, std::int64_t end) {
    run_tiles(iter, kernel, plan, begin, end);
  };
  if (options.serial) {
    run(0, plan.count);
  } else {
    parallel_for(plan.count, plan.grain, run);
  }
}

}  // namespace v0
}  // namespace weft
