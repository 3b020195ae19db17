// SPDX-License-Identifier: Apache-2.0
#include "engine/axis/cumulative_walk.hpp"
#include "engine/check_kernel.hpp"

namespace weft {
inline namespace v0 {

void run_cumulative(const TensorView& out, const TensorView& in, std::int64_t axis,
                    const CumulativeKernel& kernel, const RunOptions& options) {
  check_grain(options);
  const CumulativeWalk walk(out, in, axis, kernel, tuning());
  walk.share(options, [&](std::int64_t begin, std::int64_t end) { walk.run(begin, end); });
}

Explanation explain_cumulative(const TensorView& out, const TensorView& in, std::int64_t axis,
                               const CumulativeKernel& kernel, const RunOptions& options) {
  check_grain(options);
  return CumulativeWalk(out, in, axis, kernel, tuning()).explain(options);
}

}  // namespace v0
}  // namespace weft
