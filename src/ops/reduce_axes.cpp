// SPDX-License-Identifier: Apache-2.0
#include "ops/reduce_axes.hpp"

#include <weft/base/error.hpp>

#include "base/text.hpp"

#include <algorithm>
#include <utility>

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

TensorView ReduceAxes::seen(const TensorView& out, int number) const {
  if (!fits(out.shape())) {
    fail(ErrorCode::shape,
         text("output ", number, ": expected shape ", to_string(result_shape(false)), " or ",
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

TensorView ReduceAxes::prepare(const Output& out, int number, ScalarType type, bool keepdim,
                               Tensor& memory) const {
  const TensorView& given = out.view();
  if (out.tensor() != nullptr && !(given.defined() && fits(given.shape()))) {
    memory = Tensor::empty(result_shape(keepdim), given.defined() ? given.dtype() : type);
    return seen(memory, number);
  }
  if (!given.defined()) {
    fail(ErrorCode::undefined, text("output ", number,
                                    ": undefined view; expected a Tensor to allocate or a view to "
                                    "fill"));
  }
  return seen(given, number);
}

std::shared_ptr<void> replace(const Output& out, Tensor& memory) noexcept {
  if (!memory.defined()) return nullptr;
  std::shared_ptr<void> replaced = out.tensor()->owner();
  *out.tensor() = std::move(memory);
  return replaced;
}

}  // namespace v0
}  // namespace weft
