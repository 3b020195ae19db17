// SPDX-License-Identifier: Apache-2.0
/// @file
/// The error function and the normal distribution, every lane for itself. Fits at Chebyshev points.
#pragma once

#include "kernels/math/bits.hpp"
#include "kernels/math/double_word.hpp"
#include "kernels/math/widened.hpp"

namespace weft::inline v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// erf(x) for |x| <= 1.
WEFT_ALWAYS_INLINE Register<double> small_erf(const Register<double>& x) noexcept {
  // x (c + x^2 P(x^2)), c = 2 / sqrt(pi) in two words.
  constexpr double series[] = {
      -0.3761263890318375,    0.1128379167095438,     -0.026866170644832817,
      0.005223977620777943,   -0.0008548326649019323, 0.0001205531541117217,
      -1.492513484445307e-05, 1.6452356806372127e-06, -1.6246268016829366e-07,
      1.3883038404829252e-08, -8.098533693478662e-10};
  const Register<double> z = x * x;
  const Register<double> tail = fma(z, polynomial(z, series), 1.533545961316588e-17);
  return fma(x, 1.1283791670955126, x * tail);
}
/// The same to the precision of f32.
WEFT_ALWAYS_INLINE Register<float> small_erf(const Register<float>& x) noexcept {
  constexpr float series[] = {-5.98908372e-08F, -0.37612626F,     0.112835936F,  -0.0268541686F,
                              0.00518899411F,   -0.000801595626F, 7.8725825e-05F};
  constexpr float c = 1.128379225730896F;
  const Register<float> first = x * c;
  return first + fma(x, polynomial(x * x, series), product_error<float>(x, c, first));
}

/// A number of two words times 2^k.
struct ScaledTail {
  DoubleWord<double> value;
  Register<double> k;
};
/// e^-a P(t) / q, t = (y - c) / (y + c), for an exponent of two words.
template <int terms>
WEFT_ALWAYS_INLINE ScaledTail tail_of(const DoubleWord<double>& a, const Register<double>& y,
                                      double c, const double (&series)[terms],
                                      const DoubleWord<double>& q) noexcept {
  const ReducedExp<double> e = reduced_exp(-a.high, -a.low);
  const DoubleWord<double> sum = ordered_sum<double>(1.0, e.high);
  const DoubleWord<double> p = ordered_sum(sum.high, sum.low + e.low);
  const Register<double> t = (y - c) / (y + c);
  double rest[terms - 1];
  for (int i = 1; i < terms; ++i)
    rest[i - 1] = series[i];
  const DoubleWord<double> w = ordered_sum<double>(series[0], t * polynomial(t, rest));
  const DoubleWord<double> quotient = p * w / q;
  return {ordered_sum(quotient.high, quotient.low), e.k};
}
/// erfc(y), 0.4 <= y <= 28, and where it is less than the least number: e^(-y^2) times a smooth
/// function over 1 + 2 y.
WEFT_ALWAYS_INLINE Register<double> erfc_tail(const Register<double>& y) noexcept {
  constexpr double series[] = {
      1.2329951186255526,      -0.1396211168405625,    0.015379652102620024,
      0.06809705425469184,     -0.1010390660363236,    0.09373283499838343,
      -0.06633036581169781,    0.03716751553689339,    -0.016197734065064456,
      0.00503196998315447,     -0.0007577732290352425, -0.00019925671792259803,
      0.00015062137187791093,  -2.439917108921655e-05, -1.1221040298234377e-05,
      5.709783432329159e-06,   2.917569350744597e-07,  -8.258492477802459e-07,
      7.726650781690355e-08,   1.1094390293359294e-07, -1.982779178050443e-08,
      -1.4971959397716502e-08, 2.4391323784148005e-09, 1.602802789057185e-09};
  const Register<double> within = clamped(y, 0.4, 27.5);
  const ScaledTail tail = tail_of(exact_product(within, within), within, 4.0, series,
                                  ordered_sum<double>(1.0, within * 2.0));
  return scaled(rounded(tail.value), tail.k);
}
/// P(X < -y) of the normal distribution for 0 <= y <= 40: e^(-y^2 / 2) times a smooth function over
/// 1 + 1.5 y.
WEFT_ALWAYS_INLINE ScaledTail normal_tail(const Register<double>& y) noexcept {
  constexpr double series[] = {
      0.6538140922875535,      -0.06559964511900722,   -0.011488853304056584,
      0.05544546720987009,     -0.06352924059153986,   0.048512395110568304,
      -0.027251308378750377,   0.010972423162366452,   -0.0026238838951451768,
      -5.5450883416531225e-05, 0.00030371506469991814, -8.089270966402878e-05,
      -1.8166989038767384e-05, 1.4226816609297287e-05, 2.3427867492953407e-07,
      -2.08656432367383e-06,   1.4828450874891082e-07, 3.1779155686725906e-07,
      -2.729297287960866e-08,  -5.07454961618437e-08,  -3.867260159980861e-10,
      6.252656630128263e-09,   1.2445125795355137e-09};
  const DoubleWord<double> square = exact_product(y, y);
  return tail_of(DoubleWord<double>{square.high * 0.5, square.low * 0.5}, y, 5.0, series,
                 exact_product<double>(y, 1.5) + Register<double>(1.0));
}

WEFT_ALWAYS_INLINE Register<double> erf(const Register<double>& x) noexcept {
  const Register<double> y = abs(x);
  const RegisterMask<double> large = y > 0.75;  // where the series is still right without FMA
  Register<double> value = small_erf(y);
  if (any(large)) value = select(large, 1.0 - erfc_tail(y), value);
  return turned(value, x);
}
WEFT_ALWAYS_INLINE Register<float> erf(const Register<float>& x) noexcept {
  // 1 - erfc(y), from 3.94 on 1.
  constexpr float series[] = {0.000406952167F, -0.00326742628F,  0.0122528253F,    -0.0281816237F,
                              0.0436514206F,   -0.0464517139F,   0.0318694934F,    -0.00928416848F,
                              -0.00664297771F, 0.00969112385F,   -0.00465636002F,  -0.000599166437F,
                              0.00202266313F,  -0.000724995567F, -0.000254402315F, 0.000168398808F};

  const Register<float> y = abs(x);
  const RegisterMask<float> large = y > 1.0F;
  Register<float> value = small_erf(y);
  if (any(large)) {
    const Register<float> t = (at_most(y, 3.94F) - 2.5F) * 0.666666687F;
    value = select(large, 1.0F - polynomial(t, series), value);
  }
  return turned(value, x);
}
WEFT_ALWAYS_INLINE Register<double> erfc(const Register<double>& x) noexcept {
  const Register<double> y = abs(x);
  const Register<double> near = 1.0 - small_erf(clamped(x, -0.45, 0.45));
  const Register<double> tail = erfc_tail(y);
  const Register<double> far = select(x < 0.0, 2.0 - tail, tail);
  return select(isnan(x), x, select(y > 0.45, far, near));
}

/// (P(X < x) - 1/2) / x of the normal distribution, for z = x^2 <= 1.
WEFT_ALWAYS_INLINE DoubleWord<float> normal_series(const Register<float>& z) noexcept {
  constexpr float series[] = {-1.160734e-08F,  -0.0664903596F,  0.00997332763F,
                              -0.00118634116F, 0.000113498718F, -7.65895129e-06F};
  return ordered_sum<float>(0.3989422917366028F, polynomial(z, series));
}
WEFT_ALWAYS_INLINE DoubleWord<double> normal_series(const Register<double>& z) noexcept {
  constexpr double series[] = {
      -2.500620433813097e-17,  -0.06649038006690543,   0.009973557010035015,
      -0.0011873282154679372,  0.00011543468751588055, -9.444655790392225e-06,
      6.659679814004385e-07,   -4.122409771442576e-08, 2.2704049487367776e-09,
      -1.1063891133983584e-10, 4.073407587674942e-12};
  return ordered_sum<double>(0.3989422804014327, polynomial(z, series));
}
/// x P(X < x) of the normal distribution, for |x| <= 1: x (1/2 + x q), where little cancels.
template <class T>
WEFT_ALWAYS_INLINE Register<T> small_gelu(const Register<T>& x) noexcept {
  const DoubleWord<T> q = normal_series(x * x), t = exact_product(x, q.high);
  const DoubleWord<T> p = ordered_sum<T>(T(0.5), t.high);
  const Register<T> product = x * p.high;
  const Register<T> low = fma(x, p.low + fma(x, q.low, t.low), product_error(x, p.high, product));
  return with_sign_of(product + low, x);
}
/// The same for all others, but infinity and NaN.
WEFT_ALWAYS_INLINE Register<double> large_gelu(const Register<double>& x) noexcept {
  const Register<double> within = clamped(x, -40.0, 10.0);
  const ScaledTail tail = normal_tail(abs(within));
  const Register<double> negative = scaled(rounded(tail.value * within), tail.k);
  const Register<double> positive = fma(-within, scaled(tail.value.high, tail.k), within);
  return select(x > 10.0, x, select(x < 0.0, negative, positive));
}
struct LargeGelu {
  WEFT_ALWAYS_INLINE Register<double> operator()(const Register<double>& x) const noexcept {
    return large_gelu(x);
  }
};
template <class T>
WEFT_ALWAYS_INLINE Register<T> gelu(const Register<T>& x) noexcept {
  const RegisterMask<T> small = abs(x) <= T(1);
  const Register<T> value = small_gelu(x);
  if (!any(!small)) return value;
  if constexpr (sizeof(T) == 4) return select(small, value, in_double(LargeGelu(), x));
  if constexpr (sizeof(T) == 8) return select(small, value, large_gelu(x));
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace weft::inline v0
