// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise.hpp"

#include <weft/core/promotion.hpp>

#include "base/text.hpp"

namespace weft::inline v0 {

void fail_no_kernel(std::string_view operation, ScalarType type) {
  fail(ErrorCode::dtype, text(operation, ": not defined for element type ", name(type)));
}

void check_result_type(const FunctionInfo& function, ScalarType type, const Output& out) {
  if (out.view().defined() && !can_cast(type, out.view().dtype())) {
    fail(ErrorCode::cast, text(function.name, ": output 0: result type ", name(type),
                               " can't be cast to the output's ", name(out.view().dtype())));
  }
}

void check_common_type(const FunctionInfo& function, std::span<const TensorView* const> inputs) {
  ResultType common;
  for (const TensorView* view : inputs) {
    if (!view->defined()) return;  // which is what the iterator's config will say
    common.add(view->dtype(), view->rank(), view->is_weak_scalar());
  }
  const ScalarType type = *common.get();
  if (!function.accepts(kinds::of(type))) fail_no_kernel(function.name, type);
}

}  // namespace weft::inline v0
