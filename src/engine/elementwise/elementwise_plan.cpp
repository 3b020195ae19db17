// SPDX-License-Identifier: Apache-2.0
#include "engine/elementwise/elementwise_plan.hpp"

#include "engine/elementwise/run_estimate.hpp"

namespace weft {
inline namespace v0 {

TilePlan plan_wanted_tiles(const TensorIterator& iter, const SpanKernel& kernel,
                           const Tuning& tuning, const RunOptions& options, Strategy wanted) {
  if (iter.ndim() > 0) {
    TilePlan plan = plan_tiles(iter, kernel, tuning, options, wanted);
    if (wanted == Strategy::automatic || plan.strategy == wanted) return plan;
  }
  fail_strategy(wanted, candidates(iter, kernel, tuning));
}

Strategies candidates(const TensorIterator& iter, const SpanKernel& kernel, const Tuning& tuning) {
  Strategies found;
  for (int i = 0; i < strategy_count; ++i) {
    const auto wanted = static_cast<Strategy>(i);
    if (wanted == Strategy::automatic) continue;
    if (const SimpleRun simple = force_simple(iter, kernel, tuning, wanted);
        simple.strategy == wanted) {
      found.push_back(estimated(wanted, estimate_ps(simple, iter, kernel, tuning)));
    } else if (iter.ndim() > 0) {
      const TilePlan plan = plan_tiles(iter, kernel, tuning, {}, wanted);
      if (plan.strategy == wanted)
        found.push_back(estimated(wanted, estimate_ps(plan, iter, kernel, tuning)));
    }
  }
  return found;
}

}  // namespace v0
}  // namespace weft
