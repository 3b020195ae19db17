// SPDX-License-Identifier: Apache-2.0
// Walking part of an iteration as blocks of dims 0 and 1.
#include <weft/iter/tensor_iterator.hpp>

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

/// Where a walk stands: one coordinate per dim and, for every operand, the address there. Steps
/// move pointers by the difference only.
class Walker {
 public:
  Walker(const Geometry& geometry, std::span<char* const> base, std::int64_t flat)
      : geometry_(geometry) {
    ptrs_.append(base.begin(), base.end());
    index_.resize(static_cast<std::size_t>(geometry.ndim()), 0);
    for (int d = 0; d < geometry.ndim(); ++d) {
      move(d, flat % geometry.extent(d));
      flat /= geometry.extent(d);
    }
  }

  std::int64_t index(int dim) const { return index_[static_cast<std::size_t>(dim)]; }
  char* const* ptrs() const { return ptrs_.data(); }

  /// Steps `by` along dim 0 or, from the start of a row, along dim 1, and carries into the dims
  /// above.
  void advance(int dim, std::int64_t by) {
    move(dim, by);
    for (; dim < geometry_.ndim() && index(dim) == geometry_.extent(dim); ++dim) {
      move(dim, -geometry_.extent(dim));
      if (dim + 1 < geometry_.ndim()) move(dim + 1, 1);
    }
  }

 private:
  void move(int dim, std::int64_t by) {
    index_[static_cast<std::size_t>(dim)] += by;
    const std::int64_t* strides = geometry_.strides(dim);
    for (int k = 0; k < geometry_.noperands; ++k)
      ptrs_[static_cast<std::size_t>(k)] += by * strides[k];
  }

  const Geometry& geometry_;
  SmallVector<char*, inline_operands> ptrs_;
  DimVector index_;
};

}  // namespace

void TensorIterator::serial_for_each_2d(Loop2d loop, Range range) const {
  if (range.begin < 0 || range.end > numel_ || range.begin > range.end) {
    fail(ErrorCode::invalid_argument, "serial_for_each: range outside the iteration");
  }
  if (range.begin == range.end) return;
  require_uncast("serial_for_each");
  const StrideVector strides = get_strides();
  const auto base = get_base_ptrs();
  Walker walker(geometry_, {base.data(), base.size()}, range.begin);
  SmallVector<char*, inline_operands> block(base.begin(), base.end());
  const std::int64_t extent0 = ndim() > 0 ? geometry_.extent(0) : 1;
  const std::int64_t extent1 = ndim() > 1 ? geometry_.extent(1) : 1;
  std::int64_t left = range.end - range.begin;
  while (left > 0) {
    const std::int64_t at0 = ndim() > 0 ? walker.index(0) : 0;
    const std::int64_t at1 = ndim() > 1 ? walker.index(1) : 0;
    const std::int64_t n0 = std::min(extent0 - at0, left);
    const std::int64_t n1 = n0 == extent0 ? std::min(extent1 - at1, left / extent0) : 1;
    std::copy_n(walker.ptrs(), block.size(), block.begin());
    loop(block.data(), strides.data(), n0, n1);
    left -= n0 * n1;
    if (left == 0) break;
    if (n0 < extent0) {
      walker.advance(0, n0);
    } else {
      walker.advance(1, n1);
    }
  }
}

}  // namespace v0
}  // namespace weft
