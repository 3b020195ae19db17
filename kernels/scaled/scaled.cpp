// SPDX-License-Identifier: Apache-2.0
// Functions of three operands and a number, which is all that their objects hold.
#include "kernels/scaled/scaled.hpp"

#include "kernels/complex/complex_parts.hpp"
#include "kernels/complex/complex_quotient.hpp"
#include "kernels/loops/op_table.hpp"
#include "kernels/scalar/arithmetic.hpp"

namespace weft {
inline namespace v0 {
namespace {

template <class T>
struct AddCMul {
  using Loops = AddCMul<typename Wrapping<T>::Type>;
  T value = T(1);
  WEFT_ALWAYS_INLINE T operator()(T a, T b, T c) const noexcept {
    return plus(a, times(times(value, b), c));
  }
  template <class R>
  WEFT_ALWAYS_INLINE R in_registers(const R& a, const R& b, const R& c) const noexcept {
    return a + R::all(value) * b * c;
  }
  static constexpr SpanKernel kernel(const AddCMul& op) { return kernel_of_products(op); }
};

template <class T>
struct AddCDiv {
  T value = T(1);
  WEFT_ALWAYS_INLINE T operator()(T a, T b, T c) const noexcept {
    return plus(a, quotient(times(value, b), c));
  }
  static constexpr SpanKernel kernel(const AddCDiv& op) { return kernel_of_products(op); }
};

}  // namespace

WEFT_FOR_EACH_SCALED(WEFT_DEFINE_KERNEL_OF)

}  // namespace v0
}  // namespace weft
