// SPDX-License-Identifier: Apache-2.0
/// @file
/// Mathematical functions of single numbers, of which loops become vectors: what kernels call where
/// std::exp would be a call for each element.
#pragma once

#include <weft/base/export.hpp>
#include <weft/kernel/detail/math/functions.hpp>
#include <weft/machine/level.hpp>

#include <concepts>
#include <type_traits>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Types that Vectorized can hold: 8- to 64-bit integers, float, double.
template <class T>
concept VectorElement =
    std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, long double>;

/// What mathematical functions are for. Of an integer, say which: weft::exp(float(i)).
template <class T>
concept MathNumber = std::same_as<T, float> || std::same_as<T, double>;

// The functions of tensors of the same names (docs/functions.md), with the same bits as those have
// at the level that the file is compiled for, f16 and bf16 aside: exp exp2 expm1 log log2 log10
// log1p, sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh, pow hypot atan2 xlogy
// logaddexp cbrt rsqrt, erf erfc, sigmoid silu gelu gelu_tanh softplus mish selu. Errors:
// docs/accuracy.md. No
// branches and no calls, so that a loop over them becomes vectors; but sin, cos and tan ask the C
// library about angles beyond a million, which keeps loops with them scalar, and GCC 12 makes none
// of acosh, cbrt and selu: there, and where the last tenth of speed counts, the same functions of
// Vectorized (vectorized_math.hpp) are quicker.
// The bits are those where nothing is contracted: kernel files say -ffp-contract=off, GCC by itself
// contracts what -march lets it.
// None sets errno; which floating exceptions are raised is not said.
#define WEFT_DEFINE_FUNCTION_OF_ONE(NAME)   \
  template <MathNumber T>                   \
  WEFT_ALWAYS_INLINE T NAME(T x) noexcept { \
    return NAME(Register<T, 1>(x)).value;   \
  }
#define WEFT_DEFINE_FUNCTION_OF_TWO(NAME)                              \
  template <MathNumber T>                                              \
  WEFT_ALWAYS_INLINE T NAME(T x, std::type_identity_t<T> y) noexcept { \
    return NAME(Register<T, 1>(x), Register<T, 1>(y)).value;           \
  }
WEFT_FOR_EACH_MATH_FUNCTION(WEFT_DEFINE_FUNCTION_OF_ONE, WEFT_DEFINE_FUNCTION_OF_TWO)
#undef WEFT_DEFINE_FUNCTION_OF_ONE
#undef WEFT_DEFINE_FUNCTION_OF_TWO

template <MathNumber T>
WEFT_ALWAYS_INLINE T sqrt(T x) noexcept {
  return sqrt(Register<T, 1>(x)).value;
}
template <MathNumber T>
WEFT_ALWAYS_INLINE T abs(T x) noexcept {
  return abs(Register<T, 1>(x)).value;
}
/// The magnitude of x with the sign of y.
template <MathNumber T>
WEFT_ALWAYS_INLINE T copysign(T x, std::type_identity_t<T> y) noexcept {
  return copysign(Register<T, 1>(x), Register<T, 1>(y)).value;
}
template <MathNumber T>
WEFT_ALWAYS_INLINE bool isnan(T x) noexcept {
  return x != x;
}
template <MathNumber T>
WEFT_ALWAYS_INLINE bool isfinite(T x) noexcept {
  return abs(x) < infinity<T>;
}

/// To integers: down, up, towards 0, to the nearest with ties to even.
template <MathNumber T>
WEFT_ALWAYS_INLINE T floor(T x) noexcept {
  if constexpr (sizeof(T) == 4) return __builtin_floorf(x);
  if constexpr (sizeof(T) == 8) return __builtin_floor(x);
}
template <MathNumber T>
WEFT_ALWAYS_INLINE T ceil(T x) noexcept {
  if constexpr (sizeof(T) == 4) return __builtin_ceilf(x);
  if constexpr (sizeof(T) == 8) return __builtin_ceil(x);
}
template <MathNumber T>
WEFT_ALWAYS_INLINE T trunc(T x) noexcept {
  if constexpr (sizeof(T) == 4) return __builtin_truncf(x);
  if constexpr (sizeof(T) == 8) return __builtin_trunc(x);
}
template <MathNumber T>
WEFT_ALWAYS_INLINE T round(T x) noexcept {
  if constexpr (sizeof(T) == 4) return __builtin_rintf(x);
  if constexpr (sizeof(T) == 8) return __builtin_rint(x);
}

// Of two types, as ?: has it.
template <VectorElement A, VectorElement B>
WEFT_ALWAYS_INLINE std::common_type_t<A, B> select(bool mask, A a, B b) noexcept {
  using T = std::common_type_t<A, B>;
  return mask ? static_cast<T>(a) : static_cast<T>(b);
}
/// The larger; NaN if either is.
template <VectorElement A, VectorElement B>
WEFT_ALWAYS_INLINE std::common_type_t<A, B> max(A first, B second) noexcept {
  using T = std::common_type_t<A, B>;
  const T a = static_cast<T>(first), b = static_cast<T>(second);
  return a != a ? a : a > b ? a : b;
}
/// The smaller; NaN if either is.
template <VectorElement A, VectorElement B>
WEFT_ALWAYS_INLINE std::common_type_t<A, B> min(A first, B second) noexcept {
  using T = std::common_type_t<A, B>;
  const T a = static_cast<T>(first), b = static_cast<T>(second);
  return a != a ? a : a < b ? a : b;
}
/// a * b + c, rounded once where the level has FMA (all but baseline), else twice.
template <MathNumber T>
WEFT_ALWAYS_INLINE T fma(T a, std::type_identity_t<T> b, std::type_identity_t<T> c) noexcept {
  return fma(Register<T, 1>(a), Register<T, 1>(b), Register<T, 1>(c)).value;
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
