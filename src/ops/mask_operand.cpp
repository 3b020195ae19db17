// SPDX-License-Identifier: Apache-2.0
#include "ops/mask_operand.hpp"

#include <weft/base/error.hpp>
#include <weft/core/shape.hpp>

#include "base/text.hpp"

namespace weft {
inline namespace v0 {

TensorView mask_under(IntSpan shape, const TensorView& mask) {
  constexpr const char* what = "input 1 (the mask): ";
  if (!mask.defined()) fail(ErrorCode::undefined, text(what, "undefined tensor"));
  if (mask.dtype() != ScalarType::boolean)
    fail(ErrorCode::dtype, text(what, "expected bool, got ", name(mask.dtype())));
  if (!broadcasts_to(mask.shape(), shape)) {
    fail(ErrorCode::shape, text(what, "expected a shape that broadcasts to ", to_string(shape),
                                ", got ", to_string(mask.shape())));
  }
  return mask.expand(shape);
}

}  // namespace v0
}  // namespace weft
