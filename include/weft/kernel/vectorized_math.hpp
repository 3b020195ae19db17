// SPDX-License-Identifier: Apache-2.0
/// @file
/// Mathematical functions of Vectorized values: all that scalar_math.hpp has for single numbers.
#pragma once

#include <weft/kernel/detail/math/functions.hpp>
#include <weft/kernel/detail/vectorized_register.hpp>
#include <weft/kernel/detail/vectorized_steps.hpp>
#include <weft/kernel/detail/vectorized_widened.hpp>
#include <weft/kernel/vectorized.hpp>

#include <type_traits>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

// Every lane for itself, with the same bits as the functions of tensors of the same names at this
// level; errors: docs/accuracy.md. For float and double.
#define WEFT_DEFINE_FUNCTION_OF_ONE(NAME)                                                   \
  template <MathNumber T>                                                                   \
  WEFT_ALWAYS_INLINE Vectorized<T> NAME(const Vectorized<T>& x) noexcept {                  \
    return by_register([](const Register<T>& r) WEFT_INLINE_LAMBDA { return NAME(r); }, x); \
  }
#define WEFT_DEFINE_FUNCTION_OF_TWO(NAME)                                                        \
  template <MathNumber T>                                                                        \
  WEFT_ALWAYS_INLINE Vectorized<T> NAME(const Vectorized<T>& x,                                  \
                                        const std::type_identity_t<Vectorized<T>>& y) noexcept { \
    return by_register([](const Register<T>& r, const Register<T>& s)                            \
                           WEFT_INLINE_LAMBDA { return NAME(r, s); },                            \
                       x, y);                                                                    \
  }
WEFT_FOR_EACH_MATH_FUNCTION(WEFT_DEFINE_FUNCTION_OF_ONE, WEFT_DEFINE_FUNCTION_OF_TWO)
WEFT_DEFINE_FUNCTION_OF_TWO(copysign)
#undef WEFT_DEFINE_FUNCTION_OF_ONE
#undef WEFT_DEFINE_FUNCTION_OF_TWO

template <MathNumber T>
WEFT_ALWAYS_INLINE Mask<T> isnan(const Vectorized<T>& x) noexcept {
  return x != x;
}
template <MathNumber T>
WEFT_ALWAYS_INLINE Mask<T> isfinite(const Vectorized<T>& x) noexcept {
  return abs(x) < Vectorized<T>(infinity<T>);
}

// To integers: down, up, towards 0, to the nearest with ties to even. By the compiler's own
// functions, lane by lane, which it makes vectors of where the level has an instruction.
#define WEFT_DEFINE_ROUNDING(NAME)                                         \
  template <MathNumber T>                                                  \
  WEFT_ALWAYS_INLINE Vectorized<T> NAME(const Vectorized<T>& x) noexcept { \
    alignas(64) T lanes[static_cast<std::size_t>(Vectorized<T>::lanes)];   \
    x.store(lanes);                                                        \
    for (T & lane : lanes)                                                 \
      lane = NAME(lane);                                                   \
    return Vectorized<T>::load(lanes);                                     \
  }
WEFT_DEFINE_ROUNDING(floor)
WEFT_DEFINE_ROUNDING(ceil)
WEFT_DEFINE_ROUNDING(trunc)
WEFT_DEFINE_ROUNDING(round)
#undef WEFT_DEFINE_ROUNDING

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
