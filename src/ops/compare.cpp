// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/compare.hpp>

#include "ops/prepare.hpp"

namespace weft {
inline namespace v0 {

Elementwise prepare(const Function<CompareOp>& function, const Output& out, const TensorView& a,
                    const TensorView& b) {
  return prepare_function(function, out, a, b);
}

void call(const Function<CompareOp>& function, const Output& out, const TensorView& a,
          const TensorView& b) {
  run_function(function, out, a, b);
}

#define WEFT_DEFINE(NAME, ...)                                           \
  Tensor NAME(const Input& a, const Input& b) {                          \
    return allocating(function_of<CompareOp::NAME>, a.view(), b.view()); \
  }                                                                      \
  void NAME##_out(const Output& out, const Input& a, const Input& b) {   \
    call(function_of<CompareOp::NAME>, out, a.view(), b.view());         \
  }
WEFT_FOR_EACH_COMPARISON(WEFT_DEFINE)
#undef WEFT_DEFINE

}  // namespace v0
}  // namespace weft
