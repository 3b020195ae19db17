// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/division.hpp>

#include "base/text.hpp"
#include "ops/prepare.hpp"

namespace weft {
inline namespace v0 {

void DivisionCall::run() const {
  bool by_zero = false;
  SpanKernel noting = *kernel;
  noting.context = &by_zero;
  run_spans(iter, noting);
  if (by_zero) {
    fail(ErrorCode::division,
         text(operation, ": input 1: an integer divided by 0, of element type ",
              name(iter.input_dtype())));
  }
}

DivisionCall prepare(const Function<DivisionOp>& function, const Output& out, const TensorView& a,
                     const TensorView& b) {
  auto call = prepare_function<DivisionCall>(function, out, a, b);
  call.operation = function.info().name;
  return call;
}

#define WEFT_DEFINE(NAME, ...)                                             \
  Tensor NAME(const Input& a, const Input& b) {                            \
    return allocating(function_of<DivisionOp::NAME>, a.view(), b.view());  \
  }                                                                        \
  void NAME##_out(const Output& out, const Input& a, const Input& b) {     \
    prepare(function_of<DivisionOp::NAME>, out, a.view(), b.view()).run(); \
  }
WEFT_FOR_EACH_DIVISION(WEFT_DEFINE)
#undef WEFT_DEFINE

}  // namespace v0
}  // namespace weft
