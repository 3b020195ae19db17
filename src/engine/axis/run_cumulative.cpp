// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/core/shape.hpp>

#include "base/text.hpp"
#include "engine/axis/cumulative_walk.hpp"
#include "engine/axis/shared_lines.hpp"
#include "engine/check_kernel.hpp"

namespace weft {
inline namespace v0 {
namespace {

void check_operands(const CumulativeOperands& operands, const CumulativeKernel& kernel) {
  const auto given = [](const auto& list) { return static_cast<int>(list.size()); };
  if (given(operands.outputs) != kernel.noutputs || given(operands.inputs) != kernel.ninputs) {
    fail(ErrorCode::invalid_argument,
         text("the kernel (", signature_text(kernel.noutputs, kernel.ninputs, kernel.types),
              "): expected outputs: ", kernel.noutputs, ", inputs: ", kernel.ninputs, ", got ",
              operands.outputs.size(), " and ", operands.inputs.size()));
  }
  if (operands.starts.empty() && !kernel.has_identity) {
    fail(ErrorCode::invalid_argument,
         text("start 0: expected ", kernel.nstarts, ", got none: the struct has no identity()"));
  }
  if (!operands.starts.empty() && given(operands.starts) != kernel.nstarts) {
    fail(ErrorCode::invalid_argument,
         text("starts: expected ", kernel.nstarts, ", got ", operands.starts.size(),
              kernel.nstarts == 0 ? ": an accumulator that is no element needs start(x...)" : ""));
  }
}

}  // namespace

void run_cumulative(const CumulativeOperands& operands, std::int64_t axis,
                    const CumulativeKernel& kernel, const RunOptions& options) {
  check_grain(options);
  check_operands(operands, kernel);
  const AlongAxis given(operands, axis);
  if (shares_lines(given, kernel)) return run_shared_lines(given, kernel, options);
  const CumulativeWalk walk(given, kernel, tuning());
  walk.share(options, [&](std::int64_t begin, std::int64_t end) { walk.run(begin, end); });
}

Explanation explain_cumulative(const CumulativeOperands& operands, std::int64_t axis,
                               const CumulativeKernel& kernel, const RunOptions& options) {
  check_grain(options);
  check_operands(operands, kernel);
  const AlongAxis given(operands, axis);
  if (shares_lines(given, kernel)) return explain_shared_lines(given, kernel, options);
  return CumulativeWalk(given, kernel, tuning()).explain(options);
}

}  // namespace v0
}  // namespace weft
