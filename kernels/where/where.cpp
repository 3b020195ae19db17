// SPDX-License-Identifier: Apache-2.0
// where. All eight patterns of broadcast operands are loops of their own.
#include "kernels/where/where.hpp"

#include "kernels/op_table.hpp"

namespace weft::inline v0 {
namespace {

template <class T>
struct Where {
  WEFT_ALWAYS_INLINE T operator()(bool condition, T a, T b) const noexcept {
    return condition ? a : b;
  }
};

}  // namespace

const SpanKernel* WEFT_KERNEL(where_kernel)(ScalarType type) {
  switch (type) {
#define WEFT_CASE(NAME, TYPE) \
  case ScalarType::NAME: return &OpKernel<Where<TYPE>>::value;
    WEFT_FOR_EACH_SCALAR_TYPE(WEFT_CASE)
#undef WEFT_CASE
  }
  return nullptr;
}

}  // namespace weft::inline v0
