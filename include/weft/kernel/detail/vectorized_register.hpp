// SPDX-License-Identifier: Apache-2.0
/// @file
/// One register of a Vectorized value, to write functions of many steps with.
#pragma once

#include <weft/kernel/detail/register.hpp>
#include <weft/kernel/vectorized.hpp>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

static_assert(sizeof(xsimd::batch<float>) == native_bytes);

/// The larger of a and b in each lane; b where they are equal or one is NaN. That is what the
/// instructions do; of xsimd::max, the operand depends on the version.
template <class T>
WEFT_ALWAYS_INLINE xsimd::batch<T> larger_or_second(const xsimd::batch<T>& a,
                                                    const xsimd::batch<T>& b) noexcept {
  using Batch [[maybe_unused]] = xsimd::batch<T>;
  if constexpr (std::is_integral_v<T>) {
    return xsimd::max(a, b);
  } else {
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4) return Batch(_mm512_max_ps(a, b));
    if constexpr (sizeof(T) == 8) return Batch(_mm512_max_pd(a, b));
#elif defined(__AVX__)
    if constexpr (sizeof(T) == 4) return Batch(_mm256_max_ps(a, b));
    if constexpr (sizeof(T) == 8) return Batch(_mm256_max_pd(a, b));
#elif defined(__SSE2__)
    if constexpr (sizeof(T) == 4) return Batch(_mm_max_ps(a, b));
    if constexpr (sizeof(T) == 8) return Batch(_mm_max_pd(a, b));
#else
    return xsimd::select(a > b, a, b);
#endif
  }
}
/// The smaller of a and b in each lane; b where they are equal or one is NaN. That is what the
/// instructions do; of xsimd::min, the operand depends on the version.
template <class T>
WEFT_ALWAYS_INLINE xsimd::batch<T> smaller_or_second(const xsimd::batch<T>& a,
                                                     const xsimd::batch<T>& b) noexcept {
  using Batch [[maybe_unused]] = xsimd::batch<T>;
  if constexpr (std::is_integral_v<T>) {
    return xsimd::min(a, b);
  } else {
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4) return Batch(_mm512_min_ps(a, b));
    if constexpr (sizeof(T) == 8) return Batch(_mm512_min_pd(a, b));
#elif defined(__AVX__)
    if constexpr (sizeof(T) == 4) return Batch(_mm256_min_ps(a, b));
    if constexpr (sizeof(T) == 8) return Batch(_mm256_min_pd(a, b));
#elif defined(__SSE2__)
    if constexpr (sizeof(T) == 4) return Batch(_mm_min_ps(a, b));
    if constexpr (sizeof(T) == 8) return Batch(_mm_min_pd(a, b));
#else
    return xsimd::select(a < b, a, b);
#endif
  }
}

/// As many lanes of T, float or double, as one register of this level holds. The arithmetic is that
/// of Vectorized, which is an array of registers: compilers keep single ones, and structures of
/// them, out of memory, arrays in structures they do not.
template <class T, int n>
struct Register {
  static_assert(n == native_lanes<T>, "one lane, or as many as a register has");
  using Batch = xsimd::batch<T>;
  using Whole = xsimd::batch<std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
  using Mask = RegisterMask<T, n>;
  static constexpr int lanes = n;
  Batch value;

  Register() = default;
  WEFT_ALWAYS_INLINE Register(T all) noexcept  // NOLINT(google-explicit-constructor): as Vectorized
      : value(all) {}
  WEFT_ALWAYS_INLINE explicit Register(const Batch& batch) noexcept : value(batch) {}

  WEFT_ALWAYS_INLINE static Register of_bits(const Whole& bits) noexcept {
    return Register(bits_as<T>(bits));
  }
  WEFT_ALWAYS_INLINE Whole bits() const noexcept {
    return bits_as<typename Whole::value_type>(value);
  }
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

  friend WEFT_ALWAYS_INLINE Register larger_or_second(const Register& a,
                                                      const Register& b) noexcept {
    return Register(larger_or_second(a.value, b.value));
  }
  friend WEFT_ALWAYS_INLINE Register smaller_or_second(const Register& a,
                                                       const Register& b) noexcept {
    return Register(smaller_or_second(a.value, b.value));
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

  /// 0 where the mask is true, else a.
  friend WEFT_ALWAYS_INLINE Register zero_where(const Mask& mask, const Register& a) noexcept {
#if defined(__AVX2__) && !defined(__AVX512F__)
    if constexpr (sizeof(T) == 4)
      return Register(Batch(_mm256_andnot_ps(mask.value.data, a.value)));
    if constexpr (sizeof(T) == 8)
      return Register(Batch(_mm256_andnot_pd(mask.value.data, a.value)));
#else
    return select(mask, Register(T(0)), a);
#endif
  }

  /// Whether there are instructions for exponents: the next four functions.
#if defined(__AVX512F__)
  static constexpr bool has_exponents = true;
  /// x * 2^k, rounded once.
  friend WEFT_ALWAYS_INLINE Register times_power(const Register& x, const Register& k) noexcept {
    if constexpr (sizeof(T) == 4) return Register(Batch(_mm512_scalef_ps(x.value, k.value)));
    if constexpr (sizeof(T) == 8) return Register(Batch(_mm512_scalef_pd(x.value, k.value)));
  }
  /// The same, and 0 where the mask is true, whatever x and k are.
  friend WEFT_ALWAYS_INLINE Register times_power_unless(const Mask& mask, const Register& x,
                                                        const Register& k) noexcept {
    const auto others = (!mask).value;
    if constexpr (sizeof(T) == 4)
      return Register(Batch(_mm512_maskz_scalef_ps(others, x.value, k.value)));
    if constexpr (sizeof(T) == 8)
      return Register(Batch(_mm512_maskz_scalef_pd(others, x.value, k.value)));
  }
  /// m and k of x = m * 2^k, k being the exponent of x less that of 3/4 <= m < 3/2.
  friend WEFT_ALWAYS_INLINE Register significand_of(const Register& x) noexcept {
    if constexpr (sizeof(T) == 4)
      return Register(Batch(_mm512_getmant_ps(x.value, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_src)));
    if constexpr (sizeof(T) == 8)
      return Register(Batch(_mm512_getmant_pd(x.value, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_src)));
  }
  friend WEFT_ALWAYS_INLINE Register exponent_of(const Register& x) noexcept {
    if constexpr (sizeof(T) == 4) return Register(Batch(_mm512_getexp_ps(x.value)));
    if constexpr (sizeof(T) == 8) return Register(Batch(_mm512_getexp_pd(x.value)));
  }
#else
  static constexpr bool has_exponents = false;
#endif
};

/// One truth value per lane of a Register<T>.
template <class T, int n>
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
  /// Whether it is worth looking at lanes: one of them is true.
  friend WEFT_ALWAYS_INLINE bool any(const RegisterMask& a) noexcept { return xsimd::any(a.value); }
  friend WEFT_ALWAYS_INLINE bool none(const RegisterMask& a) noexcept {
    return !xsimd::any(a.value);
  }
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
  WEFT_UNROLLED
  for (int i = 0; i < Vectorized<T>::registers; ++i)
    result[i] = f(Register<T>(a[i]), Register<T>(others[i])...).value;
  return result;
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
