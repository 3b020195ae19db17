// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/binary.hpp>

#include "ops/prepare.hpp"

namespace weft::inline v0 {
namespace {

constexpr const char* names[] = {"add", "sub", "mul", "div"};

Tensor allocating(BinaryOp op, const Input& a, const Input& b) {
  Tensor out;
  prepare_binary(op, out, a.view(), b.view()).run();
  return out;
}

}  // namespace

Elementwise prepare_binary(BinaryOp op, const Output& out, const TensorView& a,
                           const TensorView& b) {
  // Known before an output is allocated or replaced.
  if (op == BinaryOp::sub && a.dtype() == ScalarType::boolean && b.dtype() == ScalarType::boolean) {
    fail_no_kernel(names[static_cast<int>(op)], ScalarType::boolean);
  }
  TensorIteratorConfig config;
  config.set_operation(names[static_cast<int>(op)]);
  add_output(config, out).add_input(a).add_input(b).promote_inputs_to_common_dtype(true);
  config.cast_common_dtype_to_outputs(true).enforce_safe_casting_to_output(true);
  config.promote_integer_inputs_to_float(op == BinaryOp::div);
  Elementwise call(config);
  const ScalarType type = call.iter.common_dtype();
  call.kernel = binary_kernel(op, type);
  if (call.kernel == nullptr) fail_no_kernel(names[static_cast<int>(op)], type);
  return call;
}

Tensor add(const Input& a, const Input& b) { return allocating(BinaryOp::add, a, b); }
Tensor sub(const Input& a, const Input& b) { return allocating(BinaryOp::sub, a, b); }
Tensor mul(const Input& a, const Input& b) { return allocating(BinaryOp::mul, a, b); }
Tensor div(const Input& a, const Input& b) { return allocating(BinaryOp::div, a, b); }
void add_out(const Output& out, const Input& a, const Input& b) {
  prepare_binary(BinaryOp::add, out, a.view(), b.view()).run();
}
void sub_out(const Output& out, const Input& a, const Input& b) {
  prepare_binary(BinaryOp::sub, out, a.view(), b.view()).run();
}
void mul_out(const Output& out, const Input& a, const Input& b) {
  prepare_binary(BinaryOp::mul, out, a.view(), b.view()).run();
}
void div_out(const Output& out, const Input& a, const Input& b) {
  prepare_binary(BinaryOp::div, out, a.view(), b.view()).run();
}

}  // namespace weft::inline v0
