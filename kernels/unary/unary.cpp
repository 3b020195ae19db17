// SPDX-License-Identifier: Apache-2.0
// neg, abs, sqrt, exp. exp of real types goes through Vectorized; the rest are loops that the
// compiler vectorises.
#include "kernels/unary/unary.hpp"

#include <weft/kernel/vectorized_math.hpp>

#include "kernels/arithmetic.hpp"
#include "kernels/op_table.hpp"

namespace weft::inline v0 {
namespace {

template <class T>
struct Neg {
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept {
    if constexpr (is_complex_type<T>) return T(-a.real(), -a.imag());
    if constexpr (std::is_floating_point_v<T>) return -a;  // 0 - a would lose the sign of zero
    return minus(T(0), a);
  }
};

template <class T>
struct Abs {
  WEFT_ALWAYS_INLINE auto operator()(T a) const noexcept {
    if constexpr (std::is_same_v<T, std::complex<float>>) {
      return __builtin_hypotf(a.real(), a.imag());
    } else if constexpr (std::is_same_v<T, std::complex<double>>) {
      return __builtin_hypot(a.real(), a.imag());
    } else if constexpr (std::is_same_v<T, float>) {
      return __builtin_fabsf(a);
    } else if constexpr (std::is_same_v<T, double>) {
      return __builtin_fabs(a);
    } else if constexpr (std::is_unsigned_v<T>) {
      return a;
    } else {
      return a < 0 ? minus(T(0), a) : a;
    }
  }
};

template <class T>
struct Sqrt {
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept {
    if constexpr (std::is_same_v<T, float>) return __builtin_sqrtf(a);
    if constexpr (std::is_same_v<T, double>) return __builtin_sqrt(a);
    if constexpr (is_complex_type<T>) return std::sqrt(a);
  }
};

/// One callable for scalars (complex) and vectors.
struct Exp {
  template <class V>
  WEFT_ALWAYS_INLINE V operator()(V a) const noexcept {
    if constexpr (is_complex_type<V>) {
      return std::exp(a);
    } else {
      return exp(a);
    }
  }
};

template <class T>
struct ComplexExp {
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept { return std::exp(a); }
};

constexpr float exp_cost = 8;  // in adds

template <class T>
constexpr SpanKernel vectorized_exp() {
  SpanKernel kernel;
  kernel.run = &VectorizedSpans<Exp, T>::template run<1>;
  kernel.noutputs = kernel.ninputs = 1;
  kernel.broadcastable = 2;
  kernel.cost = exp_cost;
  kernel.types[0] = kernel.types[1] = scalar_type_of<T>;
  return kernel;
}

constexpr Exp exp_op{};
template <class T>
constexpr SpanKernel exp_kernel = [] {
  SpanKernel kernel = vectorized_exp<T>();
  kernel.context = &exp_op;
  return kernel;
}();

template <class T>
const SpanKernel* choose(UnaryOp op) {
  if constexpr (std::is_same_v<T, bool> || is_half_type<T>) {
    return nullptr;
  } else {
    switch (op) {
      case UnaryOp::neg: return &OpKernel<Neg<T>>::value;
      case UnaryOp::abs: return &OpKernel<Abs<T>>::value;
      case UnaryOp::sqrt:
        if constexpr (!std::is_integral_v<T>) return &OpKernel<Sqrt<T>>::value;
        break;
      case UnaryOp::exp:
        if constexpr (std::is_floating_point_v<T>) return &exp_kernel<T>;
        if constexpr (is_complex_type<T>) return &OpKernel<ComplexExp<T>>::value;
        break;
    }
    return nullptr;
  }
}

}  // namespace

const SpanKernel* WEFT_KERNEL(unary_kernel)(UnaryOp op, ScalarType type) {
  switch (type) {
#define WEFT_CASE(NAME, TYPE) \
  case ScalarType::NAME: return choose<TYPE>(op);
    WEFT_FOR_EACH_SCALAR_TYPE(WEFT_CASE)
#undef WEFT_CASE
  }
  return nullptr;
}

}  // namespace weft::inline v0
