// SPDX-License-Identifier: Apache-2.0
#include <weft/base/checked.hpp>
#include <weft/kernel/cumulative_kernel.hpp>
#include <weft/machine/cpu_info.hpp>

#include "engine/axis/along_axis.hpp"
#include "engine/axis/cumulative_walks.hpp"
#include "engine/grain.hpp"

namespace weft {
inline namespace v0 {
namespace {

/// Calls f(walk) with the way in which elements are walked.
template <class F>
void with_walk(const TensorIterator& iter, const TensorView& out, const TensorView& in, int axis,
               const CumulativeKernel& kernel, F&& f) {
  const CumulativeLines lines(iter, out, in, axis, kernel);
  if (lines.possible()) return f(lines);
  const CumulativeColumns columns(iter, out, in, axis, kernel);
  if (columns.possible()) return f(columns);
  f(CumulativeGathered(iter, out, in, axis, kernel));
}

template <class Walk>
void run_walk(const Walk& walk, const RunOptions& options) {
  if (options.serial) {
    walk.run(0, walk.count());
    return;
  }
  constexpr double ns = 0.4;  // an element
  const std::int64_t grain =
      (options.grain > 0 ? options.grain : least_elements_a_thread(ns)) / walk.piece_elements();
  parallel_for(walk.count(), std::max<std::int64_t>(1, grain),
               [&](std::int64_t begin, std::int64_t end) { walk.run(begin, end); });
}

}  // namespace

void run_cumulative(const TensorView& out, const TensorView& in, std::int64_t axis,
                    const CumulativeKernel& kernel, const RunOptions& options) {
  const TensorIterator iter = plan_along_axis(out, in, axis, kernel.out_type, kernel.in_type);
  const int along = normalize_axis(axis, in.rank());
  if (in.numel() == 0) return;
  with_walk(iter, out, in, along, kernel, [&](const auto& walk) { run_walk(walk, options); });
}

Explanation explain_cumulative(const TensorView& out, const TensorView& in, std::int64_t axis,
                               const CumulativeKernel& kernel) {
  const TensorIterator iter = plan_along_axis(out, in, axis, kernel.out_type, kernel.in_type);
  const int along = normalize_axis(axis, in.rank());
  Explanation e = iter.explain();
  e.has_run = true;
  e.run.instruction_set = name(current_level());
  e.run.bytes_moved = out.nbytes() + in.nbytes();
  if (in.numel() == 0) return e;
  with_walk(iter, out, in, along, kernel, [&](const auto& walk) {
    for (Explanation::Operand& op : e.operands)
      op.access = walk.access();
    e.run.span = walk.width();
    e.run.tile[0] = walk.width();
    e.run.tile[1] = walk.rows();
    e.run.blocks = walk.count() * ceil_div(walk.piece_elements() / walk.width(), walk.rows());
  });
  return e;
}

}  // namespace v0
}  // namespace weft
