// SPDX-License-Identifier: Apache-2.0
#include "engine/reduce/small_reduction.hpp"

#include "engine/reduce/reduce_form.hpp"
#include "machine/fixed_sizes.hpp"
#include "machine/scratch_memory.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

/// Bytes of accumulators, and of rows that are packed, at most.
constexpr std::int64_t buffer_bytes = tuning_maximum::tile_bytes / 3;

/// Bytes of all accumulators: two blocks of rows at most are combined in their order.
std::int64_t accumulator_bytes(const SmallReduction& r, const ReductionKernel& kernel) {
  const std::int64_t blocks = r.reduced.count > r.block ? 2 : 1;
  return blocks * r.kept.count * kernel.accumulator_bytes;
}

/// Bytes from one element of a side to the next in operand k.
std::int64_t stride_of(const TensorIterator& iter, const SmallReduction::Side& side, int k) {
  return side.dim < iter.ndim() ? iter.geometry().stride(side.dim, k) : 0;
}

}  // namespace

bool are_few_in_row(const ReductionKernel& kernel, std::int64_t elements) {
  return elements >= 2 && kernel.noutputs == 1 && kernel.ninputs == 1 &&
         elements <= elements_of_span(kernel, element_size(kernel.types[1]), elements, false) &&
         kernel.accumulator_bytes <= max_stack_buffer_bytes;
}

void reduce_few_in_row(const ReductionKernel& kernel, char* output, char* input,
                       std::int64_t elements) {
  alignas(cache_line_bytes) char accumulator[max_stack_buffer_bytes];
  const std::int64_t row_bytes = 0;
  kernel.reduce_spans(kernel.context, accumulator, &input, &row_bytes, 1, elements, 0, 0);
  kernel.project(kernel.context, accumulator, 1, &output);
}

SmallReduction choose_small_reduction(const TensorIterator& iter, const ReductionKernel& kernel,
                                      const RunOptions& options, bool computed) {
  SmallReduction r;  // what all paths return, so that it is made where the caller has it
  const Geometry& geometry = iter.geometry();
  const int ndim = geometry.ndim(), first_input = kernel.noutputs;
  const std::int64_t numel = iter.numel();
  const std::int64_t most =
      computed || options.grain != 0 ? fixed::staged_span_elements : fixed::block_elements;
  if (numel > most || numel == 0 || ndim == 0 || ndim > 2) return r;
  if (iter.noutputs() != kernel.noutputs || geometry.noperands != first_input + kernel.ninputs)
    return r;
  for (int k = 0; k < geometry.noperands; ++k) {
    const Operand& op = iter.operand(k);
    if (op.storage != kernel.types[k] || op.dtype != kernel.types[k]) return r;
  }
  const bool reduced0 = geometry.stride(0, 0) == 0;
  const int kept = reduced0 ? 1 : 0, reduced = 1 - kept;
  for (int k = 0; k < first_input; ++k) {
    if (kept < ndim && geometry.stride(kept, k) == 0) return r;
    if (reduced < ndim && geometry.stride(reduced, k) != 0) return r;
  }
  const auto side = [&](int dim) {
    return SmallReduction::Side{dim < ndim ? geometry.extent(dim) : 1, dim};
  };
  r.kept = side(kept);
  r.reduced = side(reduced);
  const auto is_dense = [&](const SmallReduction::Side& s, int k) {
    return stride_of(iter, s, k) == element_size(kernel.types[k]);
  };
  for (int k = 0; r.kept.count > 1 && k < first_input; ++k)
    if (!is_dense(r.kept, k)) return r;
  // The plan sees what repeats behind what is kept.
  if (r.reduced.count > 1 && stride_of(iter, r.reduced, first_input) == 0) return r;
  const std::int64_t least_row =
      reduced0 && is_dense(r.reduced, first_input) ? kernel.least_row : fixed::short_reduction;
  r.by_columns =
      reduces_by_columns(r.kept.count, r.reduced.count, !reduced0, r.kept.count, least_row);
  r.is_packed = !is_dense(r.row(), first_input);
  for (int k = first_input; kernel.ninputs > 1 && k < geometry.noperands; ++k)
    if (r.row().dim != 0 || !is_dense(r.row(), k)) return r;
  // Of more than max_unfolded elements the plan folds narrow columns, and rows that it packs go
  // through several buffers.
  const bool is_plain =
      !r.is_packed && (r.by_columns ? r.kept.count >= fixed::folded_columns : reduced0);
  if (!is_plain && r.kept.count > 1 && numel > fixed::max_unfolded) return r;
  std::int64_t size = 1;
  for (int k = first_input; k < geometry.noperands; ++k)
    size = std::max<std::int64_t>(size, element_size(kernel.types[k]));
  const bool is_value = kernel.take_values != nullptr &&
                        r.kept.count >= fixed::min_reduced_columns &&
                        stride_of(iter, r.kept, first_input) == 0;
  if (!r.by_columns) {
    r.block = elements_of_span(kernel, size, r.reduced.count, r.is_packed || !reduced0);
  } else {
    r.block = r.is_packed && !is_value ? fixed::block_rows
                                       : rows_of_block(kernel, size, r.reduced.count, r.kept.count);
  }
  r.block = std::min(r.block, r.reduced.count);
  if (r.reduced.count > (r.by_columns ? 2 * r.block : r.block)) return r;
  if (accumulator_bytes(r, kernel) > buffer_bytes) return r;
  r.fits = !r.is_packed || numel * element_size(kernel.types[first_input]) <= buffer_bytes;
  return r;
}

void run_small_reduction(const SmallReduction& r, const TensorIterator& iter,
                         const ReductionKernel& kernel, char* const* computed) {
  const std::int64_t kept = r.kept.count;
  char* outputs[max_operands];
  for (int k = 0; k < kernel.noutputs; ++k)
    outputs[k] = iter.operand(k).data;
  char* inputs[max_operands];
  std::int64_t row_bytes[max_operands];
  for (int k = 0; k < kernel.ninputs; ++k) {
    inputs[k] = computed != nullptr ? computed[k] : iter.operand(kernel.noutputs + k).data;
    row_bytes[k] = stride_of(iter, r.rows(), kernel.noutputs + k);
  }
  const std::int64_t size = element_size(kernel.types[kernel.noutputs]);
  SmallScratch packed(r.is_packed ? iter.numel() * size : 0);
  if (r.is_packed) {
    const std::int64_t n = r.row().count, step = stride_of(iter, r.row(), kernel.noutputs);
    copy_block_kernel(size)(packed.data(), size, n * size, inputs[0], step, row_bytes[0], n,
                            r.rows().count);
    inputs[0] = packed.data();
    row_bytes[0] = n * size;
  }
  SmallScratch memory(accumulator_bytes(r, kernel));
  char* const accumulators = memory.data();
  if (r.by_columns) {
    const std::int64_t first = r.block, rest = r.reduced.count - first;
    kernel.reduce_columns(kernel.context, accumulators, inputs, row_bytes, first, kept, 0);
    if (rest > 0) {
      char* const others = accumulators + kept * kernel.accumulator_bytes;
      for (int k = 0; k < kernel.ninputs; ++k)
        inputs[k] += first * row_bytes[k];
      kernel.reduce_columns(kernel.context, others, inputs, row_bytes, rest, kept, first);
      kernel.combine(kernel.context, accumulators, others, kept);
    }
  } else {
    kernel.reduce_spans(kernel.context, accumulators, inputs, row_bytes, kept, r.reduced.count, 0,
                        0);
  }
  kernel.project(kernel.context, accumulators, kept, outputs);
}

}  // namespace v0
}  // namespace weft
