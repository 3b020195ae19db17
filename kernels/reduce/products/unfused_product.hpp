// SPDX-License-Identifier: Apache-2.0
/// @file
/// Products of complex numbers in f64, the same at every level.
#pragma once

#include <weft/kernel/detail/span_loop.hpp>
#include <weft/machine/level.hpp>

#include <complex>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// a * b by the formula, none of its products fused with the difference or the sum: GCC 12 would do
/// that (complex_parts.hpp).
WEFT_ALWAYS_INLINE std::complex<double> unfused_product(std::complex<double> a,
                                                        std::complex<double> b) noexcept {
  double re_re = a.real() * b.real();
  double im_im = a.imag() * b.imag();
  double re_im = a.real() * b.imag();
  double im_re = a.imag() * b.real();
#if defined(__FMA__) && defined(__GNUC__)
  __asm__("" : "+x"(re_re), "+x"(im_im), "+x"(re_im), "+x"(im_re));
#elif defined(__aarch64__) && defined(__GNUC__)
  __asm__("" : "+w"(re_re), "+w"(im_im), "+w"(re_im), "+w"(im_re));
#endif
  return {re_re - im_im, re_im + im_re};
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
