// SPDX-License-Identifier: Apache-2.0
/// @file
/// Functions of complex numbers by the C library, which keeps to the special values of C99 Annex G.
/// Through the compiler's builtins: what std::complex offers would leave code behind in kernel
/// objects.
#pragma once

#include <weft/base/export.hpp>

#include <complex>

namespace weft {
inline namespace v0 {

/// The C types of the same layout.
__extension__ typedef __complex__ float CFloat;
__extension__ typedef __complex__ double CDouble;

WEFT_ALWAYS_INLINE CFloat as_c(std::complex<float> z) noexcept {
  CFloat c;
  __builtin_memcpy(&c, &z, sizeof(c));
  return c;
}
WEFT_ALWAYS_INLINE CDouble as_c(std::complex<double> z) noexcept {
  CDouble c;
  __builtin_memcpy(&c, &z, sizeof(c));
  return c;
}

#define WEFT_COMPLEX_FUNCTION(NAME)                                                         \
  WEFT_ALWAYS_INLINE std::complex<float> complex_##NAME(std::complex<float> z) noexcept {   \
    const CFloat c = __builtin_c##NAME##f(as_c(z));                                         \
    return {__real__ c, __imag__ c};                                                        \
  }                                                                                         \
  WEFT_ALWAYS_INLINE std::complex<double> complex_##NAME(std::complex<double> z) noexcept { \
    const CDouble c = __builtin_c##NAME(as_c(z));                                           \
    return {__real__ c, __imag__ c};                                                        \
  }
WEFT_COMPLEX_FUNCTION(exp)
WEFT_COMPLEX_FUNCTION(log)
WEFT_COMPLEX_FUNCTION(sqrt)
WEFT_COMPLEX_FUNCTION(sin)
WEFT_COMPLEX_FUNCTION(cos)
WEFT_COMPLEX_FUNCTION(tan)
WEFT_COMPLEX_FUNCTION(asin)
WEFT_COMPLEX_FUNCTION(acos)
WEFT_COMPLEX_FUNCTION(atan)
WEFT_COMPLEX_FUNCTION(sinh)
WEFT_COMPLEX_FUNCTION(cosh)
WEFT_COMPLEX_FUNCTION(tanh)
WEFT_COMPLEX_FUNCTION(asinh)
WEFT_COMPLEX_FUNCTION(acosh)
WEFT_COMPLEX_FUNCTION(atanh)
#undef WEFT_COMPLEX_FUNCTION

WEFT_ALWAYS_INLINE std::complex<float> complex_pow(std::complex<float> a,
                                                   std::complex<float> b) noexcept {
  const CFloat c = __builtin_cpowf(as_c(a), as_c(b));
  return {__real__ c, __imag__ c};
}
WEFT_ALWAYS_INLINE std::complex<double> complex_pow(std::complex<double> a,
                                                    std::complex<double> b) noexcept {
  const CDouble c = __builtin_cpow(as_c(a), as_c(b));
  return {__real__ c, __imag__ c};
}

}  // namespace v0
}  // namespace weft
