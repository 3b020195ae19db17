// SPDX-License-Identifier: Apache-2.0
/// @file
/// The error function and the normal distribution, every lane for itself. Fits at Chebyshev points.
#pragma once

#include <weft/kernel/detail/math/bits.hpp>
#include <weft/kernel/detail/math/double_word.hpp>
#include <weft/kernel/detail/math/exponential.hpp>
#include <weft/kernel/detail/math/in_double.hpp>

#include <cstddef>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// erf(x) for |x| <= 1.
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> small_erf(const Register<double, n>& x) noexcept {
  // x (c + x^2 P(x^2)), c = 2 / sqrt(pi) in two words.
  constexpr double series[] = {
      -0.3761263890318375,    0.1128379167095438,     -0.026866170644832817,
      0.005223977620777943,   -0.0008548326649019323, 0.0001205531541117217,
      -1.492513484445307e-05, 1.6452356806372127e-06, -1.6246268016829366e-07,
      1.3883038404829252e-08, -8.098533693478662e-10};
  const Register<double, n> z = x * x;
  const Register<double, n> tail = fma(z, polynomial(z, series), 1.533545961316588e-17);
  return fma(x, 1.1283791670955126, x * tail);
}
/// The same to the precision of f32.
template <int n>
WEFT_ALWAYS_INLINE Register<float, n> small_erf(const Register<float, n>& x) noexcept {
  constexpr float series[] = {-5.98908372e-08F, -0.37612626F,     0.112835936F,  -0.0268541686F,
                              0.00518899411F,   -0.000801595626F, 7.8725825e-05F};
  constexpr float c = 1.128379225730896F;
  const Register<float, n> first = x * c;
  return first + fma(x, polynomial(x * x, series), product_error<float, n>(x, c, first));
}

/// A number of two words times 2^k.
template <int n>
struct ScaledTail {
  DoubleWord<double, n> value;
  Register<double, n> k;
};
/// e^-a P(t) / q, t = (y - c) / (y + c), for an exponent of two words.
template <std::size_t terms, int n>
WEFT_ALWAYS_INLINE ScaledTail<n> tail_of(const DoubleWord<double, n>& a,
                                         const Register<double, n>& y, double c,
                                         const double (&series)[terms],
                                         const DoubleWord<double, n>& q) noexcept {
  const ReducedExp<double, n> e = reduced_exp(-a.high, -a.low);
  const DoubleWord<double, n> sum = ordered_sum<double, n>(1.0, e.high);
  const DoubleWord<double, n> p = ordered_sum(sum.high, sum.low + e.low);
  const Register<double, n> t = (y - c) / (y + c);
  double rest[terms - 1];
  WEFT_UNROLLED
  for (std::size_t i = 1; i < terms; ++i)
    rest[i - 1] = series[i];
  const DoubleWord<double, n> w = ordered_sum<double, n>(series[0], t * polynomial(t, rest));
  const DoubleWord<double, n> quotient = p * w / q;
  return {ordered_sum(quotient.high, quotient.low), e.k};
}
/// erfc(y), 0.4 <= y <= 28, and where it is less than the least number: e^(-y^2) times a smooth
/// function over 1 + 2 y.
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> erfc_tail(const Register<double, n>& y) noexcept {
  constexpr double series[] = {
      1.2329951186255526,      -0.1396211168405625,    0.015379652102620024,
      0.06809705425469184,     -0.1010390660363236,    0.09373283499838343,
      -0.06633036581169781,    0.03716751553689339,    -0.016197734065064456,
      0.00503196998315447,     -0.0007577732290352425, -0.00019925671792259803,
      0.00015062137187791093,  -2.439917108921655e-05, -1.1221040298234377e-05,
      5.709783432329159e-06,   2.917569350744597e-07,  -8.258492477802459e-07,
      7.726650781690355e-08,   1.1094390293359294e-07, -1.982779178050443e-08,
      -1.4971959397716502e-08, 2.4391323784148005e-09, 1.602802789057185e-09};
  const Register<double, n> within = clamped(y, 0.4, 27.5);
  const ScaledTail<n> tail = tail_of(exact_product(within, within), within, 4.0, series,
                                     ordered_sum<double, n>(1.0, within * 2.0));
  return scaled(rounded(tail.value), tail.k);
}
/// P(X < -y) of the normal distribution for 0 <= y <= 40: e^(-y^2 / 2) times a smooth function over
/// 1 + 1.5 y.
template <int n>
WEFT_ALWAYS_INLINE ScaledTail<n> normal_tail(const Register<double, n>& y) noexcept {
  constexpr double series[] = {
      0.6538140922875535,      -0.06559964511900722,   -0.011488853304056584,
      0.05544546720987009,     -0.06352924059153986,   0.048512395110568304,
      -0.027251308378750377,   0.010972423162366452,   -0.0026238838951451768,
      -5.5450883416531225e-05, 0.00030371506469991814, -8.089270966402878e-05,
      -1.8166989038767384e-05, 1.4226816609297287e-05, 2.3427867492953407e-07,
      -2.08656432367383e-06,   1.4828450874891082e-07, 3.1779155686725906e-07,
      -2.729297287960866e-08,  -5.07454961618437e-08,  -3.867260159980861e-10,
      6.252656630128263e-09,   1.2445125795355137e-09};
  const DoubleWord<double, n> square = exact_product(y, y);
  return tail_of(DoubleWord<double, n>{square.high * 0.5, square.low * 0.5}, y, 5.0, series,
                 exact_product<double, n>(y, 1.5) + Register<double, n>(1.0));
}

/// erfc(y) of f64 to the last bits of 1, 0.75 <= y <= 6.
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> short_erfc(const Register<double, n>& y) noexcept {
  // Of e^(y^2) erfc(y) in t = (y - 2) / (y + 2).
  constexpr double series[] = {
      0.25539567631050575,     -0.4271858474139584,    0.2416581942424667,
      -0.07897858101573288,    0.003732892404300117,   0.0069974617392946975,
      -0.000847143249773578,   -0.0009819770310115568, 4.3555581229342114e-05,
      0.00017436126477079453,  2.752563633184525e-05,  -2.7580991512310305e-05,
      -1.3968004479192629e-05, 1.3987485114460793e-06, 3.782496268273831e-06,
      1.167214323722899e-06,   -5.075856950209753e-07, -4.343885025590268e-07};
  const DoubleWord<double, n> square = exact_product(y, y);
  const ReducedExp<double, n> e = reduced_exp(-square.high, -square.low);
  const Register<double, n> t = (y - 2.0) / (y + 2.0);
  return ((e.low + e.high) + 1.0) * power_of_two(e.k) * polynomial(t, series);
}
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> erf(const Register<double, n>& x) noexcept {
  const Register<double, n> y = abs(x);
  const RegisterMask<double, n> large = y > 0.75;  // where the series is still right without FMA
  Register<double, n> value = small_erf(y);
  if (any(large)) value = select(large, 1.0 - short_erfc(at_most(y, 6.0)), value);
  return turned(value, x);
}
/// erfc(y) to the precision of f32, 0 <= y <= 10.4: e^(-y^2) times a smooth function.
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> rough_erfc(const Register<double, n>& y) noexcept {
  // In t = (y - 2) / (y + 2); error below 2^-29.
  constexpr double series[] = {
      0.2553956765961762,     -0.42718585309522206,   0.2416581716519931,
      -0.07897835881710012,   0.003733204645918695,   0.006995129140377958,
      -0.0008490804833232452, -0.0009719510074971494, 5.0627412355136705e-05,
      0.00015480783246498195, 1.2891083832882684e-05, -1.2284943835491255e-05};
  return rough_exp(-(y * y)) * polynomial((y - 2.0) / (y + 2.0), series);
}
/// erf of f32 numbers.
struct ErfOfSingle {
  template <int n>
  WEFT_ALWAYS_INLINE Register<double, n> operator()(const Register<double, n>& x) const noexcept {
    const Register<double, n> y = abs(x);
    const Register<double, n> far = 1.0 - rough_erfc(at_most(y, 10.0));
    return turned(select(y > 0.5, far, small_erf(y)), x);
  }
};
template <int n>
WEFT_ALWAYS_INLINE Register<float, n> erf(const Register<float, n>& x) noexcept {
#if defined(WEFT_HAS_FMA)
  // 1 - erfc(y), 0.86 <= y <= 3.95, from where on it is 1.
  constexpr float series[] = {0.000666620152F, -0.00345040672F,  0.00830266438F,   -0.0121690091F,
                              0.0118721882F,   -0.00777477538F,  0.00307379384F,   -0.000265681825F,
                              -0.00050494622F, 0.000326249923F,  -6.1773273e-05F,  -2.97120569e-05F,
                              1.8563871e-05F,  -1.27693556e-06F, -1.30903334e-06F, 2.63751957e-07F};
  const Register<float, n> y = abs(x);
  const RegisterMask<float, n> large = y > 1.0F;
  Register<float, n> value = small_erf(y);
  if (any(large))
    value = select(large, 1.0F - polynomial(at_most(y, 3.94F) - 2.40625F, series), value);
  return turned(value, x);
#else
  return in_double(ErfOfSingle(), x);  // without FMA the series would lose too much
#endif
}
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> erfc(const Register<double, n>& x) noexcept {
  const Register<double, n> y = abs(x);
  const Register<double, n> near = 1.0 - small_erf(clamped(x, -0.45, 0.45));
  const Register<double, n> tail = erfc_tail(y);
  const Register<double, n> far = select(x < 0.0, 2.0 - tail, tail);
  return select(isnan(x), x, select(y > 0.45, far, near));
}
struct ErfcOfSingle {
  template <int n>
  WEFT_ALWAYS_INLINE Register<double, n> operator()(const Register<double, n>& x) const noexcept {
    const Register<double, n> tail = rough_erfc(at_most(abs(x), 10.4));
    return select(x < 0.0, 2.0 - tail, tail);
  }
};
template <int n>
WEFT_ALWAYS_INLINE Register<float, n> erfc(const Register<float, n>& x) noexcept {
  return in_double(ErfcOfSingle(), x);
}

/// (P(X < x) - 1/2) / x of the normal distribution, for z = x^2 <= 1.
template <int n>
WEFT_ALWAYS_INLINE DoubleWord<float, n> normal_series(const Register<float, n>& z) noexcept {
  constexpr float series[] = {-1.160734e-08F,  -0.0664903596F,  0.00997332763F,
                              -0.00118634116F, 0.000113498718F, -7.65895129e-06F};
  return ordered_sum<float, n>(0.3989422917366028F, polynomial(z, series));
}
template <int n>
WEFT_ALWAYS_INLINE DoubleWord<double, n> normal_series(const Register<double, n>& z) noexcept {
  constexpr double series[] = {
      -2.500620433813097e-17,  -0.06649038006690543,   0.009973557010035015,
      -0.0011873282154679372,  0.00011543468751588055, -9.444655790392225e-06,
      6.659679814004385e-07,   -4.122409771442576e-08, 2.2704049487367776e-09,
      -1.1063891133983584e-10, 4.073407587674942e-12};
  return ordered_sum<double, n>(0.3989422804014327, polynomial(z, series));
}
/// x P(X < x) of the normal distribution, for |x| <= 1: x (1/2 + x q), where little cancels.
template <class T, int n>
WEFT_ALWAYS_INLINE Register<T, n> small_gelu(const Register<T, n>& x) noexcept {
  const DoubleWord<T, n> q = normal_series(x * x), t = exact_product(x, q.high);
  const DoubleWord<T, n> p = ordered_sum<T, n>(T(0.5), t.high);
  const Register<T, n> product = x * p.high;
  const Register<T, n> low =
      fma(x, p.low + fma(x, q.low, t.low), product_error(x, p.high, product));
  return with_sign_of(product + low, x);
}
/// The same for all others, but infinity and NaN.
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> large_gelu(const Register<double, n>& x) noexcept {
  const Register<double, n> within = clamped(x, -40.0, 10.0);
  const ScaledTail<n> tail = normal_tail(abs(within));
  const RegisterMask<double, n> out = x <= -39.0;  // results are 0
  const Register<double, n> negative = scaled_unless(out, rounded(tail.value * within), tail.k);
  const Register<double, n> positive =
      fma(-within, scaled_unless(out, tail.value.high, tail.k), within);
  return select(x > 10.0, x, select(x < 0.0, with_sign_of(negative, x), positive));
}
/// As for f64, for f32 numbers: half of erfc(y / sqrt(2)) is the tail.
struct LargeGeluOfSingle {
  template <int n>
  WEFT_ALWAYS_INLINE Register<double, n> operator()(const Register<double, n>& x) const noexcept {
    const Register<double, n> within = clamped(x, -15.0, 15.0);
    const Register<double, n> tail = rough_erfc(abs(within) * 0.7071067811865476) * 0.5;
    const Register<double, n> part = within * tail;
    return select(x > 10.0, x, select(x < 0.0, part, within - part));
  }
};
/// `small` where |x| <= 1, for other f32 numbers the large form.
template <int n>
WEFT_ALWAYS_INLINE Register<float, n> with_large_gelu(const Register<float, n>& small,
                                                      const Register<float, n>& x) noexcept {
  const RegisterMask<float, n> within = abs(x) <= 1.0F;
  if (!any(!within)) return small;
  return select(within, small, in_double(LargeGeluOfSingle(), x));
}
template <int n>
WEFT_ALWAYS_INLINE Register<float, n> gelu(const Register<float, n>& x) noexcept {
  return with_large_gelu(small_gelu(x), x);
}
template <int n>
WEFT_ALWAYS_INLINE Register<double, n> gelu(const Register<double, n>& x) noexcept {
  const RegisterMask<double, n> small = abs(x) <= 1.0;
  const Register<double, n> value = small_gelu(x);
  if (!any(!small)) return value;
  const RegisterMask<double, n> left = x < -1.0;
  const RegisterMask<double, n> right = x > 1.0;
  Register<double, n> large = x;  // NaN
  if (any(right)) {
    const Register<double, n> within = clamped(x, 1.0, 8.4);
    const Register<double, n> part = within * 0.5 * short_erfc(within * 0.7071067811865476);
    large = select(right, select(x > 8.4, x, within - part), large);
  }
  // Only below 0 the tail itself is the result, and has to be right to its own last bits.
  if (any(left)) large = select(left, large_gelu(x), large);
  return select(small, value, large);
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
