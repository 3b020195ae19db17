// SPDX-License-Identifier: Apache-2.0
#include "kernel/reduce_few.hpp"

#include "kernel/reduce_plan.hpp"
#include "kernels/stage/stage.hpp"

#include <algorithm>

namespace weft::inline v0 {
namespace {

/// The same as few_elements where all of them are one row and become one.
constexpr std::int64_t few_in_row = 2048;
/// The same where they need not be moved: the plan does not fold so few either.
constexpr std::int64_t few_in_place = 2 * few_elements;

constexpr std::int64_t accumulators_bytes = 4096;

}  // namespace

bool reduce_few_in_row(const ReductionKernel& kernel, char* output, char* input,
                       std::int64_t elements) {
  if (elements < 2 || elements > std::min(few_in_row, kernel.span_elements)) return false;
  if (kernel.noutputs != 1 || kernel.ninputs != 1 || kernel.accumulator_bytes > accumulators_bytes)
    return false;
  alignas(64) char accumulator[accumulators_bytes];
  const std::int64_t row_bytes = 0;
  kernel.reduce_spans(kernel.context, accumulator, &input, &row_bytes, 1, elements, 0, 0);
  kernel.project(kernel.context, accumulator, 1, &output);
  return true;
}

bool reduce_few(const TensorIterator& iter, const ReductionKernel& kernel) {
  const Geometry& geometry = iter.geometry();
  const int ndim = geometry.ndim();
  if (iter.numel() > few_in_row || iter.numel() == 0 || ndim == 0 || ndim > 2) return false;
  if (geometry.noperands != 2 || kernel.noutputs != 1 || kernel.ninputs != 1) return false;
  for (int k = 0; k < 2; ++k) {
    const Operand& op = iter.operand(k);
    if (op.storage != kernel.types[k] || op.dtype != kernel.types[k]) return false;
  }
  const bool reduced0 = geometry.stride(0, 0) == 0;
  const bool reduced1 = ndim > 1 && geometry.stride(1, 0) == 0;
  if (ndim > 1 && reduced0 == reduced1) return false;
  const int kept_dim = reduced0 ? 1 : 0;
  const int reduced_dim = 1 - kept_dim;
  const auto extent = [&](int d) { return d < ndim ? geometry.extent(d) : 1; };
  const std::int64_t kept = extent(kept_dim);
  const std::int64_t reduced = extent(reduced_dim);
  const std::int64_t size = element_size(kernel.types[1]);
  if (kept > 1 && geometry.stride(kept_dim, 0) != element_size(kernel.types[0])) return false;
  alignas(64) char accumulators[accumulators_bytes];
  if (kept * kernel.accumulator_bytes > accumulators_bytes) return false;
  char* input = iter.operand(1).data;
  char* output = iter.operand(0).data;
  const bool rows = reduced0 && geometry.stride(0, 1) == size;
  const bool by_columns =
      reduces_by_columns(kept, reduced, !reduced0, kept, rows && kernel.short_rows);
  if (by_columns ? reduced > block_rows : !rows || reduced > kernel.span_elements) return false;
  const bool moved = by_columns && geometry.stride(kept_dim, 1) != size;
  // One row is one span of the plan's, too.
  if (iter.numel() > (moved ? few_elements : kept > 1 ? few_in_place : few_in_row)) return false;
  if (!by_columns) {
    const std::int64_t row_bytes = ndim > 1 ? geometry.stride(1, 1) : 0;
    kernel.reduce_spans(kernel.context, accumulators, &input, &row_bytes, kept, reduced, 0, 0);
  } else {
    alignas(64) char packed[few_elements * 16];
    std::int64_t row_bytes = reduced_dim < ndim ? geometry.stride(reduced_dim, 1) : 0;
    if (moved) {
      copy_block_kernel(size)(packed, size, kept * size, input, geometry.stride(kept_dim, 1),
                              row_bytes, kept, reduced);
      input = packed;
      row_bytes = kept * size;
    }
    kernel.reduce_columns(kernel.context, accumulators, &input, &row_bytes, reduced, kept, 0);
  }
  kernel.project(kernel.context, accumulators, kept, &output);
  return true;
}

}  // namespace weft::inline v0
