// SPDX-License-Identifier: Apache-2.0
#include "kernels/binary/binary.hpp"

#include <weft/ops/binary.hpp>

#include "ops/prepare.hpp"

namespace weft::inline v0 {

Elementwise prepare(BinaryOp op, const Output& out, const TensorView& a, const TensorView& b) {
  return prepare_function(op, binary_kernel, out, a, b);
}

void call(BinaryOp op, const Output& out, const TensorView& a, const TensorView& b) {
  run_function(op, binary_kernel, out, a, b);
}

#define WEFT_DEFINE(NAME, ...)                                         \
  Tensor NAME(const Input& a, const Input& b) {                        \
    return allocating(BinaryOp::NAME, a.view(), b.view());             \
  }                                                                    \
  void NAME##_out(const Output& out, const Input& a, const Input& b) { \
    call(BinaryOp::NAME, out, a.view(), b.view());                     \
  }
WEFT_FOR_EACH_BINARY(WEFT_DEFINE)
#undef WEFT_DEFINE

}  // namespace weft::inline v0
