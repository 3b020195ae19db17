// SPDX-License-Identifier: Apache-2.0
/// @file
/// Whole quotients of integers by way of floating ones, which vectorise where integer division does
/// not.
#pragma once

#include "kernels/scalar/arithmetic.hpp"

namespace weft {
inline namespace v0 {

/// a / b rounded towards zero, or down; b is not 0. The least number by -1 wraps.
///
/// Of up to 32 bits through a floating quotient x: where a / b is not whole, it is at least 1 / |b|
/// away from every integer, and x is nearer to it than that (16 bits in float: |a| / |b| *
/// 2^-24 < 1 / |b|; 32 bits in double likewise), so that x lies between the same integers as a
/// / b.
template <bool down, class T>
WEFT_ALWAYS_INLINE T whole_quotient(T a, T b) noexcept {
  if constexpr (sizeof(T) == 8) {
    if constexpr (std::is_unsigned_v<T>) return a / b;
    if (b == T(-1)) return minus(T(0), a);
    const T quotient = a / b;
    if constexpr (!down) return quotient;
    const T rest = a % b;
    // Without a branch: signs are as often one as the other.
    const auto other_side = static_cast<int>(rest != 0) & static_cast<int>((rest ^ b) < 0);
    return quotient - other_side;
  } else {
    using Real = std::conditional_t<sizeof(T) == 4, double, float>;
    // 8 and 16 bits by way of int, which holds the 2^15 of -2^15 / -1; it wraps on the way back.
    using Whole = std::conditional_t<sizeof(T) == 4, T, std::int32_t>;
    Real x = static_cast<Real>(a) / static_cast<Real>(b);
    if constexpr (std::is_same_v<T, std::int32_t>) x = x >= 0x1p31 ? -0x1p31 : x;
    const Whole quotient = static_cast<Whole>(x);
    if constexpr (!down || std::is_unsigned_v<T>) return static_cast<T>(quotient);
    // As a subtraction of 0 or 1 in unsigned arithmetic: the least number is not lowered, but
    // compilers do not know.
    const auto above = static_cast<std::uint32_t>(x < static_cast<Real>(quotient));
    return static_cast<T>(static_cast<std::uint32_t>(quotient) - above);
  }
}

}  // namespace v0
}  // namespace weft
