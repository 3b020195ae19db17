// SPDX-License-Identifier: Apache-2.0
#include "ops/reduce_axes.hpp"

#include <weft/base/error.hpp>

#include "base/text.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {

ReduceAxes::ReduceAxes(IntSpan shape, IntSpan axes) : shape_(shape) {
  if (axes.empty()) {
    mask_ = ~std::uint64_t{0};
    return;
  }
  for (const std::int64_t given : axes) {
    const int axis = normalize_axis(given, shape.rank());
    if (reduced(axis))
      fail(ErrorCode::axis, text("axis ", given, " is reduced twice in ", to_string(axes)));
    mask_ |= std::uint64_t{1} << axis;
  }
}

DimVector ReduceAxes::result_shape(bool keepdim) const {
  DimVector shape;
  for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
    if (!reduced(static_cast<int>(axis))) {
      shape.push_back(shape_[axis]);
    } else if (keepdim) {
      shape.push_back(1);
    }
  }
  return shape;
}

std::int64_t ReduceAxes::count() const noexcept {
  std::int64_t count = 1;  // cannot overflow unless another extent is 0
  for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
    if (reduced(static_cast<int>(axis)) && empty_axis() < 0) count *= shape_[axis];
  }
  return empty_axis() < 0 ? count : 0;
}

int ReduceAxes::empty_axis() const noexcept {
  for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
    if (reduced(static_cast<int>(axis)) && shape_[axis] == 0) return static_cast<int>(axis);
  }
  return -1;
}

bool ReduceAxes::fits(IntSpan shape) const {
  const bool kept = shape.size() == shape_.size();
  std::size_t own = 0;
  for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
    const bool gone = reduced(static_cast<int>(axis));
    if (gone && !kept) continue;
    if (own == shape.size() || shape[own] != (gone ? 1 : shape_[axis])) return false;
    ++own;
  }
  return own == shape.size();
}

TensorView ReduceAxes::seen(const TensorView& out) const {
  if (!fits(out.shape())) {
    fail(ErrorCode::shape, text("output 0: expected shape ", to_string(result_shape(false)), " or ",
                                to_string(result_shape(true)), ", got ", to_string(out.shape())));
  }
  const bool kept = out.shape().size() == shape_.size();
  DimVector shape, strides;
  std::size_t own = 0;
  for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
    const bool gone = reduced(static_cast<int>(axis));
    shape.push_back(gone ? 1 : shape_[axis]);
    strides.push_back(gone ? 0 : out.strides()[own]);
    if (!gone || kept) ++own;
  }
  return out.as_strided(shape, strides);
}

TensorView ReduceAxes::prepare(const Output& out, ScalarType type, bool keepdim,
                               std::shared_ptr<void>& replaced) const {
  const bool usable = out.view().defined() && fits(out.view().shape());
  if (!usable && out.tensor() != nullptr) {
    const ScalarType wanted = out.view().defined() ? out.view().dtype() : type;
    replaced = out.tensor()->owner();
    *out.tensor() = Tensor::empty(result_shape(keepdim), wanted);
  } else if (!out.view().defined()) {
    fail(ErrorCode::undefined,
         "output 0: undefined view; expected a Tensor to allocate or a view to fill");
  }
  return seen(out.view());
}

}  // namespace v0
}  // namespace weft
