// SPDX-License-Identifier: Apache-2.0
// add, sub, mul, div. Plain loops over dense spans, one for each pattern of broadcast operands,
// which the compiler vectorises: body and tail are the same IEEE operations, so results do not
// depend on level, position or length.
#include "kernels/binary/binary.hpp"

#include "kernels/arithmetic.hpp"
#include "kernels/op_table.hpp"

namespace weft::inline v0 {
namespace {

template <class T>
struct Add {
  WEFT_ALWAYS_INLINE T operator()(T a, T b) const noexcept { return plus(a, b); }
};
template <class T>
struct Sub {
  WEFT_ALWAYS_INLINE T operator()(T a, T b) const noexcept { return minus(a, b); }
};
template <class T>
struct Mul {
  WEFT_ALWAYS_INLINE T operator()(T a, T b) const noexcept { return times(a, b); }
};
template <class T>
struct Div {
  WEFT_ALWAYS_INLINE T operator()(T a, T b) const noexcept { return divided_by(a, b); }
};

template <class T>
const SpanKernel* choose(BinaryOp op) {
  if constexpr (is_half_type<T>) {
    return nullptr;
  } else {
    switch (op) {
      case BinaryOp::add: return &OpKernel<Add<T>>::value;
      case BinaryOp::sub:
        if constexpr (!std::is_same_v<T, bool>) return &OpKernel<Sub<T>>::value;
        break;
      case BinaryOp::mul: return &OpKernel<Mul<T>>::value;
      case BinaryOp::div:
        if constexpr (!std::is_integral_v<T>) return &OpKernel<Div<T>>::value;
        break;
    }
    return nullptr;
  }
}

}  // namespace

const SpanKernel* WEFT_KERNEL(binary_kernel)(BinaryOp op, ScalarType type) {
  switch (type) {
#define WEFT_CASE(NAME, TYPE) \
  case ScalarType::NAME: return choose<TYPE>(op);
    WEFT_FOR_EACH_SCALAR_TYPE(WEFT_CASE)
#undef WEFT_CASE
  }
  return nullptr;
}

}  // namespace weft::inline v0
