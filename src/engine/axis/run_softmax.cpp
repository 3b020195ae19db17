// SPDX-License-Identifier: Apache-2.0
#include "engine/axis/run_softmax.hpp"

#include <weft/machine/cpu_info.hpp>

#include "engine/axis/along_axis.hpp"
#include "engine/axis/softmax_gathered.hpp"
#include "engine/grain.hpp"

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

/// A few elements of contiguous tensors of the kernel's type, without an iterator: whole lines, or
/// columns next to each other. False, with nothing done, if there is more to it.
bool run_few(const TensorView& out, const TensorView& in, std::int64_t axis,
             const SoftmaxKernel& kernel) {
  constexpr std::int64_t few = 4096;
  constexpr std::int64_t least_columns = 16;  // unless they are short
  if (!out.defined() || !in.defined() || out.read_only()) return false;
  if (out.dtype() != kernel.type || in.dtype() != kernel.type) return false;
  if (!out.is_contiguous() || !in.is_contiguous()) return false;
  const std::int64_t n = in.numel(), rank = in.rank();
  if (n == 0 || n > few || axis < -rank || axis >= rank) return false;
  if (!std::ranges::equal(out.shape(), in.shape())) return false;
  auto* to = static_cast<char*>(out.data());
  const auto* from = static_cast<const char*>(in.data());
  if (to != from && from < to + out.nbytes() && to < from + in.nbytes()) return false;
  const auto along = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
  const std::int64_t length = in.shape()[along];
  std::int64_t columns = 1;
  for (std::size_t d = along + 1; d < in.shape().size(); ++d)
    columns *= in.shape()[d];
  const std::int64_t size = element_size(kernel.type);
  if (columns == 1 && length >= kernel.least_line) {
    const std::int64_t lines = n / length, row = length * size;
    for (std::int64_t line = 0; line < lines; line += most_softmax_lines) {
      kernel.lines(to + line * row, row, from + line * row, row,
                   std::min(most_softmax_lines, lines - line), length);
    }
    return true;
  }
  if (columns < least_columns && (columns == 1 || length > softmax_block_rows)) return false;
  if (columns > most_softmax_columns) return false;
  const std::int64_t row = columns * size;
  for (std::int64_t first = 0; first < n * size; first += length * row)
    softmax_columns(kernel, to + first, row, from + first, row, length, columns);
  return true;
}

}  // namespace

void run_softmax(const TensorView& out, const TensorView& in, std::int64_t axis,
                 const SoftmaxKernel& kernel, const RunOptions& options) {
  if (run_few(out, in, axis, kernel)) return;
  const TensorIterator iter = plan_along_axis(out, in, axis, kernel.type, kernel.type);
  if (in.numel() == 0) return;
  with_walk(iter, out, in, normalize_axis(axis, in.rank()), kernel, [&](const auto& walk) {
    constexpr double ns = 1;  // an element
    const std::int64_t grain =
        (options.grain > 0 ? options.grain : least_elements_a_thread(ns)) / walk.piece_elements();
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

}  // namespace v0
}  // namespace weft
