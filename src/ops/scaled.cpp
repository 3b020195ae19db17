// SPDX-License-Identifier: Apache-2.0
#include <weft/core/cast.hpp>
#include <weft/ops/scaled.hpp>

#include "base/text.hpp"
#include "ops/prepare.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {

void ScaledCall::run() const {
  SpanKernel scaled = *kernel;
  scaled.context = value;
  run_spans(iter, scaled);
}

ScaledCall prepare(const Function<ScaledOp>& function, const Output& out, const TensorView& a,
                   const TensorView& b, const TensorView& c, const Scalar& value) {
  // Before an output is allocated or replaced. The value takes no part in promotion, so only its
  // kind matters.
  const TensorView number = value.view();
  const TensorView* inputs[] = {&a, &b, &c};
  Kinds kind = 0;
  for (const TensorView* view : inputs)
    kind = std::max(kind, view->defined() ? kinds::of(view->dtype()) : kinds::complex);
  if (kinds::of(value.dtype()) > kind) {
    check_common_type(function.info(), inputs);
    fail(ErrorCode::cast, text(function.info().name, ": value: ", name(value.dtype()),
                               " can't be cast to the inputs' common type, which is ",
                               kind == kinds::boolean    ? "bool"
                               : kind == kinds::integers ? "an integer"
                                                         : "real"));
  }
  auto call = prepare_function<ScaledCall>(function, out, a, b, c);
  cast_elements(call.value, compute_type(call.kernel->types[0]), 0, number.data(), value.dtype(), 0,
                1);
  return call;
}

#define WEFT_DEFINE(NAME, ...)                                                            \
  Tensor NAME(const Input& a, const Input& b, const Input& c, const Scalar& value) {      \
    return allocating(function_of<ScaledOp::NAME>, a.view(), b.view(), c.view(), value);  \
  }                                                                                       \
  void NAME##_out(const Output& out, const Input& a, const Input& b, const Input& c,      \
                  const Scalar& value) {                                                  \
    prepare(function_of<ScaledOp::NAME>, out, a.view(), b.view(), c.view(), value).run(); \
  }
WEFT_FOR_EACH_SCALED(WEFT_DEFINE)
#undef WEFT_DEFINE

}  // namespace v0
}  // namespace weft
