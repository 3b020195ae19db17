// SPDX-License-Identifier: Apache-2.0
#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>
#include <weft/core/views.hpp>

#include "base/text.hpp"
#include "core/reshaped_strides.hpp"

namespace weft {
inline namespace v0 {
namespace {

/// The extents with the one that is -1 filled in: there are as many elements as in the view.
DimVector filled_in(const TensorView& view, IntSpan shape) {
  const auto refuse = [&](const auto&... why) {
    fail(ErrorCode::shape, text("reshape of shape ", view.shape(), " to ", shape, ": ", why...));
  };
  DimVector extents(shape.begin(), shape.end());
  std::int64_t* open = nullptr;
  std::int64_t known = 1;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const std::int64_t extent = extents[axis];
    if (extent == -1) {
      if (open != nullptr) refuse("expected one extent of -1 at most");
      open = &extents[axis];
    } else if (extent < 0) {
      refuse("axis ", axis, ": expected 0 or more, or -1, got ", extent);
    } else if (!checked_mul(known, extent, known)) {
      refuse("more elements than 2^63-1");
    }
  }
  if (open != nullptr) {
    if (known == 0) refuse("-1 could be anything next to an extent of 0");
    if (view.numel() % known != 0)
      refuse("expected ", view.numel(), " elements, got a multiple of ", known);
    *open = view.numel() / known;
  } else if (known != view.numel()) {
    refuse("expected ", view.numel(), " elements, got ", known);
  }
  return extents;
}

}  // namespace

std::optional<DimVector> reshaped_strides(const TensorView& view, IntSpan shape) {
  DimVector strides = contiguous_strides(shape);
  if (view.numel() <= 1) return strides;
  std::size_t to = shape.size();
  for (std::size_t axis = view.shape().size(); axis > 0;) {
    std::int64_t step = view.strides()[axis - 1];
    std::int64_t elements = view.shape()[axis - 1];
    for (--axis; axis > 0; --axis) {
      const std::int64_t extent = view.shape()[axis - 1];
      if (elements > 1 && extent > 1 && view.strides()[axis - 1] != step * elements) break;
      if (elements == 1) step = view.strides()[axis - 1];
      elements *= extent;
    }
    while (elements > 1) {
      const std::int64_t extent = shape[--to];
      if (elements % extent != 0) return {};
      if (extent > 1) strides[to] = step;
      step *= extent;
      elements /= extent;
    }
  }
  return strides;
}

TensorView reshape(const TensorView& view, IntSpan shape) {
  if (!view.defined()) fail(ErrorCode::undefined, "reshape: undefined tensor");
  const DimVector extents = filled_in(view, shape);
  const std::optional<DimVector> strides = reshaped_strides(view, extents);
  if (!strides) {
    fail(ErrorCode::invalid_argument,
         text("reshape of shape ", view.shape(), " with strides ", view.strides(), " to ",
              IntSpan(extents), ": no strides give that order; make it contiguous() first"));
  }
  return view.as_strided(extents, *strides);
}

TensorView flatten(const TensorView& view, std::int64_t first, std::int64_t last) {
  if (!view.defined()) fail(ErrorCode::undefined, "flatten: undefined tensor");
  if (view.rank() == 0) return view.unsqueeze(0);
  const auto from = static_cast<std::size_t>(normalize_axis(first, view.rank()));
  const auto to = static_cast<std::size_t>(normalize_axis(last, view.rank()));
  if (to < from) {
    fail(ErrorCode::axis,
         text("flatten: expected a first axis in front of the last, got ", first, " and ", last));
  }
  DimVector shape;
  for (std::size_t axis = 0; axis < view.shape().size(); ++axis) {
    if (axis <= from || axis > to) {
      shape.push_back(view.shape()[axis]);
    } else if (!checked_mul(shape.back(), view.shape()[axis], shape.back())) {
      fail(ErrorCode::overflow, "flatten: more elements than 2^63-1");
    }
  }
  return reshape(view, shape);
}

}  // namespace v0
}  // namespace weft
