// SPDX-License-Identifier: Apache-2.0
// sin, cos, tan and their inverses.
#include <weft/kernel/detail/math/trigonometric.hpp>

#include "kernels/math/complex.hpp"
#include "kernels/math/formulas.hpp"
#include "kernels/unary/unary.hpp"

namespace weft {
inline namespace v0 {
namespace {

WEFT_REGISTER_FORMULA(Sin, sin, 5)
WEFT_COMPLEX_FORMULA(Sin, sin, ComplexSin, 20)
WEFT_REGISTER_FORMULA(Cos, cos, 5)
WEFT_COMPLEX_FORMULA(Cos, cos, ComplexCos, 20)
WEFT_REGISTER_FORMULA(Tan, tan, 14)
WEFT_COMPLEX_FORMULA(Tan, tan, ComplexTan, 24)
WEFT_REGISTER_FORMULA(Asin, asin, 5)
WEFT_COMPLEX_FORMULA_OF_SINGLE(Asin, asin, ComplexAsin, 60)
WEFT_REGISTER_FORMULA(Acos, acos, 6)
WEFT_COMPLEX_FORMULA_OF_SINGLE(Acos, acos, ComplexAcos, 60)
WEFT_REGISTER_FORMULA(Atan, atan, 6)
WEFT_COMPLEX_FORMULA_OF_SINGLE(Atan, atan, ComplexAtan, 50)

}  // namespace

WEFT_FOR_EACH_TRIGONOMETRIC(WEFT_DEFINE_KERNEL_OF)

}  // namespace v0
}  // namespace weft
