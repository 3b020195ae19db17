// SPDX-License-Identifier: Apache-2.0
// Products.
#include "kernels/arithmetic.hpp"
#include "kernels/reduce/extremes.hpp"
#include "kernels/reduce/lanes.hpp"
#include "kernels/reduce/reduce.hpp"
#include "kernels/reduce/stateless.hpp"
#include "kernels/reduce/unfused_product.hpp"

namespace weft::inline v0 {
namespace {

/// Products of integers wrap in i64.
template <class T>
struct WholeProduct {
  using Element = T;
  using Part = std::int64_t;
  using Acc = std::int64_t;
  using Out = std::int64_t;
  static WEFT_ALWAYS_INLINE Acc identity() noexcept { return 1; }
  static WEFT_ALWAYS_INLINE Part part(T x) noexcept { return static_cast<Part>(x); }
  static WEFT_ALWAYS_INLINE Part join(Part a, Part b) noexcept { return times(a, b); }
  static WEFT_ALWAYS_INLINE Acc widen(Part a) noexcept { return a; }
  static WEFT_ALWAYS_INLINE Acc combine(Acc a, Acc b) noexcept { return times(a, b); }
  static WEFT_ALWAYS_INLINE Out project(Acc acc, const void*) noexcept { return acc; }
};

/// Products of floats in f64, so that none on the way leaves the range as long as it stays within
/// 2^+-1022.
template <class T>
struct FloatingProduct {
  using Element = T;
  using Part = double;
  using Acc = double;
  using Out = T;
  static WEFT_ALWAYS_INLINE Acc identity() noexcept { return 1; }
  static WEFT_ALWAYS_INLINE Part part(T x) noexcept { return static_cast<double>(x); }
  static WEFT_ALWAYS_INLINE Part join(Part a, Part b) noexcept { return a * b; }
  static WEFT_ALWAYS_INLINE Acc widen(Part a) noexcept { return a; }
  static WEFT_ALWAYS_INLINE Acc combine(Acc a, Acc b) noexcept { return a * b; }
  static WEFT_ALWAYS_INLINE Out project(Acc acc, const void*) noexcept {
    return static_cast<T>(acc);
  }

  static void spans(const void*, void* accumulators, char* const* inputs,
                    const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n, std::int64_t,
                    std::int64_t) {
    Acc* acc = static_cast<Acc*>(accumulators);
    const auto at = [&](std::int64_t r) WEFT_INLINE_LAMBDA { return inputs[0] + r * row_bytes[0]; };
    const auto quickly = [&]() WEFT_INLINE_LAMBDA {
      fold_rows_of<double>(
          acc, rows, [&](std::int64_t r) WEFT_INLINE_LAMBDA { return quick(at(r), n); },
          [](auto a, auto b) WEFT_INLINE_LAMBDA { return a * b; });
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t i = n / pair * pair; i < n; ++i)
          acc[r] *= static_cast<double>(SpanReader<T, false>{at(r)}[i]);
        if (acc[r] - acc[r] != 0) acc[r] = slow(at(r), n);  // infinite or NaN
      }
    };
    if constexpr (std::is_same_v<T, float>) {
      if (n >= 2 * pair) return quickly();
    }
    for (std::int64_t r = 0; r < rows; ++r)
      acc[r] = slow(at(r), n);
  }

  /// Floats like those of rows, eight rows at a time multiplied in f32.
  static void columns(const void* context, void* accumulators, char* const* inputs,
                      const std::int64_t* row_bytes, std::int64_t rows, std::int64_t columns,
                      std::int64_t index) {
    if constexpr (std::is_same_v<T, float>) {
      constexpr std::int64_t most = 512;
      auto* acc = static_cast<Acc*>(accumulators);
      for (std::int64_t j = 0; j < columns; j += most) {
        const std::int64_t count = columns - j < most ? columns - j : most;
        const char* from = inputs[0] + j * static_cast<std::int64_t>(sizeof(T));
        quick_columns(acc + j, from, row_bytes[0], rows, count);
        for (std::int64_t i = 0; i < count; ++i) {
          if (acc[j + i] - acc[j + i] == 0) continue;
          acc[j + i] = 1;  // infinite or NaN: one after the other
          for (std::int64_t r = 0; r < rows; ++r)
            acc[j + i] *= static_cast<double>(SpanReader<T, false>{from + r * row_bytes[0]}[i]);
        }
      }
    } else {
      TreeColumns<FloatingProduct>::columns(context, accumulators, inputs, row_bytes, rows, columns,
                                            index);
    }
  }

 private:
  /// Two vectors of floats.
  static constexpr std::int64_t pair = 2 * Vectorized<float>::lanes;

  static WEFT_ALWAYS_INLINE Acc slow(const char* from, std::int64_t n) {
    const SpanReader<T, false> in{from};
    constexpr int side = 32;  // so many that multiplications do not wait for each other
    Acc product[side];
    for (Acc& p : product)
      p = 1;
    std::int64_t i = 0;
    for (; i + side <= n; i += side) {
      for (int j = 0; j < side; ++j)
        product[j] *= static_cast<double>(in[i + j]);
    }
    for (int j = 0; i + j < n; ++j)
      product[j] *= static_cast<double>(in[i + j]);
    for (int half = side / 2; half > 0; half /= 2) {
      for (int j = 0; j < half; ++j)
        product[j] *= product[j + half];
    }
    return product[0];
  }

  /// The products of whole pairs of vectors, eight floats multiplied in f32 each time. NaN if any
  /// product on the way may have left the range in which it is as exact as others: of two floats none
  /// is below 2^-31, so of eight none is below 2^-124, and what is too large ends as infinity.
  static WEFT_ALWAYS_INLINE Vectorized<double> quick(const char* from, std::int64_t n) {
    using V = Vectorized<float>;
    constexpr std::int64_t lanes = V::lanes;
    const float* x = reinterpret_cast<const float*>(from);
    Vectorized<double> low(1.0), high(1.0);
    V least(1.0F);
    const auto two = [&](std::int64_t i) WEFT_INLINE_LAMBDA {
      const V a = in_order(V::load(x + i)), b = in_order(V::load(x + i + lanes));
      const V product = a * b;
      least = least_magnitude(least, product);
      return product;
    };
    const auto four = [&](std::int64_t i) WEFT_INLINE_LAMBDA {
      const V a = two(i), b = two(i + 2 * lanes);
      return a * b;
    };
    const auto take = [&](const V& product) WEFT_INLINE_LAMBDA {
      const WideLanes w = weft::widen(product);
      low *= w.low;
      high *= w.high;
    };
    std::int64_t i = 0;
    for (; i + 8 * lanes <= n; i += 8 * lanes) {
      const V a = four(i), b = four(i + 4 * lanes);
      take(a * b);
    }
    for (; i + pair <= n; i += pair)
      take(two(i));
    // Lanes below the bound become NaN.
    const WideLanes bound = weft::widen(least);
    const Vectorized<double> nan(__builtin_nan(""));
    const auto checked = [&](const Vectorized<double>& product, const Vectorized<double>& smallest)
                             WEFT_INLINE_LAMBDA {
                               return select(smallest >= Vectorized<double>(0x1p-31), product, nan);
                             };
    return checked(low, bound.low) * checked(high, bound.high);
  }

  /// acc[j] = the product of column j, at most 512 of them; NaN as in `quick`.
  static WEFT_ALWAYS_INLINE void quick_columns(Acc* acc, const char* from, std::int64_t step,
                                               std::int64_t rows, std::int64_t columns) {
    using V = Vectorized<float>;
    float least[512];
    for (std::int64_t j = 0; j < columns; ++j) {
      acc[j] = 1;
      least[j] = 1;
    }
    // Eight rows of one column or of several; `at` gives those of a row.
    const auto eight = [](const auto& at, auto& smallest) WEFT_INLINE_LAMBDA {
      const auto two = [&](std::int64_t r) WEFT_INLINE_LAMBDA {
        const auto a = at(r), b = at(r + 1);
        const auto product = a * b;
        smallest = least_magnitude(smallest, product);
        return product;
      };
      const auto a = two(0), b = two(2), c = two(4), d = two(6);
      return (a * b) * (c * d);
    };
    std::int64_t row = 0;
    for (; row + 8 <= rows; row += 8) {
      std::int64_t j = 0;
      for (; j + V::lanes <= columns; j += V::lanes) {
        V smallest = V::load(least + j);
        const auto at = [&](std::int64_t r) WEFT_INLINE_LAMBDA {
          return in_order(V::load(reinterpret_cast<const float*>(from + (row + r) * step) + j));
        };
        const WideLanes w = weft::widen(eight(at, smallest));
        smallest.store(least + j);
        (Vectorized<double>::load(acc + j) * w.low).store(acc + j);
        (Vectorized<double>::load(acc + j + 8) * w.high).store(acc + j + 8);
      }
      for (; j < columns; ++j) {
        const auto at = [&](std::int64_t r) WEFT_INLINE_LAMBDA {
          return SpanReader<float, false>{from + (row + r) * step}[j];
        };
        acc[j] *= static_cast<double>(eight(at, least[j]));
      }
    }
    for (; row < rows; ++row) {
      const SpanReader<float, false> x{from + row * step};
      for (std::int64_t j = 0; j < columns; ++j)
        acc[j] *= static_cast<double>(x[j]);
    }
    for (std::int64_t j = 0; j < columns; ++j)
      acc[j] = least[j] >= 0x1p-31F ? acc[j] : __builtin_nan("");
  }

  /// The smaller of a, which is not negative, and |b|.
  static WEFT_ALWAYS_INLINE float least_magnitude(float a, float b) noexcept {
    const float size = b < 0 ? -b : b;
    return size < a ? size : a;
  }
  static WEFT_ALWAYS_INLINE Vectorized<float> least_magnitude(const Vectorized<float>& a,
                                                              const Vectorized<float>& b) noexcept {
#if defined(__AVX512DQ__)
    Vectorized<float> least;
    least[0] = _mm512_range_ps(a[0], b[0], 2);  // the smaller magnitude, with the sign of a
    return least;
#else
    return extreme_number<false>(a, abs(b));
#endif
  }
};

template <class T>
struct ComplexProduct {
  using Acc = std::complex<double>;
  Acc identity() const noexcept { return {1, 0}; }
  Acc accumulate(Acc acc, T x) const noexcept { return combine(acc, cast<Acc>(x)); }
  Acc combine(Acc a, Acc b) const noexcept { return unfused_product(a, b); }
  T project(Acc acc) const noexcept { return cast<T>(acc); }
};

template <class T>
const ReductionKernel* choose() {
  if constexpr (is_complex_type<T>) {
    return &Stateless<ComplexProduct<T>>::value;
  } else if constexpr (std::is_floating_point_v<T>) {
    return &RuleKernel<FloatingProduct<T>>::value;
  } else if constexpr (!is_half_type<T>) {
    return &RuleKernel<WholeProduct<T>>::value;
  }
  return nullptr;
}

}  // namespace

const ReductionKernel* WEFT_KERNEL(products_kernel)(ReduceOp op, ScalarType type) {
  if (op != ReduceOp::prod) return nullptr;
  switch (type) {
#define WEFT_CASE(NAME, TYPE) \
  case ScalarType::NAME: return choose<TYPE>();
    WEFT_FOR_EACH_SCALAR_TYPE(WEFT_CASE)
#undef WEFT_CASE
  }
  return nullptr;
}

}  // namespace weft::inline v0
