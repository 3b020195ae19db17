// SPDX-License-Identifier: Apache-2.0
#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>
#include <weft/core/shape.hpp>

#include "base/text.hpp"

namespace weft {
inline namespace v0 {

std::int64_t numel(IntSpan shape) {
  std::int64_t count = 1;
  bool overflow = false;
  bool empty = false;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] < 0) {
      fail(ErrorCode::shape,
           text("extent of axis ", axis, " of shape ", to_string(shape), " is negative"));
    }
    empty = empty || shape[axis] == 0;
    overflow = overflow || !checked_mul(count, shape[axis], count);
  }
  if (empty) return 0;
  if (overflow)
    fail(ErrorCode::overflow,
         text("number of elements of shape ", to_string(shape), " exceeds 2^63-1"));
  return count;
}

DimVector contiguous_strides(IntSpan shape) {
  DimVector strides;
  strides.resize_for_overwrite(shape.size());
  std::int64_t step = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = step;
    if (shape[axis] > 1 && !checked_mul(step, shape[axis], step)) {
      fail(ErrorCode::overflow, text("number of elements of shape ", to_string(shape),
                                     " exceeds 2^63-1 at axis ", axis));
    }
  }
  return strides;
}

bool broadcasts_to(IntSpan own, IntSpan shape) noexcept {
  if (own.size() > shape.size()) return false;
  const std::size_t lead = shape.size() - own.size();
  for (std::size_t axis = 0; axis < own.size(); ++axis) {
    if (own[axis] != 1 && own[axis] != shape[lead + axis]) return false;
  }
  return true;
}

DimVector broadcast_shapes(IntSpan a, IntSpan b) {
  const bool swapped = a.size() < b.size();
  if (swapped) std::swap(a, b);
  DimVector shape(a.begin(), a.end());
  const std::size_t lead = a.size() - b.size();
  for (std::size_t i = 0; i < b.size(); ++i) {
    std::int64_t& extent = shape[lead + i];
    if (extent == b[i] || b[i] == 1) continue;
    if (extent != 1) {
      fail(ErrorCode::shape,
           text("shapes ", to_string(swapped ? b : a), " and ", to_string(swapped ? a : b),
                " do not broadcast: extents ", swapped ? b[i] : extent, " and ",
                swapped ? extent : b[i], " at axis ", lead + i));
    }
    extent = b[i];
  }
  return shape;
}

int normalize_axis(std::int64_t axis, int rank) {
  const std::int64_t count = rank == 0 ? 1 : rank;
  if (axis < -count || axis >= count) {
    fail(ErrorCode::axis, text("axis ", axis, " is out of range for rank ", rank, ": expected ",
                               -count, " to ", count - 1));
  }
  return static_cast<int>(axis < 0 ? axis + count : axis);
}

std::size_t existing_axis(std::int64_t axis, int rank) {
  if (rank == 0) fail(ErrorCode::axis, text("axis ", axis, " of a 0-d tensor, which has none"));
  return static_cast<std::size_t>(normalize_axis(axis, rank));
}

std::string to_string(IntSpan values) { return text(std::span<const std::int64_t>(values)); }

}  // namespace v0
}  // namespace weft
