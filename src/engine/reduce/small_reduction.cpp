// SPDX-License-Identifier: Apache-2.0
#include "engine/reduce/small_reduction.hpp"

#include <weft/base/checked.hpp>

#include "engine/reduce/combining_tree.hpp"
#include "engine/reduce/reduce_form.hpp"
#include "machine/fixed_sizes.hpp"
#include "machine/scratch_memory.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

/// Bytes of accumulators, and of rows that are packed, at most.
constexpr std::int64_t buffer_bytes = tuning_maximum::tile_bytes / 3;

/// Bytes of accumulators for parts of a row.
std::int64_t bytes_of_parts(const ReductionKernel& kernel, std::int64_t parts) {
  return kernel.done == nullptr || parts == 1 ? parts * kernel.accumulator_bytes
                                              : CombiningTree::bytes_needed(kernel, 1, parts);
}
/// The same of all: two blocks of columns at most are combined in their order.
std::int64_t accumulator_bytes(const SmallReduction& r, const ReductionKernel& kernel) {
  const std::int64_t parts = ceil_div(r.reduced.count, r.block);
  return r.by_columns ? parts * r.kept.count * kernel.accumulator_bytes
                      : r.kept.count * bytes_of_parts(kernel, parts);
}

/// Elements of a part of a row: parts are the spans of one block of a plan, or blocks after each of
/// which it is asked whether to go on.
std::int64_t part_of_row(const ReductionKernel& kernel, std::int64_t size, std::int64_t elements) {
  return std::min(elements, elements_of_span(kernel, size, elements, false));
}

/// A row of dense elements part by part; `inputs` are used up. Returns the accumulator, in memory
/// of bytes_of_parts(). Not inlined, and small: what it costs is little beside its calls.
[[gnu::noinline, gnu::cold]] char* reduce_parts(const ReductionKernel& kernel, char* memory,
                                                char** inputs, std::int64_t elements,
                                                std::int64_t part) {
  std::int64_t row_bytes[max_operands];  // of whole parts
  for (int k = 0; k < kernel.ninputs; ++k)
    row_bytes[k] = part * element_size(kernel.types[kernel.noutputs + k]);
  const auto reduce = [&](char* to, std::int64_t first, std::int64_t rows, std::int64_t n) {
    kernel.reduce_spans(kernel.context, to, inputs, row_bytes, rows, n, first, n);
    for (int k = 0; k < kernel.ninputs && first + rows * n < elements; ++k)
      inputs[k] += rows * row_bytes[k];
  };
  const std::int64_t whole = elements / part, rest = elements % part;
  if (kernel.done == nullptr) {
    reduce(memory, 0, whole, part);
    if (rest > 0) reduce(memory + whole * kernel.accumulator_bytes, whole * part, 1, rest);
    combine_by_halves(kernel, memory, whole + static_cast<std::int64_t>(rest > 0), 1);
    return memory;
  }
  CombiningTree tree(kernel, memory, 1);
  for (std::int64_t i = 0; i < elements; i += part) {
    if (i > 0 && kernel.done(kernel.context, tree.first())) break;
    reduce(tree.next(), i, 1, std::min(part, elements - i));
    tree.push(1);
  }
  return tree.finish(1);
}

/// Bytes from one element of a side to the next in operand k.
std::int64_t stride_of(const TensorIterator& iter, const SmallReduction::Side& side, int k) {
  return side.dim < iter.ndim() ? iter.geometry().stride(side.dim, k) : 0;
}

}  // namespace

std::int64_t part_of_few_in_row(const ReductionKernel& kernel, std::int64_t elements) {
  if (elements < 1 || elements > fixed::block_elements) return 0;
  if (kernel.noutputs != 1 || kernel.ninputs != 1) return 0;
  const std::int64_t part = part_of_row(kernel, element_size(kernel.types[1]), elements);
  const std::int64_t parts = elements == part ? 1 : ceil_div(elements, part);
  return bytes_of_parts(kernel, parts) <= max_stack_buffer_bytes ? part : 0;
}

void reduce_few_in_row(const ReductionKernel& kernel, char* output, char* input,
                       std::int64_t elements, std::int64_t part) {
  alignas(cache_line_bytes) char accumulators[max_stack_buffer_bytes];
  const char* accumulator = accumulators;
  if (elements == part) {
    const std::int64_t row_bytes = 0;
    kernel.reduce_spans(kernel.context, accumulators, &input, &row_bytes, 1, elements, 0, 0);
  } else {
    accumulator = reduce_parts(kernel, accumulators, &input, elements, part);
  }
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
  const bool is_row = r.kept.count == 1 && !r.is_packed && reduced0;
  const std::int64_t longest = r.by_columns ? 2 * r.block : is_row ? numel : r.block;
  if (r.reduced.count > longest) return r;
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
  } else if (r.reduced.count > r.block) {
    const char* const row = reduce_parts(kernel, accumulators, inputs, r.reduced.count, r.block);
    return kernel.project(kernel.context, row, kept, outputs);
  } else {
    kernel.reduce_spans(kernel.context, accumulators, inputs, row_bytes, kept, r.reduced.count, 0,
                        0);
  }
  kernel.project(kernel.context, accumulators, kept, outputs);
}

}  // namespace v0
}  // namespace weft
