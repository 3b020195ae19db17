// SPDX-License-Identifier: Apache-2.0
#include "engine/axis/run_softmax.hpp"

#include "engine/axis/few_elements.hpp"
#include "engine/axis/softmax_walk.hpp"
#include "machine/fixed_sizes.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace weft {
inline namespace v0 {
namespace {

/// How a few elements are gone through: the ways of SoftmaxWalk, which show in the last bits.
enum class FewForm : std::uint8_t {
  none,      ///< there is more to it
  lines,     ///< long ones, together
  one_line,  ///< each of a few short lines by itself
  turned,    ///< short lines as columns of a buffer
  columns,
};

FewForm form_of(const FewElements& few, const SoftmaxKernel& kernel) {
  if (!few.possible) return FewForm::none;
  if (few.are_lines() && few.length > 1) {
    if (few.length >= kernel.min_line) return FewForm::lines;
    return few.lines() < fixed::several_lines && !few.converts ? FewForm::one_line
                                                               : FewForm::turned;
  }
  const bool enough = few.columns >= fixed::line_elements || few.length <= softmax_block_rows;
  return enough && !few.converts && few.columns <= max_softmax_columns ? FewForm::columns
                                                                       : FewForm::none;
}

FewElements find_few_of(const TensorView& out, const TensorView& in, std::int64_t axis,
                        const SoftmaxKernel& kernel) {
  return find_few({{&out, 1}, {&in, 1}}, axis, std::array{kernel.type, kernel.type}.data());
}

/// Lines as columns of a buffer.
void run_turned(const FewElements& few, const FewBuffers& at, const SoftmaxKernel& kernel) {
  const std::int64_t size = element_size(kernel.type), n = few.length, lines = few.lines();
  SmallScratch buffer(few.elements * size);
  char* const turned = buffer.data();
  const CopyBlockFn copy = copy_block_kernel(size);
  copy(turned, size, lines * size, at.data[1], n * size, size, lines, n);
  softmax_whole(kernel, false, {turned, lines * size, turned, lines * size, n, lines});
  copy(at.data[0], size, n * size, turned, lines * size, size, n, lines);
}

/// Lines, together or one by one, and columns, as they lie.
void run_in_order(const FewElements& few, FewForm form, const FewBuffers& at,
                  const SoftmaxKernel& kernel) {
  const std::int64_t size = element_size(kernel.type), n = few.length;
  const std::int64_t columns = form == FewForm::lines ? few.lines() : few.columns;
  const std::int64_t step = (form == FewForm::lines ? n : columns) * size;
  for (std::int64_t i = 0; i < few.elements * size; i += n * columns * size) {
    const SoftmaxBlock block{at.data[0] + i, step, at.data[1] + i, step, n, columns};
    if (form != FewForm::one_line)
      softmax_whole(kernel, form == FewForm::lines, block);
    else
      kernel.type == ScalarType::f32 ? softmax_line<float>(kernel, block)
                                     : softmax_line<double>(kernel, block);
  }
}

void run_few(const FewElements& few, FewForm form, const SoftmaxKernel& kernel) {
  const FewBuffers at(few, std::array{kernel.type, kernel.type}.data());
  form == FewForm::turned ? run_turned(few, at, kernel) : run_in_order(few, form, at, kernel);
  at.store();
}

}  // namespace

void run_softmax(const TensorView& out, const TensorView& in, std::int64_t axis,
                 const SoftmaxKernel& kernel, const RunOptions& options) {
  const FewElements few = find_few_of(out, in, axis, kernel);
  if (const FewForm form = form_of(few, kernel); form != FewForm::none)
    return run_few(few, form, kernel);
  const SoftmaxWalk walk(AlongAxis(out, in, axis), kernel, tuning());
  walk.share(options, [&](std::int64_t begin, std::int64_t end) { walk.run(begin, end); });
}

Explanation explain_softmax(const TensorView& out, const TensorView& in, std::int64_t axis,
                            const SoftmaxKernel& kernel, const RunOptions& options) {
  Explanation e = SoftmaxWalk(AlongAxis(out, in, axis), kernel, tuning()).explain(options);
  const FewElements few = find_few_of(out, in, axis, kernel);
  switch (form_of(few, kernel)) {
    case FewForm::none: break;
    case FewForm::lines:
      explain_few(few, true, std::min(max_softmax_lines, few.lines()), false, e);
      break;
    case FewForm::one_line: explain_few(few, true, 1, false, e); break;
    case FewForm::turned: explain_few(few, false, few.lines(), true, e); break;
    case FewForm::columns: explain_few(few, false, few.columns, false, e); break;
  }
  return e;
}

}  // namespace v0
}  // namespace weft
