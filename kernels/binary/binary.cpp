// SPDX-License-Identifier: Apache-2.0
// add, sub, mul, div. Plain loops over dense spans, one for each pattern of broadcast operands,
// which the compiler vectorises: body and tail are the same IEEE operations, so results do not
// depend on level, position or length.
#include "kernels/binary/binary.hpp"

#include "kernels/arithmetic.hpp"
#include "kernels/binary/complex_product.hpp"
#include "kernels/half_spans.hpp"
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

/// Spans of an op on complex numbers, real parts and imaginary parts in loops of their own. In one
/// loop, GCC 12 makes the difference of products next to the sum of products a fused multiply-add,
/// with contraction switched off as it is, and results would depend on level and position.
template <class Op, class T>
struct ComplexSpans {
  static constexpr std::int64_t block = 64;

  template <std::uint32_t Mask>
  static void loop(const Op& op, char* const* data, std::int64_t n) {
    using Part = typename T::value_type;
    for (std::int64_t start = 0; start < n; start += block) {
      const std::int64_t count = n - start < block ? n - start : block;
      constexpr std::int64_t size = sizeof(T);
      const SpanReader<T, (Mask & 1) != 0> a{data[1] + ((Mask & 1) != 0 ? 0 : start * size)};
      const SpanReader<T, (Mask & 2) != 0> b{data[2] + ((Mask & 2) != 0 ? 0 : start * size)};
      Part re[block], im[block];
      for (std::int64_t i = 0; i < count; ++i)
        re[i] = op(a[i], b[i]).real();
      for (std::int64_t i = 0; i < count; ++i)
        im[i] = op(a[i], b[i]).imag();
      char* out = data[0] + start * size;
      for (std::int64_t i = 0; i < count; ++i)
        store_element<T>(out, i, T(re[i], im[i]));
    }
  }

  static void run(const void* context, char* const* data, const std::int64_t* row_bytes,
                  std::int64_t n, std::int64_t rows, std::uint32_t broadcast) {
    const Op& op = *static_cast<const Op*>(context);
    for_each_row<3>(data, row_bytes, rows, [&](char* const* row) {
      switch (broadcast >> 1) {
        case 0: return loop<0>(op, row, n);
        case 1: return loop<1>(op, row, n);
        case 2: return loop<2>(op, row, n);
        default: return loop<3>(op, row, n);
      }
    });
  }
};

#if defined(__AVX__)
template <class T>
struct ComplexSpans<Mul<T>, T> {
  static void run(const void*, char* const* data, const std::int64_t* row_bytes, std::int64_t n,
                  std::int64_t rows, std::uint32_t broadcast) {
    for_each_row<3>(data, row_bytes, rows, [&](char* const* row) {
      complex_product_span<typename T::value_type>(row[0], row[1], row[2], n, broadcast >> 1);
    });
  }
};
#endif

template <class Op, class T>
constexpr SpanKernel complex_kernel = [] {
  SpanKernel kernel = OpKernel<Op>::value;
  kernel.run = &ComplexSpans<Op, T>::run;
  return kernel;
}();

/// The kernel of a product or quotient.
template <class Op, class T>
constexpr const SpanKernel* multiplicative() {
  if constexpr (is_complex_type<T>) {
    return &complex_kernel<Op, T>;
  } else {
    return &OpKernel<Op>::value;
  }
}

template <class Half>
const SpanKernel* choose_half(BinaryOp op) {
  switch (op) {
    case BinaryOp::add: return &HalfKernel<Add<float>, Half, 2>::value;
    case BinaryOp::sub: return &HalfKernel<Sub<float>, Half, 2>::value;
    case BinaryOp::mul: return &HalfKernel<Mul<float>, Half, 2>::value;
    case BinaryOp::div: return &HalfKernel<Div<float>, Half, 2>::value;
  }
  return nullptr;
}

template <class T>
const SpanKernel* choose(BinaryOp op) {
  if constexpr (is_half_type<T>) {
    return choose_half<T>(op);
  } else {
    switch (op) {
      case BinaryOp::add: return &OpKernel<Add<T>>::value;
      case BinaryOp::sub:
        if constexpr (!std::is_same_v<T, bool>) return &OpKernel<Sub<T>>::value;
        break;
      case BinaryOp::mul: return multiplicative<Mul<T>, T>();
      case BinaryOp::div:
        if constexpr (!std::is_integral_v<T>) return multiplicative<Div<T>, T>();
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
