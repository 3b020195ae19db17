// SPDX-License-Identifier: Apache-2.0
#include "recurrent/static/scan_output.hpp"

#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>
#include <weft/core/tensor.hpp>
#include <weft/ops/copy.hpp>

#include "recurrent/spec/loop_types.hpp"

namespace weft {
inline namespace v0 {
namespace recurrent {

Collected::Collected(const LoopSpec& spec, std::size_t output, ScalarType dtype, IntSpan element)
    : output_(output),
      dtype_(dtype),
      element_(element.begin(), element.end()),
      element_bytes_(numel(element) * element_size(dtype)),
      is_stack_(spec.outputs[output].kind == LoopOutputKind::stack),
      backwards_(spec.outputs[output].backwards) {
  const std::int64_t axis = spec.outputs[output].axis;
  const auto rank = static_cast<std::int64_t>(element.size());
  // Numbers are joined along an axis that they do not have.
  const std::int64_t axes = is_stack_ ? rank + 1 : std::max<std::int64_t>(rank, 1);
  if (axis < -axes || axis >= axes) {
    refuse(spec, ErrorCode::axis, "output ", output, ": axis ", axis, " of rank ", axes);
  }
  axis_ = static_cast<std::size_t>(axis < 0 ? axis + axes : axis);
  for (std::size_t a = 0; a < axis_; ++a)
    rows_ *= element_[a];
  row_bytes_ = rows_ == 0 ? 0 : element_bytes_ / rows_;
}

DimVector Collected::shape(std::int64_t places) const {
  DimVector shape = element_;
  if (is_stack_ || shape.empty()) {
    shape.push_back(places);
    std::rotate(shape.begin() + static_cast<std::ptrdiff_t>(axis_), shape.end() - 1, shape.end());
  } else if (!checked_mul(shape[axis_], places, shape[axis_])) {
    fail(ErrorCode::overflow, text("output ", output_, ": ", places, " trips of ",
                                   std::span<const std::int64_t>(element_)));
  }
  return shape;
}

void Collected::open(void* memory, std::int64_t places, std::int64_t trips) noexcept {
  origin_ = static_cast<char*>(memory);
  trips_ = trips;
  capacity_ = places;
}

/// `count` elements at a stride of `step` bytes, with the axis of trips in front.
TensorView Collected::elements(char* first, std::int64_t count, std::int64_t step) const {
  DimVector shape(1, count);
  DimVector strides(1, step / element_size(dtype_));
  const DimVector dense = contiguous_strides(element_);
  for (std::size_t a = 0; a < element_.size(); ++a) {
    shape.push_back(element_[a]);
    strides.push_back(a < axis_ && element_bytes_ > 0 ? dense[a] * capacity_ : dense[a]);
  }
  return TensorView::trusted(static_cast<void*>(first), dtype_, shape, strides);
}

TensorView Collected::places(std::int64_t i, std::int64_t count) const {
  return elements(place(i), count, step());
}

void Collected::clear_tail(std::int64_t trips) const {
  if (capacity_ <= trips || element_bytes_ == 0) return;
  copy_out(elements(origin_ + trips * row_bytes_, capacity_ - trips, row_bytes_),
           Tensor::zeros({}, dtype_));
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
