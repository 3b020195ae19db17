// SPDX-License-Identifier: Apache-2.0
#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>
#include <weft/core/promotion.hpp>
#include <weft/iter/config.hpp>
#include <weft/kernel/cpu_info.hpp>
#include <weft/kernel/cumulative_kernel.hpp>

#include "base/text.hpp"
#include "kernel/check_cumulative.hpp"
#include "kernel/cumulative_walks.hpp"

#include <algorithm>

namespace weft::inline v0 {
namespace {

/// out over in, the axis squashed: what is left are the columns.
TensorIterator columns_of(const TensorView& out, const TensorView& in, int axis) {
  TensorIteratorConfig config;
  config.add_output(out).add_input(in).check_all_same_dtype(false).resize_outputs(false);
  if (in.rank() == 0) return config.build();
  return config.declare_static_shape(in.shape(), {axis}).build();
}

void check(const TensorView& out, const TensorView& in, const CumulativeKernel& kernel) {
  if (!out.defined() || !in.defined()) {
    fail(ErrorCode::undefined, text(out.defined() ? "input 0" : "output 0", ": undefined tensor"));
  }
  if (!std::ranges::equal(out.shape(), in.shape())) {
    fail(ErrorCode::shape, text("output 0: expected shape ", to_string(in.shape()),
                                " as input 0, got ", to_string(out.shape())));
  }
  if (!can_cast(in.dtype(), kernel.in_type)) {
    fail(ErrorCode::cast,
         text("input 0: ", name(in.dtype()), " can't be cast to ", name(kernel.in_type)));
  }
  if (!can_cast(kernel.out_type, out.dtype())) {
    fail(ErrorCode::cast, text("output 0: result type ", name(kernel.out_type),
                               " can't be cast to the output's ", name(out.dtype())));
  }
}

/// Calls f(walk) with the way in which elements are walked.
template <class F>
void with_walk(const TensorIterator& iter, const TensorView& out, const TensorView& in, int axis,
               const CumulativeKernel& kernel, F&& f) {
  const CumulativeLines lines(iter, out, in, axis, kernel);
  if (lines.possible()) {
    f(lines);
  } else {
    f(CumulativeColumns(iter, out, in, axis, kernel));
  }
}

template <class Walk>
void run_walk(const Walk& walk, const RunOptions& options) {
  if (options.serial) {
    walk.run(0, walk.count());
    return;
  }
  constexpr std::int64_t default_elements = 50'000;  // about 20 microseconds
  const std::int64_t grain =
      (options.grain > 0 ? options.grain : default_elements) / walk.piece_elements();
  parallel_for(walk.count(), std::max<std::int64_t>(1, grain),
               [&](std::int64_t begin, std::int64_t end) { walk.run(begin, end); });
}

const char* access(const CumulativeLines& lines) {
  return lines.converts() ? "staged: lines along the axis" : "direct: lines along the axis";
}
const char* access(const CumulativeColumns& columns) {
  return columns.staged() ? "staged: columns across the axis" : "direct: columns across the axis";
}

}  // namespace

void check_cumulative(const TensorView& out, const TensorView& in, std::int64_t axis,
                      const CumulativeKernel& kernel) {
  check(out, in, kernel);
  columns_of(out, in, normalize_axis(axis, in.rank()));
}

void run_cumulative(const TensorView& out, const TensorView& in, std::int64_t axis,
                    const CumulativeKernel& kernel, const RunOptions& options) {
  check(out, in, kernel);
  const int along = normalize_axis(axis, in.rank());
  const TensorIterator iter = columns_of(out, in, along);
  if (in.numel() == 0) return;
  with_walk(iter, out, in, along, kernel, [&](const auto& walk) { run_walk(walk, options); });
}

Explanation explain_cumulative(const TensorView& out, const TensorView& in, std::int64_t axis,
                               const CumulativeKernel& kernel) {
  check(out, in, kernel);
  const int along = normalize_axis(axis, in.rank());
  const TensorIterator iter = columns_of(out, in, along);
  Explanation e = iter.explain();
  e.has_run = true;
  e.run.instruction_set = name(current_level());
  e.run.bytes_moved = out.nbytes() + in.nbytes();
  if (in.numel() == 0) return e;
  with_walk(iter, out, in, along, kernel, [&](const auto& walk) {
    for (Explanation::Operand& op : e.operands)
      op.access = access(walk);
    e.run.span = walk.width();
    e.run.tile[0] = walk.width();
    e.run.tile[1] = walk.rows();
    e.run.blocks = walk.count() * ceil_div(walk.piece_elements() / walk.width(), walk.rows());
  });
  return e;
}

}  // namespace weft::inline v0
