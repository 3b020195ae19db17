// SPDX-License-Identifier: Apache-2.0
#include <weft/core/promotion.hpp>
#include <weft/ops/compare.hpp>

#include "ops/prepare.hpp"

namespace weft::inline v0 {
namespace {

constexpr const char* names[] = {"eq", "ne", "lt", "le", "gt", "ge"};

Tensor allocating(CompareOp op, const Input& a, const Input& b) {
  Tensor out;
  prepare_compare(op, out, a.view(), b.view()).run();
  return out;
}
void into(CompareOp op, const Output& out, const Input& a, const Input& b) {
  prepare_compare(op, out, a.view(), b.view()).run();
}

}  // namespace

Elementwise prepare_compare(CompareOp op, const Output& out, const TensorView& a,
                            const TensorView& b) {
  // Known before an output is allocated or replaced.
  const bool ordered = op != CompareOp::eq && op != CompareOp::ne;
  if (ordered && (is_complex(a.dtype()) || is_complex(b.dtype()))) {
    ResultType common;
    for (const TensorView* view : {&a, &b})
      common.add(view->dtype(), view->rank(), view->is_weak_scalar());
    fail_no_kernel(names[static_cast<int>(op)], *common.get());
  }
  TensorIteratorConfig config;
  config.set_operation(names[static_cast<int>(op)]);
  add_output(config, out).add_input(a).add_input(b).promote_inputs_to_common_dtype(true);
  if (!out.view().defined()) config.declare_static_dtype(ScalarType::boolean);
  Elementwise call(config);
  const ScalarType type = call.iter.input_dtype();
  call.kernel = compare_kernel(op, compute_type(type));
  if (call.kernel == nullptr) fail_no_kernel(names[static_cast<int>(op)], type);
  return call;
}

Tensor eq(const Input& a, const Input& b) { return allocating(CompareOp::eq, a, b); }
Tensor ne(const Input& a, const Input& b) { return allocating(CompareOp::ne, a, b); }
Tensor lt(const Input& a, const Input& b) { return allocating(CompareOp::lt, a, b); }
Tensor le(const Input& a, const Input& b) { return allocating(CompareOp::le, a, b); }
Tensor gt(const Input& a, const Input& b) { return allocating(CompareOp::gt, a, b); }
Tensor ge(const Input& a, const Input& b) { return allocating(CompareOp::ge, a, b); }
void eq_out(const Output& out, const Input& a, const Input& b) { into(CompareOp::eq, out, a, b); }
void ne_out(const Output& out, const Input& a, const Input& b) { into(CompareOp::ne, out, a, b); }
void lt_out(const Output& out, const Input& a, const Input& b) { into(CompareOp::lt, out, a, b); }
void le_out(const Output& out, const Input& a, const Input& b) { into(CompareOp::le, out, a, b); }
void gt_out(const Output& out, const Input& a, const Input& b) { into(CompareOp::gt, out, a, b); }
void ge_out(const Output& out, const Input& a, const Input& b) { into(CompareOp::ge, out, a, b); }

}  // namespace weft::inline v0
