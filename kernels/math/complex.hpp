// SPDX-License-Identifier: Apache-2.0
/// @file
/// Functions of complex numbers made of those of real ones, in f64, every lane for itself: exp,
/// log, roots, powers, sin, tan and their kin. Where parts are so large, so small or so odd that
/// the formula would not do, ComplexResult::plain is false.
#pragma once

#include <weft/kernel/detail/math/arc.hpp>
#include <weft/kernel/detail/math/exponential.hpp>
#include <weft/kernel/detail/math/hyperbolic.hpp>
#include <weft/kernel/detail/math/logarithm.hpp>
#include <weft/kernel/detail/math/trigonometric.hpp>

#include "kernels/complex/complex_spans.hpp"

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// True where least <= the larger part <= most.
WEFT_ALWAYS_INLINE RegisterMask<double> between(const ComplexLanes& z, double least,
                                                double most) noexcept {
  const Register<double> x = abs(z.re), y = abs(z.im);
  return (x <= most) & (y <= most) & ((x >= least) | (y >= least));
}
/// Where squares of the parts neither overflow nor vanish.
WEFT_ALWAYS_INLINE RegisterMask<double> has_square(const ComplexLanes& z) noexcept {
  return between(z, 1.0e-140, 1.0e140);
}

/// |z|, without FMA, so that it and roots are the same at every level.
WEFT_ALWAYS_INLINE Register<double> length_of_plain(const ComplexLanes& z) noexcept {
  return sqrt(z.re * z.re + z.im * z.im);
}

struct SineAndCosine {
  Register<double> sine, cosine;
};
/// For |x| <= angle_most.
WEFT_ALWAYS_INLINE SineAndCosine sine_and_cosine(const Register<double>& x) noexcept {
  const ReducedAngle a = reduced_angle(x);
  const Register<double> sine = rounded(sin_of_reduced(a.r)), cosine = rounded(cos_of_reduced(a.r));
  const RegisterMask<double> odd = is_odd(a.rounded_k);
  return {select(x == 0.0, x, turned(select(odd, cosine, sine), bit_as_sign(a.rounded_k, 1))),
          turned(select(odd, sine, cosine), bit_as_sign(a.rounded_k + 1.0, 1))};
}
/// sinh and cosh of |x| <= 700, by e^|x| - 1.
WEFT_ALWAYS_INLINE SineAndCosine sinh_and_cosh(const Register<double>& x) noexcept {
  const Register<double> less = expm1(abs(x)), whole = less + 1.0, inverse = 1.0 / whole;
  return {turned((less + less * inverse) * 0.5, x), (whole + inverse) * 0.5};
}

struct ComplexExp {
  WEFT_ALWAYS_INLINE ComplexResult operator()(const ComplexLanes& z) const noexcept {
    const Register<double> length = exp(z.re);
    const SineAndCosine turn = sine_and_cosine(z.im);
    return {{length * turn.cosine, length * turn.sine},
            (abs(z.re) <= 700.0) & (abs(z.im) <= angle_most)};
  }
};
/// 1 / (1 + e^-z). Where 1 + e^-x cos y would cancel, it is (1 + cos y) + (e^-x - 1) cos y, and 1 +
/// cos y is sin^2 y / (1 - cos y).
struct ComplexSigmoid {
  WEFT_ALWAYS_INLINE ComplexResult operator()(const ComplexLanes& z) const noexcept {
    const ReducedExp<double> e = reduced_exp(clamped(-z.re, -700.0, 700.0));
    const Register<double> fraction = e.low + e.high, power = power_of_two(e.k);
    const Register<double> length = (fraction + 1.0) * power;
    const Register<double> less = fma(fraction, power, power - 1.0);
    const SineAndCosine turn = sine_and_cosine(z.im);
    const Register<double> two_terms =
        fma(less, turn.cosine, turn.sine * turn.sine / (1.0 - turn.cosine));
    const Register<double> re = select(turn.cosine < 0.0, two_terms, fma(length, turn.cosine, 1.0));
    const Register<double> im = length * turn.sine;
    const Register<double> square = fma(re, re, im * im);
    return {{re / square, im / square}, (abs(z.re) <= 300.0) & (abs(z.im) <= angle_most)};
  }
};

/// log|z| by log(x^2 + y^2) / 2, the sum in two words, so that numbers close to the unit circle
/// have their right logarithm; and the angle.
WEFT_ALWAYS_INLINE ComplexLanes log_of_plain(const ComplexLanes& z) noexcept {
  const DoubleWord<double> square = exact_product(z.re, z.re) + exact_product(z.im, z.im);
  const Split<double> parts = split(square.high);
  const Register<double> f = scaled(square.low, -parts.k) + (parts.m - 1.0);
  return {log_of_parts(parts.k, f) * 0.5, atan2(z.im, z.re)};
}
struct ComplexLog {
  WEFT_ALWAYS_INLINE ComplexResult operator()(const ComplexLanes& z) const noexcept {
    return {log_of_plain(z), has_square(z)};
  }
};
struct ComplexLog2 {
  WEFT_ALWAYS_INLINE ComplexResult operator()(const ComplexLanes& z) const noexcept {
    const ComplexLanes log = log_of_plain(z);
    return {{log.re * Base2<double>::scale, log.im * Base2<double>::scale}, has_square(z)};
  }
};
struct ComplexLog10 {
  WEFT_ALWAYS_INLINE ComplexResult operator()(const ComplexLanes& z) const noexcept {
    const ComplexLanes log = log_of_plain(z);
    return {{log.re * Base10<double>::scale, log.im * Base10<double>::scale}, has_square(z)};
  }
};
struct ComplexAbs {
  WEFT_ALWAYS_INLINE ComplexResult operator()(const ComplexLanes& z) const noexcept {
    return {{length_of_plain(z), Register<double>(0.0)}, has_square(z)};
  }
};
struct ComplexAngle {
  WEFT_ALWAYS_INLINE ComplexResult operator()(const ComplexLanes& z) const noexcept {
    return {{atan2(z.im, z.re), Register<double>(0.0)}, z.re == z.re};
  }
};

/// a^b = e^(b log a). Powers beyond e^700 or so, of an angle beyond a thousand, are left out: the
/// exponent would need more digits.
struct ComplexPow {
  WEFT_ALWAYS_INLINE ComplexResult operator()(const ComplexLanes& a,
                                              const ComplexLanes& b) const noexcept {
    const ComplexLanes log = log_of_plain(a);
    const ComplexLanes w{log.re * b.re - log.im * b.im, log.re * b.im + log.im * b.re};
    const ComplexResult power = ComplexExp()(w);
    return {power.value, has_square(a) & (abs(w.re) <= 700.0) & (abs(w.im) <= 1.0e3)};
  }
};

/// sqrt(z) with both parts not negative: of |x| + i |y|; and |z|.
struct Root {
  Register<double> large, small, length;
};
WEFT_ALWAYS_INLINE Root root_of_plain(const ComplexLanes& z) noexcept {
  const Register<double> length = length_of_plain(z);
  const Register<double> large = sqrt((length + abs(z.re)) * 0.5);
  return {large, abs(z.im) / (large + large), length};
}
WEFT_ALWAYS_INLINE ComplexLanes sqrt_of_plain(const ComplexLanes& z) noexcept {
  const Root r = root_of_plain(z);
  const RegisterMask<double> left = z.re < 0.0;
  return {select(left, r.small, r.large), turned(select(left, r.large, r.small), z.im)};
}
struct ComplexSqrt {
  WEFT_ALWAYS_INLINE ComplexResult operator()(const ComplexLanes& z) const noexcept {
    return {sqrt_of_plain(z), has_square(z)};
  }
};
struct ComplexRsqrt {
  WEFT_ALWAYS_INLINE ComplexResult operator()(const ComplexLanes& z) const noexcept {
    const Root r = root_of_plain(z);
    const RegisterMask<double> left = z.re < 0.0;
    const Register<double> inverse = 1.0 / r.length;
    const Register<double> large = r.large * inverse, small = r.small * inverse;
    return {{select(left, small, large), turned(select(left, -large, -small), z.im)},
            has_square(z)};
  }
};

struct ComplexSin {
  WEFT_ALWAYS_INLINE ComplexResult operator()(const ComplexLanes& z) const noexcept {
    const SineAndCosine x = sine_and_cosine(z.re), y = sinh_and_cosh(z.im);
    return {{x.sine * y.cosine, x.cosine * y.sine},
            (abs(z.re) <= angle_most) & (abs(z.im) <= 700.0)};
  }
};
struct ComplexCos {
  WEFT_ALWAYS_INLINE ComplexResult operator()(const ComplexLanes& z) const noexcept {
    const SineAndCosine x = sine_and_cosine(z.re), y = sinh_and_cosh(z.im);
    return {{x.cosine * y.cosine, -(x.sine * y.sine)},
            (abs(z.re) <= angle_most) & (abs(z.im) <= 700.0)};
  }
};
struct ComplexSinh {
  WEFT_ALWAYS_INLINE ComplexResult operator()(const ComplexLanes& z) const noexcept {
    const SineAndCosine x = sinh_and_cosh(z.re), y = sine_and_cosine(z.im);
    return {{x.sine * y.cosine, x.cosine * y.sine},
            (abs(z.im) <= angle_most) & (abs(z.re) <= 700.0)};
  }
};
struct ComplexCosh {
  WEFT_ALWAYS_INLINE ComplexResult operator()(const ComplexLanes& z) const noexcept {
    const SineAndCosine x = sinh_and_cosh(z.re), y = sine_and_cosine(z.im);
    return {{x.cosine * y.cosine, x.sine * y.sine},
            (abs(z.im) <= angle_most) & (abs(z.re) <= 700.0)};
  }
};
/// (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y).
struct ComplexTanh {
  WEFT_ALWAYS_INLINE ComplexResult operator()(const ComplexLanes& z) const noexcept {
    const SineAndCosine x = sinh_and_cosh(z.re), y = sine_and_cosine(z.im);
    const Register<double> square = fma(x.sine, x.sine, y.cosine * y.cosine);
    return {{x.sine * x.cosine / square, y.sine * y.cosine / square},
            (abs(z.im) <= angle_most) & (abs(z.re) <= 300.0)};
  }
};
struct ComplexTan {
  WEFT_ALWAYS_INLINE ComplexResult operator()(const ComplexLanes& z) const noexcept {
    const SineAndCosine x = sine_and_cosine(z.re), y = sinh_and_cosh(z.im);
    const Register<double> square = fma(y.sine, y.sine, x.cosine * x.cosine);
    return {{x.sine * x.cosine / square, y.sine * y.cosine / square},
            (abs(z.re) <= angle_most) & (abs(z.im) <= 300.0)};
  }
};

// Inverse functions, to the precision of c64, after Kahan (1987): sums whose terms have one sign.
// Numbers on the axes, where the branch cuts are, are left out.

/// Where neither part is 0 and squares are far from their limits.
WEFT_ALWAYS_INLINE RegisterMask<double> is_off_axes(const ComplexLanes& z) noexcept {
  const Register<double> x = abs(z.re), y = abs(z.im);
  return (x > 0.0) & (y > 0.0) & (x <= 1.0e15) & (y <= 1.0e15);
}
struct ComplexAsin {
  WEFT_ALWAYS_INLINE ComplexResult operator()(const ComplexLanes& z) const noexcept {
    const ComplexLanes a = sqrt_of_plain({1.0 - z.re, -z.im});
    const ComplexLanes b = sqrt_of_plain({z.re + 1.0, z.im});
    return {{atan2(z.re, a.re * b.re - a.im * b.im), AsinhOfSingle()(a.re * b.im - a.im * b.re)},
            is_off_axes(z)};
  }
};
struct ComplexAcos {
  WEFT_ALWAYS_INLINE ComplexResult operator()(const ComplexLanes& z) const noexcept {
    const ComplexLanes a = sqrt_of_plain({1.0 - z.re, -z.im});
    const ComplexLanes b = sqrt_of_plain({z.re + 1.0, z.im});
    return {{atan2(a.re, b.re) * 2.0, AsinhOfSingle()(b.re * a.im - b.im * a.re)}, is_off_axes(z)};
  }
};
struct ComplexAcosh {
  WEFT_ALWAYS_INLINE ComplexResult operator()(const ComplexLanes& z) const noexcept {
    const ComplexLanes a = sqrt_of_plain({z.re - 1.0, z.im});
    const ComplexLanes b = sqrt_of_plain({z.re + 1.0, z.im});
    return {{AsinhOfSingle()(a.re * b.re + a.im * b.im), atan2(a.im, b.re) * 2.0}, is_off_axes(z)};
  }
};
struct ComplexAtanh {
  WEFT_ALWAYS_INLINE ComplexResult operator()(const ComplexLanes& z) const noexcept {
    const Register<double> x = abs(z.re), less = 1.0 - x, square = z.im * z.im;
    const Register<double> re = log1p(x * 4.0 / fma(less, less, square)) * 0.25;
    const Register<double> im = atan2(z.im + z.im, less * (x + 1.0) - square) * 0.5;
    return {{turned(re, z.re), im}, is_off_axes(z)};
  }
};
/// -i f(i z), which is asinh for asin and atan for atanh.
template <class F>
struct Turned {
  WEFT_ALWAYS_INLINE ComplexResult operator()(const ComplexLanes& z) const noexcept {
    const ComplexResult result = F()({-z.im, z.re});
    return {{result.value.im, -result.value.re}, result.plain};
  }
};
using ComplexAsinh = Turned<ComplexAsin>;
using ComplexAtan = Turned<ComplexAtanh>;

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
