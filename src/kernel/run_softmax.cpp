// SPDX-License-Identifier: Apache-2.0
#include "kernel/run_softmax.hpp"

#include <weft/kernel/cpu_info.hpp>

#include "kernel/along_axis.hpp"
#include "kernel/softmax_gathered.hpp"

namespace weft::inline v0 {
namespace {

/// Calls f(walk) with the way in which elements are walked.
template <class F>
void with_walk(const TensorIterator& iter, const TensorView& out, const TensorView& in, int axis,
               const SoftmaxKernel& kernel, F&& f) {
  const SoftmaxLines lines(iter, out, in, axis, kernel);
  if (lines.possible() && !lines.staged()) return f(lines);
  const SoftmaxGathered gathered(iter, out, in, axis, kernel);
  if (gathered.possible()) return f(gathered);
  if (lines.possible()) return f(lines);
  f(SoftmaxColumns(iter, out, in, axis, kernel));
}

}  // namespace

void run_softmax(const TensorView& out, const TensorView& in, std::int64_t axis,
                 const SoftmaxKernel& kernel, const RunOptions& options) {
  const TensorIterator iter = plan_along_axis(out, in, axis, kernel.type, kernel.type);
  if (in.numel() == 0) return;
  with_walk(iter, out, in, normalize_axis(axis, in.rank()), kernel, [&](const auto& walk) {
    constexpr std::int64_t default_elements = 20'000;  // about 10 microseconds
    const std::int64_t grain =
        (options.grain > 0 ? options.grain : default_elements) / walk.piece_elements();
    if (options.serial) return walk.run(0, walk.count());
    parallel_for(walk.count(), std::max<std::int64_t>(1, grain),
                 [&](std::int64_t begin, std::int64_t end) { walk.run(begin, end); });
  });
}

Explanation explain_softmax(const TensorView& out, const TensorView& in, std::int64_t axis,
                            const SoftmaxKernel& kernel) {
  const TensorIterator iter = plan_along_axis(out, in, axis, kernel.type, kernel.type);
  Explanation e = iter.explain();
  e.has_run = true;
  e.run.instruction_set = name(current_level());
  e.run.bytes_moved = out.nbytes() + in.nbytes();
  if (in.numel() == 0) return e;
  with_walk(iter, out, in, normalize_axis(axis, in.rank()), kernel, [&](const auto& walk) {
    for (Explanation::Operand& op : e.operands)
      op.access = walk.access();
    e.run.span = walk.width();
    e.run.tile[0] = walk.width();
    e.run.tile[1] = walk.rows();
    e.run.blocks = walk.count() * ceil_div(walk.piece_elements() / walk.width(), walk.rows());
  });
  return e;
}

}  // namespace weft::inline v0
