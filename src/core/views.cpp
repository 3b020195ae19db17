// SPDX-License-Identifier: Apache-2.0
#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>
#include <weft/core/views.hpp>

#include "base/text.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

/// A view with axis `a`, of at least one axis.
std::size_t axis_of(const char* what, const TensorView& view, std::int64_t axis) {
  if (view.rank() == 0) fail(ErrorCode::rank, text(what, " of a 0-d tensor"));
  return static_cast<std::size_t>(normalize_axis(axis, view.rank()));
}

}  // namespace

TensorView narrow(const TensorView& view, std::int64_t axis, std::int64_t start,
                  std::int64_t length) {
  const std::int64_t extent = view.shape()[axis_of("narrow", view, axis)];
  if (length < 0) {
    fail(ErrorCode::shape,
         text("narrow of axis ", axis, ": expected a length of at least 0, got ", length));
  }
  const std::int64_t first = start < 0 ? start + extent : start;
  if (start < -extent || start > extent || length > extent - first) {
    fail(ErrorCode::axis, text("narrow of axis ", axis, " of extent ", extent, ": ", length,
                               " elements from ", start, " on do not exist"));
  }
  return view.slice(axis, first, first + length);
}

TensorView squeeze(const TensorView& view, std::int64_t axis) {
  const std::size_t a = axis_of("squeeze", view, axis);
  if (view.shape()[a] != 1) {
    fail(ErrorCode::shape,
         text("squeeze of axis ", axis, ": expected extent 1, got ", view.shape()[a]));
  }
  return view.select(axis, 0);
}

TensorView diagonal(const TensorView& view, std::int64_t offset, std::int64_t axis0,
                    std::int64_t axis1) {
  const std::size_t a = axis_of("diagonal", view, axis0);
  const std::size_t b = axis_of("diagonal", view, axis1);
  if (a == b) {
    fail(ErrorCode::axis, text("diagonal: expected two axes, got ", axis0, " and ", axis1));
  }
  // Where the first element stands along each of the two, and how many follow.
  const std::int64_t rows = view.shape()[a], columns = view.shape()[b];
  const bool outside = offset >= columns || offset <= -rows;
  const std::int64_t row = !outside && offset < 0 ? -offset : 0;
  const std::int64_t column = !outside && offset > 0 ? offset : 0;
  const std::int64_t count = outside ? 0 : std::min(rows - row, columns - column);
  std::int64_t stride = 0;
  if (count > 1 && !checked_add(view.strides()[a], view.strides()[b], stride)) {
    fail(ErrorCode::overflow, text("diagonal of strides ", view.strides()[a], " and ",
                                   view.strides()[b], " exceeds 2^63-1"));
  }
  DimVector shape, strides;
  for (std::size_t axis = 0; axis < view.shape().size(); ++axis) {
    if (axis == a || axis == b) continue;
    shape.push_back(view.shape()[axis]);
    strides.push_back(view.strides()[axis]);
  }
  shape.push_back(count);
  strides.push_back(stride);
  // Inside the view, so the offset was checked when that was made.
  const bool empty = count == 0 || view.numel() == 0;
  const std::int64_t origin = empty ? 0
                                    : (row == 0 ? 0 : row * view.strides()[a]) +
                                          (column == 0 ? 0 : column * view.strides()[b]);
  return view.as_strided(shape, strides, origin);
}

TensorView unfold(const TensorView& view, std::int64_t axis, std::int64_t size, std::int64_t step) {
  const std::size_t a = axis_of("unfold", view, axis);
  const std::int64_t extent = view.shape()[a];
  if (size < 0 || size > extent) {
    fail(ErrorCode::shape, text("unfold of axis ", axis, ": expected a size from 0 to the extent ",
                                extent, ", got ", size));
  }
  if (step < 1) {
    fail(ErrorCode::invalid_argument,
         text("unfold of axis ", axis, ": expected a step of at least 1, got ", step));
  }
  DimVector shape(view.shape().begin(), view.shape().end());
  DimVector strides(view.strides().begin(), view.strides().end());
  const std::int64_t inner = strides[a];
  shape[a] = (extent - size) / step + 1;
  if (shape[a] == 1) {
    strides[a] = 0;  // never stepped over
  } else if (!checked_mul(strides[a], step, strides[a])) {
    fail(ErrorCode::overflow,
         text("unfold of axis ", axis, " with step ", step, " exceeds 2^63-1"));
  }
  shape.push_back(size);
  strides.push_back(inner);
  return view.as_strided(shape, strides);
}

}  // namespace v0
}  // namespace weft
