// SPDX-License-Identifier: Apache-2.0
#include <weft/core/promotion.hpp>

#include "base/operation.hpp"
#include "ops/elementwise.hpp"
#include "ops/prepare_reduce.hpp"
#include "ops/reduce_axes.hpp"

namespace weft::inline v0 {
namespace {

/// `linear`: the reduced elements are counted in row-major order.
ReduceCall reduce_call(const ReduceAxes& reduced, const Output& out, ScalarType type, bool keepdim,
                       const TensorView& a, bool linear, const ReductionKernel* kernel) {
  std::shared_ptr<void> replaced;
  // An output that is the very input cannot be replaced by a smaller one before it is read.
  const bool fixed = out.tensor() == &a;
  const TensorView to = reduced.prepare(fixed ? Output(out.view()) : out, type, keepdim, replaced);
  TensorIteratorConfig config;
  config.add_output(to).add_input(a).check_all_same_dtype(false).resize_outputs(false);
  config.is_reduction(true).enforce_linear_iteration(linear);
  ReduceCall call(config, kernel);
  call.replaced = std::move(replaced);
  return call;
}

const ReductionKernel* kernel_for(ReduceOp op, const char* operation, ScalarType type) {
  const ReductionKernel* kernel = reduce_kernel(op, type);
  if (kernel == nullptr) fail_no_kernel(operation, type);
  return kernel;
}

void check_input(const TensorView& a) {
  if (!a.defined()) fail(ErrorCode::undefined, "input 0: undefined tensor");
}

void check_result(ScalarType result, ScalarType output) {
  if (!can_cast(result, output)) {
    fail(ErrorCode::cast, text("output 0: result type ", name(result),
                               " can't be cast to the output's ", name(output)));
  }
}

void check_not_empty(const ReduceAxes& reduced) {
  if (reduced.empty_axis() < 0) return;
  fail(ErrorCode::shape, text("axis ", reduced.empty_axis(),
                              " has extent 0, and there is no result for no elements"));
}

/// The type in which a sum adds up: nothing is lost before the sum becomes the result.
ScalarType sum_type(ScalarType from, ScalarType result) noexcept {
  if (is_integer(from) || from == ScalarType::boolean) return ScalarType::i64;
  return compute_type(promote_types(from, result));
}

}  // namespace

ReduceCall prepare_sum(const Output& out, const TensorView& a, IntSpan axes,
                       const ReduceOptions& options) {
  return with_operation("sum", [&] {
    check_input(a);
    const ReduceAxes reduced(a.shape(), axes);
    const bool counts = is_integer(a.dtype()) || a.dtype() == ScalarType::boolean;
    ScalarType result = options.dtype.value_or(counts ? ScalarType::i64 : a.dtype());
    if (out.view().defined()) result = out.view().dtype();
    check_result(a.dtype(), result);
    const ReductionKernel* kernel = kernel_for(ReduceOp::sum, "sum", sum_type(a.dtype(), result));
    return reduce_call(reduced, out, result, options.keepdim, a, false, kernel);
  });
}

ReduceCall prepare_amax(const Output& out, const TensorView& a, IntSpan axes,
                        const ReduceOptions& options) {
  return with_operation("amax", [&] {
    check_input(a);
    const ReduceAxes reduced(a.shape(), axes);
    check_not_empty(reduced);
    const ScalarType result =
        out.view().defined() ? out.view().dtype() : options.dtype.value_or(a.dtype());
    check_result(a.dtype(), result);
    const ReductionKernel* kernel = kernel_for(ReduceOp::amax, "amax", compute_type(a.dtype()));
    return reduce_call(reduced, out, result, options.keepdim, a, false, kernel);
  });
}

ReduceCall prepare_argmax(const Output& out, const TensorView& a, std::optional<std::int64_t> axis,
                          bool keepdim) {
  return with_operation("argmax", [&] {
    check_input(a);
    const ReduceAxes reduced(a.shape(), axis ? IntSpan{*axis} : IntSpan{});
    check_not_empty(reduced);
    check_result(ScalarType::i64, out.view().defined() ? out.view().dtype() : ScalarType::i64);
    const ReductionKernel* kernel = kernel_for(ReduceOp::argmax, "argmax", compute_type(a.dtype()));
    return reduce_call(reduced, out, ScalarType::i64, keepdim, a, !axis, kernel);
  });
}

Tensor sum(const Input& a, IntSpan axes, const ReduceOptions& options) {
  Tensor out;
  prepare_sum(out, a.view(), axes, options).run();
  return out;
}
void sum_out(const Output& out, const Input& a, IntSpan axes, const ReduceOptions& options) {
  prepare_sum(out, a.view(), axes, options).run();
}
Tensor amax(const Input& a, IntSpan axes, const ReduceOptions& options) {
  Tensor out;
  prepare_amax(out, a.view(), axes, options).run();
  return out;
}
void amax_out(const Output& out, const Input& a, IntSpan axes, const ReduceOptions& options) {
  prepare_amax(out, a.view(), axes, options).run();
}
Tensor argmax(const Input& a, std::optional<std::int64_t> axis, bool keepdim) {
  Tensor out;
  prepare_argmax(out, a.view(), axis, keepdim).run();
  return out;
}
void argmax_out(const Output& out, const Input& a, std::optional<std::int64_t> axis, bool keepdim) {
  prepare_argmax(out, a.view(), axis, keepdim).run();
}

}  // namespace weft::inline v0
