// SPDX-License-Identifier: Apache-2.0
// ONNX's cases of elementwise operators. Where an operator there means something else than the
// function of the same name here, the function below says what.
#include <weft/ops/binary.hpp>
#include <weft/ops/compare.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/division.hpp>
#include <weft/ops/ternary.hpp>
#include <weft/ops/unary.hpp>

#include "onnx_cases.hpp"
#include "support/catch.hpp"

namespace {

using test::check_onnx_cases;
using test::OnnxCall;
using test::OnnxOperators;
using test::Tensors;
using weft::Input;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

template <Tensor (*function)(const Input&)>
Tensors unary(const OnnxCall& call) {
  return {function(call.in(0))};
}
template <Tensor (*function)(const Input&, const Input&)>
Tensors binary(const OnnxCall& call) {
  return {function(call.in(0), call.in(1))};
}
/// function(function(a, b), c) ...
template <Tensor (*function)(const Input&, const Input&)>
Tensors folded(const OnnxCall& call) {
  Tensor result = weft::contiguous(call.in(0));
  for (std::size_t i = 1; i < call.count(); ++i)
    result = function(result, call.in(i));
  return {result};
}

Tensors identity(const OnnxCall& call) { return {weft::contiguous(call.in(0))}; }

/// Infinities of one sign only, if so asked.
Tensors is_inf(const OnnxCall& call) {
  const TensorView& x = call.in(0);
  const Tensor infinite = weft::isinf(x);
  const Tensor above = weft::logical_and(infinite, weft::gt(x, 0));
  const Tensor below = weft::logical_and(infinite, weft::lt(x, 0));
  if (call.integer("detect_negative", 1) == 0) return {above};
  return {call.integer("detect_positive", 1) == 0 ? below : infinite};
}

/// Any slope and offset; weft::hardsigmoid has 1/6 and 1/2, as PyTorch.
Tensors hard_sigmoid(const OnnxCall& call) {
  const double slope = call.number("alpha", 0.2);
  return {weft::clamp(weft::muladd(call.in(0), slope, call.number("beta", 0.5)), 0, 1)};
}

Tensors leaky_relu(const OnnxCall& call) {
  return {weft::leaky_relu(call.in(0), call.number("alpha", 0.01))};
}

/// The slope is a tensor.
Tensors prelu(const OnnxCall& call) { return {weft::leaky_relu(call.in(0), call.in(1))}; }

/// Towards zero by `bias` outside [-lambd, lambd], 0 inside.
Tensors shrink(const OnnxCall& call) {
  const TensorView& x = call.in(0);
  const double lambd = call.number("lambd", 0.5);
  const double bias = call.number("bias", 0);
  const Tensor above = weft::where(weft::gt(x, lambd), weft::sub(x, bias), 0);
  return {weft::where(weft::lt(x, -lambd), weft::add(x, bias), above)};
}

Tensors thresholded_relu(const OnnxCall& call) {
  const TensorView& x = call.in(0);
  return {weft::where(weft::gt(x, call.number("alpha", 1)), x, 0)};
}

/// Of integers it drops the fraction; weft::div gives f32 then, weft::floor_divide rounds down.
Tensors truncated_div(const OnnxCall& call) {
  const TensorView &a = call.in(0), &b = call.in(1);
  if (weft::is_floating(a.dtype())) return {weft::div(a, b)};
  return {weft::floor_divide(weft::sub(a, weft::fmod(a, b)), b)};
}

/// With the divisor's sign, as Python's %, unless fmod=1 asks for C's.
Tensors mod(const OnnxCall& call) {
  const bool as_in_c = call.integer("fmod", 0) != 0;
  return {as_in_c ? weft::fmod(call.in(0), call.in(1)) : weft::remainder(call.in(0), call.in(1))};
}

Tensors bit_shift(const OnnxCall& call) {
  const bool left = call.string("direction", "") == "LEFT";
  return {left ? weft::lshift(call.in(0), call.in(1)) : weft::rshift(call.in(0), call.in(1))};
}

/// Either bound may be left out.
Tensors clip(const OnnxCall& call) {
  Tensor result = weft::contiguous(call.in(0));
  if (call.has(1)) result = weft::clamp_min(result, call.in(1));
  if (call.has(2)) result = weft::clamp_max(result, call.in(2));
  return {result};
}

Tensors mean(const OnnxCall& call) {
  return {weft::div(folded<weft::add>(call)[0], static_cast<double>(call.count()))};
}

/// In the type of the base, whatever that of the exponent.
Tensors power(const OnnxCall& call) {
  const Tensor result = weft::pow(call.in(0), call.in(1));
  return {weft::contiguous(result, call.in(0).dtype())};
}

/// With a scale inside the exponential, too.
Tensors celu(const OnnxCall& call) {
  const TensorView& x = call.in(0);
  const double alpha = call.number("alpha", 1);
  const Tensor below = weft::mul(weft::expm1(weft::div(x, alpha)), alpha);
  return {weft::where(weft::gt(x, 0), x, below)};
}

Tensors elu(const OnnxCall& call) { return {weft::elu(call.in(0), call.number("alpha", 1))}; }

/// weft::selu has the scales of the default only.
Tensors selu(const OnnxCall& call) {
  if (call.attribute("alpha") == nullptr) return {weft::selu(call.in(0))};
  return {weft::mul(weft::elu(call.in(0), call.number("alpha", 0)), call.number("gamma", 0))};
}

Tensors where(const OnnxCall& call) { return {weft::where(call.in(0), call.in(1), call.in(2))}; }

}  // namespace

TEST_CASE("ONNX: unary operators") {
  const OnnxOperators operators = {
      {"Abs", unary<weft::abs>},
      {"Acos", unary<weft::acos>},
      {"Acosh", unary<weft::acosh>},
      {"Asin", unary<weft::asin>},
      {"Asinh", unary<weft::asinh>},
      {"Atan", unary<weft::atan>},
      {"Atanh", unary<weft::atanh>},
      {"Ceil", unary<weft::ceil>},
      {"Celu", celu},
      {"Cos", unary<weft::cos>},
      {"Cosh", unary<weft::cosh>},
      {"Elu", elu},
      {"Erf", unary<weft::erf>},
      {"Exp", unary<weft::exp>},
      {"Floor", unary<weft::floor>},
      {"HardSigmoid", hard_sigmoid},
      {"HardSwish", unary<weft::hardswish>},
      {"Identity", identity},
      {"IsInf", is_inf},
      {"IsNaN", unary<weft::isnan>},
      {"LeakyRelu", leaky_relu},
      {"Log", unary<weft::log>},
      {"Neg", unary<weft::neg>},
      {"Not", unary<weft::logical_not>},
      {"Reciprocal", unary<weft::reciprocal>},
      {"Relu", unary<weft::relu>},
      {"Round", unary<weft::round>},
      {"Selu", selu},
      {"Shrink", shrink},
      {"Sigmoid", unary<weft::sigmoid>},
      {"Sign", unary<weft::sign>},
      {"Sin", unary<weft::sin>},
      {"Sinh", unary<weft::sinh>},
      {"Softplus", unary<weft::softplus>},
      {"Softsign", unary<weft::softsign>},
      {"Sqrt", unary<weft::sqrt>},
      {"Tan", unary<weft::tan>},
      {"Tanh", unary<weft::tanh>},
      {"ThresholdedRelu", thresholded_relu},
  };
  check_onnx_cases("unary", operators, {}, true);
}

TEST_CASE("ONNX: operators of several inputs") {
  const OnnxOperators operators = {
      {"Add", binary<weft::add>},
      {"And", binary<weft::logical_and>},
      {"BitShift", bit_shift},
      {"Clip", clip},
      {"Div", truncated_div},
      {"Equal", binary<weft::eq>},
      {"Greater", binary<weft::gt>},
      {"GreaterOrEqual", binary<weft::ge>},
      {"Less", binary<weft::lt>},
      {"LessOrEqual", binary<weft::le>},
      {"Max", folded<weft::maximum>},
      {"Mean", mean},
      {"Min", folded<weft::minimum>},
      {"Mod", mod},
      {"Mul", binary<weft::mul>},
      {"Or", binary<weft::logical_or>},
      {"Pow", power},
      {"PRelu", prelu},
      {"Sub", binary<weft::sub>},
      {"Sum", folded<weft::add>},
      {"Where", where},
      {"Xor", binary<weft::logical_xor>},
  };
  check_onnx_cases("nary", operators, {}, true);
}
