// SPDX-License-Identifier: Apache-2.0
// eq, ne, lt, le, gt, ge. The compiler vectorises the narrowing of compare masks to bytes.
#include "kernels/compare/compare.hpp"

#include "kernels/arithmetic.hpp"
#include "kernels/op_table.hpp"

namespace weft::inline v0 {
namespace {

template <CompareOp op, class T>
struct Compare {
  WEFT_ALWAYS_INLINE bool operator()(T a, T b) const noexcept {
    if constexpr (is_complex_type<T>) {
      const bool equal = (a.real() == b.real()) & (a.imag() == b.imag());
      return equal == (op == CompareOp::eq);
    } else if constexpr (op == CompareOp::eq) {
      return a == b;
    } else if constexpr (op == CompareOp::ne) {
      return a != b;
    } else if constexpr (op == CompareOp::lt) {
      return a < b;
    } else if constexpr (op == CompareOp::le) {
      return a <= b;
    } else if constexpr (op == CompareOp::gt) {
      return a > b;
    } else {
      return a >= b;
    }
  }
};

template <class T>
const SpanKernel* choose(CompareOp op) {
  if constexpr (is_half_type<T>) {
    return nullptr;
  } else {
    switch (op) {
      case CompareOp::eq: return &OpKernel<Compare<CompareOp::eq, T>>::value;
      case CompareOp::ne: return &OpKernel<Compare<CompareOp::ne, T>>::value;
      default: break;
    }
    if constexpr (!is_complex_type<T>) {
      switch (op) {
        case CompareOp::lt: return &OpKernel<Compare<CompareOp::lt, T>>::value;
        case CompareOp::le: return &OpKernel<Compare<CompareOp::le, T>>::value;
        case CompareOp::gt: return &OpKernel<Compare<CompareOp::gt, T>>::value;
        case CompareOp::ge: return &OpKernel<Compare<CompareOp::ge, T>>::value;
        default: break;
      }
    }
    return nullptr;
  }
}

}  // namespace

const SpanKernel* WEFT_KERNEL(compare_kernel)(CompareOp op, ScalarType type) {
  switch (type) {
#define WEFT_CASE(NAME, TYPE) \
  case ScalarType::NAME: return choose<TYPE>(op);
    WEFT_FOR_EACH_SCALAR_TYPE(WEFT_CASE)
#undef WEFT_CASE
  }
  return nullptr;
}

}  // namespace weft::inline v0
