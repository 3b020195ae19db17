// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/unary.hpp>

#include "core/compiled_types.hpp"
#include "ops/prepare.hpp"

namespace weft {
inline namespace v0 {
namespace {

/// A function that gives a part of complex numbers: the iterator has no common type for it.
Elementwise prepare_part(const Function<UnaryOp>& function, const Output& out,
                         const TensorView& a) {
  check_compiled(a.dtype(), function.info().name);
  const ScalarType part = a.dtype() == ScalarType::c64 ? ScalarType::f32 : ScalarType::f64;
  check_result_type(function.info(), part, out);
  TensorIteratorConfig config;
  config.set_operation(function.info().name).check_all_same_dtype(false).declare_static_dtype(part);
  add_output(config, out, function.info().name).add_input(a);
  Elementwise call(config);
  call.kernel = function.kernel(a.dtype());
  return call;
}

}  // namespace

Elementwise prepare(const Function<UnaryOp>& function, const Output& out, const TensorView& a) {
  if (function.info().result == ResultRule::part && is_complex(a.dtype()))
    return prepare_part(function, out, a);
  return prepare_function(function, out, a);
}

void call(const Function<UnaryOp>& function, const Output& out, const TensorView& a) {
  run_function(function, out, a);
}

#define WEFT_DEFINE(NAME, ...)                                                             \
  Tensor NAME(const Input& a) { return allocating(function_of<UnaryOp::NAME>, a.view()); } \
  void NAME##_out(const Output& out, const Input& a) {                                     \
    call(function_of<UnaryOp::NAME>, out, a.view());                                       \
  }
WEFT_FOR_EACH_UNARY(WEFT_DEFINE)
#undef WEFT_DEFINE

}  // namespace v0
}  // namespace weft
