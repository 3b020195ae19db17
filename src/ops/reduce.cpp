// SPDX-License-Identifier: Apache-2.0
#include <weft/core/promotion.hpp>
#include <weft/iter/config.hpp>

#include "base/text.hpp"
#include "ops/elementwise.hpp"
#include "ops/prepare_reduce.hpp"
#include "ops/reduce_axes.hpp"

namespace weft::inline v0 {
namespace {

/// `linear`: the reduced elements are counted in row-major order.
TensorIterator reduce_iterator(const TensorView& out, const TensorView& a, bool linear) {
  TensorIteratorConfig config;
  config.add_output(out)
      .add_input(a)
      .check_all_same_dtype(false)
      .resize_outputs(false)
      .is_reduction(true);
  return config.enforce_linear_iteration(linear).build();
}

const ReductionKernel* kernel_for(ReduceOp op, std::string_view operation, ScalarType type) {
  const ReductionKernel* kernel = reduce_kernel(op, type);
  if (kernel == nullptr) fail_no_kernel(operation, type);
  return kernel;
}

void check_input(std::string_view operation, const TensorView& a) {
  if (!a.defined()) fail(ErrorCode::undefined, text(operation, ": input 0: undefined tensor"));
}

void check_result(std::string_view operation, ScalarType result, const Output& out) {
  if (out.view().defined() && !can_cast(result, out.view().dtype())) {
    fail(ErrorCode::cast, text(operation, ": output 0: result type ", name(result),
                               " can't be cast to the output's ", name(out.view().dtype())));
  }
}

void check_not_empty(std::string_view operation, const ReduceAxes& reduced) {
  if (reduced.empty_axis() < 0) return;
  fail(ErrorCode::shape, text(operation, ": axis ", reduced.empty_axis(),
                              " has extent 0, and there is no result for no elements"));
}

/// The type in which a sum whose result is `type` adds up.
ScalarType sum_type(ScalarType type) noexcept {
  return is_integer(type) || type == ScalarType::boolean ? ScalarType::i64 : compute_type(type);
}

}  // namespace

ReduceCall prepare_sum(const Output& out, const TensorView& a, IntSpan axes,
                       const ReduceOptions& options) {
  check_input("sum", a);
  const ReduceAxes reduced(a.shape(), axes);
  const bool counts = is_integer(a.dtype()) || a.dtype() == ScalarType::boolean;
  ScalarType result = options.dtype.value_or(counts ? ScalarType::i64 : a.dtype());
  if (out.view().defined()) result = out.view().dtype();
  if (!can_cast(a.dtype(), result)) {
    fail(ErrorCode::cast, text("sum: output 0: result type ", name(a.dtype()),
                               " can't be cast to the output's ", name(result)));
  }
  const ReductionKernel* kernel = kernel_for(ReduceOp::sum, "sum", sum_type(result));
  const TensorView to = reduced.prepare(out, result, options.keepdim);
  return {reduce_iterator(to, a, false), kernel};
}

ReduceCall prepare_amax(const Output& out, const TensorView& a, IntSpan axes,
                        const ReduceOptions& options) {
  check_input("amax", a);
  const ReduceAxes reduced(a.shape(), axes);
  check_not_empty("amax", reduced);
  const ScalarType result = options.dtype.value_or(a.dtype());
  check_result("amax", a.dtype(), out);
  const ReductionKernel* kernel = kernel_for(ReduceOp::amax, "amax", compute_type(a.dtype()));
  const TensorView to = reduced.prepare(out, result, options.keepdim);
  return {reduce_iterator(to, a, false), kernel};
}

ReduceCall prepare_argmax(const Output& out, const TensorView& a, std::optional<std::int64_t> axis,
                          bool keepdim) {
  check_input("argmax", a);
  const ReduceAxes reduced(a.shape(), axis ? IntSpan{*axis} : IntSpan{});
  check_not_empty("argmax", reduced);
  check_result("argmax", ScalarType::i64, out);
  const ReductionKernel* kernel = kernel_for(ReduceOp::argmax, "argmax", compute_type(a.dtype()));
  const TensorView to = reduced.prepare(out, ScalarType::i64, keepdim);
  return {reduce_iterator(to, a, !axis), kernel};
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
