// SPDX-License-Identifier: Apache-2.0
#include "kernels/where/where.hpp"

#include <weft/ops/where.hpp>

#include "base/text.hpp"
#include "ops/prepare.hpp"

namespace weft::inline v0 {

/// The condition keeps its own type, so the common type of a and b is worked out here, not by the
/// iterator.
Elementwise prepare_where(const Output& out, const TensorView& condition, const TensorView& a,
                          const TensorView& b) {
  for (const TensorView* view : {&condition, &a, &b}) {
    if (!view->defined())
      fail(ErrorCode::undefined, text("where: input ",
                                      view == &condition ? 0
                                      : view == &a       ? 1
                                                         : 2,
                                      ": undefined tensor"));
  }
  if (condition.dtype() != ScalarType::boolean) {
    fail(ErrorCode::dtype,
         text("where: input 0 (the condition): expected bool, got ", name(condition.dtype())));
  }
  ResultType result;
  result.add(a.dtype(), a.rank(), a.is_weak_scalar());
  result.add(b.dtype(), b.rank(), b.is_weak_scalar());
  const ScalarType type = *result.get();
  if (out.view().defined() && !can_cast(type, out.view().dtype())) {
    fail(ErrorCode::cast, text("where: output 0: result type ", name(type),
                               " can't be cast to the output's ", name(out.view().dtype())));
  }
  TensorIteratorConfig config;
  config.set_operation("where");
  add_output(config, out)
      .add_input(condition)
      .add_input(a)
      .add_input(b)
      .check_all_same_dtype(false);
  config.declare_static_dtype(type);
  Elementwise call(config);
  call.kernel = where_kernel(type);
  return call;
}

Tensor where(const Input& condition, const Input& a, const Input& b) {
  Tensor out;
  prepare_where(out, condition.view(), a.view(), b.view()).run();
  return out;
}
void where_out(const Output& out, const Input& condition, const Input& a, const Input& b) {
  prepare_where(out, condition.view(), a.view(), b.view()).run();
}

}  // namespace weft::inline v0
