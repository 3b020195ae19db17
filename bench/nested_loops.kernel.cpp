// SPDX-License-Identifier: Apache-2.0
#include "nested_loops.hpp"

#include <cstdint>

namespace bench {
namespace {

using weft::ScalarType;

/// Two doubles, moved and added as a whole.
struct Pair {
  double re, im;
  friend Pair operator+(const Pair& a, const Pair& b) { return {a.re + b.re, a.im + b.im}; }
  friend Pair operator-(const Pair& a) { return {-a.re, -a.im}; }
};

template <LoopOp op, class Out, class In>
Out element(const char* const* in, std::int64_t i, const std::int64_t* steps) {
  const auto at = [&](int k) -> const In& {
    return *reinterpret_cast<const In*>(in[k] + i * steps[k + 1]);
  };
  if constexpr (op == LoopOp::add) {
    return static_cast<Out>(at(0) + at(1));
  } else if constexpr (op == LoopOp::neg) {
    return static_cast<Out>(-at(0));
  } else if constexpr (op == LoopOp::where) {
    return *(in[0] + i * steps[1]) != 0 ? at(1) : at(2);
  } else {
    return static_cast<Out>(at(0));
  }
}

/// One row; with steps that the compiler knows where elements follow each other.
template <LoopOp op, class Out, class In>
void run_row(std::int64_t n, const std::int64_t* steps, int operands, char* const* data) {
  const char* in[3];
  for (int k = 1; k < operands; ++k)
    in[k - 1] = data[k];
  char* const out = data[0];
  constexpr std::int64_t first = op == LoopOp::where ? 1 : static_cast<std::int64_t>(sizeof(In));
  constexpr std::int64_t dense[] = {sizeof(Out), first, sizeof(In), sizeof(In)};
  bool is_dense = true;
  for (int k = 0; k < operands; ++k)
    is_dense = is_dense && steps[k] == dense[k];
  if (is_dense) {
    for (std::int64_t i = 0; i < n; ++i)
      reinterpret_cast<Out*>(out)[i] = element<op, Out, In>(in, i, dense);
  } else {
    for (std::int64_t i = 0; i < n; ++i)
      *reinterpret_cast<Out*>(out + i * steps[0]) = element<op, Out, In>(in, i, steps);
  }
}

template <LoopOp op, class Out, class In>
bool run(int ndim, const std::int64_t* extents, const std::int64_t* strides, int operands,
         char* const* data) {
  if (ndim <= 1) {
    run_row<op, Out, In>(extents[0], strides, operands, data);
    return true;
  }
  char* at[4];
  for (int k = 0; k < operands; ++k)
    at[k] = data[k];
  const std::int64_t* const steps = strides + (ndim - 1) * operands;
  for (std::int64_t i = 0; i < extents[ndim - 1]; ++i) {
    run<op, Out, In>(ndim - 1, extents, strides, operands, at);
    for (int k = 0; k < operands; ++k)
      at[k] += steps[k];
  }
  return true;
}

template <class Out, class In>
bool run_op(LoopOp op, int ndim, const std::int64_t* extents, const std::int64_t* strides,
            int operands, char* const* data) {
  switch (op) {
    case LoopOp::add: return run<LoopOp::add, Out, In>(ndim, extents, strides, operands, data);
    case LoopOp::neg: return run<LoopOp::neg, Out, In>(ndim, extents, strides, operands, data);
    case LoopOp::where: return run<LoopOp::where, Out, In>(ndim, extents, strides, operands, data);
    case LoopOp::copy: return run<LoopOp::copy, Out, In>(ndim, extents, strides, operands, data);
  }
  return false;
}

}  // namespace

bool WEFT_KERNEL(nested_loops)(LoopOp op, const ScalarType* types, int ndim,
                               const std::int64_t* extents, const std::int64_t* strides,
                               int operands, char* const* data) {
  const auto convert = [&]<class Out, class In>() {
    return run<LoopOp::copy, Out, In>(ndim, extents, strides, operands, data);
  };
  const auto same = [&]<class T>() {
    return run_op<T, T>(op, ndim, extents, strides, operands, data);
  };
  const ScalarType to = types[0], from = types[1];
  if (to != from) {
    if (op != LoopOp::copy) return false;
    if (to == ScalarType::f32 && from == ScalarType::u8)
      return convert.template operator()<float, std::uint8_t>();
    if (to == ScalarType::f64 && from == ScalarType::f32)
      return convert.template operator()<double, float>();
    if (to == ScalarType::f32 && from == ScalarType::i32)
      return convert.template operator()<float, std::int32_t>();
    if (to == ScalarType::i64 && from == ScalarType::i16)
      return convert.template operator()<std::int64_t, std::int16_t>();
    return false;
  }
  switch (to) {
    case ScalarType::u8: return same.template operator()<std::uint8_t>();
    case ScalarType::i16: return same.template operator()<std::int16_t>();
    case ScalarType::f32: return same.template operator()<float>();
    case ScalarType::f64: return same.template operator()<double>();
    case ScalarType::c128: return same.template operator()<Pair>();
    default: return false;
  }
}

}  // namespace bench
