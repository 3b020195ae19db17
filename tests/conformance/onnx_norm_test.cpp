// SPDX-License-Identifier: Apache-2.0
// ONNX's cases of softmax, normalisation and quantisation, composed of reductions and elementwise
// functions.
#include <weft/core/views.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/creation.hpp>
#include <weft/ops/indexing.hpp>
#include <weft/ops/reduce.hpp>
#include <weft/ops/softmax.hpp>
#include <weft/ops/ternary.hpp>
#include <weft/ops/unary.hpp>

#include "onnx_cases.hpp"
#include "support/catch.hpp"

namespace {

using test::OnnxCall;
using test::Tensors;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;
using Dims = std::vector<std::int64_t>;

/// Up to version 12 softmax took all axes from one on together; no such case is here.
Tensors softmax(const OnnxCall& call) {
  return {weft::softmax(call.in(0), call.integer("axis", -1))};
}
Tensors log_softmax(const OnnxCall& call) {
  return {weft::log_softmax(call.in(0), call.integer("axis", -1))};
}

/// 1 at the first of the largest, else 0.
Tensors hardmax(const OnnxCall& call) {
  const std::int64_t axis = call.integer("axis", -1);
  const Tensor places = weft::argmax(call.in(0), axis, true);
  return {weft::scatter(Tensor::zeros(call.in(0).shape(), call.in(0).dtype()), axis, places, 1)};
}

/// Mean and mean square distance from it over some axes, which keep extent 1.
struct Moments {
  Moments(const TensorView& a, const Dims& axes) {
    std::int64_t count = 1;
    for (const std::int64_t axis : axes)
      count *= a.extent(axis);
    mean = weft::div(weft::sum(a, axes, {.keepdim = true}), count);
    const Tensor squares = weft::square(weft::sub(a, mean));
    variance = weft::div(weft::sum(squares, axes, {.keepdim = true}), count);
  }
  Tensor mean, variance;
};

Tensor standardized(const TensorView& a, const TensorView& mean, const TensorView& variance,
                    double epsilon) {
  return weft::mul(weft::sub(a, mean), weft::rsqrt(weft::add(variance, epsilon)));
}

/// A vector of one element per channel, beside the channels' axis 1.
TensorView per_channel(const TensorView& vector, const TensorView& of) {
  TensorView view = vector;
  for (int i = 2; i < of.rank(); ++i)
    view = view.unsqueeze(view.rank());
  return view;
}

Dims axes_from(int first, int rank) {
  Dims axes;
  for (int axis = first; axis < rank; ++axis)
    axes.push_back(axis);
  return axes;
}

/// Also gives the mean, and one over the standard deviation.
Tensors layer_normalization(const OnnxCall& call) {
  const TensorView& a = call.in(0);
  const int first = weft::normalize_axis(call.integer("axis", -1), a.rank());
  const Moments moments(a, axes_from(first, a.rank()));
  const double epsilon = call.number("epsilon", 1e-5);
  const Tensor normal = standardized(a, moments.mean, moments.variance, epsilon);
  return {weft::muladd(normal, call.in(1), call.in(2)), moments.mean,
          weft::rsqrt(weft::add(moments.variance, epsilon))};
}

Tensors instance_normalization(const OnnxCall& call) {
  const TensorView& a = call.in(0);
  const Moments moments(a, axes_from(2, a.rank()));
  const Tensor normal =
      standardized(a, moments.mean, moments.variance, call.number("epsilon", 1e-5));
  return {weft::muladd(normal, per_channel(call.in(1), a), per_channel(call.in(2), a))};
}

/// In training by the batch's own moments, which then go into the running ones.
Tensors batch_normalization(const OnnxCall& call) {
  const TensorView& a = call.in(0);
  const bool trains = call.integer("training_mode", 0) != 0;
  const double epsilon = call.number("epsilon", 1e-5), momentum = call.number("momentum", 0.9);
  const TensorView scale = per_channel(call.in(1), a), bias = per_channel(call.in(2), a);
  if (!trains) {
    const Tensor normal =
        standardized(a, per_channel(call.in(3), a), per_channel(call.in(4), a), epsilon);
    return {weft::muladd(normal, scale, bias)};
  }
  Dims axes = axes_from(2, a.rank());
  axes.insert(axes.begin(), 0);
  const Moments moments(a, axes);
  const Tensor normal = standardized(a, moments.mean, moments.variance, epsilon);
  const auto running = [&](const TensorView& before, const TensorView& now) {
    return weft::lerp(now.squeeze(), before, momentum);
  };
  return {weft::muladd(normal, scale, bias), running(call.in(3), moments.mean),
          running(call.in(4), moments.variance)};
}

/// Over batch and places, channel by channel.
Tensors mean_variance_normalization(const OnnxCall& call) {
  Dims axes = {0, 2, 3};
  if (const test::Json* given = call.attribute("axes")) axes = given->integers();
  const Moments moments(call.in(0), axes);
  return {standardized(call.in(0), moments.mean, moments.variance, 0)};
}

/// Scales and zero points of one element, or of one per channel.
TensorView spread(const TensorView& parameter, const TensorView& of) {
  return parameter.rank() == 1 ? per_channel(parameter, of) : parameter;
}
/// Rounded to even; conversion to u8 saturates.
Tensor quantized(const TensorView& a, const TensorView& scale, const TensorView& zero) {
  return weft::contiguous(weft::add(weft::round(weft::div(a, scale)), zero), zero.dtype());
}
Tensors quantize_linear(const OnnxCall& call) {
  const TensorView& a = call.in(0);
  return {quantized(a, spread(call.in(1), a), spread(call.in(2), a))};
}
Tensors dequantize_linear(const OnnxCall& call) {
  const TensorView& a = call.in(0);
  const Tensor whole = weft::contiguous(a, ScalarType::f32);
  return {weft::mul(weft::sub(whole, spread(call.in(2), a)), spread(call.in(1), a))};
}
/// Into u8, the range being made to hold 0.
Tensors dynamic_quantize_linear(const OnnxCall& call) {
  const TensorView& a = call.in(0);
  const Tensor most = weft::maximum(weft::amax(a), 0);
  const Tensor least = weft::minimum(weft::neg(weft::amax(weft::neg(a))), 0);
  const Tensor scale = weft::div(weft::sub(most, least), 255);
  const Tensor zero =
      weft::contiguous(weft::round(weft::div(weft::neg(least), scale)), ScalarType::u8);
  return {quantized(a, scale, zero), scale, zero};
}

}  // namespace

TEST_CASE("ONNX: softmax, normalisation and quantisation") {
  const test::OnnxOperators operators = {
      {"BatchNormalization", batch_normalization},
      {"DequantizeLinear", dequantize_linear},
      {"DynamicQuantizeLinear", dynamic_quantize_linear},
      {"Hardmax", hardmax},
      {"InstanceNormalization", instance_normalization},
      {"LayerNormalization", layer_normalization},
      {"LogSoftmax", log_softmax},
      {"MeanVarianceNormalization", mean_variance_normalization},
      {"QuantizeLinear", quantize_linear},
      {"Softmax", softmax},
  };
  test::check_onnx_cases("norm", operators, {});
}
