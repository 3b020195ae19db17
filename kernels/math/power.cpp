// SPDX-License-Identifier: Apache-2.0
// Functions of two operands.
#include <weft/kernel/detail/math/activation.hpp>
#include <weft/kernel/detail/math/arc.hpp>
#include <weft/kernel/detail/math/log_add.hpp>
#include <weft/kernel/detail/math/power.hpp>

#include "kernels/binary/binary.hpp"
#include "kernels/math/complex.hpp"
#include "kernels/math/formulas.hpp"
#include "kernels/math/integer_power.hpp"

namespace weft {
inline namespace v0 {
namespace {

// Both operands in registers; f32 computed in f64 where FUNCTION has no form of its own.
#define WEFT_PAIR_FORMULA(FORMULA, FUNCTION, COST)                                   \
  template <class T>                                                                 \
  struct FORMULA {                                                                   \
    static constexpr float cost = COST;                                              \
    WEFT_ALWAYS_INLINE Register<T> operator()(const Register<T>& a,                  \
                                              const Register<T>& b) const noexcept { \
      if constexpr (requires { FUNCTION(a, b); }) {                                  \
        return FUNCTION(a, b);                                                       \
      } else {                                                                       \
        return in_double(FORMULA<double>(), a, b);                                   \
      }                                                                              \
    }                                                                                \
  };
WEFT_PAIR_FORMULA(Pow, pow, 20)
WEFT_PAIR_FORMULA(Atan2, atan2, 20)
WEFT_PAIR_FORMULA(Hypot, hypot, 8)
WEFT_PAIR_FORMULA(XLogY, xlogy, 20)
WEFT_PAIR_FORMULA(Elu, scaled_elu, 6)
WEFT_PAIR_FORMULA(LogAddExp, logaddexp, 30)
#undef WEFT_PAIR_FORMULA

template <class T>
  requires is_wrapping<T>
struct Pow<T> {
  static constexpr SpanKernel kernel(const Pow&) { return integer_power_kernel<T>(); }
};
template <class Part>
struct Pow<std::complex<Part>> {
  using T = std::complex<Part>;
  WEFT_ALWAYS_INLINE T operator()(T a, T b) const noexcept { return complex_pow(a, b); }
  static constexpr SpanKernel kernel(const Pow& op) {
    return complex_span_kernel<ComplexPow>(op, 50);
  }
};

}  // namespace

WEFT_FOR_EACH_POWER(WEFT_DEFINE_KERNEL_OF)

}  // namespace v0
}  // namespace weft
