// SPDX-License-Identifier: Apache-2.0
/// @file
/// asin, acos, atan and atan2, every lane for itself. Fits of the series at Chebyshev points.
#pragma once

#include <weft/kernel/detail/math/bits.hpp>
#include <weft/kernel/detail/math/double_word.hpp>
#include <weft/kernel/detail/math/in_double.hpp>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// The series of atan for t^2 <= 1/4.
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> atan_tail(const Register<double, n>& t) noexcept {
  constexpr double series[] = {-0.33333333333333315, 0.1999999999999338,    -0.14285714284968795,
                               0.11111111068831593,  -0.09090907675064822,  0.07692277147152901,
                               -0.0666621957209953,  0.058777746458924564,  -0.05229832752359495,
                               0.045887818152388085, -0.037102955799775225, 0.023633354452224652,
                               -0.008352569372431604};
  const Register<double, n> z = t * t;
  return t * z * polynomial(z, series);
}
/// atan(y / x) for y, x >= 0, not both 0 or infinite, and `base` + or - it: with the part beyond a
/// slope of 1/2 taken off by the theorem of addition, so that one division is left, of which the
/// dividend is exact.
template <int n>
struct Arc {
  DoubleWord<double, n> base;   ///< 0, pi / 4 or pi / 2, before its sum with
  Register<double, n> t, tail;  ///< atan(t) = t + tail
};
template <int n>
WEFT_ALWAYS_INLINE Arc<n> arc_of_quotient(const Register<double, n>& y,
                                          const Register<double, n>& x) noexcept {
  const RegisterMask<double, n> steep = y > x;
  const Register<double, n> large = select(steep, y, x), small = select(steep, x, y);
  // atan(s / l) = pi / 4 + atan((s - l) / (s + l)).
  const RegisterMask<double, n> middle = small > large * 0.5;
  const Register<double, n> t =
      select(middle, small - large, small) / select(middle, small + large, large);
  const Register<double, n> zero(0.0), eighth(0.7853981633974483),
      eighth_rest(3.061616997868383e-17);
  const Register<double, n> quarter(1.5707963267948966), quarter_rest(6.123233995736766e-17);
  // Above the diagonal pi / 2 less that.
  const Register<double, n> high = select(middle, eighth, select(steep, quarter, zero));
  const Register<double, n> low = select(middle, eighth_rest, select(steep, quarter_rest, zero));
  const Register<double, n> upward = select(steep, -t, t);
  return {{high, low}, upward, atan_tail(upward)};
}
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> atan(const Register<double, n>& x) noexcept {
  const Arc<n> arc = arc_of_quotient(at_most(abs(x), 1.0e300), Register<double, n>(1.0));
  const DoubleWord<double, n> sum = ordered_sum(arc.base.high, arc.t);
  return turned(sum.high + (sum.low + (arc.tail + arc.base.low)), x);
}

/// asin(x) - x over x^3, in x^2 <= 1/4.
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> asin_series(const Register<double, n>& z) noexcept {
  constexpr double series[] = {0.16666666666666669,  0.07499999999998425,  0.04464285714637338,
                               0.030381944137085216, 0.022372173002005596, 0.017352391265909227,
                               0.013971235301124539, 0.011478952690257387, 0.010324318288744113,
                               0.00545087818772055,  0.017419357964884856, -0.014881409392818066,
                               0.02877844261259304};
  return polynomial(z, series);
}
/// What asin and acos share: for |x| <= 1/2 asin(|x|), else asin(sqrt((1 - |x|) / 2)), in two
/// words.
template <int n>
struct HalfArc {
  RegisterMask<double, n> outer;
  DoubleWord<double, n> arc;
};
template <int n>
WEFT_ALWAYS_INLINE HalfArc<n> half_arc(const Register<double, n>& x) noexcept {
  const Register<double, n> a = abs(x);
  const RegisterMask<double, n> outer = a > 0.5;
  const Register<double, n> z = select(outer, fma(a, -0.5, 0.5), a * a);
  const Register<double, n> root = sqrt(z);
  // The root's own error, by one step of Newton's.
  const Register<double, n> rest = remainder(z, root, root) / at_least(root + root, 1.0e-300);
  const Register<double, n> s = select(outer, root, a), s_low = select(outer, rest, 0.0);
  return {outer, ordered_sum(s, fma(s * z, asin_series(z), s_low))};
}
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> asin(const Register<double, n>& x) noexcept {
  const HalfArc<n> h = half_arc(x);
  const DoubleWord<double, n> quarter{1.5707963267948966, 6.123233995736766e-17};
  const DoubleWord<double, n> outer =
      quarter + DoubleWord<double, n>{h.arc.high * -2.0, h.arc.low * -2.0};
  const Register<double, n> value = select(h.outer, rounded(outer), rounded(h.arc));
  return turned(select(abs(x) > 1.0, not_a_number<double>, value), x);
}
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> acos(const Register<double, n>& x) noexcept {
  const HalfArc<n> h = half_arc(x);
  const DoubleWord<double, n> quarter{1.5707963267948966, 6.123233995736766e-17};
  const DoubleWord<double, n> half{3.141592653589793, 1.2246467991473532e-16};
  // pi / 2 - asin(x), or 2 arc, or pi - 2 arc.
  const DoubleWord<double, n> twice{h.arc.high * 2.0, h.arc.low * 2.0};
  const DoubleWord<double, n> inner =
      quarter + DoubleWord<double, n>{turned(-h.arc.high, x), turned(-h.arc.low, x)};
  const DoubleWord<double, n> outer = select(x < 0.0, half + -twice, twice);
  const Register<double, n> value = rounded(select(h.outer, outer, inner));
  return select(abs(x) <= 1.0, value, not_a_number<double>);
}

// Of f32, in f32: what rounding costs is put together last. pi / 2 and pi in two words:
inline constexpr float quarter_turn = 1.57079637F, quarter_turn_rest = -4.37113883e-08F;
inline constexpr float half_turn = 3.14159274F, half_turn_rest = -8.74227766e-08F;

template <int n>
WEFT_ALWAYS_INLINE Register<float, n> atan(const Register<float, n>& x) noexcept {
  // Of (atan(t) - t) / t^3 in t^2, 0 <= t <= 1; error below 2^-26 of the result.
  constexpr float series[] = {-0.333332986F,  0.199985519F,   -0.142642796F,
                              0.109523699F,   -0.0840394795F, 0.0579655655F,
                              -0.0311853457F, 0.0109184356F,  -0.00179444102F};
  const Register<float, n> a = abs(x);
  const RegisterMask<float, n> steep = a > 1.0F;
  const Register<float, n> t = select(steep, Register<float, n>(1.0F) / a, a), z = t * t;
  const Register<float, n> tail = t * z * polynomial(z, series);
  const DoubleWord<float, n> rest = ordered_sum<float, n>(quarter_turn, -t);
  const Register<float, n> far = rest.high + ((rest.low + quarter_turn_rest) - tail);
  return turned(select(steep, far, t + tail), x);
}

/// As half_arc: asin(s) = s + tail for s = |x|, or s = sqrt((1 - |x|) / 2) where |x| > 1/2.
template <int n>
struct HalfArcOfSingle {
  RegisterMask<float, n> outer;
  Register<float, n> s, tail;
};
template <int n>
WEFT_ALWAYS_INLINE HalfArcOfSingle<n> half_arc(const Register<float, n>& x) noexcept {
  // Of (asin(s) - s) / s^3 in s^2 <= 1/4; below 2^-27.
  constexpr float series[] = {0.166667506F, 0.0749534369F, 0.0454651639F, 0.0242030807F,
                              0.0421291068F};
  const Register<float, n> a = abs(x);
  const RegisterMask<float, n> outer = a > 0.5F;
  const Register<float, n> z = select(outer, fma(a, -0.5F, 0.5F), a * a);
  const Register<float, n> s = select(outer, sqrt(z), a);
  return {outer, s, s * z * polynomial(z, series)};
}
template <int n>
WEFT_ALWAYS_INLINE Register<float, n> asin(const Register<float, n>& x) noexcept {
  // Beyond 1 the root of a number below 0 makes NaN.
  const HalfArcOfSingle<n> h = half_arc(x);
  const DoubleWord<float, n> rest = ordered_sum<float, n>(quarter_turn, h.s * -2.0F);
  const Register<float, n> outer = rest.high + (fma(h.tail, -2.0F, quarter_turn_rest) + rest.low);
  return turned(select(h.outer, outer, h.s + h.tail), x);
}
template <int n>
WEFT_ALWAYS_INLINE Register<float, n> acos(const Register<float, n>& x) noexcept {
  // pi / 2 - asin(x), or 2 asin(s), or pi - 2 asin(s).
  const HalfArcOfSingle<n> h = half_arc(x);
  const RegisterMask<float, n> left = x < 0.0F;
  const Register<float, n> twice = h.s * -2.0F, s = turned(-h.s, x), tail = turned(-h.tail, x);
  const DoubleWord<float, n> inner = ordered_sum<float, n>(quarter_turn, s);
  const DoubleWord<float, n> outer = ordered_sum<float, n>(half_turn, twice);
  const Register<float, n> beside = inner.high + ((inner.low + quarter_turn_rest) + tail);
  const Register<float, n> below = outer.high + (fma(h.tail, -2.0F, half_turn_rest) + outer.low);
  const Register<float, n> above = fma(h.tail, 2.0F, h.s * 2.0F);
  // Written so that beyond 1, and for NaN, it is the same NaN at every level: which of several a
  // sum takes depends on how the level rounds.
  return select(abs(x) <= 1.0F, select(h.outer, select(left, below, above), beside),
                not_a_number<float>);
}

/// The angle of the point (x, y), between -pi and pi, as C99 Annex F has it.
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> atan2(const Register<double, n>& y,
                                             const Register<double, n>& x) noexcept {
  // Of infinities only the direction counts: two are as two ones, beside one the other is as 0.
  const RegisterMask<double, n> far_x = abs(x) == infinity<double>,
                                far_y = abs(y) == infinity<double>;
  Register<double, n> v = select(far_y, 1.0, select(far_x, 0.0, abs(y)));
  Register<double, n> u = select(far_x, 1.0, select(far_y, 0.0, abs(x)));
  // Away from the ends of the range, where products and sums are exact.
  const RegisterMask<double, n> small = (u < 1.0e-150) & (v < 1.0e-150);
  const RegisterMask<double, n> large = (u > 1.0e150) | (v > 1.0e150);
  const Register<double, n> factor = select(small, 0x1p600, select(large, 0x1p-600, 1.0));
  const RegisterMask<double, n> nowhere = (u == 0.0) & (v == 0.0);
  const Register<double, n> unscaled = v / select(nowhere, 1.0, u);
  v = v * factor;
  u = select(nowhere, 1.0, u * factor);
  const Arc<n> arc = arc_of_quotient(v, u);
  // Left of the origin pi less that, the sign of x also counting for zeros.
  const RegisterMask<double, n> left = with_sign_of(Register<double, n>(1.0), x) < 0.0;
  const DoubleWord<double, n> turn = ordered_sum<double, n>(3.141592653589793, -arc.base.high);
  const Register<double, n> base = select(left, turn.high, arc.base.high);
  const Register<double, n> base_low =
      select(left, turn.low + (1.2246467991473532e-16 - arc.base.low), arc.base.low);
  const Register<double, n> t = select(left, -arc.t, arc.t),
                            tail = select(left, -arc.tail, arc.tail);
  const DoubleWord<double, n> sum = ordered_sum(base, t);
  // Beside a much larger x, the quotient itself, which may be below the normal numbers.
  const RegisterMask<double, n> flat = (unscaled <= 1.0e-100) & !left;
  const Register<double, n> value =
      select(flat, unscaled, sum.high + (sum.low + (tail + base_low)));
  const Register<double, n> result = turned(value, y);
  return select(isnan(x) | isnan(y), not_a_number<double>, result);
}

/// The same to the precision of f32, of whose values no quotient leaves the range of f64:
/// infinities are as 1e300.
struct Atan2OfSingle {
  template <int n>
  WEFT_ALWAYS_INLINE Register<double, n> operator()(const Register<double, n>& y,
                                                    const Register<double, n>& x) const noexcept {
    // Of (atan(q) - q) / q^3 in q^2, 0 <= q <= 1; error of the angle below 2^-29.
    constexpr double series[] = {-0.3333333308107325,  0.19999949321141888,  -0.1428400379473353,
                                 0.11088261628735159,  -0.08931826777381315, 0.07031914250029966,
                                 -0.04896051402709067, 0.026305001110062377, -0.009144629760592396,
                                 0.0014886919393047597};
    const Register<double, n> v = at_most(abs(y), 1.0e300), u = at_most(abs(x), 1.0e300);
    const RegisterMask<double, n> steep = v > u;
    const Register<double, n> large = select(steep, v, u), small = select(steep, u, v);
    const Register<double, n> q = small / at_least(large, 1.0e-300), z = q * q;
    const Register<double, n> arc = fma(q * z, polynomial(z, series), q);
    const Register<double, n> right = select(steep, 1.5707963267948966 - arc, arc);
    const RegisterMask<double, n> left = with_sign_of(Register<double, n>(1.0), x) < 0.0;
    const Register<double, n> angle = turned(select(left, 3.141592653589793 - right, right), y);
    return select(isnan(x), x, angle);
  }
};
template <int n>
WEFT_ALWAYS_INLINE Register<float, n> atan2(const Register<float, n>& y,
                                            const Register<float, n>& x) noexcept {
  return in_double(Atan2OfSingle(), y, x);
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
