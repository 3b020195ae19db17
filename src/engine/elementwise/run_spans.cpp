// SPDX-License-Identifier: Apache-2.0
#include "engine/elementwise/run_spans.hpp"

#include <weft/kernel/span_kernel.hpp>
#include <weft/parallel/parallel.hpp>

#include "engine/check_kernel.hpp"
#include "engine/elementwise/run_estimate.hpp"
#include "engine/elementwise/simple_run.hpp"
#include "engine/elementwise/tile_runner.hpp"

namespace weft {
inline namespace v0 {

// Not inline, or small calls would get its frame.
[[gnu::noinline]] void run_tiles(const TensorIterator& iter, const SpanKernel& kernel,
                                 const TilePlan& plan, std::int64_t begin, std::int64_t end) {
  TileRunner(iter, kernel, plan).run(begin, end);
}

TilePlan plan_wanted_tiles(const TensorIterator& iter, const SpanKernel& kernel,
                           const Tuning& tuning, const RunOptions& options, Strategy wanted) {
  if (iter.ndim() > 0) {
    TilePlan plan = plan_tiles(iter, kernel, tuning, options, wanted);
    if (wanted == Strategy::automatic || plan.strategy == wanted) return plan;
  }
  fail_strategy(wanted, candidates(iter, kernel, tuning));
}

void run_spans(const TensorIterator& iter, const SpanKernel& kernel, const RunOptions& options) {
  run_spans(iter, kernel, options, wanted_strategy(options, tuning()));
}

void run_spans(const TensorIterator& iter, const SpanKernel& kernel, const RunOptions& options,
               Strategy wanted) {
  check_options(options);
  check_elementwise(iter);
  if (iter.numel() == 0) {
    check_kernel(iter, kernel.noutputs, kernel.ninputs, kernel.types);
    return;
  }
  check_counts(iter, kernel.noutputs, kernel.ninputs, kernel.types);
  const Tuning& t = tuning();
  const SimpleRun simple = plan_simple(iter, kernel, t, wanted);
  const bool is_simple = simple.strategy != Strategy::automatic;
  if (!is_simple || simple.cast != 0)
    check_kernel(iter, kernel.noutputs, kernel.ninputs, kernel.types);
  if (is_simple) return run_simple(simple, iter, kernel, options);
  const TilePlan plan = plan_wanted_tiles(iter, kernel, t, options, wanted);
  parallel_for(plan.count, plan.grain, [&](std::int64_t begin, std::int64_t end) {
    run_tiles(iter, kernel, plan, begin, end);
  });
}

}  // namespace v0
}  // namespace weft
