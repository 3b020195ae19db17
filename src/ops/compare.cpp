// SPDX-License-Identifier: Apache-2.0
#include "kernels/compare/compare.hpp"

#include <weft/ops/compare.hpp>

#include "ops/prepare.hpp"

namespace weft {
inline namespace v0 {

Elementwise prepare(CompareOp op, const Output& out, const TensorView& a, const TensorView& b) {
  return prepare_function(op, compare_kernel, out, a, b);
}

void call(CompareOp op, const Output& out, const TensorView& a, const TensorView& b) {
  run_function(op, compare_kernel, out, a, b);
}

#define WEFT_DEFINE(NAME, ...)                                         \
  Tensor NAME(const Input& a, const Input& b) {                        \
    return allocating(CompareOp::NAME, a.view(), b.view());            \
  }                                                                    \
  void NAME##_out(const Output& out, const Input& a, const Input& b) { \
    call(CompareOp::NAME, out, a.view(), b.view());                    \
  }
WEFT_FOR_EACH_COMPARISON(WEFT_DEFINE)
#undef WEFT_DEFINE

}  // namespace v0
}  // namespace weft
