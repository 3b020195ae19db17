// SPDX-License-Identifier: Apache-2.0
/// @file
/// Functions of f32 that are computed in f64: twice the work, and right to the last bit but for one
/// value in a thousand million.
#pragma once

#include <weft/kernel/detail/register.hpp>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// f of registers of f64, for registers of f32.
template <class F, int n, class... In>
WEFT_ALWAYS_INLINE Register<float, n> in_double(const F& f, const Register<float, n>& first,
                                                const In&... in) noexcept {
  if constexpr (n == 1) {
    using Wide = Register<double, 1>;
    const Wide result =
        f(Wide(static_cast<double>(first.value)), Wide(static_cast<double>(in.value))...);
    return static_cast<float>(result.value);
  } else {
    return by_halves(f, first, in...);
  }
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
