// SPDX-License-Identifier: Apache-2.0
// Products of what is not NaN.
#include "kernels/loops/by_type.hpp"
#include "kernels/reduce/numbers/numbers.hpp"
#include "kernels/reduce/reduce.hpp"

namespace weft {
inline namespace v0 {
namespace {

/// In f64, as all products of floats.
template <class T>
struct NumberProduct {
  using Element = T;
  using Acc = double;
  using Out = T;

  static WEFT_ALWAYS_INLINE Acc combine(Acc a, Acc b) noexcept { return a * b; }
  static WEFT_ALWAYS_INLINE Out project(Acc acc, const void*) noexcept { return cast<T>(acc); }

  static void spans(const void*, void* accumulators, char* const* inputs,
                    const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n, std::int64_t,
                    std::int64_t) {
    auto* acc = static_cast<Acc*>(accumulators);
    for (std::int64_t r = 0; r < rows; ++r)
      acc[r] = row(inputs[0] + r * row_bytes[0], n);
  }
  static void columns(const void*, void* accumulators, char* const* inputs,
                      const std::int64_t* row_bytes, std::int64_t rows, std::int64_t columns,
                      std::int64_t) {
    auto* acc = static_cast<Acc*>(accumulators);
    for (std::int64_t j = 0; j < columns; ++j)
      acc[j] = 1;
    const std::int64_t chunk = columns <= narrow_columns ? rows : few_rows;
    for (std::int64_t r = 0; r < rows; r += chunk) {
      const std::int64_t some = rows - r < chunk ? rows - r : chunk;
      take_rows(acc, inputs[0] + r * row_bytes[0], row_bytes[0], some, columns);
    }
  }

 private:
  using V = Vectorized<T>;
  static constexpr std::int64_t size = sizeof(T), lanes = V::lanes;

  static constexpr auto times = [](auto a, auto b) WEFT_INLINE_LAMBDA { return a * b; };
  static WEFT_ALWAYS_INLINE void multiply(WideVector<T>& by, const char* from) noexcept {
    by.join(load_numbers<T>(from, 1), times);
  }
  static WEFT_ALWAYS_INLINE double number(T x) noexcept {
    return x == x ? static_cast<double>(x) : 1;
  }

  static WEFT_ALWAYS_INLINE Acc row(const char* from, std::int64_t n) noexcept {
    constexpr int side = 4;  // so many that multiplications do not wait for each other
    WideVector<T> parts[side] = {WideVector<T>(1), WideVector<T>(1), WideVector<T>(1),
                                 WideVector<T>(1)};
    std::int64_t i = 0;
    for (; i + side * lanes <= n; i += side * lanes) {
      WEFT_UNROLLED
      for (int k = 0; k < side; ++k)
        multiply(parts[k], from + (i + k * lanes) * size);
    }
    for (; i + lanes <= n; i += lanes)
      multiply(parts[0], from + i * size);
    Vectorized<double> all(1.0);
    WEFT_UNROLLED
    for (const WideVector<T>& p : parts)
      all = all * (p.low * p.high);
    double product = reduce_lanes(all, times);
    for (; i < n; ++i)
      product *= number(SpanReader<T, false>{from}[i]);
    return product;
  }

  static WEFT_ALWAYS_INLINE void take_rows(Acc* acc, const char* from, std::int64_t row_bytes,
                                           std::int64_t rows, std::int64_t columns) noexcept {
    std::int64_t j = 0;
    for (; j + strip_vectors * lanes <= columns; j += strip_vectors * lanes) {
      const char* here = from + j * size;
      WideVector<T> parts[strip_vectors];
      WEFT_UNROLLED
      for (int v = 0; v < strip_vectors; ++v)
        parts[v] = WideVector<T>::load(acc + j + v * lanes);
      for (std::int64_t r = 0; r < rows; ++r, here += row_bytes) {
        WEFT_UNROLLED
        for (int v = 0; v < strip_vectors; ++v)
          multiply(parts[v], here + v * lanes * size);
      }
      WEFT_UNROLLED
      for (int v = 0; v < strip_vectors; ++v)
        parts[v].store(acc + j + v * lanes);
    }
    for (; j < columns; ++j) {
      for (std::int64_t r = 0; r < rows; ++r)
        acc[j] *= number(SpanReader<T, false>{from + r * row_bytes}[j]);
    }
  }
};

}  // namespace

const ReductionKernel* WEFT_KERNEL(number_products_kernel)(ReduceOp op, ScalarType type) {
  return by_type(type, [op]<class T>() -> const ReductionKernel* {
    if constexpr (std::is_floating_point_v<T>) {
      if (op == ReduceOp::nanprod) return &RuleKernel<NumberProduct<T>>::value;
    }
    return nullptr;
  });
}

}  // namespace v0
}  // namespace weft
