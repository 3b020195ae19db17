// SPDX-License-Identifier: Apache-2.0
// Functions made of e^x.
#include <weft/kernel/detail/math/exponential.hpp>

#include "kernels/complex/complex_parts.hpp"
#include "kernels/complex/complex_quotient.hpp"
#include "kernels/math/complex.hpp"
#include "kernels/math/formulas.hpp"
#include "kernels/math/half_functions.hpp"
#include "kernels/scalar/arithmetic.hpp"
#include "kernels/unary/unary.hpp"

namespace weft {
inline namespace v0 {
namespace {

WEFT_REGISTER_FORMULA_WITH_HALVES(Exp, exp, half_exp, 2)
WEFT_COMPLEX_FORMULA(Exp, exp, ComplexExp, 16)
WEFT_REGISTER_FORMULA_WITH_HALVES(Exp2, exp2, half_exp2, 2)
WEFT_REGISTER_FORMULA(Expm1, expm1, 3)
WEFT_REGISTER_FORMULA(Tanh, tanh, 5)
WEFT_COMPLEX_FORMULA(Tanh, tanh, ComplexTanh, 24)
WEFT_REGISTER_FORMULA_WITH_HALVES(Sigmoid, sigmoid, half_sigmoid, 4)
template <class Part>
struct Sigmoid<std::complex<Part>> {
  using T = std::complex<Part>;
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept {
    return quotient(T(1), plus(T(1), complex_exp(T(-a.real(), -a.imag()))));
  }
  static constexpr SpanKernel kernel(const Sigmoid& op) {
    return complex_span_kernel<ComplexSigmoid>(op, 20);
  }
};
WEFT_REGISTER_FORMULA_WITH_HALVES(Silu, silu, half_silu, 4)

}  // namespace

WEFT_FOR_EACH_EXPONENTIAL(WEFT_DEFINE_KERNEL_OF)

}  // namespace v0
}  // namespace weft
