// SPDX-License-Identifier: Apache-2.0
/// @file
/// asin, acos, atan and atan2, every lane for itself. Fits of the series at Chebyshev points.
#pragma once

#include "kernels/math/bits.hpp"
#include "kernels/math/double_word.hpp"
#include "kernels/math/widened.hpp"

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// The series of atan for t^2 <= 1/4.
WEFT_ALWAYS_INLINE Register<double> atan_tail(const Register<double>& t) noexcept {
  constexpr double series[] = {-0.33333333333333315, 0.1999999999999338,    -0.14285714284968795,
                               0.11111111068831593,  -0.09090907675064822,  0.07692277147152901,
                               -0.0666621957209953,  0.058777746458924564,  -0.05229832752359495,
                               0.045887818152388085, -0.037102955799775225, 0.023633354452224652,
                               -0.008352569372431604};
  const Register<double> z = t * t;
  return t * z * polynomial(z, series);
}
/// atan(y / x) for y, x >= 0, not both 0 or infinite, and `base` + or - it: with the part beyond a
/// slope of 1/2 taken off by the theorem of addition, so that one division is left, of which the
/// dividend is exact.
struct Arc {
  DoubleWord<double> base;   ///< 0, pi / 4 or pi / 2, before its sum with
  Register<double> t, tail;  ///< atan(t) = t + tail
};
WEFT_ALWAYS_INLINE Arc arc_of_quotient(const Register<double>& y,
                                       const Register<double>& x) noexcept {
  const RegisterMask<double> steep = y > x;
  const Register<double> large = select(steep, y, x), small = select(steep, x, y);
  // atan(s / l) = pi / 4 + atan((s - l) / (s + l)).
  const RegisterMask<double> middle = small > large * 0.5;
  const Register<double> t =
      select(middle, small - large, small) / select(middle, small + large, large);
  const Register<double> zero(0.0), eighth(0.7853981633974483), eighth_rest(3.061616997868383e-17);
  const Register<double> quarter(1.5707963267948966), quarter_rest(6.123233995736766e-17);
  // Above the diagonal pi / 2 less that.
  const Register<double> high = select(middle, eighth, select(steep, quarter, zero));
  const Register<double> low = select(middle, eighth_rest, select(steep, quarter_rest, zero));
  const Register<double> upward = select(steep, -t, t);
  return {{high, low}, upward, atan_tail(upward)};
}
WEFT_ALWAYS_INLINE Register<double> atan(const Register<double>& x) noexcept {
  const Arc arc = arc_of_quotient(at_most(abs(x), 1.0e300), Register<double>(1.0));
  const DoubleWord<double> sum = ordered_sum(arc.base.high, arc.t);
  return turned(sum.high + (sum.low + (arc.tail + arc.base.low)), x);
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
/// What asin and acos share: for |x| <= 1/2 asin(|x|), else asin(sqrt((1 - |x|) / 2)), in two
/// words.
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
  return select(abs(x) <= 1.0, value, not_a_number<double>);
}

// Of f32, in f32: what rounding costs is put together last. pi / 2 and pi in two words:
inline constexpr float quarter_turn = 1.57079637F, quarter_turn_rest = -4.37113883e-08F;
inline constexpr float half_turn = 3.14159274F, half_turn_rest = -8.74227766e-08F;

WEFT_ALWAYS_INLINE Register<float> atan(const Register<float>& x) noexcept {
  // Of (atan(t) - t) / t^3 in t^2, 0 <= t <= 1; error below 2^-26 of the result.
  constexpr float series[] = {-0.333332986F,  0.199985519F,   -0.142642796F,
                              0.109523699F,   -0.0840394795F, 0.0579655655F,
                              -0.0311853457F, 0.0109184356F,  -0.00179444102F};
  const Register<float> a = abs(x);
  const RegisterMask<float> steep = a > 1.0F;
  const Register<float> t = select(steep, Register<float>(1.0F) / a, a), z = t * t;
  const Register<float> tail = t * z * polynomial(z, series);
  const DoubleWord<float> rest = ordered_sum<float>(quarter_turn, -t);
  const Register<float> far = rest.high + ((rest.low + quarter_turn_rest) - tail);
  return turned(select(steep, far, t + tail), x);
}

/// As half_arc: asin(s) = s + tail for s = |x|, or s = sqrt((1 - |x|) / 2) where |x| > 1/2.
struct HalfArcOfSingle {
  RegisterMask<float> outer;
  Register<float> s, tail;
};
WEFT_ALWAYS_INLINE HalfArcOfSingle half_arc(const Register<float>& x) noexcept {
  // Of (asin(s) - s) / s^3 in s^2 <= 1/4; below 2^-27.
  constexpr float series[] = {0.166667506F, 0.0749534369F, 0.0454651639F, 0.0242030807F,
                              0.0421291068F};
  const Register<float> a = abs(x);
  const RegisterMask<float> outer = a > 0.5F;
  const Register<float> z = select(outer, fma(a, -0.5F, 0.5F), a * a);
  const Register<float> s = select(outer, sqrt(z), a);
  return {outer, s, s * z * polynomial(z, series)};
}
WEFT_ALWAYS_INLINE Register<float> asin(const Register<float>& x) noexcept {
  // Beyond 1 the root of a number below 0 makes NaN.
  const HalfArcOfSingle h = half_arc(x);
  const DoubleWord<float> rest = ordered_sum<float>(quarter_turn, h.s * -2.0F);
  const Register<float> outer = rest.high + (fma(h.tail, -2.0F, quarter_turn_rest) + rest.low);
  return turned(select(h.outer, outer, h.s + h.tail), x);
}
WEFT_ALWAYS_INLINE Register<float> acos(const Register<float>& x) noexcept {
  // pi / 2 - asin(x), or 2 asin(s), or pi - 2 asin(s).
  const HalfArcOfSingle h = half_arc(x);
  const RegisterMask<float> left = x < 0.0F;
  const Register<float> twice = h.s * -2.0F, s = turned(-h.s, x), tail = turned(-h.tail, x);
  const DoubleWord<float> inner = ordered_sum<float>(quarter_turn, s);
  const DoubleWord<float> outer = ordered_sum<float>(half_turn, twice);
  const Register<float> beside = inner.high + ((inner.low + quarter_turn_rest) + tail);
  const Register<float> below = outer.high + (fma(h.tail, -2.0F, half_turn_rest) + outer.low);
  const Register<float> above = fma(h.tail, 2.0F, h.s * 2.0F);
  // Written so that beyond 1, and for NaN, it is the same NaN at every level: which of several a
  // sum takes depends on how the level rounds.
  return select(abs(x) <= 1.0F, select(h.outer, select(left, below, above), beside),
                not_a_number<float>);
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
  const Arc arc = arc_of_quotient(v, u);
  // Left of the origin pi less that, the sign of x also counting for zeros.
  const RegisterMask<double> left = with_sign_of(Register<double>(1.0), x) < 0.0;
  const DoubleWord<double> turn = ordered_sum<double>(3.141592653589793, -arc.base.high);
  const Register<double> base = select(left, turn.high, arc.base.high);
  const Register<double> base_low =
      select(left, turn.low + (1.2246467991473532e-16 - arc.base.low), arc.base.low);
  const Register<double> t = select(left, -arc.t, arc.t), tail = select(left, -arc.tail, arc.tail);
  const DoubleWord<double> sum = ordered_sum(base, t);
  // Beside a much larger x, the quotient itself, which may be below the normal numbers.
  const RegisterMask<double> flat = (unscaled <= 1.0e-100) & !left;
  const Register<double> value = select(flat, unscaled, sum.high + (sum.low + (tail + base_low)));
  const Register<double> result = turned(value, y);
  return select(isnan(x) | isnan(y), not_a_number<double>, result);
}

/// The same to the precision of f32, of whose values no quotient leaves the range of f64:
/// infinities are as 1e300.
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
}  // namespace v0
}  // namespace weft
