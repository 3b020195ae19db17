// SPDX-License-Identifier: Apache-2.0
/// @file
/// sin, cos, tan and their inverses, every lane for itself. Fits of the series at Chebyshev points.
#pragma once

#include "kernels/math/bits.hpp"
#include "kernels/math/double_word.hpp"
#include "kernels/math/widened.hpp"

namespace weft::inline v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Beyond this, multiples of pi are not subtracted exactly: those lanes, which are rare, are left to
/// the C library.
inline constexpr double angle_most = 1.0e6;

/// `result`, but f(x) one by one in the lanes where |x| > angle_most.
template <class F>
WEFT_ALWAYS_INLINE Register<double> with_large_angles(const F& f, const Register<double>& x,
                                                      const Register<double>& result) noexcept {
  if (!any(abs(x) > angle_most)) return result;
  constexpr int lanes = Register<double>::lanes;
  alignas(64) double angle[lanes], value[lanes];
  x.store(angle);
  result.store(value);
  for (int i = 0; i < lanes; ++i) {
    if (__builtin_fabs(angle[i]) > angle_most) value[i] = f(angle[i]);
  }
  return Register<double>::load(value);
}

/// x = k pi / 2 + r, |r| <= pi / 4, with r in two words; k as a number and, in the low bits, with
/// the rounder added.
struct Angle {
  Register<double> rounded_k;
  DoubleWord<double> r;
};
/// Takes multiples of pi / 2 out of |x| <= angle_most, in parts of 33 bits after Cody and Waite,
/// whose products with k are exact.
WEFT_ALWAYS_INLINE Angle reduced_angle(const Register<double>& x) noexcept {
  constexpr double rounder = FloatFormat<double>::rounder;
  const Register<double> shifted = fma(x, 0.6366197723675814, rounder);
  const Register<double> k = shifted - rounder;
  const Register<double> first = fma(k, -1.5707963267341256, x);
  const DoubleWord<double> second = exact_sum(first, k * -6.077100506303966e-11);
  const DoubleWord<double> third = exact_sum(second.high, k * -2.0222662487111665e-21);
  const Register<double> low = fma(k, -8.4784276603689e-32, second.low + third.low);
  return {shifted, ordered_sum(third.high, low)};
}

/// sin and cos of |r| <= pi / 4 in two words, by their series.
WEFT_ALWAYS_INLINE DoubleWord<double> sin_of_reduced(const DoubleWord<double>& r) noexcept {
  constexpr double series[] = {-0.16666666666666666,    0.008333333333330827,
                               -0.0001984126983657571,  2.755731600817155e-06,
                               -2.5051112272573243e-08, 1.5916726193889336e-10};
  const Register<double> z = r.high * r.high;
  const Register<double> tail = r.high * z * polynomial(z, series);
  return ordered_sum(r.high, tail + fma(z * -0.5, r.low, r.low));
}
WEFT_ALWAYS_INLINE DoubleWord<double> cos_of_reduced(const DoubleWord<double>& r) noexcept {
  constexpr double series[] = {0.041666666666666664,   -0.0013888888888887322,
                               2.4801587298651292e-05, -2.755731721268659e-07,
                               2.0876134024090145e-09, -1.1381754653662937e-11};
  const DoubleWord<double> z = exact_product(r.high, r.high);
  const DoubleWord<double> big = ordered_sum<double>(1.0, z.high * -0.5);
  const Register<double> tail = z.high * z.high * polynomial(z.high, series);
  return ordered_sum(big.high, big.low + fma(z.low, -0.5, fma(-r.high, r.low, tail)));
}

/// Where bit `bit` (0 or 1) of a whole number is set, to which the rounder has been added.
WEFT_ALWAYS_INLINE Register<double> bit_as_sign(const Register<double>& rounded, int bit) noexcept {
  using Whole = xsimd::batch<FloatFormat<double>::Bits>;
  const Whole bits = xsimd::bitwise_cast<Whole>(rounded.value);
  return sign_bit(Register<double>(xsimd::bitwise_cast<xsimd::batch<double>>(bits << (63 - bit))));
}
WEFT_ALWAYS_INLINE RegisterMask<double> is_odd(const Register<double>& rounded) noexcept {
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

WEFT_ALWAYS_INLINE Register<double> sin(const Register<double>& x) noexcept {
  const Angle a = reduced_angle(x);
  const Register<double> value =
      select(is_odd(a.rounded_k), rounded(cos_of_reduced(a.r)), rounded(sin_of_reduced(a.r)));
  const Register<double> result = turned(value, bit_as_sign(a.rounded_k, 1));
  return with_large_angles(LibrarySin(), x, select(x == 0.0, x, result));
}
WEFT_ALWAYS_INLINE Register<double> cos(const Register<double>& x) noexcept {
  const Angle a = reduced_angle(x);
  const Register<double> value =
      select(is_odd(a.rounded_k), rounded(sin_of_reduced(a.r)), rounded(cos_of_reduced(a.r)));
  // A quarter on, the sign is that of the sine.
  const Register<double> result = turned(value, bit_as_sign(a.rounded_k + 1.0, 1));
  return with_large_angles(LibraryCos(), x, result);
}
WEFT_ALWAYS_INLINE Register<double> tan(const Register<double>& x) noexcept {
  const Angle a = reduced_angle(x);
  const DoubleWord<double> sine = sin_of_reduced(a.r), cosine = cos_of_reduced(a.r);
  const RegisterMask<double> odd = is_odd(a.rounded_k);
  const DoubleWord<double> quotient = select(odd, cosine, sine) / select(odd, -sine, cosine);
  return with_large_angles(LibraryTan(), x, select(x == 0.0, x, rounded(quotient)));
}

/// sin(r) or -sin(r) of |r| <= pi / 2 to the precision of f32: the latter where the sign is set.
WEFT_ALWAYS_INLINE Register<double> half_turn_sine(const Register<double>& r,
                                                   const Register<double>& sign) noexcept {
  constexpr double series[] = {-0.16666666663867363, 0.008333332766508383, -0.00019841086016215184,
                               2.7536422355454945e-06, -2.4079236990903226e-08};
  const Register<double> z = r * r;
  return turned(fma(r * z, polynomial(z, series), r), sign);
}
/// Of values of f32.
struct SineOfSingle {
  WEFT_ALWAYS_INLINE Register<double> operator()(const Register<double>& x) const noexcept {
    constexpr double rounder = FloatFormat<double>::rounder;
    const Register<double> shifted = fma(x, 0.3183098861837907, rounder), k = shifted - rounder;
    const Register<double> r = fma(k, -1.2154201013012386e-10, fma(k, -3.1415926534682512, x));
    return with_large_angles(LibrarySin(), x, half_turn_sine(r, bit_as_sign(shifted, 0)));
  }
};
struct CosineOfSingle {
  WEFT_ALWAYS_INLINE Register<double> operator()(const Register<double>& x) const noexcept {
    // cos(x) = sin(x + pi / 2), with the half added to k.
    constexpr double rounder = FloatFormat<double>::rounder;
    const Register<double> shifted = fma(x, 0.3183098861837907, 0.5) + rounder;
    const Register<double> k = (shifted - rounder) - 0.5;
    const Register<double> r = fma(k, -1.2154201013012386e-10, fma(k, -3.1415926534682512, x));
    return with_large_angles(LibraryCos(), x, half_turn_sine(r, bit_as_sign(shifted, 0)));
  }
};
/// x - k * part, which is a number of f32 or close to one, rounded once.
WEFT_ALWAYS_INLINE Register<float> less_product(const Register<float>& x, const Register<float>& k,
                                                float part) noexcept {
#if defined(__FMA__)
  return fma(k, -part, x);
#else
  const DoubleWord<float> product = exact_product<float>(k, -part);
  const DoubleWord<float> sum = exact_sum(x, product.high);
  return sum.high + (sum.low + product.low);
#endif
}

/// sin(x) of f32, `quarters` = 0, or cos(x), 1, for |x| <= small_angle_most: x less k pi / 2 in two
/// words, with pi / 2 in three parts of 24 bits.
inline constexpr float small_angle_most = 8192.0F;
template <int quarters>
WEFT_ALWAYS_INLINE Register<float> small_angle_sine(const Register<float>& x) noexcept {
  constexpr float sine_series[] = {-0.166666642F, 0.00833273679F, -0.000195853732F};
  constexpr float cosine_series[] = {0.0416666642F, -0.00138882909F, 2.45454194e-05F};
  constexpr float rounder = FloatFormat<float>::rounder;
  const Register<float> shifted = fma(x, 0.636619747F, rounder), k = shifted - rounder;
  const Register<float> first = less_product(x, k, 1.57079637F);  // exact
  const DoubleWord<float> second = exact_product<float>(k, 4.37113883e-08F);
  const DoubleWord<float> sum = exact_sum(first, second.high);
  const Register<float> r = sum.high, z = r * r;
  const Register<float> low = fma(k, 1.71512451e-15F, second.low + sum.low);
  const Register<float> sine = r + fma(r * z, polynomial(z, sine_series), low);
  const DoubleWord<float> big = ordered_sum<float>(1.0F, z * -0.5F);
  const Register<float> rest = fma(-r, low, big.low);
  const Register<float> cosine = big.high + fma(z * z, polynomial(z, cosine_series), rest);
  // The quarter of the circle is in the low bits.
  using Whole = xsimd::batch<FloatFormat<float>::Bits>;
  const Whole quarter = xsimd::bitwise_cast<Whole>(shifted.value) + Whole(quarters);
  const auto as_sign = [](const Whole& bits) {
    return sign_bit(Register<float>(xsimd::bitwise_cast<xsimd::batch<float>>(bits)));
  };
  const RegisterMask<float> odd = (as_sign(quarter << 31) | 1.0F) < 0.0F;
  return turned(select(odd, cosine, sine), as_sign(quarter << 30));
}
WEFT_ALWAYS_INLINE Register<float> sin(const Register<float>& x) noexcept {
  const RegisterMask<float> small = abs(x) <= small_angle_most;
  const Register<float> value = select(x == 0.0F, x, small_angle_sine<0>(x));
  if (!any(!small)) return value;
  return select(small, value, in_double(SineOfSingle(), x));
}
WEFT_ALWAYS_INLINE Register<float> cos(const Register<float>& x) noexcept {
  const RegisterMask<float> small = abs(x) <= small_angle_most;
  const Register<float> value = small_angle_sine<1>(x);
  if (!any(!small)) return value;
  return select(small, value, in_double(CosineOfSingle(), x));
}

/// The series of atan for t^2 <= 0.1717.
WEFT_ALWAYS_INLINE Register<double> atan_tail(const Register<double>& t) noexcept {
  constexpr double series[] = {-0.3333333333333333,  0.19999999999999804,  -0.14285714285659457,
                               0.11111111105119366,  -0.09090908751706075, 0.07692296323157785,
                               -0.06666423954373413, 0.058789182929757273, -0.05230375457576669,
                               0.04551233844829568,  -0.03456132296826231, 0.01627552168389342};
  const Register<double> z = t * t;
  return t * z * polynomial(z, series);
}
/// atan(y / x) in two words for y, x >= 0, not both 0 or infinite: with the part above pi / 4 or
/// pi / 8 taken off by the theorem of addition, so that one division is left.
WEFT_ALWAYS_INLINE DoubleWord<double> atan_of_quotient(const Register<double>& y,
                                                       const Register<double>& x) noexcept {
  const RegisterMask<double> steep = y > x;
  const Register<double> large = select(steep, y, x), small = select(steep, x, y);
  // atan(s / l) = pi / 4 + atan((s - l) / (s + l)).
  const RegisterMask<double> middle = small > large * 0.41421356237309503;
  const DoubleWord<double> difference = exact_sum(small, -large), sum = exact_sum(small, large);
  const Register<double> zero(0.0);
  const DoubleWord<double> t = select(middle, difference, DoubleWord<double>{small, zero}) /
                               select(middle, sum, DoubleWord<double>{large, zero});
  const DoubleWord<double> tail{select(middle, 0.7853981633974483, zero),
                                select(middle, 3.061616997868383e-17, zero)};
  const DoubleWord<double> series = ordered_sum(t.high, t.low + atan_tail(t.high));
  const DoubleWord<double> first = tail + series;
  const DoubleWord<double> quarter{1.5707963267948966, 6.123233995736766e-17};
  return select(steep, quarter + -first, first);
}
WEFT_ALWAYS_INLINE Register<double> atan(const Register<double>& x) noexcept {
  const Register<double> within = at_most(abs(x), 1.0e300);
  const Register<double> value = rounded(atan_of_quotient(within, Register<double>(1.0)));
  return turned(select(abs(x) < 1.0e-100, abs(x), value), x);
}

/// asin(x) - x over x^3, in x^2 <= 1/4.
WEFT_ALWAYS_INLINE Register<double> asin_series(const Register<double>& z) noexcept {
  constexpr double series[] = {0.16666666666666669,  0.07499999999998425,  0.04464285714637338,
                               0.030381944137085216, 0.022372173002005596, 0.017352391265909227,
                               0.013971235301124539, 0.011478952690257387, 0.010324318288744113,
                               0.00545087818772055,  0.017419357964884856, -0.014881409392818066,
                               0.02877844261259304};
  return polynomial(z, series);
}
/// What asin and acos share: for |x| <= 1/2 asin(|x|), else asin(sqrt((1 - |x|) / 2)), in two words.
struct HalfArc {
  RegisterMask<double> outer;
  DoubleWord<double> arc;
};
WEFT_ALWAYS_INLINE HalfArc half_arc(const Register<double>& x) noexcept {
  const Register<double> a = abs(x);
  const RegisterMask<double> outer = a > 0.5;
  const Register<double> z = select(outer, fma(a, -0.5, 0.5), a * a);
  const Register<double> root = sqrt(z);
  // The root's own error, by one step of Newton's.
  const Register<double> rest = remainder(z, root, root) / at_least(root + root, 1.0e-300);
  const Register<double> s = select(outer, root, a), s_low = select(outer, rest, 0.0);
  return {outer, ordered_sum(s, fma(s * z, asin_series(z), s_low))};
}
WEFT_ALWAYS_INLINE Register<double> asin(const Register<double>& x) noexcept {
  const HalfArc h = half_arc(x);
  const DoubleWord<double> quarter{1.5707963267948966, 6.123233995736766e-17};
  const DoubleWord<double> outer =
      quarter + DoubleWord<double>{h.arc.high * -2.0, h.arc.low * -2.0};
  const Register<double> value = select(h.outer, rounded(outer), rounded(h.arc));
  return turned(select(abs(x) > 1.0, not_a_number<double>, value), x);
}
WEFT_ALWAYS_INLINE Register<double> acos(const Register<double>& x) noexcept {
  const HalfArc h = half_arc(x);
  const DoubleWord<double> quarter{1.5707963267948966, 6.123233995736766e-17};
  const DoubleWord<double> half{3.141592653589793, 1.2246467991473532e-16};
  // pi / 2 - asin(x), or 2 arc, or pi - 2 arc.
  const DoubleWord<double> twice{h.arc.high * 2.0, h.arc.low * 2.0};
  const DoubleWord<double> inner =
      quarter + DoubleWord<double>{turned(-h.arc.high, x), turned(-h.arc.low, x)};
  const DoubleWord<double> outer = select(x < 0.0, half + -twice, twice);
  const Register<double> value = rounded(select(h.outer, outer, inner));
  return select(abs(x) > 1.0, not_a_number<double>, value);
}

/// The angle of the point (x, y), between -pi and pi, as C99 Annex F has it.
WEFT_ALWAYS_INLINE Register<double> atan2(const Register<double>& y,
                                          const Register<double>& x) noexcept {
  // Of infinities only the direction counts: two are as two ones, beside one the other is as 0.
  const RegisterMask<double> far_x = abs(x) == infinity<double>, far_y = abs(y) == infinity<double>;
  Register<double> v = select(far_y, 1.0, select(far_x, 0.0, abs(y)));
  Register<double> u = select(far_x, 1.0, select(far_y, 0.0, abs(x)));
  // Away from the ends of the range, where products and sums are exact.
  const RegisterMask<double> small = (u < 1.0e-150) & (v < 1.0e-150);
  const RegisterMask<double> large = (u > 1.0e150) | (v > 1.0e150);
  const Register<double> factor = select(small, 0x1p600, select(large, 0x1p-600, 1.0));
  const RegisterMask<double> nowhere = (u == 0.0) & (v == 0.0);
  const Register<double> unscaled = v / select(nowhere, 1.0, u);
  v = v * factor;
  u = select(nowhere, 1.0, u * factor);
  const DoubleWord<double> arc = atan_of_quotient(v, u);
  const DoubleWord<double> half{3.141592653589793, 1.2246467991473532e-16};
  // Left of the origin, the sign of x also counting for zeros.
  const RegisterMask<double> left = with_sign_of(Register<double>(1.0), x) < 0.0;
  // Beside a much larger x, the quotient itself, which may be below the normal numbers.
  const RegisterMask<double> flat = unscaled <= 1.0e-100;
  const Register<double> right = select(flat, unscaled, rounded(arc));
  const Register<double> value = select(left, rounded(half + -arc), right);
  const Register<double> result = turned(value, y);
  return select(isnan(x) | isnan(y), not_a_number<double>, result);
}

/// The same to the precision of f32, of whose values no quotient leaves the range of f64: infinities
/// are as 1e300.
struct Atan2OfSingle {
  WEFT_ALWAYS_INLINE Register<double> operator()(const Register<double>& y,
                                                 const Register<double>& x) const noexcept {
    // Of (atan(q) - q) / q^3 in q^2, 0 <= q <= 1; error of the angle below 2^-29.
    constexpr double series[] = {-0.3333333308107325,  0.19999949321141888,  -0.1428400379473353,
                                 0.11088261628735159,  -0.08931826777381315, 0.07031914250029966,
                                 -0.04896051402709067, 0.026305001110062377, -0.009144629760592396,
                                 0.0014886919393047597};
    const Register<double> v = at_most(abs(y), 1.0e300), u = at_most(abs(x), 1.0e300);
    const RegisterMask<double> steep = v > u;
    const Register<double> large = select(steep, v, u), small = select(steep, u, v);
    const Register<double> q = small / at_least(large, 1.0e-300), z = q * q;
    const Register<double> arc = fma(q * z, polynomial(z, series), q);
    const Register<double> right = select(steep, 1.5707963267948966 - arc, arc);
    const RegisterMask<double> left = with_sign_of(Register<double>(1.0), x) < 0.0;
    const Register<double> angle = turned(select(left, 3.141592653589793 - right, right), y);
    return select(isnan(x), x, angle);
  }
};
WEFT_ALWAYS_INLINE Register<float> atan2(const Register<float>& y,
                                         const Register<float>& x) noexcept {
  return in_double(Atan2OfSingle(), y, x);
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace weft::inline v0
