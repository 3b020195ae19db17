// SPDX-License-Identifier: Apache-2.0
// Restricting an iterator to a part.
#include <weft/base/checked.hpp>
#include <weft/iter/coalesce.hpp>
#include <weft/iter/tensor_iterator.hpp>

#include "base/text.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {

void TensorIterator::coalesce() {
  coalesce_dims(geometry_);
  // Offsets of merged dims no longer mean anything dim by dim; PyTorch drops them likewise.
  view_offsets_.resize(static_cast<std::size_t>(std::max(ndim(), 1)), 0);
}

/// All operands start `by` steps further along dim. Without elements there may be no memory to step
/// through.
void TensorIterator::move_origins(int dim, std::int64_t by) {
  if (numel_ == 0) return;
  for (int k = 0; k < ntensors(); ++k) {
    Operand& op = operands_[static_cast<std::size_t>(k)];
    const std::int64_t moved = by * geometry_.stride(dim, k);
    op.data += moved;
    op.origin_offset_bytes += moved;
  }
}

void TensorIterator::narrow(int dim, std::int64_t start, std::int64_t size) {
  check_dim(dim);
  if (size < 1 || start < 0 || start > geometry_.extent(dim) - size) {
    fail(ErrorCode::invalid_argument, text("narrow: range of ", size, " from ", start, " in dim ",
                                           dim, " of extent ", geometry_.extent(dim)));
  }
  numel_ = numel_ / geometry_.extent(dim) * size;
  geometry_.extent(dim) = size;
  view_offsets_[static_cast<std::size_t>(dim)] += start;
  move_origins(dim, start);
  if (size == 1 && !is_reduction_) coalesce();
}

void TensorIterator::select_all_keeping_dim(int start_dim, IntSpan indices) {
  if (start_dim < 0 || start_dim + indices.rank() != ndim()) {
    fail(ErrorCode::rank, text("select_all_keeping_dim: expected one index for each dim from ",
                               start_dim, " to ", ndim() - 1, ", got ", to_string(indices)));
  }
  for (int d = start_dim; d < ndim(); ++d) {
    const std::int64_t index = indices[static_cast<std::size_t>(d - start_dim)];
    if (index < 0 || index >= geometry_.extent(d)) {
      fail(ErrorCode::axis, text("select_all_keeping_dim: index ", index, " in dim ", d,
                                 " of extent ", geometry_.extent(d)));
    }
  }
  for (int d = start_dim; d < ndim(); ++d) {
    const std::int64_t index = indices[static_cast<std::size_t>(d - start_dim)];
    move_origins(d, index);
    geometry_.extent(d) = 1;
  }
  numel_ = geometry_.numel();
}

}  // namespace v0
}  // namespace weft
