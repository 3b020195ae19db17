// SPDX-License-Identifier: Apache-2.0
#include "kernels/binary/binary.hpp"

#include <weft/core/promotion.hpp>
#include <weft/ops/binary.hpp>

#include "kernels/binary/widening.hpp"
#include "ops/prepare.hpp"

namespace weft::inline v0 {

namespace {

/// True for types whose quotients are of a floating type.
bool becomes_floating(const FunctionInfo& function, ScalarType type) {
  return function.result == ResultRule::floating && (kinds::of(type) & kinds::integral) != 0;
}

/// The kernel for inputs of their own types each, or null: then the engine converts them.
const SpanKernel* widening_for(BinaryOp op, const Output& out, const TensorView& a,
                               const TensorView& b, ScalarType& type) {
  const FunctionInfo& function = info(op);
  if (!a.defined() || !b.defined() || function.result == ResultRule::truth) return nullptr;
  if (a.dtype() == b.dtype() && !becomes_floating(function, a.dtype())) return nullptr;
  ResultType common;
  common.add(a.dtype(), a.rank(), a.is_weak_scalar());
  common.add(b.dtype(), b.rank(), b.is_weak_scalar());
  type = *common.get();
  if (becomes_floating(function, type)) type = ScalarType::f32;
  if (!function.accepts(kinds::of(type))) return nullptr;
  if (out.view().defined() && out.view().dtype() != type) return nullptr;
  return widening_kernel(op, type, {{a.dtype(), b.dtype()}});
}

/// A call's kernel with the types of the inputs in memory as its context.
class Widening {
 public:
  explicit Widening(const BinaryCall& call)
      : inputs_{{call.iter.input_dtype(0), call.iter.input_dtype(1)}}, kernel_(*call.kernel) {
    kernel_.context = &inputs_;
    kernel_.types[1] = inputs_.types[0];
    kernel_.types[2] = inputs_.types[1];
  }
  const SpanKernel& kernel() const { return kernel_; }

 private:
  WideningInputs inputs_;
  SpanKernel kernel_;
};

}  // namespace

BinaryCall prepare(BinaryOp op, const Output& out, const TensorView& a, const TensorView& b) {
  ScalarType type;
  const SpanKernel* kernel = widening_for(op, out, a, b, type);
  if (kernel == nullptr) return prepare_function<BinaryCall>(op, binary_kernel, out, a, b);
  TensorIteratorConfig config;
  add_output(config, out).add_input(a).add_input(b).set_operation(info(op).name);
  config.check_all_same_dtype(false).declare_static_dtype(type);
  BinaryCall call(config);
  call.kernel = kernel;
  call.widens = true;
  return call;
}

void BinaryCall::run() const {
  if (widens) {
    run_spans(iter, Widening(*this).kernel());
  } else {
    Elementwise::run();
  }
}

Explanation BinaryCall::explain() const {
  return widens ? explain_run(iter, Widening(*this).kernel()) : Elementwise::explain();
}

void call(BinaryOp op, const Output& out, const TensorView& a, const TensorView& b) {
  run_function(op, binary_kernel, out, a, b);
}

#define WEFT_DEFINE(NAME, ...)                                         \
  Tensor NAME(const Input& a, const Input& b) {                        \
    return allocating(BinaryOp::NAME, a.view(), b.view());             \
  }                                                                    \
  void NAME##_out(const Output& out, const Input& a, const Input& b) { \
    call(BinaryOp::NAME, out, a.view(), b.view());                     \
  }
WEFT_FOR_EACH_BINARY(WEFT_DEFINE)
#undef WEFT_DEFINE

}  // namespace weft::inline v0
