// SPDX-License-Identifier: Apache-2.0
// The error function, activations made of it and of e^x, and what is left.
#include "kernels/math/error_function.hpp"
#include "kernels/math/formulas.hpp"
#include "kernels/math/hyperbolic.hpp"
#include "kernels/math/math.hpp"
#include "kernels/math/power.hpp"

#include <math.h>  // lgamma_r, which is no function of C++: lgamma sets a variable of the program

namespace weft::inline v0 {
namespace {

WEFT_REGISTER_FORMULA(Erf, erf, 6)
WEFT_WIDE_FORMULA(Erfc, erfc, 60)
WEFT_REGISTER_FORMULA(Gelu, gelu, 6)
WEFT_WIDE_FORMULA(GeluTanh, gelu_tanh, 28)
WEFT_WIDE_FORMULA(Softplus, softplus, 28)
WEFT_WIDE_FORMULA(Mish, mish, 35)
WEFT_WIDE_FORMULA(Selu, selu, 10)
WEFT_WIDE_FORMULA(Cbrt, cbrt, 32)

/// log |gamma(a)| by the C library, in a wider type, in which it keeps its precision near zeros.
template <class T>
struct LGamma {
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept {
    int sign = 0;
    if constexpr (sizeof(T) == 4) return static_cast<T>(::lgamma_r(a, &sign));
    if constexpr (sizeof(T) == 8) return static_cast<T>(::lgammal_r(a, &sign));
  }
};

}  // namespace

const SpanKernel* WEFT_KERNEL(special_kernel)(UnaryOp op, ScalarType type) {
  switch (op) {
    WEFT_FOR_EACH_SPECIAL(WEFT_UNARY_KERNEL)
    default: return nullptr;
  }
}

}  // namespace weft::inline v0
