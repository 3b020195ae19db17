// SPDX-License-Identifier: Apache-2.0
/// @file
/// e^x of what is not above 0: the terms of softmax and logsumexp.
#pragma once

#include <weft/kernel/vectorized_math.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// e^x for x <= 0 or NaN, 0 below -126 log 2. Shorter than exp(): there is no overflow, and what
/// would be subnormal need not be rounded. 2^(x log2 e) = 2^k 2^r with |r| <= 1/2; r is rounded
/// once, from a log2 e that is 1.3e-8 off, so the result is within 1.5e-7 + 2e-8 |x|. 2^r by the
/// polynomial of degree 6 through the Chebyshev nodes (relative error 2.5e-9); k is added to the
/// exponent.
WEFT_ALWAYS_INLINE Vectorized<float> exp_below(const Vectorized<float>& x) noexcept {
  using C = ExpConstants<float>;
  using Format = FloatFormat<float>;
  using V = Vectorized<float>;
  const V shifted = fma(x, V(C::log2e), V(Format::rounder));
  const V r = fma(x, V(C::log2e), V(Format::rounder) - shifted);
  V p(0.0001546144469856913F);
  p = fma(p, r, V(0.0013400428177615838F));
  p = fma(p, r, V(0.009618056678524637F));
  p = fma(p, r, V(0.05550327226670302F));
  p = fma(p, r, V(0.24022650922288757F));
  p = fma(p, r, V(0.6931472067028326F));
  p = fma(p, r, V(1.0F));
  V result;
  for (int i = 0; i < V::registers; ++i) {
    // The low bits of `shifted` are k; its others are shifted out.
    const auto exponent = bits_as<std::int32_t>(shifted[i]) << Format::fraction_bits;
    result[i] = bits_as<float>(bits_as<std::int32_t>(p[i]) + exponent);
  }
  // Of 0 and NaN, NaN.
  const V none = V::map(x, [](const auto& a) { return larger_or_second(V::Batch(0.0F), a); });
  return select(x >= V(-87.33654F), result, none);
}
/// In f64 within 1 ulp, and 0 below -708: a result that is less than the normal numbers, as it
/// would be for the -infinity of a lane without an element, takes as long as ten others.
WEFT_ALWAYS_INLINE Vectorized<double> exp_below(const Vectorized<double>& x) noexcept {
  using C = ExpConstants<double>;
  using V = Vectorized<double>;
  constexpr double least = -708;
  V result;
  for (int i = 0; i < V::registers; ++i) {
    const Register<double> kept = at_least(Register<double>(x[i]), least);
    const ReducedExp<double> e = reduced_exp(kept, Register<double>(0.0), C::short_series);
    const Register<double> part = (e.low + e.high) + 1;
#if defined(__AVX512F__)
    result[i] = scaled(part, e.k).value;
#else
    result[i] = (part * power_of_two(e.k)).value;
#endif
  }
  return select(x < V(least), V(0.0), result);
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
