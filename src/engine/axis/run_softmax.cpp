// SPDX-License-Identifier: Apache-2.0
#include "engine/axis/run_softmax.hpp"

#include <weft/base/checked.hpp>

#include "engine/axis/softmax_walk.hpp"
#include "machine/fixed_sizes.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

/// A few elements of contiguous tensors of the kernel's type, without an iterator: whole lines, or
/// columns next to each other.
struct FewElements {
  bool possible = false;  ///< false if there is more to it; the rest is nothing then
  bool lines = false;
  std::int64_t elements = 0;
  std::int64_t length = 0;   ///< of them along the axis
  std::int64_t columns = 0;  ///< next to each other: all lines, or columns up to the next index
};

FewElements plan_few(const TensorView& out, const TensorView& in, std::int64_t axis,
                     const SoftmaxKernel& kernel) {
  if (!out.defined() || !in.defined() || out.read_only()) return {};
  if (out.dtype() != kernel.type || in.dtype() != kernel.type) return {};
  if (!out.is_contiguous() || !in.is_contiguous()) return {};
  const std::int64_t n = in.numel(), rank = in.rank();
  if (n == 0 || n > fixed::softmax_few || axis < -rank || axis >= rank) return {};
  if (!std::ranges::equal(out.shape(), in.shape())) return {};
  const auto* to = static_cast<const char*>(out.data());
  const auto* from = static_cast<const char*>(in.data());
  if (to != from && from < to + out.nbytes() && to < from + in.nbytes()) return {};
  const auto along = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
  const std::int64_t length = in.shape()[along];
  std::int64_t columns = 1;
  for (std::size_t d = along + 1; d < in.shape().size(); ++d)
    columns *= in.shape()[d];
  if (columns == 1) return {length >= kernel.min_line, true, n, length, n / length};
  const bool enough = columns >= fixed::line_elements || length <= softmax_block_rows;
  return {enough && columns <= max_softmax_columns, false, n, length, columns};
}

void run_few(const FewElements& few, const TensorView& out, const TensorView& in,
             const SoftmaxKernel& kernel) {
  auto* to = static_cast<char*>(out.data());
  const auto* from = static_cast<const char*>(in.data());
  const std::int64_t size = element_size(kernel.type), block = few.length * few.columns * size;
  const std::int64_t step = (few.lines ? few.length : few.columns) * size;
  for (std::int64_t at = 0; at < few.elements * size; at += block)
    softmax_whole(kernel, few.lines, {to + at, step, from + at, step, few.length, few.columns});
}

}  // namespace

void run_softmax(const TensorView& out, const TensorView& in, std::int64_t axis,
                 const SoftmaxKernel& kernel, const RunOptions& options) {
  if (const FewElements few = plan_few(out, in, axis, kernel); few.possible)
    return run_few(few, out, in, kernel);
  const SoftmaxWalk walk(AlongAxis(out, in, axis), kernel, tuning());
  walk.share(options, [&](std::int64_t begin, std::int64_t end) { walk.run(begin, end); });
}

Explanation explain_softmax(const TensorView& out, const TensorView& in, std::int64_t axis,
                            const SoftmaxKernel& kernel, const RunOptions& options) {
  Explanation e = SoftmaxWalk(AlongAxis(out, in, axis), kernel, tuning()).explain(options);
  if (const FewElements few = plan_few(out, in, axis, kernel); few.possible) {
    const std::int64_t columns = few.lines ? std::min(max_softmax_lines, few.columns) : few.columns;
    explain_form(AxisForm::few, few.lines, columns, few.length, e);
    e.run.blocks = ceil_div(few.elements, columns * few.length);
    e.run.threads = 1;
  }
  return e;
}

}  // namespace v0
}  // namespace weft
