// SPDX-License-Identifier: Apache-2.0
// Cutting an iterator in two, and into parts whose offsets fit 32 bits.
#include <weft/iter/tensor_iterator.hpp>

#include "base/text.hpp"

#include <cstdlib>
#include <limits>
#include <utility>

namespace weft {
inline namespace v0 {

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
