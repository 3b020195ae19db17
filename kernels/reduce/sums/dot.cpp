// SPDX-License-Identifier: Apache-2.0
// The sum of products of the elements of two inputs.
#include "kernels/loops/by_type.hpp"
#include "kernels/reduce/products/unfused_product.hpp"
#include "kernels/reduce/reduce.hpp"
#include "kernels/reduce/shared/stateless.hpp"
#include "kernels/reduce/sums/row_sums.hpp"
#include "kernels/scalar/arithmetic.hpp"

namespace weft {
inline namespace v0 {
namespace {

/// One after the other in each of the lanes of the public interface: integers, which wrap, and
/// complex numbers.
template <class T, class Sum>
struct PlainDot {
  Sum identity() const noexcept { return Sum(0); }
  Sum accumulate(Sum acc, T x, T y) const noexcept {
    if constexpr (is_complex_type<T>) {
      return plus(acc, unfused_product(cast<Sum>(x), cast<Sum>(y)));
    } else {
      return plus(acc, times(static_cast<Sum>(x), static_cast<Sum>(y)));
    }
  }
  Sum combine(Sum a, Sum b) const noexcept { return plus(a, b); }
  T project(Sum acc) const noexcept { return cast<T>(acc); }
};

/// Products of floats and halves in f32, added like the elements of a sum: eight vectors as a tree,
/// and these in f64. Doubles likewise in vectors that are emptied into others every 1024 elements.
template <class T>
struct FloatingDot {
  using V = Vectorized<Computed<T>>;
  static constexpr std::int64_t lanes = V::lanes;
  static constexpr std::int64_t size = sizeof(T);
  static constexpr std::int64_t run = 128;  // vectors

  static void spans(const void*, void* accumulators, char* const* inputs,
                    const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n, std::int64_t,
                    std::int64_t) {
    auto* acc = static_cast<double*>(accumulators);
    for (std::int64_t r = 0; r < rows; ++r) {
      const char* a = inputs[0] + r * row_bytes[0];
      const char* b = inputs[1] + r * row_bytes[1];
      const Vectorized<double> sum = whole_vectors(a, b, n);
      acc[r] = reduce_lanes(sum, [](double x, double y) { return x + y; });
      for (std::int64_t i = n / lanes * lanes; i < n; ++i)
        acc[r] += product(a, b, i);
    }
  }

  static void columns(const void*, void* accumulators, char* const* inputs,
                      const std::int64_t* row_bytes, std::int64_t rows, std::int64_t columns,
                      std::int64_t) {
    auto* acc = static_cast<double*>(accumulators);
    for (std::int64_t j = 0; j < columns; ++j)
      acc[j] = 0;
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t j = 0; j < columns; ++j)
        acc[j] += product(inputs[0] + r * row_bytes[0], inputs[1] + r * row_bytes[1], j);
    }
  }

  static void combine(const void*, void* into, const void* from, std::int64_t n) {
    for (std::int64_t j = 0; j < n; ++j)
      static_cast<double*>(into)[j] += static_cast<const double*>(from)[j];
  }
  static void project(const void*, const void* accumulators, std::int64_t n, char* const* outputs) {
    for (std::int64_t j = 0; j < n; ++j)
      store_element<T>(outputs[0], j, cast<T>(static_cast<const double*>(accumulators)[j]));
  }

  static constexpr ReductionKernel value = [] {
    ReductionKernel k;
    k.reduce_spans = &spans;
    k.reduce_columns = &columns;
    k.combine = &combine;
    k.project = &project;
    k.noutputs = 1;
    k.ninputs = 2;
    k.accumulator_bytes = sizeof(double);
    k.types[0] = k.types[1] = k.types[2] = scalar_type_of<T>;
    return k;
  }();

 private:
  static WEFT_ALWAYS_INLINE double product(const char* a, const char* b, std::int64_t i) {
    const auto x = static_cast<Computed<T>>(SpanReader<T, false>{a}[i]);
    const auto y = static_cast<Computed<T>>(SpanReader<T, false>{b}[i]);
    return static_cast<double>(x * y);
  }

  static WEFT_ALWAYS_INLINE Vectorized<double> whole_vectors(const char* a, const char* b,
                                                             std::int64_t n) {
    const auto at = [&](std::int64_t i) WEFT_INLINE_LAMBDA {
      const V x = in_order(load_vector<T>(a + i * size));
      return in_order(x * load_vector<T>(b + i * size));
    };
    const auto four = [&](std::int64_t i) WEFT_INLINE_LAMBDA {
      const V p = at(i), q = at(i + lanes), r = at(i + 2 * lanes), s = at(i + 3 * lanes);
      return (p + q) + (r + s);
    };
    Vectorized<double> low(0.0), high(0.0), total(0.0);
    const auto add = [&](const V& sum) WEFT_INLINE_LAMBDA {
      if constexpr (std::is_same_v<T, double>) {
        low += sum;
      } else {
        const WideLanes w = widen(sum);
        low += w.low;
        high += w.high;
      }
    };
    std::int64_t i = 0;
    for (std::int64_t first = 0; i + 8 * lanes <= n; i += 8 * lanes) {
      const V p = four(i), q = four(i + 4 * lanes);
      add(p + q);
      if (i - first < run * lanes) continue;
      total += low + high;
      low = high = Vectorized<double>(0.0);
      first = i;
    }
    for (; i + lanes <= n; i += lanes)
      add(at(i));
    return total + (low + high);
  }
};

template <class T>
const ReductionKernel* choose() {
  if constexpr (std::is_same_v<T, bool>) {
    return nullptr;
  } else if constexpr (is_complex_type<T>) {
    return &Stateless<PlainDot<T, std::complex<double>>>::value;
  } else if constexpr (std::is_integral_v<T>) {
    return &Stateless<PlainDot<T, std::conditional_t<sizeof(T) == 8, T, std::int32_t>>>::value;
  } else {
    return &FloatingDot<T>::value;
  }
}

}  // namespace

const ReductionKernel* WEFT_KERNEL(dot_kernel)(ReduceOp op, ScalarType type) {
  if (op != ReduceOp::dot) return nullptr;
  return by_type(type, []<class T>() { return choose<T>(); });
}

}  // namespace v0
}  // namespace weft
