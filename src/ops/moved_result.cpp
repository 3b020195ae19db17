// SPDX-License-Identifier: Apache-2.0
#include "ops/moved_result.hpp"

#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>
#include <weft/core/cast.hpp>
#include <weft/core/promotion.hpp>
#include <weft/machine/dispatch.hpp>

#include "base/text.hpp"

namespace weft {
inline namespace v0 {

const Output& MovedResult::checked(const Output& out, ScalarType type) {
  const TensorView& view = out.view();
  if (view.defined() && !can_cast(type, view.dtype())) {
    fail(ErrorCode::cast, text("output 0: ", name(type), " can't be cast to ", name(view.dtype())));
  }
  return out;
}

NumberElement::NumberElement(const Scalar& number, ScalarType type, std::string_view what)
    : type_(type) {
  if (!can_cast(number.dtype(), type)) {
    fail(ErrorCode::cast, text(what, ": ", name(number.dtype()), " can't be cast to ", name(type)));
  }
  cast_elements(bytes_, type, 0, number.view().data(), number.dtype(), 0, 1);
}

TensorView NumberElement::view() const {
  return TensorView::trusted(static_cast<const void*>(bytes_), type_, {});
}

Explanation explain_nothing(IntSpan shape) {
  Explanation e;
  e.common_shape.assign(shape);
  e.has_run = true;
  e.run.instruction_set = name(current_level());
  return e;
}

bool same_place(const TensorView& a, const TensorView& b) {
  if (!a.defined() || !b.defined() || a.dtype() != b.dtype() || !same_list(a.shape(), b.shape()))
    return false;
  if (a.data() != b.data()) return false;
  for (std::size_t axis = 0; axis < a.shape().size(); ++axis) {
    if (a.shape()[axis] != 1 && a.strides()[axis] != b.strides()[axis]) return false;
  }
  return true;
}

std::int64_t extent_sum(std::int64_t a, std::int64_t b, std::size_t axis) {
  std::int64_t sum = 0;
  if (!checked_add(a, b, sum)) {
    fail(ErrorCode::overflow, text("extent of axis ", axis, ": ", a, " + ", b, " exceeds 2^63-1"));
  }
  return sum;
}

std::int64_t extent_product(std::int64_t a, std::int64_t b, std::size_t axis) {
  std::int64_t product = 0;
  if (!checked_mul(a, b, product)) {
    fail(ErrorCode::overflow, text("extent of axis ", axis, ": ", a, " * ", b, " exceeds 2^63-1"));
  }
  return product;
}

}  // namespace v0
}  // namespace weft
