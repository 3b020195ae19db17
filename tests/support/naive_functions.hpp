// SPDX-License-Identifier: Apache-2.0
/// @file
/// What the functions of the table mean for single elements, by the rules of the language and of
/// IEEE 754. Nothing of weft's kernels is used.
#pragma once

#include <weft/ops/function_table.hpp>

#include "support/naive_math.hpp"
#include "support/naive_ops.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace test {

// Holds every value of every integer type, and their products and quotients.
__extension__ typedef __int128 Wide;

/// The type in which a function of inputs with this common type gives its result.
weft::ScalarType result_type(const weft::FunctionInfo& function, weft::ScalarType common);

/// The common type of inputs of these types that all have axes.
weft::ScalarType common_type(const weft::FunctionInfo& function,
                             const std::vector<weft::ScalarType>& types);

template <class T>
inline constexpr bool is_whole = std::is_integral_v<T> && !std::is_same_v<T, bool>;

template <class T>
bool is_true(T a) {
  return !(a == T(0));
}

template <class T>
T unary_value(weft::UnaryOp op, T a) {
  using Op = weft::UnaryOp;
  using std::abs;
  if constexpr (std::is_same_v<T, bool>) {
    return op == Op::bitwise_not ? !a : a;  // sign, conj, real
  } else if constexpr (std::is_integral_v<T>) {
    switch (op) {
      case Op::neg: return static_cast<T>(-static_cast<Wide>(a));
      case Op::abs: return static_cast<T>(a < 0 ? -static_cast<Wide>(a) : a);
      case Op::sign: return static_cast<T>((a > 0) - (a < 0));
      case Op::square:
        return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(a));
      case Op::relu: return std::max(a, T(0));
      case Op::bitwise_not: return static_cast<T>(-1 - static_cast<Wide>(a));
      default: return a;  // rounding, conj, real
    }
  } else if constexpr (weft::is_complex_type<T>) {
    const auto re = a.real(), im = a.imag();
    switch (op) {
      case Op::neg: return T(-re, -im);
      case Op::square: return T(re * re - im * im, re * im + im * re);
      case Op::conj: return T(re, -im);
      default: return a;
    }
  } else {
    if (const auto value = naive_math<Wider<T>>(op, a)) return static_cast<T>(*value);
    const auto six = [](T x) { return std::isnan(x) ? x : std::min(std::max(x + 3, T(0)), T(6)); };
    switch (op) {
      case Op::neg: return -a;
      case Op::abs: return std::fabs(a);
      case Op::sign: return a > 0 ? T(1) : a < 0 ? T(-1) : T(0);
      case Op::square: return a * a;
      case Op::sqrt: return std::sqrt(a);
      case Op::rsqrt: return T(1) / std::sqrt(a);
      case Op::reciprocal: return T(1) / a;
      case Op::floor: return std::floor(a);
      case Op::ceil: return std::ceil(a);
      case Op::trunc: return std::trunc(a);
      case Op::round: return std::nearbyint(a);
      case Op::frac: return a - std::trunc(a);
      case Op::relu: return std::isnan(a) || a > 0 ? a : T(0);
      case Op::hardsigmoid: return six(a) / 6;
      case Op::hardswish: return a * six(a) / 6;
      default: return a;  // conj, real
    }
  }
}

template <class T>
bool unary_truth(weft::UnaryOp op, T a) {
  using Op = weft::UnaryOp;
  if (op == Op::logical_not) return !is_true(a);
  if constexpr (std::is_integral_v<T>) {
    return op == Op::isfinite || (op == Op::signbit && std::is_signed_v<T> && a < T(0));
  } else if constexpr (weft::is_complex_type<T>) {
    const bool re = unary_truth(op, a.real()), im = unary_truth(op, a.imag());
    return op == Op::isfinite ? re && im : re || im;
  } else {
    switch (op) {
      case Op::isnan: return std::isnan(a);
      case Op::isinf: return std::isinf(a);
      case Op::isfinite: return std::isfinite(a);
      default: return std::signbit(a);
    }
  }
}

/// The larger if `sign` is 1, the smaller if it is -1; zeros ordered by their signs.
template <class T>
T extreme(int sign, T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a == 0 && b == 0) return std::signbit(a) == (sign > 0) ? b : a;
  }
  return (a > b) == (sign > 0) ? a : b;
}

/// a^b modulo 2^bits; for b below 0 the whole part of 1 / a^-b, and 0 of 0.
template <class T>
T whole_power(T a, T b) {
  const Wide x = a, y = b;
  if (y < 0) return x == 1 || (x == -1 && y % 2 == 0) ? T(1) : x == -1 ? T(-1) : T(0);
  constexpr int bits = 8 * sizeof(T);
  std::uint64_t power = 1, square = static_cast<std::uint64_t>(x);
  for (int i = 0; i < bits; ++i) {  // from the least bit of y
    if ((y >> i) % 2 != 0) power *= square;
    square *= square;
  }
  return static_cast<T>(power);
}

template <class T>
T binary_function_value(weft::BinaryOp op, T a, T b) {
  using Op = weft::BinaryOp;
  if constexpr (std::is_floating_point_v<T>) {
    using W = Wider<T>;
    if (const auto value = naive_math<W>(op, a, b)) return static_cast<T>(*value);
    const bool nan = std::isnan(a) || std::isnan(b);
    switch (op) {
      case Op::maximum: return nan ? a + b : extreme(1, a, b);
      case Op::minimum: return nan ? a + b : extreme(-1, a, b);
      case Op::fmax: return std::isnan(a) ? b : std::isnan(b) ? a : extreme(1, a, b);
      case Op::fmin: return std::isnan(a) ? b : std::isnan(b) ? a : extreme(-1, a, b);
      case Op::clamp_min: return nan ? a + b : a < b ? b : a;
      case Op::clamp_max: return nan ? a + b : a > b ? b : a;
      case Op::copysign: return std::copysign(a, b);
      case Op::nextafter: return std::nextafter(a, b);
      case Op::leaky_relu: return a > 0 ? a : a * b;
      default: break;
    }
  }
  if constexpr (std::is_integral_v<T>) {
    constexpr int bits = 8 * sizeof(T);
    switch (op) {
      case Op::maximum:
      case Op::fmax:
      case Op::clamp_min: return extreme(1, a, b);
      case Op::minimum:
      case Op::fmin:
      case Op::clamp_max: return extreme(-1, a, b);
      case Op::bitwise_and: return static_cast<T>(a & b);
      case Op::bitwise_or: return static_cast<T>(a | b);
      case Op::bitwise_xor: return static_cast<T>(a ^ b);
      // The shifts as arithmetic on numbers of any size.
      case Op::lshift:
        return b < T(0) || static_cast<Wide>(b) >= bits
                   ? T(0)
                   : static_cast<T>(static_cast<Wide>(a) * (static_cast<Wide>(1) << b));
      case Op::rshift: {
        if (b < T(0) || static_cast<Wide>(b) >= bits) return a < T(0) ? static_cast<T>(-1) : T(0);
        const Wide power = static_cast<Wide>(1) << b;
        return static_cast<T>((a - ((a % power) + power) % power) / power);
      }
      case Op::pow: return whole_power(a, b);
      default: break;
    }
  }
  const Binary plain = op == Op::add   ? Binary::add
                       : op == Op::sub ? Binary::sub
                       : op == Op::mul ? Binary::mul
                                       : Binary::div;
  return binary_value<T>(plain, a, b);
}

/// The same of f16 and bf16: of a's neighbours in the order of bits, and those of 0, the one on the
/// way to b that is nearest to a.
template <class Half>
Half next_half(Half a, Half b) {
  const auto value = [](Half x) { return static_cast<float>(x); };
  if (std::isnan(value(a)) || std::isnan(value(b))) return Half(value(a) + value(b));
  if (value(a) == value(b)) return b;
  const auto bits = std::bit_cast<std::uint16_t>(a);
  Half next = b;
  for (const int other : {bits + 1, bits - 1, 1, 0x8001}) {
    const Half x = Half::from_bits(static_cast<std::uint16_t>(other));
    const bool up = value(a) < value(x) && value(x) <= value(next);
    const bool down = value(a) > value(x) && value(x) >= value(next);
    if (up || down) next = x;
  }
  return next;
}

template <class T>
bool compare_function_value(weft::CompareOp op, T a, T b) {
  using Op = weft::CompareOp;
  switch (op) {
    case Op::logical_and: return is_true(a) && is_true(b);
    case Op::logical_or: return is_true(a) || is_true(b);
    case Op::logical_xor: return is_true(a) != is_true(b);
    default: return compare_value<T>(static_cast<Compare>(op), a, b);  // of the same order
  }
}

/// Division of integers by 0 is as if by 1.
template <class T>
T division_value(weft::DivisionOp op, T a, T b) {
  using Op = weft::DivisionOp;
  if constexpr (is_whole<T>) {
    const Wide x = a, y = b == 0 ? 1 : static_cast<Wide>(b);
    const Wide rest = x % y;
    const Wide down = rest != 0 && (rest < 0) != (y < 0) ? 1 : 0;
    if (op == Op::fmod) return static_cast<T>(rest);
    return static_cast<T>(op == Op::remainder ? rest + down * y : x / y - down);
  } else if constexpr (std::is_floating_point_v<T>) {
    const T rest = std::fmod(a, b);
    if (op == Op::fmod) return rest;
    const bool other_side = rest != 0 && (rest < 0) != (b < 0);
    if (op == Op::remainder) return other_side ? rest + b : rest;
    if (b == 0) return a / b;
    T quotient = (a - rest) / b;
    if (other_side) quotient -= 1;
    if (quotient == 0) return std::copysign(T(0), a / b);
    const T below = std::floor(quotient);
    return quotient - below > T(0.5) ? below + 1 : below;
  } else {
    return a;
  }
}

template <class T>
T ternary_value(weft::TernaryOp op, T a, T b, T c) {
  using Op = weft::TernaryOp;
  const auto plus = [](T x, T y) { return binary_value<T>(Binary::add, x, y); };
  const auto minus = [](T x, T y) { return binary_value<T>(Binary::sub, x, y); };
  const auto times = [](T x, T y) { return binary_value<T>(Binary::mul, x, y); };
  if (op == Op::muladd) return plus(times(a, b), c);
  if constexpr (!weft::is_complex_type<T>) {
    if (op == Op::clamp) {
      if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(a) || std::isnan(b) || std::isnan(c))
          return std::numeric_limits<T>::quiet_NaN();
      }
      const T low = a < b ? b : a;
      return low > c ? c : low;
    }
  }
  const T way = minus(b, a);
  using std::norm;
  const bool near_a = [&] {
    if constexpr (weft::is_complex_type<T>) return norm(c) < typename T::value_type(0.25);
    if constexpr (std::is_floating_point_v<T>) return std::fabs(c) < T(0.5);
    return true;
  }();
  return near_a ? plus(a, times(c, way)) : minus(b, times(way, minus(T(1), c)));
}

template <class T>
T scaled_value(weft::ScaledOp op, T a, T b, T c, T value) {
  const T scaled = binary_value<T>(Binary::mul, value, b);
  const Binary by = op == weft::ScaledOp::addcmul ? Binary::mul : Binary::div;
  return binary_value<T>(Binary::add, a, binary_value<T>(by, scaled, c));
}

/// f for elements of type T, of which the 16-bit floating types are computed in f32.
template <class T, class F, class... In>
void compute(F f, void* out, const In*... in) {
  if constexpr (weft::is_half_type<T>) {
    const auto value = f(static_cast<float>(load<T>(in))...);
    if constexpr (std::is_same_v<decltype(value), const bool>) {
      store(out, value);
    } else {
      store(out, T(value));
    }
  } else {
    store(out, f(load<T>(in)...));
  }
}

// The functions for elements of `type`, which is theirs together; the result is of result_type().

void naive(weft::UnaryOp op, weft::ScalarType type, const void* const* in, void* out);
void naive(weft::BinaryOp op, weft::ScalarType type, const void* const* in, void* out);
void naive(weft::CompareOp op, weft::ScalarType type, const void* const* in, void* out);
void naive(weft::DivisionOp op, weft::ScalarType type, const void* const* in, void* out);
void naive(weft::TernaryOp op, weft::ScalarType type, const void* const* in, void* out);
void naive(weft::ScaledOp op, std::int64_t value, weft::ScalarType type, const void* const* in,
           void* out);

}  // namespace test
