// SPDX-License-Identifier: Apache-2.0
// sin, cos, tan and their inverses.
#include "kernels/math/trigonometric.hpp"

#include "kernels/math/formulas.hpp"
#include "kernels/math/math.hpp"

namespace weft::inline v0 {
namespace {

WEFT_REGISTER_FORMULA(Sin, sin, 5)
WEFT_COMPLEX_FORMULA(Sin, sin)
WEFT_REGISTER_FORMULA(Cos, cos, 5)
WEFT_COMPLEX_FORMULA(Cos, cos)
WEFT_WIDE_FORMULA(Tan, tan, 25)
WEFT_COMPLEX_FORMULA(Tan, tan)
WEFT_WIDE_FORMULA(Asin, asin, 18)
WEFT_COMPLEX_FORMULA(Asin, asin)
WEFT_WIDE_FORMULA(Acos, acos, 20)
WEFT_COMPLEX_FORMULA(Acos, acos)
WEFT_WIDE_FORMULA(Atan, atan, 22)
WEFT_COMPLEX_FORMULA(Atan, atan)

}  // namespace

const SpanKernel* WEFT_KERNEL(trigonometric_kernel)(UnaryOp op, ScalarType type) {
  switch (op) {
    WEFT_FOR_EACH_TRIGONOMETRIC(WEFT_UNARY_KERNEL)
    default: return nullptr;
  }
}

}  // namespace weft::inline v0
