// SPDX-License-Identifier: Apache-2.0
#include "kernels/unary/unary.hpp"

#include <weft/ops/unary.hpp>

#include "ops/prepare.hpp"

namespace weft {
inline namespace v0 {
namespace {

/// A function that gives a part of complex numbers: the iterator has no common type for it.
Elementwise prepare_part(UnaryOp op, const Output& out, const TensorView& a) {
  const ScalarType part = a.dtype() == ScalarType::c64 ? ScalarType::f32 : ScalarType::f64;
  check_result_type(info(op), part, out);
  TensorIteratorConfig config;
  config.set_operation(info(op).name).check_all_same_dtype(false).declare_static_dtype(part);
  add_output(config, out).add_input(a);
  Elementwise call(config);
  call.kernel = unary_kernel(op, a.dtype());
  return call;
}

}  // namespace

Elementwise prepare(UnaryOp op, const Output& out, const TensorView& a) {
  if (info(op).result == ResultRule::part && is_complex(a.dtype())) return prepare_part(op, out, a);
  return prepare_function(op, unary_kernel, out, a);
}

void call(UnaryOp op, const Output& out, const TensorView& a) {
  run_function(op, unary_kernel, out, a);
}

#define WEFT_DEFINE(NAME, ...)                                                \
  Tensor NAME(const Input& a) { return allocating(UnaryOp::NAME, a.view()); } \
  void NAME##_out(const Output& out, const Input& a) { call(UnaryOp::NAME, out, a.view()); }
WEFT_FOR_EACH_UNARY(WEFT_DEFINE)
#undef WEFT_DEFINE

}  // namespace v0
}  // namespace weft
