// SPDX-License-Identifier: Apache-2.0
// ONNX's cases of reductions over axes.
#include <weft/ops/binary.hpp>
#include <weft/ops/reduce.hpp>
#include <weft/ops/unary.hpp>

#include "onnx_cases.hpp"
#include "support/catch.hpp"

#include <cmath>

namespace {

using test::OnnxCall;
using test::Tensors;
using weft::Tensor;
using weft::TensorView;
using Dims = std::vector<std::int64_t>;

/// The axes: an attribute, or the second input in newer versions.
Dims axes_of(const OnnxCall& call) {
  if (call.has(1)) return call.values(1);
  Dims axes;
  if (const test::Json* list = call.attribute("axes")) {
    for (const test::Json& axis : list->items)
      axes.push_back(axis.integer);
  }
  return axes;
}

/// No axes mean all of them, unless the node says that they mean none.
template <class Reduce>
Tensors over_axes(const OnnxCall& call, Reduce reduce) {
  const Dims axes = axes_of(call);
  if (axes.empty() && call.integer("noop_with_empty_axes", 0) != 0)
    return {Tensor::copy_of(call.in(0))};
  return {reduce(call.in(0), axes, {.keepdim = call.integer("keepdims", 1) != 0})};
}

using Function = Tensor (*)(const TensorView&, const Dims&, const weft::ReduceOptions&);
template <Function reduce>
Tensors reduction(const OnnxCall& call) {
  return over_axes(call, reduce);
}

Tensor sum(const TensorView& a, const Dims& axes, const weft::ReduceOptions& options) {
  return weft::sum(a, axes, options);
}
Tensor mean(const TensorView& a, const Dims& axes, const weft::ReduceOptions& options) {
  return weft::mean(a, axes, options);
}
Tensor prod(const TensorView& a, const Dims& axes, const weft::ReduceOptions& options) {
  return weft::prod(a, axes, options);
}
Tensor largest(const TensorView& a, const Dims& axes, const weft::ReduceOptions& options) {
  return weft::amax(a, axes, options);
}
Tensor smallest(const TensorView& a, const Dims& axes, const weft::ReduceOptions& options) {
  return weft::amin(a, axes, options);
}
Tensor log_sum_exp(const TensorView& a, const Dims& axes, const weft::ReduceOptions& options) {
  return weft::logsumexp(a, axes, options);
}
Tensor norm1(const TensorView& a, const Dims& axes, const weft::ReduceOptions& options) {
  return weft::norm(a, 1, axes, options);
}
Tensor norm2(const TensorView& a, const Dims& axes, const weft::ReduceOptions& options) {
  return weft::norm(a, 2, axes, options);
}
Tensor sum_of_squares(const TensorView& a, const Dims& axes, const weft::ReduceOptions& options) {
  return weft::sum(weft::square(a), axes, options);
}
/// There is no elementwise logarithm to compose it of here, so one by one.
Tensor log_of_sum(const TensorView& a, const Dims& axes, const weft::ReduceOptions& options) {
  Tensor sums = weft::sum(a, axes, options);
  for (std::int64_t i = 0; i < sums.numel(); ++i)
    sums.data_as<float>()[i] = std::log(sums.data_as<float>()[i]);
  return sums;
}

template <bool is_largest>
Tensors place(const OnnxCall& call) {
  const std::int64_t axis = call.integer("axis", 0);
  const bool keepdim = call.integer("keepdims", 1) != 0;
  const auto first = [&](const TensorView& a) {
    return is_largest ? weft::argmax(a, axis, keepdim) : weft::argmin(a, axis, keepdim);
  };
  if (call.integer("select_last_index", 0) == 0) return {first(call.in(0))};
  // The last one is the first from the other end.
  const std::int64_t last = call.in(0).extent(axis < 0 ? axis + call.in(0).rank() : axis) - 1;
  return {weft::sub(last, first(call.in(0).flip(axis)))};
}

}  // namespace

TEST_CASE("ONNX: reductions") {
  test::check_onnx_cases("reduce",
                         {{"ArgMax", place<true>},
                          {"ArgMin", place<false>},
                          {"ReduceL1", reduction<norm1>},
                          {"ReduceL2", reduction<norm2>},
                          {"ReduceLogSum", reduction<log_of_sum>},
                          {"ReduceLogSumExp", reduction<log_sum_exp>},
                          {"ReduceMax", reduction<largest>},
                          {"ReduceMean", reduction<mean>},
                          {"ReduceMin", reduction<smallest>},
                          {"ReduceProd", reduction<prod>},
                          {"ReduceSum", reduction<sum>},
                          {"ReduceSumSquare", reduction<sum_of_squares>}},
                         {});
}
