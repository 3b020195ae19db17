// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/recurrent/port_range.hpp>

#include "base/text.hpp"

#include <limits>

namespace weft {
inline namespace v0 {
namespace recurrent {

namespace {

/// A fence position counted from the front.
std::int64_t position(const char* attribute, std::int64_t value, std::int64_t extent) {
  const std::int64_t from_front = value < 0 ? extent + 1 + value : value;
  if (from_front < 0 || from_front > extent) {
    fail(ErrorCode::bounds, text(attribute, " = ", value, " is no position on an axis of ", extent,
                                 " elements: expected ", -extent - 1, " to ", extent));
  }
  return from_front;
}

}  // namespace

SliceRange slices_of(const PortRange& range, std::int64_t extent) {
  if (range.stride == 0 || range.stride == std::numeric_limits<std::int64_t>::min()) {
    fail(
        ErrorCode::invalid_argument,
        text("stride = ", range.stride, ": expected a step from slice to slice, forwards or back"));
  }
  const std::int64_t stride = range.stride < 0 ? -range.stride : range.stride;
  const std::int64_t size = range.part_size.value_or(stride);
  if (size < 1) {
    fail(ErrorCode::invalid_argument, text("part_size = ", size, ": expected at least 1"));
  }
  const bool backwards = range.stride < 0;
  const std::int64_t start = position("start", range.start, extent);
  const std::int64_t end = position("end", range.end, extent);
  const std::int64_t low = backwards ? end : start;
  const std::int64_t high = backwards ? start : end;
  if (low > high) {
    fail(ErrorCode::invalid_argument,
         text("start = ", range.start, " (position ", start, ") lies behind end = ", range.end,
              " (position ", end, ") for stride = ", range.stride));
  }
  if (low == high) return {.first = low, .step = range.stride, .size = size, .count = 0};
  const std::int64_t length = high - low;
  if (length < size || (length - size) % stride != 0) {
    fail(ErrorCode::shape, text("positions ", low, " to ", high, " hold ", length,
                                " elements, which part_size = ", size,
                                " and stride = ", range.stride, " do not divide evenly"));
  }
  return {.first = backwards ? high - size : low,
          .step = range.stride,
          .size = size,
          .count = (length - size) / stride + 1};
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
