// SPDX-License-Identifier: Apache-2.0
/// @file
/// What mathematical functions are written with: a few lanes of float or double. One lane here,
/// which needs no library, and as many as a register has in vectorized_register.hpp.
#pragma once

#include <weft/base/export.hpp>
#include <weft/machine/level.hpp>

#include <cstdint>
#include <type_traits>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Lanes of T in one register of what this file is compiled for.
#if defined(__AVX512F__)
inline constexpr int native_bytes = 64;
#elif defined(__AVX__)
inline constexpr int native_bytes = 32;
#else
inline constexpr int native_bytes = 16;
#endif
template <class T>
inline constexpr int native_lanes = native_bytes / static_cast<int>(sizeof(T));

template <class T, int n = native_lanes<T>>
struct RegisterMask;
template <class T, int n = native_lanes<T>>
struct Register;

/// One lane: a number, and functions of it without branches, so that loops over them become
/// vectors.
template <class T>
struct Register<T, 1> {
  static constexpr int lanes = 1;
  static constexpr bool has_exponents = false;
  using Batch = T;
  using Whole = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  using Mask = RegisterMask<T, 1>;
  T value;

  Register() = default;
  WEFT_ALWAYS_INLINE Register(T x) noexcept  // NOLINT(google-explicit-constructor): as Vectorized
      : value(x) {}

  WEFT_ALWAYS_INLINE static Register of_bits(Whole bits) noexcept {
    Register x;
    __builtin_memcpy(&x.value, &bits, sizeof(T));
    return x;
  }
  WEFT_ALWAYS_INLINE Whole bits() const noexcept {
    Whole bits;
    __builtin_memcpy(&bits, &value, sizeof(T));
    return bits;
  }
  WEFT_ALWAYS_INLINE static Register load(const T* from) noexcept { return *from; }
  WEFT_ALWAYS_INLINE void store(T* to) const noexcept { *to = value; }

  friend WEFT_ALWAYS_INLINE Register operator+(const Register& a, const Register& b) noexcept {
    return a.value + b.value;
  }
  friend WEFT_ALWAYS_INLINE Register operator-(const Register& a, const Register& b) noexcept {
    return a.value - b.value;
  }
  friend WEFT_ALWAYS_INLINE Register operator*(const Register& a, const Register& b) noexcept {
    return a.value * b.value;
  }
  friend WEFT_ALWAYS_INLINE Register operator/(const Register& a, const Register& b) noexcept {
    return a.value / b.value;
  }
  // On the bits.
  friend WEFT_ALWAYS_INLINE Register operator&(const Register& a, const Register& b) noexcept {
    return of_bits(a.bits() & b.bits());
  }
  friend WEFT_ALWAYS_INLINE Register operator|(const Register& a, const Register& b) noexcept {
    return of_bits(a.bits() | b.bits());
  }
  friend WEFT_ALWAYS_INLINE Register operator^(const Register& a, const Register& b) noexcept {
    return of_bits(a.bits() ^ b.bits());
  }
  friend WEFT_ALWAYS_INLINE Register operator-(const Register& a) noexcept {
    return a ^ Register(T(-0.0));
  }

  friend WEFT_ALWAYS_INLINE Mask operator==(const Register& a, const Register& b) noexcept {
    return {a.value == b.value};
  }
  friend WEFT_ALWAYS_INLINE Mask operator<(const Register& a, const Register& b) noexcept {
    return {a.value < b.value};
  }
  friend WEFT_ALWAYS_INLINE Mask operator<=(const Register& a, const Register& b) noexcept {
    return {a.value <= b.value};
  }
  friend WEFT_ALWAYS_INLINE Mask operator>(const Register& a, const Register& b) noexcept {
    return b < a;
  }
  friend WEFT_ALWAYS_INLINE Mask operator>=(const Register& a, const Register& b) noexcept {
    return b <= a;
  }
  friend WEFT_ALWAYS_INLINE Mask isnan(const Register& a) noexcept { return {a.value != a.value}; }

  /// The larger, or smaller, of a and b; b where they are equal or one is NaN.
  friend WEFT_ALWAYS_INLINE Register larger_or_second(const Register& a,
                                                      const Register& b) noexcept {
    return a.value > b.value ? a.value : b.value;
  }
  friend WEFT_ALWAYS_INLINE Register smaller_or_second(const Register& a,
                                                       const Register& b) noexcept {
    return a.value < b.value ? a.value : b.value;
  }
  friend WEFT_ALWAYS_INLINE Register zero_where(const Mask& mask, const Register& a) noexcept {
    return select(mask, Register(T(0)), a);
  }
  friend WEFT_ALWAYS_INLINE Register abs(const Register& a) noexcept {
    if constexpr (sizeof(T) == 4) return __builtin_fabsf(a.value);
    if constexpr (sizeof(T) == 8) return __builtin_fabs(a.value);
  }
  friend WEFT_ALWAYS_INLINE Register sqrt(const Register& a) noexcept {
    if constexpr (sizeof(T) == 4) return __builtin_sqrtf(a.value);
    if constexpr (sizeof(T) == 8) return __builtin_sqrt(a.value);
  }
  /// As of a whole register.
  friend WEFT_ALWAYS_INLINE Register fma(const Register& a, const Register& b,
                                         const Register& c) noexcept {
#if defined(WEFT_HAS_FMA)
    if constexpr (sizeof(T) == 4) return __builtin_fmaf(a.value, b.value, c.value);
    if constexpr (sizeof(T) == 8) return __builtin_fma(a.value, b.value, c.value);
#else
    return a.value * b.value + c.value;
#endif
  }
};

template <class T>
struct RegisterMask<T, 1> {
  // 0 or 1. Not bool: GCC 12 keeps structures of that in memory.
  int value;

  friend WEFT_ALWAYS_INLINE RegisterMask operator&(const RegisterMask& a,
                                                   const RegisterMask& b) noexcept {
    return {a.value & b.value};
  }
  friend WEFT_ALWAYS_INLINE RegisterMask operator|(const RegisterMask& a,
                                                   const RegisterMask& b) noexcept {
    return {a.value | b.value};
  }
  friend WEFT_ALWAYS_INLINE RegisterMask operator!(const RegisterMask& a) noexcept {
    return {a.value ^ 1};
  }
  /// Whether it is worth looking at lanes: of a single one, asking costs more.
  friend WEFT_ALWAYS_INLINE bool any(const RegisterMask&) noexcept { return true; }
  /// Whether it is false, for what must not be done in vain.
  friend WEFT_ALWAYS_INLINE bool none(const RegisterMask& a) noexcept { return a.value == 0; }
  friend WEFT_ALWAYS_INLINE Register<T, 1> select(const RegisterMask& mask, const Register<T, 1>& a,
                                                  const Register<T, 1>& b) noexcept {
    return mask.value != 0 ? a.value : b.value;
  }
};

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
