// SPDX-License-Identifier: Apache-2.0
#include "engine/axis/run_softmax.hpp"

#include <weft/machine/cpu_info.hpp>

#include "engine/axis/along_axis.hpp"
#include "engine/axis/run_pieces.hpp"
#include "engine/axis/softmax_gathered.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

/// Calls f(walk) with the way in which elements are walked.
template <class F>
void with_walk(const TensorIterator& iter, const TensorView& out, const TensorView& in, int axis,
               const SoftmaxKernel& kernel, F&& f) {
  const SoftmaxLines lines(iter, out, in, axis, kernel);
  if (lines.possible() && !lines.staged()) return f(lines);
  const SoftmaxGathered gathered(iter, out, in, axis, kernel);
  if (gathered.possible()) return f(gathered);
  const SoftmaxColumns columns(iter, out, in, axis, kernel);
  if (lines.possible() && !columns.fill_registers()) return f(lines);
  f(columns);
}

constexpr double ns = 1;  // an element

/// A few elements of contiguous tensors of the kernel's type, without an iterator: whole lines, or
/// columns next to each other.
struct FewElements {
  bool possible = false;  ///< false if there is more to it; the rest is 0 then
  AxisForm form = AxisForm::few_lines;
  std::int64_t elements = 0;
  std::int64_t length = 0;   ///< of them along the axis
  std::int64_t columns = 0;  ///< next to each other
};

FewElements plan_few(const TensorView& out, const TensorView& in, std::int64_t axis,
                     const SoftmaxKernel& kernel) {
  constexpr std::int64_t few = 4096;
  constexpr std::int64_t least_columns = 16;  // unless they are short
  if (!out.defined() || !in.defined() || out.read_only()) return {};
  if (out.dtype() != kernel.type || in.dtype() != kernel.type) return {};
  if (!out.is_contiguous() || !in.is_contiguous()) return {};
  const std::int64_t n = in.numel(), rank = in.rank();
  if (n == 0 || n > few || axis < -rank || axis >= rank) return {};
  if (!std::ranges::equal(out.shape(), in.shape())) return {};
  const auto* to = static_cast<const char*>(out.data());
  const auto* from = static_cast<const char*>(in.data());
  if (to != from && from < to + out.nbytes() && to < from + in.nbytes()) return {};
  const auto along = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
  const std::int64_t length = in.shape()[along];
  std::int64_t columns = 1;
  for (std::size_t d = along + 1; d < in.shape().size(); ++d)
    columns *= in.shape()[d];
  if (columns == 1 && length >= kernel.min_line)
    return {true, AxisForm::few_lines, n, length, columns};
  if (columns < least_columns && (columns == 1 || length > softmax_block_rows)) return {};
  if (columns > max_softmax_columns) return {};
  return {true, AxisForm::few_columns, n, length, columns};
}

void run_few(const FewElements& few, const TensorView& out, const TensorView& in,
             const SoftmaxKernel& kernel) {
  auto* to = static_cast<char*>(out.data());
  const auto* from = static_cast<const char*>(in.data());
  const std::int64_t size = element_size(kernel.type);
  if (few.form == AxisForm::few_lines) {
    const std::int64_t lines = few.elements / few.length, row = few.length * size;
    for (std::int64_t line = 0; line < lines; line += max_softmax_lines) {
      kernel.lines(to + line * row, row, from + line * row, row,
                   std::min(max_softmax_lines, lines - line), few.length);
    }
    return;
  }
  const std::int64_t row = few.columns * size;
  for (std::int64_t first = 0; first < few.elements * size; first += few.length * row)
    softmax_columns(kernel, to + first, row, from + first, row, few.length, few.columns);
}

void explain_few(const FewElements& few, Explanation& e) {
  const std::int64_t columns = few.form == AxisForm::few_lines
                                   ? std::min(max_softmax_lines, few.elements / few.length)
                                   : few.columns;
  explain_form(few.form, columns, few.length, ceil_div(few.elements, columns * few.length), e);
}

}  // namespace

void run_softmax(const TensorView& out, const TensorView& in, std::int64_t axis,
                 const SoftmaxKernel& kernel, const RunOptions& options) {
  if (const FewElements few = plan_few(out, in, axis, kernel); few.possible)
    return run_few(few, out, in, kernel);
  const TensorIterator iter = plan_along_axis(out, in, axis, kernel.type, kernel.type);
  if (in.numel() == 0) return;
  with_walk(iter, out, in, normalize_axis(axis, in.rank()), kernel,
            [&](const auto& walk) { run_pieces(walk, ns, options); });
}

Explanation explain_softmax(const TensorView& out, const TensorView& in, std::int64_t axis,
                            const SoftmaxKernel& kernel, const RunOptions& options) {
  const TensorIterator iter = plan_along_axis(out, in, axis, kernel.type, kernel.type);
  Explanation e = iter.explain();
  e.has_run = true;
  e.run.instruction_set = name(current_level());
  e.run.bytes_moved = out.nbytes() + in.nbytes();
  if (in.numel() == 0) return e;
  if (const FewElements few = plan_few(out, in, axis, kernel); few.possible) {
    explain_few(few, e);
    return e;
  }
  with_walk(iter, out, in, normalize_axis(axis, in.rank()), kernel,
            [&](const auto& walk) { explain_pieces(walk, ns, options, e); });
  return e;
}

}  // namespace v0
}  // namespace weft
