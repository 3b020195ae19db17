// SPDX-License-Identifier: Apache-2.0
/// @file
/// The elementwise functions, one line each.
///
///     F(maximum, Maximum, real, common, "the larger; NaN if either is")
///
/// is the function `maximum` of the family's header (ops/binary.hpp), computed by the formula
/// `Maximum<T>` of its kernel file (kernels/binary/), in every element type T of the kinds `real`,
/// with a result of the inputs' common type. From these lists are made: the public functions, their
/// kernels, the operations by name (ops/registry.hpp) with their cases for bench and explain, the
/// tests that run over every function, and the check of docs/functions.md, which lists them. The
/// text is what that page says.
#pragma once

#include <weft/core/kinds.hpp>

#include <cstdint>

// One operand.
#define WEFT_FOR_EACH_UNARY(F) \
  WEFT_FOR_EACH_PLAIN_UNARY(F) \
  WEFT_FOR_EACH_EXPONENTIAL(F) \
  WEFT_FOR_EACH_LOGARITHM(F)   \
  WEFT_FOR_EACH_TRIGONOMETRIC(F) WEFT_FOR_EACH_HYPERBOLIC(F) WEFT_FOR_EACH_SPECIAL(F)

#define WEFT_FOR_EACH_PLAIN_UNARY(F)                                                               \
  F(neg, Neg, numbers, common, "-a; integers wrap")                                                \
  F(abs, Abs, numbers, part, "|a|; the least integer stays itself; the magnitude of complex")      \
  F(sign, Sign, real, common, "-1, 0 or 1; 0 for NaN; bool stays itself")                          \
  F(square, Square, numbers, common, "a * a; integers wrap")                                       \
  F(sqrt, Sqrt, inexact, floating, "square root, correctly rounded; NaN below zero")               \
  F(rsqrt, Rsqrt, inexact, floating, "1 / sqrt(a), rounded twice")                                 \
  F(reciprocal, Reciprocal, inexact, floating, "1 / a")                                            \
  F(floor, Floor, real_numbers, common, "the nearest integer not above; integers as they are")     \
  F(ceil, Ceil, real_numbers, common, "the nearest integer not below; integers as they are")       \
  F(trunc, Trunc, real_numbers, common, "without the fraction; integers as they are")              \
  F(round, Round, real_numbers, common, "the nearest integer, ties to even; integers as they are") \
  F(frac, Frac, floating, common, "a - trunc(a); NaN for infinities")                              \
  F(relu, Relu, real_numbers, common, "a above 0, else 0; NaN stays NaN")                          \
  F(softsign, SoftSign, floating, common, "a / (1 + |a|)")                                         \
  F(hardsigmoid, HardSigmoid, floating, common, "a + 3 kept within 0 and 6, over 6")               \
  F(hardswish, HardSwish, floating, common, "a times a + 3 kept within 0 and 6, over 6")           \
  F(bitwise_not, BitwiseNot, integral, common, "every bit turned; a bool negated")                 \
  F(conj, Conj, all, common, "the complex conjugate; real types as they are")                      \
  F(real, Real, all, part, "the real part; real types as they are")                                \
  F(imag, Imag, complex, part, "the imaginary part")                                               \
  F(angle, Angle, inexact, part, "the angle of complex, -pi to pi; 0 or pi of real; NaN of NaN")   \
  F(isnan, IsNan, all, truth, "is NaN; of complex, either part")                                   \
  F(isinf, IsInf, all, truth, "is infinite; of complex, either part")                              \
  F(isfinite, IsFinite, all, truth, "is neither infinite nor NaN; of complex, both parts")         \
  F(signbit, SignBit, real, truth, "the sign is set, of -0.0 and of NaN too; integers: below 0")   \
  F(logical_not, LogicalNot, all, truth, "a == 0")

// Mathematical functions; largest errors in docs/accuracy.md.
#define WEFT_FOR_EACH_EXPONENTIAL(F)                                   \
  F(exp, Exp, inexact, floating, "e^a")                                \
  F(exp2, Exp2, floating, floating, "2^a")                             \
  F(expm1, Expm1, floating, floating, "e^a - 1, accurate for small a") \
  F(tanh, Tanh, inexact, floating, "hyperbolic tangent")               \
  F(sigmoid, Sigmoid, inexact, floating, "1 / (1 + e^-a)")             \
  F(silu, Silu, floating, common, "a / (1 + e^-a); -0.0 for minus infinity")
#define WEFT_FOR_EACH_LOGARITHM(F)                                                    \
  F(log, Log, inexact, floating, "natural logarithm; minus infinity at 0, NaN below") \
  F(log2, Log2, inexact, floating, "logarithm to base 2")                             \
  F(log10, Log10, inexact, floating, "logarithm to base 10")                          \
  F(log1p, Log1p, floating, floating, "log(1 + a), accurate for small a")

#define WEFT_FOR_EACH_TRIGONOMETRIC(F)                                                 \
  F(sin, Sin, inexact, floating, "sine; NaN for infinities")                           \
  F(cos, Cos, inexact, floating, "cosine; NaN for infinities")                         \
  F(tan, Tan, inexact, floating, "tangent; NaN for infinities")                        \
  F(asin, Asin, inexact, floating, "the angle whose sine is a; NaN beyond -1 and 1")   \
  F(acos, Acos, inexact, floating, "the angle whose cosine is a; NaN beyond -1 and 1") \
  F(atan, Atan, inexact, floating, "the angle whose tangent is a")
#define WEFT_FOR_EACH_HYPERBOLIC(F)                                                   \
  F(sinh, Sinh, inexact, floating, "(e^a - e^-a) / 2")                                \
  F(cosh, Cosh, inexact, floating, "(e^a + e^-a) / 2")                                \
  F(asinh, Asinh, inexact, floating, "the inverse of sinh")                           \
  F(acosh, Acosh, inexact, floating, "the inverse of cosh, not below 0; NaN below 1") \
  F(atanh, Atanh, inexact, floating, "the inverse of tanh; NaN beyond -1 and 1")
#define WEFT_FOR_EACH_SPECIAL(F)                                                      \
  F(erf, Erf, floating, floating, "error function")                                   \
  F(erfc, Erfc, floating, floating, "1 - erf(a), accurate for large a")               \
  F(lgamma, LGamma, floating, floating, "log of the magnitude of the gamma function") \
  F(cbrt, Cbrt, floating, floating, "cube root")                                      \
  F(gelu, Gelu, floating, common, "a times the normal distribution up to a")          \
  F(gelu_tanh, GeluTanh, floating, common,                                            \
    "a (1 + tanh(u)) / 2, u = sqrt(2 / pi) (a + 0.044715 a^3)")                       \
  F(selu, Selu, floating, common, "elu(a, 1.6733) times 1.0507, self-normalizing")    \
  F(softplus, Softplus, floating, common, "log(1 + e^a)")                             \
  F(mish, Mish, floating, common, "a tanh(log(1 + e^a))")

// Two operands.
#define WEFT_FOR_EACH_BINARY(F) \
  WEFT_FOR_EACH_PLAIN_BINARY(F) WEFT_FOR_EACH_POWER(F) WEFT_FOR_EACH_NEIGHBOR(F)

#define WEFT_FOR_EACH_PLAIN_BINARY(F)                                                        \
  F(add, Add, all, common, "a + b; integers wrap; bools are or-ed")                          \
  F(sub, Sub, numbers, common, "a - b; integers wrap")                                       \
  F(mul, Mul, all, common, "a * b; integers wrap; bools are and-ed")                         \
  F(div, Div, inexact, floating, "a / b; by zero as in IEEE 754")                            \
  F(maximum, Maximum, real, common, "the larger; NaN if either is; 0.0 is above -0.0")       \
  F(minimum, Minimum, real, common, "the smaller; NaN if either is; -0.0 is below 0.0")      \
  F(fmax, FMax, real, common, "the larger; the other one if one is NaN; 0.0 is above -0.0")  \
  F(fmin, FMin, real, common, "the smaller; the other one if one is NaN; -0.0 is below 0.0") \
  F(clamp_min, ClampMin, real_numbers, common, "a, but at least b; NaN if either is")        \
  F(clamp_max, ClampMax, real_numbers, common, "a, but at most b; NaN if either is")         \
  F(copysign, CopySign, floating, floating, "the magnitude of a with the sign of b")         \
  F(leaky_relu, LeakyRelu, floating, common, "a above 0, else a * b; b is the slope")        \
  F(bitwise_and, BitwiseAnd, integral, common, "a & b")                                      \
  F(bitwise_or, BitwiseOr, integral, common, "a | b")                                        \
  F(bitwise_xor, BitwiseXor, integral, common, "a ^ b")                                      \
  F(lshift, ShiftLeft, integers, common,                                                     \
    "a * 2^b, wrapped; 0 if b is below 0 or the width or more")                              \
  F(rshift, ShiftRight, integers, common,                                                    \
    "a / 2^b, rounded down; all sign if b is below 0 or the width or more")

#define WEFT_FOR_EACH_POWER(F)                                                          \
  F(pow, Pow, numbers, common, "a^b; NaN for a below 0 and b not whole; integers wrap") \
  F(atan2, Atan2, floating, floating, "the angle of the point (b, a), -pi to pi")       \
  F(hypot, Hypot, floating, floating, "sqrt(a^2 + b^2) without overflow on the way")    \
  F(xlogy, XLogY, floating, floating, "a log(b); 0 for a = 0, unless b is NaN")         \
  F(elu, Elu, floating, common, "a above 0, else b (e^a - 1)")                          \
  F(logaddexp, LogAddExp, floating, floating, "log(e^a + e^b) without overflow on the way")

// The numbers that a type has, one after the other.
#define WEFT_FOR_EACH_NEIGHBOR(F)             \
  F(nextafter, NextAfter, floating, floating, \
    "the next number of the type after a on the way to b; NaN if either is")

// Two operands, and the answer is yes or no.
#define WEFT_FOR_EACH_COMPARISON(F)                                                \
  F(eq, Equal, all, truth, "a == b; NaN equals nothing")                           \
  F(ne, NotEqual, all, truth, "a != b; NaN differs from everything")               \
  F(lt, Less, real, truth, "a < b; NaN is not ordered")                            \
  F(le, LessEqual, real, truth, "a <= b")                                          \
  F(gt, Greater, real, truth, "a > b")                                             \
  F(ge, GreaterEqual, real, truth, "a >= b")                                       \
  F(logical_and, LogicalAnd, all, truth, "a != 0 and b != 0; NaN counts as not 0") \
  F(logical_or, LogicalOr, all, truth, "a != 0 or b != 0")                         \
  F(logical_xor, LogicalXor, all, truth, "one of a and b is 0, the other not")

// Division with a whole quotient. Integers by zero: Error(division).
#define WEFT_FOR_EACH_DIVISION(F)                                                       \
  F(floor_divide, FloorDivide, real_numbers, common,                                    \
    "a / b rounded down; the least integer by -1 wraps")                                \
  F(fmod, FMod, real_numbers, common, "a - b * trunc(a / b), exact; has the sign of a") \
  F(remainder, Remainder, real_numbers, common,                                         \
    "a - b * floor(a / b); has the sign of b, or is fmod's zero")

// Three operands.
#define WEFT_FOR_EACH_TERNARY(F)                                                                \
  F(where, Where, all, chosen, "a ? b : c; a is bool")                                          \
  F(clamp, Clamp, real_numbers, common, "a, but at least b, and then at most c; NaN if any is") \
  F(lerp, Lerp, inexact, common, "a + c * (b - a), reckoned from the nearer end")               \
  F(muladd, MulAdd, all, common, "a * b + c, rounded twice; integers wrap")

// Three operands and a number: `value`, 1 if left out.
#define WEFT_FOR_EACH_SCALED(F)                                                                \
  F(addcmul, AddCMul, numbers, common, "a + value * b * c, from left to right; integers wrap") \
  F(addcdiv, AddCDiv, inexact, common, "a + value * b / c, from left to right")

namespace weft {
inline namespace v0 {

/// The type of a function's result.
enum class ResultRule : std::uint8_t {
  common,    ///< the common type of the inputs, in which the function is computed
  floating,  ///< the same, f32 standing in for integers and bool
  part,      ///< the same; of a complex type its real one
  truth,     ///< bool
  chosen,    ///< the common type of the second and third input; the first is bool
};

/// What a line of the table says.
struct FunctionInfo {
  const char* name;
  int inputs;
  Kinds kinds;  ///< of the types in which it is computed; others are Error(dtype)
  ResultRule result;
  const char* text;

  /// True if operands with a common type of this kind are taken.
  constexpr bool accepts(Kinds kind) const noexcept {
    const bool converts = result == ResultRule::floating;
    return ((converts ? kinds | kinds::integral : kinds) & kind) != 0;
  }
};

#define WEFT_ENUMERATOR(NAME, ...) NAME,
enum class UnaryOp : std::uint8_t { WEFT_FOR_EACH_UNARY(WEFT_ENUMERATOR) };
enum class BinaryOp : std::uint8_t { WEFT_FOR_EACH_BINARY(WEFT_ENUMERATOR) };
enum class CompareOp : std::uint8_t { WEFT_FOR_EACH_COMPARISON(WEFT_ENUMERATOR) };
enum class DivisionOp : std::uint8_t { WEFT_FOR_EACH_DIVISION(WEFT_ENUMERATOR) };
enum class TernaryOp : std::uint8_t { WEFT_FOR_EACH_TERNARY(WEFT_ENUMERATOR) };
enum class ScaledOp : std::uint8_t { WEFT_FOR_EACH_SCALED(WEFT_ENUMERATOR) };
#undef WEFT_ENUMERATOR

#define WEFT_INFO_1(NAME, FORMULA, KINDS, RESULT, TEXT) \
  {#NAME, 1, kinds::KINDS, ResultRule::RESULT, TEXT},
#define WEFT_INFO_2(NAME, FORMULA, KINDS, RESULT, TEXT) \
  {#NAME, 2, kinds::KINDS, ResultRule::RESULT, TEXT},
#define WEFT_INFO_3(NAME, FORMULA, KINDS, RESULT, TEXT) \
  {#NAME, 3, kinds::KINDS, ResultRule::RESULT, TEXT},
/// The lists as data, in the enumerators' order.
inline constexpr FunctionInfo unary_functions[] = {WEFT_FOR_EACH_UNARY(WEFT_INFO_1)};
inline constexpr FunctionInfo binary_functions[] = {WEFT_FOR_EACH_BINARY(WEFT_INFO_2)};
inline constexpr FunctionInfo compare_functions[] = {WEFT_FOR_EACH_COMPARISON(WEFT_INFO_2)};
inline constexpr FunctionInfo division_functions[] = {WEFT_FOR_EACH_DIVISION(WEFT_INFO_2)};
inline constexpr FunctionInfo ternary_functions[] = {WEFT_FOR_EACH_TERNARY(WEFT_INFO_3)};
inline constexpr FunctionInfo scaled_functions[] = {WEFT_FOR_EACH_SCALED(WEFT_INFO_3)};
#undef WEFT_INFO_1
#undef WEFT_INFO_2
#undef WEFT_INFO_3

constexpr const FunctionInfo& info(UnaryOp op) { return unary_functions[static_cast<int>(op)]; }
constexpr const FunctionInfo& info(BinaryOp op) { return binary_functions[static_cast<int>(op)]; }
constexpr const FunctionInfo& info(CompareOp op) { return compare_functions[static_cast<int>(op)]; }
constexpr const FunctionInfo& info(DivisionOp op) {
  return division_functions[static_cast<int>(op)];
}
constexpr const FunctionInfo& info(TernaryOp op) { return ternary_functions[static_cast<int>(op)]; }
constexpr const FunctionInfo& info(ScaledOp op) { return scaled_functions[static_cast<int>(op)]; }

}  // namespace v0
}  // namespace weft
