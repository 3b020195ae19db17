// SPDX-License-Identifier: Apache-2.0
#include "engine/reduce/small_reduction.hpp"

#include "engine/reduce/reduce_plan.hpp"
#include "kernels/stage/stage.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

/// Most elements, where all of them are one row and become one. One row is one span of the plan's, too.
constexpr std::int64_t few_in_row = 2048;
/// The same otherwise: the plan does not fold so few either.
constexpr std::int64_t few_elements = least_folded;

/// Most blocks of rows, which are combined in their order.
constexpr std::int64_t most_blocks = 2;

constexpr std::int64_t accumulators_bytes = 8 << 10;
constexpr std::int64_t packed_bytes = 8 << 10;

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
  if (iter.numel() > (kept > 1 ? few_elements : few_in_row)) return false;
  const std::int64_t size = element_size(kernel.types[1]);
  if (kept > 1 && geometry.stride(kept_dim, 0) != element_size(kernel.types[0])) return false;
  alignas(64) char accumulators[accumulators_bytes];
  char* input = iter.operand(1).data;
  char* output = iter.operand(0).data;
  const auto stride = [&](int d) { return d < ndim ? geometry.stride(d, 1) : 0; };
  // The plan sees what repeats behind what is kept.
  if (reduced > 1 && stride(reduced_dim) == 0) return false;
  const bool short_rows = reduced0 && stride(0) == size && kernel.short_rows;
  const bool by_columns = reduces_by_columns(kept, reduced, !reduced0, kept, short_rows);
  if (reduced > (by_columns ? most_blocks * block_rows : kernel.span_elements)) return false;
  const std::int64_t kept_bytes = kept * kernel.accumulator_bytes;
  if ((reduced > block_rows ? most_blocks : 1) * kept_bytes > accumulators_bytes) return false;
  // The block that is reduced, rows of `inner` elements.
  const int inner_dim = by_columns ? kept_dim : reduced_dim;
  const std::int64_t inner = extent(inner_dim), outer = extent(1 - inner_dim);
  std::int64_t row_bytes = stride(1 - inner_dim);
  alignas(64) char packed[packed_bytes];
  if (stride(inner_dim) != size) {
    if (iter.numel() * size > packed_bytes) return false;
    copy_block_kernel(size)(packed, size, inner * size, input, stride(inner_dim), row_bytes, inner,
                            outer);
    input = packed;
    row_bytes = inner * size;
  }
  if (by_columns) {
    const std::int64_t first = std::min(reduced, block_rows);
    kernel.reduce_columns(kernel.context, accumulators, &input, &row_bytes, first, kept, 0);
    if (reduced > first) {
      char* const others = accumulators + kept_bytes;
      input += first * row_bytes;
      kernel.reduce_columns(kernel.context, others, &input, &row_bytes, reduced - first, kept,
                            first);
      kernel.combine(kernel.context, accumulators, others, kept);
    }
  } else {
    kernel.reduce_spans(kernel.context, accumulators, &input, &row_bytes, kept, reduced, 0, 0);
  }
  kernel.project(kernel.context, accumulators, kept, &output);
  return true;
}

}  // namespace v0
}  // namespace weft
