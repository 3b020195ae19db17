// SPDX-License-Identifier: Apache-2.0
// The error function, activations made of it and of e^x, and what is left.
#include <weft/kernel/detail/math/activation.hpp>
#include <weft/kernel/detail/math/error_function.hpp>
#include <weft/kernel/detail/math/gamma.hpp>
#include <weft/kernel/detail/math/power.hpp>

#include "kernels/math/formulas.hpp"
#include "kernels/math/half_functions.hpp"
#include "kernels/unary/unary.hpp"

namespace weft {
inline namespace v0 {
namespace {

WEFT_REGISTER_FORMULA(Erf, erf, 6)
WEFT_REGISTER_FORMULA(Erfc, erfc, 14)
WEFT_REGISTER_FORMULA_WITH_HALVES(Gelu, gelu, half_gelu, 6)
WEFT_REGISTER_FORMULA(GeluTanh, gelu_tanh, 10)
WEFT_REGISTER_FORMULA(Softplus, softplus, 8)
WEFT_REGISTER_FORMULA(Mish, mish, 10)
WEFT_WIDE_FORMULA(Selu, selu, 10)
WEFT_WIDE_FORMULA(Cbrt, cbrt, 32)

WEFT_REGISTER_FORMULA(LGamma, lgamma, 30)

}  // namespace

WEFT_FOR_EACH_SPECIAL(WEFT_DEFINE_KERNEL_OF)

}  // namespace v0
}  // namespace weft
