// SPDX-License-Identifier: Apache-2.0
// Hyperbolic functions and their inverses.
#include <weft/kernel/detail/math/hyperbolic.hpp>

#include "kernels/math/complex.hpp"
#include "kernels/math/formulas.hpp"
#include "kernels/unary/unary.hpp"

namespace weft {
inline namespace v0 {
namespace {

WEFT_REGISTER_FORMULA(Sinh, sinh, 8)
WEFT_COMPLEX_FORMULA(Sinh, sinh, ComplexSinh, 20)
WEFT_REGISTER_FORMULA(Cosh, cosh, 8)
WEFT_COMPLEX_FORMULA(Cosh, cosh, ComplexCosh, 20)
WEFT_REGISTER_FORMULA(Asinh, asinh, 16)
WEFT_COMPLEX_FORMULA_OF_SINGLE(Asinh, asinh, ComplexAsinh, 60)
WEFT_REGISTER_FORMULA(Acosh, acosh, 16)
WEFT_COMPLEX_FORMULA_OF_SINGLE(Acosh, acosh, ComplexAcosh, 60)
WEFT_REGISTER_FORMULA(Atanh, atanh, 6)
WEFT_COMPLEX_FORMULA_OF_SINGLE(Atanh, atanh, ComplexAtanh, 50)

}  // namespace

WEFT_FOR_EACH_HYPERBOLIC(WEFT_DEFINE_KERNEL_OF)

}  // namespace v0
}  // namespace weft
