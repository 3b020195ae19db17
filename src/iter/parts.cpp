// SPDX-License-Identifier: Apache-2.0
// Restricting and cutting an iterator.
#include <weft/base/checked.hpp>
#include <weft/iter/coalesce.hpp>
#include <weft/iter/tensor_iterator.hpp>

#include "base/text.hpp"

#include <algorithm>
#include <limits>

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

TensorIterator TensorIterator::split(int dim) {
  check_dim(dim);
  const std::int64_t extent = geometry_.extent(dim);
  if (extent < 2)
    fail(ErrorCode::invalid_argument,
         text("split: dim ", dim, " has extent ", extent, ", expected at least 2"));
  const std::int64_t half = extent / 2;
  TensorIterator first = *this;
  const bool overlaps = is_dim_reduced(dim);
  first.narrow(dim, 0, half);
  first.final_output_ = first.final_output_ && !overlaps;
  narrow(dim, half, extent - half);
  accumulate_ = accumulate_ || overlaps;
  return first;
}

int TensorIterator::get_dim_to_split() const {
  if (ndim() == 0) fail(ErrorCode::shape, "get_dim_to_split: a 0-d iterator has no dim to split");
  std::int64_t most = -1;
  int found = 0;
  for (int d = ndim(); d-- > 0;) {
    if (geometry_.extent(d) == 0) continue;
    for (int k = 0; k < ntensors(); ++k) {
      const std::int64_t reach =
          numel_ == 0 ? 0 : (geometry_.extent(d) - 1) * std::abs(geometry_.stride(d, k));
      if (reach > most) {
        most = reach;
        found = d;
      }
    }
  }
  return found;
}

bool TensorIterator::can_use_32bit_indexing() const noexcept {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (numel_ == 0) return true;
  if (numel_ > most) return false;
  for (int k = 0; k < ntensors(); ++k) {
    std::int64_t reach = 1;
    for (int d = 0; d < ndim(); ++d)
      reach += (geometry_.extent(d) - 1) * std::abs(geometry_.stride(d, k));
    if (reach > most) return false;
  }
  return true;
}

std::vector<TensorIterator> TensorIterator::with_32bit_indexing() const {
  std::vector<TensorIterator> done;
  std::vector<TensorIterator> todo = {*this};
  while (!todo.empty()) {
    TensorIterator last = std::move(todo.back());
    todo.pop_back();
    if (last.can_use_32bit_indexing()) {
      done.push_back(std::move(last));
      continue;
    }
    TensorIterator first = last.split(last.get_dim_to_split());
    todo.push_back(std::move(last));
    todo.push_back(std::move(first));
  }
  return done;
}

}  // namespace v0
}  // namespace weft
