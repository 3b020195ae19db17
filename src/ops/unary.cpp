// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/unary.hpp>

#include "ops/prepare.hpp"

namespace weft::inline v0 {
namespace {

constexpr const char* names[] = {"neg", "abs", "sqrt", "exp"};

bool gives_float(UnaryOp op) noexcept { return op == UnaryOp::sqrt || op == UnaryOp::exp; }

Tensor allocating(UnaryOp op, const Input& a) {
  Tensor out;
  prepare_unary(op, out, a.view()).run();
  return out;
}

}  // namespace

Elementwise prepare_unary(UnaryOp op, const Output& out, const TensorView& a) {
  // Known before an output is allocated or replaced.
  if (!gives_float(op) && a.dtype() == ScalarType::boolean) {
    fail_no_kernel(names[static_cast<int>(op)], ScalarType::boolean);
  }
  TensorIteratorConfig config;
  config.set_operation(names[static_cast<int>(op)]);
  add_output(config, out).add_input(a);
  if (op == UnaryOp::abs && is_complex(a.dtype())) {
    const ScalarType part = a.dtype() == ScalarType::c64 ? ScalarType::f32 : ScalarType::f64;
    config.check_all_same_dtype(false).declare_static_dtype(part);
  } else {
    config.promote_inputs_to_common_dtype(true).promote_integer_inputs_to_float(gives_float(op));
    config.cast_common_dtype_to_outputs(true).enforce_safe_casting_to_output(true);
  }
  Elementwise call(config);
  const ScalarType type = call.iter.input_dtype();
  call.kernel = unary_kernel(op, compute_type(type));
  if (call.kernel == nullptr) fail_no_kernel(names[static_cast<int>(op)], type);
  return call;
}

Tensor neg(const Input& a) { return allocating(UnaryOp::neg, a); }
Tensor abs(const Input& a) { return allocating(UnaryOp::abs, a); }
Tensor sqrt(const Input& a) { return allocating(UnaryOp::sqrt, a); }
Tensor exp(const Input& a) { return allocating(UnaryOp::exp, a); }
void neg_out(const Output& out, const Input& a) {
  prepare_unary(UnaryOp::neg, out, a.view()).run();
}
void abs_out(const Output& out, const Input& a) {
  prepare_unary(UnaryOp::abs, out, a.view()).run();
}
void sqrt_out(const Output& out, const Input& a) {
  prepare_unary(UnaryOp::sqrt, out, a.view()).run();
}
void exp_out(const Output& out, const Input& a) {
  prepare_unary(UnaryOp::exp, out, a.view()).run();
}

}  // namespace weft::inline v0
