// SPDX-License-Identifier: Apache-2.0
// Functions made of e^x.
#include "kernels/math/exponential.hpp"

#include "kernels/arithmetic.hpp"
#include "kernels/complex_parts.hpp"
#include "kernels/math/formulas.hpp"
#include "kernels/math/math.hpp"

namespace weft::inline v0 {
namespace {

WEFT_REGISTER_FORMULA(Exp, exp, 2)
WEFT_COMPLEX_FORMULA(Exp, exp)
WEFT_REGISTER_FORMULA(Exp2, exp2, 2)
WEFT_REGISTER_FORMULA(Expm1, expm1, 3)
WEFT_REGISTER_FORMULA(Tanh, tanh, 5)
WEFT_COMPLEX_FORMULA(Tanh, tanh)
WEFT_REGISTER_FORMULA(Sigmoid, sigmoid, 4)
template <class Part>
struct Sigmoid<std::complex<Part>> {
  using T = std::complex<Part>;
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept {
    return divided_by(T(1), plus(T(1), complex_exp(T(-a.real(), -a.imag()))));
  }
  static constexpr SpanKernel kernel(const Sigmoid& op) { return kernel_of_products(op); }
};
WEFT_REGISTER_FORMULA(Silu, silu, 4)

}  // namespace

const SpanKernel* WEFT_KERNEL(exponential_kernel)(UnaryOp op, ScalarType type) {
  switch (op) {
    WEFT_FOR_EACH_EXPONENTIAL(WEFT_UNARY_KERNEL)
    default: return nullptr;
  }
}

}  // namespace weft::inline v0
