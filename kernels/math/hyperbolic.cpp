// SPDX-License-Identifier: Apache-2.0
// Hyperbolic functions and their inverses.
#include "kernels/math/hyperbolic.hpp"

#include "kernels/math/formulas.hpp"
#include "kernels/math/math.hpp"

namespace weft::inline v0 {
namespace {

WEFT_WIDE_FORMULA(Sinh, sinh, 23)
WEFT_COMPLEX_FORMULA(Sinh, sinh)
WEFT_WIDE_FORMULA(Cosh, cosh, 10)
WEFT_COMPLEX_FORMULA(Cosh, cosh)
WEFT_WIDE_FORMULA(Asinh, asinh, 75)
WEFT_COMPLEX_FORMULA(Asinh, asinh)
WEFT_WIDE_FORMULA(Acosh, acosh, 75)
WEFT_COMPLEX_FORMULA(Acosh, acosh)
WEFT_WIDE_FORMULA(Atanh, atanh, 55)
WEFT_COMPLEX_FORMULA(Atanh, atanh)

}  // namespace

const SpanKernel* WEFT_KERNEL(hyperbolic_kernel)(UnaryOp op, ScalarType type) {
  switch (op) {
    WEFT_FOR_EACH_HYPERBOLIC(WEFT_UNARY_KERNEL)
    default: return nullptr;
  }
}

}  // namespace weft::inline v0
