// SPDX-License-Identifier: Apache-2.0
#include "support/naive_functions.hpp"

namespace test {

weft::ScalarType result_type(const weft::FunctionInfo& function, weft::ScalarType common) {
  switch (function.result) {
    case weft::ResultRule::truth: return weft::ScalarType::boolean;
    case weft::ResultRule::floating: return floating_type(common);
    case weft::ResultRule::part:
      if (common == weft::ScalarType::c64) return weft::ScalarType::f32;
      return common == weft::ScalarType::c128 ? weft::ScalarType::f64 : common;
    default: return common;
  }
}

weft::ScalarType common_type(const weft::FunctionInfo& function,
                             const std::vector<weft::ScalarType>& types) {
  std::size_t first = function.result == weft::ResultRule::chosen ? 1 : 0;
  weft::ScalarType common = types[first];
  while (++first < types.size())
    common = weft::promote_types(common, types[first]);
  return common;
}

void naive(weft::UnaryOp op, weft::ScalarType type, const void* const* in, void* out) {
  using Op = weft::UnaryOp;
  weft::dispatch_all_types(type, [&]<class T>() {
    if (weft::info(op).result == weft::ResultRule::truth) {
      compute<T>([&](auto a) { return unary_truth(op, a); }, out, in[0]);
    } else if constexpr (weft::is_complex_type<T>) {
      const T a = load<T>(in[0]);
      if (op == Op::real || op == Op::imag) return store(out, op == Op::real ? a.real() : a.imag());
      store(out, unary_value(op, a));
    } else {
      compute<T>([&](auto a) { return unary_value(op, a); }, out, in[0]);
    }
  });
}

void naive(weft::BinaryOp op, weft::ScalarType type, const void* const* in, void* out) {
  weft::dispatch_all_types(type, [&]<class T>() {
    if constexpr (weft::is_half_type<T>) {
      if (op == weft::BinaryOp::nextafter)
        return store(out, next_half(load<T>(in[0]), load<T>(in[1])));
    }
    compute<T>([&](auto a, auto b) { return binary_function_value(op, a, b); }, out, in[0], in[1]);
  });
}

void naive(weft::CompareOp op, weft::ScalarType type, const void* const* in, void* out) {
  weft::dispatch_all_types(type, [&]<class T>() {
    compute<T>([&](auto a, auto b) { return compare_function_value(op, a, b); }, out, in[0], in[1]);
  });
}

void naive(weft::DivisionOp op, weft::ScalarType type, const void* const* in, void* out) {
  weft::dispatch_all_types(type, [&]<class T>() {
    compute<T>([&](auto a, auto b) { return division_value(op, a, b); }, out, in[0], in[1]);
  });
}

void naive(weft::TernaryOp op, weft::ScalarType type, const void* const* in, void* out) {
  weft::dispatch_all_types(type, [&]<class T>() {
    if (op == weft::TernaryOp::where) return store(out, load<T>(in[load<bool>(in[0]) ? 1 : 2]));
    compute<T>([&](auto a, auto b, auto c) { return ternary_value(op, a, b, c); }, out, in[0],
               in[1], in[2]);
  });
}

void naive(weft::ScaledOp op, std::int64_t value, weft::ScalarType type, const void* const* in,
           void* out) {
  weft::dispatch_all_types(type, [&]<class T>() {
    const auto f = [&](auto a, auto b, auto c) {
      using V = decltype(a);
      return scaled_value(op, a, b, c, weft::cast<V>(value));
    };
    compute<T>(f, out, in[0], in[1], in[2]);
  });
}

}  // namespace test
