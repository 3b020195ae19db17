// SPDX-License-Identifier: Apache-2.0
/// @file
/// One register of a Vectorized value, to write functions of many steps with.
#pragma once

#include <weft/kernel/vectorized.hpp>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

template <class T>
struct RegisterMask;

/// As many lanes of T, float or double, as one register of this level holds. The arithmetic is that
/// of Vectorized, which is an array of registers: compilers keep single ones, and structures of
/// them, out of memory, arrays in structures they do not.
template <class T>
struct Register {
  using Batch = xsimd::batch<T>;
  static constexpr int lanes = static_cast<int>(Batch::size);
  Batch value;

  Register() = default;
  WEFT_ALWAYS_INLINE Register(T all) noexcept  // NOLINT(google-explicit-constructor): as Vectorized
      : value(all) {}
  WEFT_ALWAYS_INLINE explicit Register(const Batch& batch) noexcept : value(batch) {}

  WEFT_ALWAYS_INLINE static Register load(const T* from) noexcept {
    return Register(Batch::load_unaligned(from));
  }
  WEFT_ALWAYS_INLINE void store(T* to) const noexcept { value.store_unaligned(to); }

  friend WEFT_ALWAYS_INLINE Register operator+(const Register& a, const Register& b) noexcept {
    return Register(a.value + b.value);
  }
  friend WEFT_ALWAYS_INLINE Register operator-(const Register& a, const Register& b) noexcept {
    return Register(a.value - b.value);
  }
  friend WEFT_ALWAYS_INLINE Register operator*(const Register& a, const Register& b) noexcept {
    return Register(a.value * b.value);
  }
  friend WEFT_ALWAYS_INLINE Register operator/(const Register& a, const Register& b) noexcept {
    return Register(quotient_of(a.value, b.value));
  }
  // On the bits.
  friend WEFT_ALWAYS_INLINE Register operator&(const Register& a, const Register& b) noexcept {
    return Register(a.value & b.value);
  }
  friend WEFT_ALWAYS_INLINE Register operator|(const Register& a, const Register& b) noexcept {
    return Register(a.value | b.value);
  }
  friend WEFT_ALWAYS_INLINE Register operator^(const Register& a, const Register& b) noexcept {
    return Register(a.value ^ b.value);
  }
  friend WEFT_ALWAYS_INLINE Register operator-(const Register& a) noexcept {
    return a ^ Register(T(-0.0));
  }

  using Mask = RegisterMask<T>;
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
  friend WEFT_ALWAYS_INLINE Mask isnan(const Register& a) noexcept {
    return {!(a.value == a.value)};
  }

  friend WEFT_ALWAYS_INLINE Register abs(const Register& a) noexcept {
    return Register(xsimd::abs(a.value));
  }
  friend WEFT_ALWAYS_INLINE Register sqrt(const Register& a) noexcept {
    return Register(root_of(a.value));
  }
  /// a * b + c, rounded once where the level has FMA (all but baseline), else twice.
  friend WEFT_ALWAYS_INLINE Register fma(const Register& a, const Register& b,
                                         const Register& c) noexcept {
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4)
      return Register(Batch(_mm512_fmadd_ps(a.value, b.value, c.value)));
    if constexpr (sizeof(T) == 8)
      return Register(Batch(_mm512_fmadd_pd(a.value, b.value, c.value)));
#elif defined(__FMA__)
    if constexpr (sizeof(T) == 4)
      return Register(Batch(_mm256_fmadd_ps(a.value, b.value, c.value)));
    if constexpr (sizeof(T) == 8)
      return Register(Batch(_mm256_fmadd_pd(a.value, b.value, c.value)));
#elif defined(__aarch64__)
    if constexpr (sizeof(T) == 4) return Register(Batch(vfmaq_f32(c.value, a.value, b.value)));
    if constexpr (sizeof(T) == 8) return Register(Batch(vfmaq_f64(c.value, a.value, b.value)));
#else
    return a * b + c;
#endif
  }
};

/// One truth value per lane of a Register<T>.
template <class T>
struct RegisterMask {
  typename xsimd::batch<T>::batch_bool_type value;

  friend WEFT_ALWAYS_INLINE RegisterMask operator&(const RegisterMask& a,
                                                   const RegisterMask& b) noexcept {
    return {a.value & b.value};
  }
  friend WEFT_ALWAYS_INLINE RegisterMask operator|(const RegisterMask& a,
                                                   const RegisterMask& b) noexcept {
    return {a.value | b.value};
  }
  friend WEFT_ALWAYS_INLINE RegisterMask operator!(const RegisterMask& a) noexcept {
    return {!a.value};
  }
  friend WEFT_ALWAYS_INLINE bool any(const RegisterMask& a) noexcept { return xsimd::any(a.value); }
  /// mask ? a : b.
  friend WEFT_ALWAYS_INLINE Register<T> select(const RegisterMask& mask, const Register<T>& a,
                                               const Register<T>& b) noexcept {
    return Register<T>(xsimd::select(mask.value, a.value, b.value));
  }
};

/// f of all registers of Vectorized values.
template <class F, class T, class... Others>
WEFT_ALWAYS_INLINE Vectorized<T> by_register(const F& f, const Vectorized<T>& a,
                                             const Others&... others) noexcept {
  Vectorized<T> result;
  for (int i = 0; i < Vectorized<T>::registers; ++i)
    result[i] = f(Register<T>(a[i]), Register<T>(others[i])...).value;
  return result;
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
