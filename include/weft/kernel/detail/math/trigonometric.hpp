// SPDX-License-Identifier: Apache-2.0
/// @file
/// sin, cos and tan, every lane for itself. Fits of the series at Chebyshev points.
#pragma once

#include <weft/kernel/detail/math/bits.hpp>
#include <weft/kernel/detail/math/double_word.hpp>
#include <weft/kernel/detail/math/in_double.hpp>

#include <cstddef>
#include <limits>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Beyond this, multiples of pi are not subtracted exactly: those lanes, which are rare, are left
/// to the C library.
inline constexpr double angle_most = 1.0e6;

/// `result`, but f(x) one by one in the lanes where |x| > angle_most; of infinity, `result` is NaN.
template <class F, int n>
WEFT_ALWAYS_INLINE Register<double, n> with_large_angles(
    const F& f, const Register<double, n>& x, const Register<double, n>& result) noexcept {
  if (none(abs(x) > angle_most)) return result;
  constexpr int lanes = Register<double, n>::lanes;
  alignas(64) double angle[std::size_t{lanes}], value[std::size_t{lanes}];
  x.store(angle);
  result.store(value);
  for (int i = 0; i < lanes; ++i) {
    const double size = __builtin_fabs(angle[i]);
    if (size > angle_most && size <= std::numeric_limits<double>::max()) value[i] = f(angle[i]);
  }
  return Register<double, n>::load(value);
}

/// x = k pi / 2 + r, |r| <= pi / 4, with r in two words; k as a number and, in the low bits, with
/// the rounder added.
template <int n>
struct ReducedAngle {
  Register<double, n> rounded_k;
  DoubleWord<double, n> r;
};
/// Takes multiples of pi / 2 out of |x| <= angle_most, in parts of 33 bits after Cody and Waite,
/// whose products with k are exact.
template <int n>
WEFT_ALWAYS_INLINE ReducedAngle<n> reduced_angle(const Register<double, n>& x) noexcept {
  constexpr double rounder = FloatFormat<double>::rounder;
  const Register<double, n> shifted = fma(x, 0.6366197723675814, rounder);
  const Register<double, n> k = shifted - rounder;
  const Register<double, n> first = fma(k, -1.5707963267341256, x);
  const DoubleWord<double, n> second = exact_sum(first, k * -6.077100506303966e-11);
  const DoubleWord<double, n> third = exact_sum(second.high, k * -2.0222662487111665e-21);
  const Register<double, n> low = fma(k, -8.4784276603689e-32, second.low + third.low);
  return {shifted, ordered_sum(third.high, low)};
}

/// sin and cos of |r| <= pi / 4 in two words, by their series.
template <int n>
WEFT_ALWAYS_INLINE DoubleWord<double, n> sin_of_reduced(const DoubleWord<double, n>& r) noexcept {
  constexpr double series[] = {-0.16666666666666666,    0.008333333333330827,
                               -0.0001984126983657571,  2.755731600817155e-06,
                               -2.5051112272573243e-08, 1.5916726193889336e-10};
  const Register<double, n> z = r.high * r.high;
  const Register<double, n> tail = r.high * z * polynomial(z, series);
  return ordered_sum(r.high, tail + fma(z * -0.5, r.low, r.low));
}
template <int n>
WEFT_ALWAYS_INLINE DoubleWord<double, n> cos_of_reduced(const DoubleWord<double, n>& r) noexcept {
  constexpr double series[] = {0.041666666666666664,   -0.0013888888888887322,
                               2.4801587298651292e-05, -2.755731721268659e-07,
                               2.0876134024090145e-09, -1.1381754653662937e-11};
  const DoubleWord<double, n> z = exact_product(r.high, r.high);
  const DoubleWord<double, n> big = ordered_sum<double, n>(1.0, z.high * -0.5);
  const Register<double, n> tail = z.high * z.high * polynomial(z.high, series);
  return ordered_sum(big.high, big.low + fma(z.low, -0.5, fma(-r.high, r.low, tail)));
}

/// Where bit `bit` (0 or 1) of an integer is set, to which the rounder has been added.
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> bit_as_sign(const Register<double, n>& rounded,
                                                   int bit) noexcept {
  return sign_bit(Register<double, n>::of_bits(rounded.bits() << (63 - bit)));
}
template <int n>
WEFT_ALWAYS_INLINE RegisterMask<double, n> is_odd(const Register<double, n>& rounded) noexcept {
  return (bit_as_sign(rounded, 0) | 1.0) < 0.0;
}

struct LibrarySin {
  WEFT_ALWAYS_INLINE double operator()(double x) const noexcept { return __builtin_sin(x); }
};
struct LibraryCos {
  WEFT_ALWAYS_INLINE double operator()(double x) const noexcept { return __builtin_cos(x); }
};
struct LibraryTan {
  WEFT_ALWAYS_INLINE double operator()(double x) const noexcept { return __builtin_tan(x); }
};

template <int n>
WEFT_ALWAYS_INLINE Register<double, n> sin(const Register<double, n>& x) noexcept {
  const ReducedAngle<n> a = reduced_angle(x);
  const Register<double, n> value =
      select(is_odd(a.rounded_k), rounded(cos_of_reduced(a.r)), rounded(sin_of_reduced(a.r)));
  const Register<double, n> result = turned(value, bit_as_sign(a.rounded_k, 1));
  return with_large_angles(LibrarySin(), x, select(x == 0.0, x, result));
}
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> cos(const Register<double, n>& x) noexcept {
  const ReducedAngle<n> a = reduced_angle(x);
  const Register<double, n> value =
      select(is_odd(a.rounded_k), rounded(sin_of_reduced(a.r)), rounded(cos_of_reduced(a.r)));
  // A quarter on, the sign is that of the sine.
  const Register<double, n> result = turned(value, bit_as_sign(a.rounded_k + 1.0, 1));
  return with_large_angles(LibraryCos(), x, result);
}
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> tan(const Register<double, n>& x) noexcept {
  const ReducedAngle<n> a = reduced_angle(x);
  const DoubleWord<double, n> sine = sin_of_reduced(a.r), cosine = cos_of_reduced(a.r);
  const RegisterMask<double, n> odd = is_odd(a.rounded_k);
  const DoubleWord<double, n> quotient = select(odd, cosine, sine) / select(odd, -sine, cosine);
  return with_large_angles(LibraryTan(), x, select(x == 0.0, x, rounded(quotient)));
}

/// sin(r) or -sin(r) of |r| <= pi / 2 to the precision of f32: the latter where the sign is set.
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> half_turn_sine(const Register<double, n>& r,
                                                      const Register<double, n>& sign) noexcept {
  constexpr double series[] = {-0.16666666663867363, 0.008333332766508383, -0.00019841086016215184,
                               2.7536422355454945e-06, -2.4079236990903226e-08};
  const Register<double, n> z = r * r;
  return turned(fma(r * z, polynomial(z, series), r), sign);
}
/// Of values of f32.
struct SineOfSingle {
  template <int n>
  WEFT_ALWAYS_INLINE Register<double, n> operator()(const Register<double, n>& x) const noexcept {
    constexpr double rounder = FloatFormat<double>::rounder;
    const Register<double, n> shifted = fma(x, 0.3183098861837907, rounder), k = shifted - rounder;
    const Register<double, n> r = fma(k, -1.2154201013012386e-10, fma(k, -3.1415926534682512, x));
    return with_large_angles(LibrarySin(), x, half_turn_sine(r, bit_as_sign(shifted, 0)));
  }
};
struct CosineOfSingle {
  template <int n>
  WEFT_ALWAYS_INLINE Register<double, n> operator()(const Register<double, n>& x) const noexcept {
    // cos(x) = sin(x + pi / 2), with the half added to k.
    constexpr double rounder = FloatFormat<double>::rounder;
    const Register<double, n> shifted = fma(x, 0.3183098861837907, 0.5) + rounder;
    const Register<double, n> k = (shifted - rounder) - 0.5;
    const Register<double, n> r = fma(k, -1.2154201013012386e-10, fma(k, -3.1415926534682512, x));
    return with_large_angles(LibraryCos(), x, half_turn_sine(r, bit_as_sign(shifted, 0)));
  }
};
/// The tangent, as the quotient of sine and cosine, between -pi / 4 and pi / 4 less k pi / 2.
struct TangentOfSingle {
  template <int n>
  WEFT_ALWAYS_INLINE Register<double, n> operator()(const Register<double, n>& x) const noexcept {
    constexpr double rounder = FloatFormat<double>::rounder;
    constexpr double sine_series[] = {-0.1666666664088714, 0.008333329317622892,
                                      -0.00019839316574863134, 2.718162393644303e-06};
    constexpr double cosine_series[] = {-0.49999999694619474, 0.041666620424372136,
                                        -0.0013886684684438167, 2.4383901835319476e-05};
    const Register<double, n> shifted = fma(x, 0.6366197723675814, rounder), k = shifted - rounder;
    const Register<double, n> r = fma(k, -6.077100506506192e-11, fma(k, -1.5707963267341256, x));
    const Register<double, n> z = r * r;
    const Register<double, n> sine = fma(r * z, polynomial(z, sine_series), r);
    const Register<double, n> cosine = fma(z, polynomial(z, cosine_series), 1.0);
    const RegisterMask<double, n> odd = is_odd(shifted);
    const Register<double, n> quotient = select(odd, cosine, sine) / select(odd, -sine, cosine);
    return with_large_angles(LibraryTan(), x, select(x == 0.0, x, quotient));
  }
};
template <int n>
WEFT_ALWAYS_INLINE Register<float, n> tan(const Register<float, n>& x) noexcept {
  return in_double(TangentOfSingle(), x);
}
/// x - k * part, which is a number of f32 or close to one, rounded once.
template <int n>
WEFT_ALWAYS_INLINE Register<float, n> less_product(const Register<float, n>& x,
                                                   const Register<float, n>& k,
                                                   float part) noexcept {
#if defined(WEFT_HAS_FMA)
  return fma(k, -part, x);
#else
  const DoubleWord<float, n> product = exact_product<float, n>(k, -part);
  const DoubleWord<float, n> sum = exact_sum(x, product.high);
  return sum.high + (sum.low + product.low);
#endif
}

/// sin(x) of f32, `quarters` = 0, or cos(x), 1, for |x| <= small_angle_most: x less k pi / 2 in two
/// words, with pi / 2 in three parts of 24 bits.
inline constexpr float small_angle_most = 8192.0F;
template <int quarters, int n>
WEFT_ALWAYS_INLINE Register<float, n> small_angle_sine(const Register<float, n>& x) noexcept {
  constexpr float sine_series[] = {-0.166666642F, 0.00833273679F, -0.000195853732F};
  constexpr float cosine_series[] = {0.0416666642F, -0.00138882909F, 2.45454194e-05F};
  constexpr float rounder = FloatFormat<float>::rounder;
  const Register<float, n> shifted = fma(x, 0.636619747F, rounder), k = shifted - rounder;
  const Register<float, n> first = less_product(x, k, 1.57079637F);  // exact
  const DoubleWord<float, n> second = exact_product<float, n>(k, 4.37113883e-08F);
  const DoubleWord<float, n> sum = exact_sum(first, second.high);
  const Register<float, n> r = sum.high, z = r * r;
  const Register<float, n> low = fma(k, 1.71512451e-15F, second.low + sum.low);
  const Register<float, n> sine = r + fma(r * z, polynomial(z, sine_series), low);
  const DoubleWord<float, n> big = ordered_sum<float, n>(1.0F, z * -0.5F);
  const Register<float, n> rest = fma(-r, low, big.low);
  const Register<float, n> cosine = big.high + fma(z * z, polynomial(z, cosine_series), rest);
  // The quarter of the circle is in the low bits.
  using Whole = typename Register<float, n>::Whole;
  const Whole quarter = shifted.bits() + Whole(quarters);
  const auto as_sign = [](const Whole& bits) {
    return sign_bit(Register<float, n>::of_bits(bits));
  };
  const RegisterMask<float, n> odd = (as_sign(quarter << 31) | 1.0F) < 0.0F;
  return turned(select(odd, cosine, sine), as_sign(quarter << 30));
}
template <int n>
WEFT_ALWAYS_INLINE Register<float, n> sin(const Register<float, n>& x) noexcept {
  const RegisterMask<float, n> small = abs(x) <= small_angle_most;
  const Register<float, n> value = select(x == 0.0F, x, small_angle_sine<0>(x));
  if (none(!small)) return value;
  return select(small, value, in_double(SineOfSingle(), x));
}
template <int n>
WEFT_ALWAYS_INLINE Register<float, n> cos(const Register<float, n>& x) noexcept {
  const RegisterMask<float, n> small = abs(x) <= small_angle_most;
  const Register<float, n> value = small_angle_sine<1>(x);
  if (none(!small)) return value;
  return select(small, value, in_double(CosineOfSingle(), x));
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
