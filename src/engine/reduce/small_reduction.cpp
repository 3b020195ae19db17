// SPDX-License-Identifier: Apache-2.0
#include "engine/reduce/small_reduction.hpp"

#include "engine/reduce/reduce_plan.hpp"
#include "kernels/stage/stage.hpp"
#include "machine/fixed_sizes.hpp"
#include "machine/tuning.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
bool are_few_in_row(const ReductionKernel& kernel, std::int64_t elements) {
  return elements >= 2 && elements <= std::min(fixed::few_in_row, kernel.span_elements) &&
         kernel.noutputs == 1 && kernel.ninputs == 1 &&
         kernel.accumulator_bytes <= fixed::few_accumulators_bytes;
}

void reduce_few_in_row(const ReductionKernel& kernel, char* output, char* input,
                       std::int64_t elements) {
  alignas(cache_line_bytes) char accumulator[fixed::few_accumulators_bytes];
  const std::int64_t row_bytes = 0;
  kernel.reduce_spans(kernel.context, accumulator, &input, &row_bytes, 1, elements, 0, 0);
  kernel.project(kernel.context, accumulator, 1, &output);
}

SmallReduction choose_small_reduction(const TensorIterator& iter, const ReductionKernel& kernel) {
  SmallReduction r;  // what all paths return, so that it is made where the caller has it
  const Geometry& geometry = iter.geometry();
  const int ndim = geometry.ndim();
  const std::int64_t numel = iter.numel();
  if (numel > fixed::few_in_row || numel == 0 || ndim == 0 || ndim > 2) return r;
  if (geometry.noperands != 2 || kernel.noutputs != 1 || kernel.ninputs != 1) return r;
  for (int k = 0; k < 2; ++k) {
    const Operand& op = iter.operand(k);
    if (op.storage != kernel.types[k] || op.dtype != kernel.types[k]) return r;
  }
  // Of one dim, the other one is of one element.
  constexpr std::int64_t still[] = {0, 0};
  const bool two = ndim > 1;
  const std::int64_t* const steps0 = geometry.strides(0);
  const std::int64_t* const steps1 = two ? geometry.strides(1) : still;
  const std::int64_t extent0 = geometry.extent(0), extent1 = two ? geometry.extent(1) : 1;
  const bool reduced0 = steps0[0] == 0;
  if (two && reduced0 == (steps1[0] == 0)) return r;
  const std::int64_t* const kept_steps = reduced0 ? steps1 : steps0;
  const std::int64_t* const reduced_steps = reduced0 ? steps0 : steps1;
  r.kept = reduced0 ? extent1 : extent0;
  r.reduced = reduced0 ? extent0 : extent1;
  if (numel > (r.kept > 1 ? fixed::min_folded : fixed::few_in_row)) return r;
  if (r.kept > 1 && kept_steps[0] != element_size(kernel.types[0])) return r;
  // The plan sees what repeats behind what is kept.
  if (r.reduced > 1 && reduced_steps[1] == 0) return r;
  const std::int64_t size = element_size(kernel.types[1]);
  const bool short_rows = reduced0 && reduced_steps[1] == size && kernel.short_rows;
  r.by_columns = reduces_by_columns(r.kept, r.reduced, !reduced0, r.kept, short_rows);
  if (r.reduced > (r.by_columns ? fixed::few_blocks * fixed::block_rows : kernel.span_elements))
    return r;
  const std::int64_t blocks = r.reduced > fixed::block_rows ? fixed::few_blocks : 1;
  if (blocks * r.kept * kernel.accumulator_bytes > fixed::few_accumulators_bytes) return r;
  r.inner = r.by_columns ? r.kept : r.reduced;
  r.inner_bytes = (r.by_columns ? kept_steps : reduced_steps)[1];
  r.outer = r.by_columns ? r.reduced : r.kept;
  r.outer_bytes = (r.by_columns ? reduced_steps : kept_steps)[1];
  r.is_packed = r.inner_bytes != size;
  if (r.is_packed && numel * size > fixed::few_packed_bytes) return r;
  r.fits = true;
  return r;
}

std::int64_t block_of(const SmallReduction& r) {
  return r.by_columns ? std::min(r.reduced, fixed::block_rows) : r.reduced;
}

void run_small_reduction(const SmallReduction& r, const TensorIterator& iter,
                         const ReductionKernel& kernel) {
  char* input = iter.operand(1).data;
  char* output = iter.operand(0).data;
  std::int64_t row_bytes = r.outer_bytes;
  alignas(cache_line_bytes) char packed[fixed::few_packed_bytes];
  if (r.is_packed) {
    const std::int64_t size = element_size(kernel.types[1]);
    copy_block_kernel(size)(packed, size, r.inner * size, input, r.inner_bytes, row_bytes, r.inner,
                            r.outer);
    input = packed;
    row_bytes = r.inner * size;
  }
  alignas(cache_line_bytes) char accumulators[fixed::few_accumulators_bytes];
  if (r.by_columns) {
    const std::int64_t first = block_of(r);
    kernel.reduce_columns(kernel.context, accumulators, &input, &row_bytes, first, r.kept, 0);
    if (r.reduced > first) {
      char* const others = accumulators + r.kept * kernel.accumulator_bytes;
      input += first * row_bytes;
      kernel.reduce_columns(kernel.context, others, &input, &row_bytes, r.reduced - first, r.kept,
                            first);
      kernel.combine(kernel.context, accumulators, others, r.kept);
    }
  } else {
    kernel.reduce_spans(kernel.context, accumulators, &input, &row_bytes, r.kept, r.reduced, 0, 0);
  }
  kernel.project(kernel.context, accumulators, r.kept, &output);
}

}  // namespace v0
}  // namespace weft
