// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/core/shape.hpp>

#include "base/text.hpp"
#include "engine/axis/cumulative_walk.hpp"
#include "engine/axis/few_elements.hpp"
#include "engine/axis/shared_lines.hpp"
#include "engine/check_kernel.hpp"
#include "machine/scratch_memory.hpp"

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

/// Lines together, if the kernel takes them, or columns up to the next index.
bool takes_lines(const FewElements& few, const CumulativeKernel& kernel) {
  return few.are_lines() && kernel.advance_lines != nullptr;
}
std::int64_t columns_of(const FewElements& few, const CumulativeKernel& kernel) {
  return takes_lines(few, kernel) ? few.lines() : few.columns;
}

void run_few(const FewElements& few, const CumulativeKernel& kernel) {
  const bool lines = takes_lines(few, kernel);
  const std::int64_t columns = columns_of(few, kernel);
  const FewBuffers at(few, kernel.types);
  const std::size_t count = few.count;
  char* data[max_operands];
  // Bytes to the next index along the axis, or line; and to the next block of columns.
  std::int64_t steps[max_operands], block_bytes[max_operands];
  for (std::size_t k = 0; k < count; ++k) {
    const std::int64_t size = element_size(kernel.types[k]);
    steps[k] = (lines ? few.length : columns) * size;
    block_bytes[k] = (k < few.moving ? few.length * columns : columns) * size;
  }
  SmallScratch accumulators(columns * kernel.accumulator_bytes);
  const auto advance = lines ? kernel.advance_lines : kernel.advance;
  char* const* const starts = count > few.moving ? data + few.moving : nullptr;
  for (std::int64_t block = 0; block * few.length * columns < few.elements; ++block) {
    for (std::size_t k = 0; k < count; ++k)
      data[k] = at.data[k] + block * block_bytes[k];
    kernel.start(kernel.context, accumulators.data(), starts, columns);
    advance(kernel.context, accumulators.data(), {data, steps, few.length, columns});
  }
  at.store();
}

}  // namespace

void run_cumulative(const CumulativeOperands& operands, std::int64_t axis,
                    const CumulativeKernel& kernel, const RunOptions& options) {
  check_grain(options);
  check_operands(operands, kernel);
  if (const FewElements few = find_few(operands, axis, kernel.types); few.possible)
    return run_few(few, kernel);
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
  Explanation e = CumulativeWalk(given, kernel, tuning()).explain(options);
  if (const FewElements few = find_few(operands, axis, kernel.types); few.possible)
    explain_few(few, takes_lines(few, kernel), columns_of(few, kernel), false, e);
  return e;
}

}  // namespace v0
}  // namespace weft
