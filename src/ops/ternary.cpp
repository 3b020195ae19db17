// SPDX-License-Identifier: Apache-2.0
#include <weft/core/promotion.hpp>
#include <weft/ops/ternary.hpp>

#include "base/text.hpp"
#include "core/compiled_types.hpp"
#include "ops/prepare.hpp"

namespace weft {
inline namespace v0 {
namespace {

/// The condition keeps its own type, so the common type of b and c is worked out here, not by the
/// iterator.
Elementwise prepare_choice(const Function<TernaryOp>& function, const Output& out,
                           const TensorView& condition, const TensorView& b, const TensorView& c) {
  const char* operation = function.info().name;
  const TensorView* inputs[] = {&condition, &b, &c};
  for (int i = 0; i < 3; ++i) {
    if (!inputs[i]->defined())
      fail(ErrorCode::undefined, text(operation, ": input ", i, ": undefined tensor"));
  }
  if (condition.dtype() != ScalarType::boolean) {
    fail(ErrorCode::dtype, text(operation, ": input 0 (the condition): expected bool, got ",
                                name(condition.dtype())));
  }
  ResultType result;
  result.add(b.dtype(), b.rank(), b.is_weak_scalar());
  result.add(c.dtype(), c.rank(), c.is_weak_scalar());
  const ScalarType type = *result.get();
  check_compiled(type, operation);
  check_result_type(function.info(), type, out);
  TensorIteratorConfig config;
  config.set_operation(operation).check_all_same_dtype(false).declare_static_dtype(type);
  add_output(config, out, operation).add_input(condition).add_input(b).add_input(c);
  Elementwise call(config);
  call.kernel = function.kernel(type);
  return call;
}

}  // namespace

Elementwise prepare(const Function<TernaryOp>& function, const Output& out, const TensorView& a,
                    const TensorView& b, const TensorView& c) {
  if (function.info().result == ResultRule::chosen) return prepare_choice(function, out, a, b, c);
  return prepare_function(function, out, a, b, c);
}

void call(const Function<TernaryOp>& function, const Output& out, const TensorView& a,
          const TensorView& b, const TensorView& c) {
  run_function(function, out, a, b, c);
}

#define WEFT_DEFINE(NAME, ...)                                                         \
  Tensor NAME(const Input& a, const Input& b, const Input& c) {                        \
    return allocating(function_of<TernaryOp::NAME>, a.view(), b.view(), c.view());     \
  }                                                                                    \
  void NAME##_out(const Output& out, const Input& a, const Input& b, const Input& c) { \
    call(function_of<TernaryOp::NAME>, out, a.view(), b.view(), c.view());             \
  }
WEFT_FOR_EACH_TERNARY(WEFT_DEFINE)
#undef WEFT_DEFINE

}  // namespace v0
}  // namespace weft
