// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/binary.hpp>

#include "ops/prepare.hpp"

namespace weft {
inline namespace v0 {

namespace {

/// The kernel that converts inputs in registers, if that is worth it: where memory is the limit,
/// and rows are as they lie there and so long that its blocks make up for what they cost at either
/// end.
const SpanKernel* widening_for(const Function<BinaryOp>& function, const TensorIterator& iter) {
  constexpr std::int64_t min_elements = 1 << 17;
  constexpr std::int64_t min_row = 4096;
  if (function.widening == nullptr) return nullptr;
  if (iter.numel() < min_elements || iter.geometry().extent(0) < min_row) return nullptr;
  const ScalarType type = iter.dtype();
  const WideningInputs inputs{{iter.storage_dtype(1), iter.storage_dtype(2)}};
  if (inputs.types[0] == type && inputs.types[1] == type) return nullptr;
  if (iter.storage_dtype() != type || iter.input_dtype() != type) return nullptr;
  for (int k = 0; k < iter.ntensors(); ++k) {
    const std::int64_t stride = iter.geometry().stride(0, k);
    const bool one_value = stride == 0 && k > 0 && iter.storage_dtype(k) == type;
    if (stride != element_size(iter.storage_dtype(k)) && !one_value) return nullptr;
  }
  return (*function.widening)(type, inputs);
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

BinaryCall prepare(const Function<BinaryOp>& function, const Output& out, const TensorView& a,
                   const TensorView& b) {
  auto call = prepare_function<BinaryCall>(function, out, a, b);
  if (const SpanKernel* widening = widening_for(function, call.iter)) {
    // The same operands once more, inputs as they are in memory.
    TensorIteratorConfig config;
    const char* const name = function.info().name;
    add_output(config, out, name).add_input(a).add_input(b).set_operation(name);
    config.check_all_same_dtype(false);
    call = BinaryCall(config);
    call.kernel = widening;
    call.widens = true;
  }
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

void call(const Function<BinaryOp>& function, const Output& out, const TensorView& a,
          const TensorView& b) {
  run_function(function, out, a, b);
}

#define WEFT_DEFINE(NAME, ...)                                          \
  Tensor NAME(const Input& a, const Input& b) {                         \
    return allocating(function_of<BinaryOp::NAME>, a.view(), b.view()); \
  }                                                                     \
  void NAME##_out(const Output& out, const Input& a, const Input& b) {  \
    call(function_of<BinaryOp::NAME>, out, a.view(), b.view());         \
  }
WEFT_FOR_EACH_BINARY(WEFT_DEFINE)
#undef WEFT_DEFINE

}  // namespace v0
}  // namespace weft
