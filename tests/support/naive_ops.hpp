// SPDX-License-Identifier: Apache-2.0
/// @file
/// What the operations mean for single elements, by the rules of the language and of IEEE 754, and
/// which element type comes out. Nothing of weft's kernels is used.
#pragma once

#include <weft/core/promotion.hpp>

#include "support/element.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <iterator>
#include <type_traits>

namespace test {

enum class Binary { add, sub, mul, div };
enum class Compare { eq, ne, lt, le, gt, ge };

/// 0 bool, 1 integer, 2 floating, 3 complex.
inline int kind_of(weft::ScalarType type) {
  if (type == weft::ScalarType::boolean) return 0;
  if (weft::is_integer(type)) return 1;
  return weft::is_floating(type) ? 2 : 3;
}

/// A type with integers and bools replaced by f32.
inline weft::ScalarType floating_type(weft::ScalarType type) {
  return kind_of(type) < 2 ? weft::ScalarType::f32 : type;
}

/// The type of `strong` together with a number of the language, or a 0-d tensor against one with
/// axes: the weaker one counts only if its kind is higher. A number's own width never counts.
inline weft::ScalarType with_weaker(weft::ScalarType strong, weft::ScalarType weak, bool number) {
  if (kind_of(weak) <= kind_of(strong)) return strong;
  if (number && kind_of(weak) == 2) return weft::ScalarType::f32;
  if (kind_of(weak) < 3) return weak;
  if (kind_of(strong) == 2) {
    return strong == weft::ScalarType::f64 ? weft::ScalarType::c128 : weft::ScalarType::c64;
  }
  return number ? weft::ScalarType::c64 : weak;
}

/// a op b in one type. Integers wrap; bools are or-ed and and-ed.
template <class T>
T binary_value(Binary op, T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return op == Binary::mul ? a && b : a || b;
  } else if constexpr (std::is_integral_v<T>) {
    const auto x = static_cast<std::uint64_t>(a);
    const auto y = static_cast<std::uint64_t>(b);
    return static_cast<T>(op == Binary::add ? x + y : op == Binary::sub ? x - y : x * y);
  } else if constexpr (weft::is_half_type<T>) {
    return T(binary_value<float>(op, static_cast<float>(a), static_cast<float>(b)));
  } else if constexpr (weft::is_complex_type<T>) {
    using Part = typename T::value_type;
    const Part ar = a.real(), ai = a.imag(), br = b.real(), bi = b.imag();
    if (op == Binary::add) return T(ar + br, ai + bi);
    if (op == Binary::sub) return T(ar - br, ai - bi);
    return T(ar * br - ai * bi, ar * bi + ai * br);
  } else {
    switch (op) {
      case Binary::add: return a + b;
      case Binary::sub: return a - b;
      case Binary::mul: return a * b;
      case Binary::div: return a / b;
    }
    return a;
  }
}

/// The same for elements of `type`. Complex division has a test of its own.
inline void naive_binary(Binary op, weft::ScalarType type, const void* a, const void* b,
                         void* out) {
  weft::dispatch_all_types(
      type, [&]<class T>() { store(out, binary_value<T>(op, load<T>(a), load<T>(b))); });
}

template <class T>
bool compare_value(Compare op, T a, T b) {
  if constexpr (weft::is_complex_type<T>) {
    return (a.real() == b.real() && a.imag() == b.imag()) == (op == Compare::eq);
  } else {
    switch (op) {
      case Compare::eq: return a == b;
      case Compare::ne: return a != b;
      case Compare::lt: return a < b;
      case Compare::le: return a <= b;
      case Compare::gt: return a > b;
      case Compare::ge: return a >= b;
    }
    return false;
  }
}

inline bool naive_compare(Compare op, weft::ScalarType type, const void* a, const void* b) {
  return weft::dispatch_all_types(type, [&]<class T>() {
    if constexpr (weft::is_half_type<T>) {
      return compare_value<float>(op, load<T>(a), load<T>(b));
    } else {
      return compare_value<T>(op, load<T>(a), load<T>(b));
    }
  });
}

/// Room for one element of any type.
struct alignas(16) AnyElement {
  unsigned char bytes[16] = {};

  /// Of an integer or bool, whose other bytes stay 0.
  bool is_zero() const {
    return std::all_of(std::begin(bytes), std::end(bytes), [](unsigned char b) { return b == 0; });
  }
};

inline AnyElement as_type(weft::ScalarType to, weft::ScalarType from, const void* value) {
  AnyElement result;
  convert_element(to, result.bytes, from, value);
  return result;
}

}  // namespace test
