// SPDX-License-Identifier: Apache-2.0
// Logarithms.
#include <weft/kernel/detail/math/logarithm.hpp>

#include "kernels/math/complex.hpp"
#include "kernels/math/formulas.hpp"
#include "kernels/unary/unary.hpp"

namespace weft {
inline namespace v0 {
namespace {

WEFT_REGISTER_FORMULA(Log, log, 4)
WEFT_COMPLEX_FORMULA(Log, log, ComplexLog, 30)
WEFT_REGISTER_FORMULA(Log1p, log1p, 5)

template <class Part>
WEFT_ALWAYS_INLINE std::complex<Part> log_times(std::complex<Part> a, double factor) noexcept {
  const std::complex<Part> log = complex_log(a);
  return {log.real() * static_cast<Part>(factor), log.imag() * static_cast<Part>(factor)};
}

WEFT_REGISTER_FORMULA(Log2, log_to_base<Base2>, 4)
template <class Part>
struct Log2<std::complex<Part>> {
  using T = std::complex<Part>;
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept { return log_times(a, Base2<double>::scale); }
  static constexpr SpanKernel kernel(const Log2& op) {
    return complex_span_kernel<ComplexLog2>(op, 30);
  }
};
WEFT_REGISTER_FORMULA(Log10, log_to_base<Base10>, 4)
template <class Part>
struct Log10<std::complex<Part>> {
  using T = std::complex<Part>;
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept {
    return log_times(a, Base10<double>::scale);
  }
  static constexpr SpanKernel kernel(const Log10& op) {
    return complex_span_kernel<ComplexLog10>(op, 30);
  }
};

}  // namespace

WEFT_FOR_EACH_LOGARITHM(WEFT_DEFINE_KERNEL_OF)

}  // namespace v0
}  // namespace weft
