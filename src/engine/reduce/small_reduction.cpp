// SPDX-License-Identifier: Apache-2.0
#include "engine/reduce/small_reduction.hpp"

#include "engine/reduce/reduce_form.hpp"
#include "machine/fixed_sizes.hpp"
#include "machine/scratch_memory.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

/// Elements, at most, where all of them are one row and become one: that is one span of the plan's,
/// too. Otherwise the plan does not fold so few either.
constexpr std::int64_t max_in_row = fixed::staged_span_elements;
constexpr std::int64_t max_elements = fixed::max_unfolded;

/// Bytes of accumulators, and of rows that are packed, at most.
constexpr std::int64_t buffer_bytes = tuning_maximum::tile_bytes / 3;

/// Bytes of all accumulators: two blocks of rows at most are combined in their order.
std::int64_t accumulator_bytes(const SmallReduction& r, const ReductionKernel& kernel) {
  const std::int64_t blocks = r.reduced.count > fixed::block_rows ? 2 : 1;
  return blocks * r.kept.count * kernel.accumulator_bytes;
}

}  // namespace

bool are_few_in_row(const ReductionKernel& kernel, std::int64_t elements) {
  return elements >= 2 && elements <= std::min(max_in_row, kernel.span_elements) &&
         kernel.noutputs == 1 && kernel.ninputs == 1 &&
         kernel.accumulator_bytes <= max_stack_buffer_bytes;
}

void reduce_few_in_row(const ReductionKernel& kernel, char* output, char* input,
                       std::int64_t elements) {
  alignas(cache_line_bytes) char accumulator[max_stack_buffer_bytes];
  const std::int64_t row_bytes = 0;
  kernel.reduce_spans(kernel.context, accumulator, &input, &row_bytes, 1, elements, 0, 0);
  kernel.project(kernel.context, accumulator, 1, &output);
}

SmallReduction choose_small_reduction(const TensorIterator& iter, const ReductionKernel& kernel) {
  SmallReduction r;  // what all paths return, so that it is made where the caller has it
  const Geometry& geometry = iter.geometry();
  const int ndim = geometry.ndim();
  const std::int64_t numel = iter.numel();
  if (numel > max_in_row || numel == 0 || ndim == 0 || ndim > 2) return r;
  if (geometry.noperands != 2 || kernel.noutputs != 1 || kernel.ninputs != 1) return r;
  for (int k = 0; k < 2; ++k) {
    const Operand& op = iter.operand(k);
    if (op.storage != kernel.types[k] || op.dtype != kernel.types[k]) return r;
  }
  const bool reduced0 = geometry.stride(0, 0) == 0;
  if (ndim == 2 && reduced0 == (geometry.stride(1, 0) == 0)) return r;
  const int kept = reduced0 ? 1 : 0, reduced = 1 - kept;
  const auto side = [&](int dim) {  // of one dim, the other one is of one element
    return dim < ndim ? SmallReduction::Side{geometry.extent(dim), geometry.stride(dim, 1)}
                      : SmallReduction::Side{1, 0};
  };
  r.kept = side(kept);
  r.reduced = side(reduced);
  if (r.kept.count > 1 &&
      (numel > max_elements || geometry.stride(kept, 0) != element_size(kernel.types[0]))) {
    return r;
  }
  // The plan sees what repeats behind what is kept.
  if (r.reduced.count > 1 && r.reduced.bytes == 0) return r;
  const std::int64_t size = element_size(kernel.types[1]);
  const std::int64_t least_row =
      reduced0 && r.reduced.bytes == size ? kernel.least_row : fixed::short_reduction;
  r.by_columns =
      reduces_by_columns(r.kept.count, r.reduced.count, !reduced0, r.kept.count, least_row);
  if (r.reduced.count > (r.by_columns ? 2 * fixed::block_rows : kernel.span_elements)) return r;
  if (accumulator_bytes(r, kernel) > buffer_bytes) return r;
  r.is_packed = r.row().bytes != size;
  r.fits = !r.is_packed || numel * size <= buffer_bytes;
  return r;
}

std::int64_t block_of(const SmallReduction& r) {
  return r.by_columns ? std::min(r.reduced.count, fixed::block_rows) : r.reduced.count;
}

void run_small_reduction(const SmallReduction& r, const TensorIterator& iter,
                         const ReductionKernel& kernel) {
  char* input = iter.operand(1).data;
  char* output = iter.operand(0).data;
  const std::int64_t kept = r.kept.count;
  std::int64_t row_bytes = r.rows().bytes;
  const std::int64_t size = element_size(kernel.types[1]);
  SmallScratch packed(r.is_packed ? iter.numel() * size : 0);
  if (r.is_packed) {
    const std::int64_t n = r.row().count;
    copy_block_kernel(size)(packed.data(), size, n * size, input, r.row().bytes, row_bytes, n,
                            r.rows().count);
    input = packed.data();
    row_bytes = n * size;
  }
  SmallScratch memory(accumulator_bytes(r, kernel));
  char* const accumulators = memory.data();
  if (r.by_columns) {
    const std::int64_t first = block_of(r), rest = r.reduced.count - first;
    kernel.reduce_columns(kernel.context, accumulators, &input, &row_bytes, first, kept, 0);
    if (rest > 0) {
      char* const others = accumulators + kept * kernel.accumulator_bytes;
      input += first * row_bytes;
      kernel.reduce_columns(kernel.context, others, &input, &row_bytes, rest, kept, first);
      kernel.combine(kernel.context, accumulators, others, kept);
    }
  } else {
    kernel.reduce_spans(kernel.context, accumulators, &input, &row_bytes, kept, r.reduced.count, 0,
                        0);
  }
  kernel.project(kernel.context, accumulators, kept, &output);
}

}  // namespace v0
}  // namespace weft
