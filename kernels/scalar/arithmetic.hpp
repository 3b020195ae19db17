// SPDX-License-Identifier: Apache-2.0
/// @file
/// Arithmetic that is defined for every value, shared by the kernel families. Everything is forced
/// inline: kernel objects leave no symbols of their own.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/cast.hpp>

#include <complex>
#include <cstdint>
#include <type_traits>

namespace weft {
inline namespace v0 {

/// The unsigned type in which integers of type T are added and multiplied: overflow wraps, and
/// 16-bit factors are not promoted to a signed int whose product would overflow.
template <class T>
using Modular = std::conditional_t<sizeof(T) < 4, std::uint32_t, std::make_unsigned_t<T>>;

template <class T>
inline constexpr bool is_wrapping = std::is_integral_v<T> && !std::is_same_v<T, bool>;

/// The unsigned type of `size` bytes.
template <std::size_t size>
using Unsigned = std::conditional_t<
    size == 1, std::uint8_t,
    std::conditional_t<size == 2, std::uint16_t,
                       std::conditional_t<size == 4, std::uint32_t, std::uint64_t>>>;

/// The bits of a number.
template <class T>
WEFT_ALWAYS_INLINE Unsigned<sizeof(T)> bits_of(T a) noexcept {
  Unsigned<sizeof(T)> bits;
  __builtin_memcpy(&bits, &a, sizeof(T));
  return bits;
}
template <class T>
WEFT_ALWAYS_INLINE T from_bits(Unsigned<sizeof(T)> bits) noexcept {
  T a;
  __builtin_memcpy(static_cast<void*>(&a), &bits, sizeof(T));
  return a;
}

/// |a| of a floating number.
template <class T>
WEFT_ALWAYS_INLINE T magnitude(T a) noexcept {
  if constexpr (std::is_same_v<T, float>) return __builtin_fabsf(a);
  return static_cast<T>(__builtin_fabs(a));
}
/// The magnitude of a with the sign of b.
template <class T>
WEFT_ALWAYS_INLINE T with_sign(T a, T b) noexcept {
  if constexpr (std::is_same_v<T, float>) return __builtin_copysignf(a, b);
  return static_cast<T>(__builtin_copysign(a, b));
}

/// a + b; integers wrap, bools are or-ed.
template <class T>
WEFT_ALWAYS_INLINE constexpr T plus(T a, T b) noexcept {
  if constexpr (is_wrapping<T>) {
    return static_cast<T>(static_cast<Modular<T>>(a) + static_cast<Modular<T>>(b));
  } else if constexpr (std::is_same_v<T, bool>) {
    return a | b;
  } else if constexpr (is_complex_type<T>) {
    return T(a.real() + b.real(), a.imag() + b.imag());
  } else {
    return a + b;
  }
}

/// a - b; integers wrap.
template <class T>
WEFT_ALWAYS_INLINE constexpr T minus(T a, T b) noexcept {
  if constexpr (is_wrapping<T>) {
    return static_cast<T>(static_cast<Modular<T>>(a) - static_cast<Modular<T>>(b));
  } else if constexpr (is_complex_type<T>) {
    return T(a.real() - b.real(), a.imag() - b.imag());
  } else {
    return a - b;
  }
}

/// a * b; integers wrap, bools are and-ed. Complex by the textbook formula, without the recovery of
/// infinities that C99 Annex G suggests (as PyTorch).
template <class T>
WEFT_ALWAYS_INLINE constexpr T times(T a, T b) noexcept {
  if constexpr (is_wrapping<T>) {
    return static_cast<T>(static_cast<Modular<T>>(a) * static_cast<Modular<T>>(b));
  } else if constexpr (std::is_same_v<T, bool>) {
    return a & b;
  } else if constexpr (is_complex_type<T>) {
    return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  } else {
    return a * b;
  }
}

/// a, but at least b: a itself wherever it is not below b. NaN if either is.
template <class T>
WEFT_ALWAYS_INLINE constexpr T at_least(T a, T b) noexcept {
  const T larger = a < b ? b : a;  // one instruction; NaN in a stays
  return b != b ? b : larger;
}
/// a, but at most b.
template <class T>
WEFT_ALWAYS_INLINE constexpr T at_most(T a, T b) noexcept {
  const T smaller = a > b ? b : a;
  return b != b ? b : smaller;
}

}  // namespace v0
}  // namespace weft
