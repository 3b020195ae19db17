// SPDX-License-Identifier: Apache-2.0
#include <weft/kernel/cumulative_kernel.hpp>
#include <weft/machine/cpu_info.hpp>

#include "engine/axis/along_axis.hpp"
#include "engine/axis/cumulative_walks.hpp"
#include "engine/axis/run_pieces.hpp"

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

constexpr double ns = 0.4;  // an element

}  // namespace

void run_cumulative(const TensorView& out, const TensorView& in, std::int64_t axis,
                    const CumulativeKernel& kernel, const RunOptions& options) {
  const TensorIterator iter = plan_along_axis(out, in, axis, kernel.out_type, kernel.in_type);
  const int along = normalize_axis(axis, in.rank());
  if (in.numel() == 0) return;
  with_walk(iter, out, in, along, kernel, [&](const auto& walk) { run_pieces(walk, ns, options); });
}

Explanation explain_cumulative(const TensorView& out, const TensorView& in, std::int64_t axis,
                               const CumulativeKernel& kernel, const RunOptions& options) {
  const TensorIterator iter = plan_along_axis(out, in, axis, kernel.out_type, kernel.in_type);
  const int along = normalize_axis(axis, in.rank());
  Explanation e = iter.explain();
  e.has_run = true;
  e.run.instruction_set = name(current_level());
  e.run.bytes_moved = out.nbytes() + in.nbytes();
  if (in.numel() == 0) return e;
  with_walk(iter, out, in, along, kernel,
            [&](const auto& walk) { explain_pieces(walk, ns, options, e); });
  return e;
}

}  // namespace v0
}  // namespace weft
