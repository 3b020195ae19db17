// SPDX-License-Identifier: Apache-2.0
// Products.
#include "kernels/loops/by_type.hpp"
#include "kernels/reduce/extremes/extremes.hpp"
#include "kernels/reduce/products/unfused_product.hpp"
#include "kernels/reduce/reduce.hpp"
#include "kernels/reduce/shared/folds.hpp"
#include "kernels/reduce/shared/stateless.hpp"
#include "kernels/scalar/arithmetic.hpp"

namespace weft {
inline namespace v0 {
namespace {

/// Products of integers wrap in i64. A few elements are multiplied in the narrowest type that holds
/// their product: multiplications of 64 bits are what costs.
template <class T>
struct WholeProduct {
  using Element = T;
  using Acc = std::int64_t;
  using Out = std::int64_t;
  static WEFT_ALWAYS_INLINE Acc combine(Acc a, Acc b) noexcept { return times(a, b); }
  static WEFT_ALWAYS_INLINE Out project(Acc acc, const void*) noexcept { return acc; }

  static void spans(const void*, void* accumulators, char* const* inputs,
                    const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n, std::int64_t,
                    std::int64_t) {
    constexpr std::int64_t many = 256;  // so many that multiplications would wait for each other
    auto* acc = static_cast<Acc*>(accumulators);
    for (std::int64_t r = 0; r < rows; ++r) {
      const char* from = inputs[0] + r * row_bytes[0];
      acc[r] = n >= many ? row<32>(from, n) : row<8>(from, n);
    }
  }

  /// Eight rows at a time, or one.
  static void columns(const void*, void* accumulators, char* const* inputs,
                      const std::int64_t* row_bytes, std::int64_t rows, std::int64_t columns,
                      std::int64_t) {
    auto* acc = static_cast<Acc*>(accumulators);
    for (std::int64_t j = 0; j < columns; ++j)
      acc[j] = 1;
    std::int64_t row = 0;
    for (; row + 8 <= rows; row += 8)
      take_rows<8>(acc, inputs[0] + row * row_bytes[0], row_bytes[0], columns);
    for (; row < rows; ++row)
      take_rows<1>(acc, inputs[0] + row * row_bytes[0], row_bytes[0], columns);
  }

 private:
  /// Elements whose product is exact in Few.
  static constexpr int few = sizeof(T) == 1 ? 4 : sizeof(T) <= 4 ? 2 : 1;
  template <class Signed, class Unsigned>
  using Alike = std::conditional_t<std::is_signed_v<T>, Signed, Unsigned>;
  using Few = std::conditional_t<sizeof(T) <= 2, Alike<std::int32_t, std::uint32_t>,
                                 Alike<std::int64_t, std::uint64_t>>;

  /// The product of x(i) ... x(i + count - 1).
  template <int count, class At>
  static WEFT_ALWAYS_INLINE Acc product_of(const At& x, int i) noexcept {
    if constexpr (count > few) {
      return times(product_of<count / 2>(x, i), product_of<count / 2>(x, i + count / 2));
    } else {
      auto product = static_cast<Few>(x(i));
      for (int k = 1; k < count; ++k)
        product = times(product, static_cast<Few>(x(i + k)));
      return static_cast<Acc>(product);
    }
  }

  /// `lanes` products side by side.
  template <int lanes>
  static WEFT_ALWAYS_INLINE Acc row(const char* from, std::int64_t n) {
    constexpr std::int64_t size = sizeof(T);
    Acc acc[lanes];
    for (Acc& a : acc)
      a = 1;
    std::int64_t i = 0;
    for (; i + few * lanes <= n; i += few * lanes) {
      const SpanReader<T, false> in{from + i * size};
      for (int j = 0; j < lanes; ++j) {
        const auto at = [&](int k) WEFT_INLINE_LAMBDA { return in[j + k * lanes]; };
        acc[j] = times(acc[j], product_of<few>(at, 0));
      }
    }
    for (int half = lanes / 2; half > 0; half /= 2) {
      for (int j = 0; j < half; ++j)
        acc[j] = times(acc[j], acc[j + half]);
    }
    const SpanReader<T, false> in{from};
    for (; i < n; ++i)
      acc[0] = times(acc[0], static_cast<Acc>(in[i]));
    return acc[0];
  }

  template <int rows>
  static WEFT_ALWAYS_INLINE void take_rows(Acc* acc, const char* from, std::int64_t step,
                                           std::int64_t columns) {
    WEFT_INDEPENDENT_ITERATIONS
    for (std::int64_t j = 0; j < columns; ++j) {
      const auto at = [&](int k)
                          WEFT_INLINE_LAMBDA { return SpanReader<T, false>{from + k * step}[j]; };
      acc[j] = times(acc[j], product_of<rows>(at, 0));
    }
  }
};

/// Products of floats in f64, so that none on the way leaves the range as long as it stays within
/// 2^+-1022.
template <class T>
struct FloatingProduct {
  using Element = T;
  using Part = double;
  using Acc = double;
  using Out = T;
  static constexpr std::int64_t least_row = 1;
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
    using V = Vectorized<T>;
    Acc* acc = static_cast<Acc*>(accumulators);
    const auto at = [&](std::int64_t r) WEFT_INLINE_LAMBDA {
      return reinterpret_cast<const T*>(inputs[0] + r * row_bytes[0]);
    };
    const auto times = [](auto a, auto b) WEFT_INLINE_LAMBDA { return a * b; };
    const auto multiply = [&](const auto& row) WEFT_INLINE_LAMBDA {
      fold_rows_of<double>(acc, rows, n, row, times);
    };
    if constexpr (std::is_same_v<T, float>) {
      if (n >= 2 * pair) {
        multiply([&](std::int64_t r) WEFT_INLINE_LAMBDA { return quick(at(r), n); });
        for (std::int64_t r = 0; r < rows; ++r) {
          if (acc[r] - acc[r] != 0)  // infinite or NaN
            acc[r] = fold_row(slow(at(r), n));
        }
        return;
      }
    }
    if (n > 0 && n <= V::lanes) {
      // Whole registers, as far as there are elements: single lanes are slow to read without masks.
      const T* const end = row_bytes[0] < 0 ? at(0) : at(rows - 1) + n;
      const auto fold = [&](const auto& row) WEFT_INLINE_LAMBDA {
        fold_short_rows<double>(
            acc, rows, n, row_bytes[0] == n * static_cast<std::int64_t>(sizeof(T)), row,
            [&](std::int64_t i) WEFT_INLINE_LAMBDA { return eight_doubles(at(0) + i); }, times,
            1.0);
      };
      const auto last = [&](const T* x)
                            WEFT_INLINE_LAMBDA { return one(load_first<T>(x, n, T(1))); };
      if (n <= 8) {
        using Wide = Vectorized<double>;
        const Wide places = lane_numbers<double>(), end_place(static_cast<double>(n));
        fold([&](std::int64_t r) WEFT_INLINE_LAMBDA {
          const T* x = at(r);
          if (end - x < 8) return n == V::lanes ? one(V::load(x)) : last(x);
          return select(places < end_place, eight_doubles(x), Wide(1.0));
        });
      } else {
        [[maybe_unused]] const V numbers = lane_numbers<T>(), length(static_cast<T>(n));
        fold([&](std::int64_t r) WEFT_INLINE_LAMBDA {
          const T* x = at(r);
          if (n == V::lanes) return one(V::load(x));
#if !defined(__AVX512F__)
          if (end - x >= V::lanes) return one(select(numbers < length, V::load(x), V(T(1))));
#endif
          return last(x);
        });
      }
      return;
    }
    multiply([&](std::int64_t r) WEFT_INLINE_LAMBDA { return slow(at(r), n); });
  }

  /// Floats like those of rows, eight rows at a time multiplied in f32.
  static void columns(const void* context, void* accumulators, char* const* inputs,
                      const std::int64_t* row_bytes, std::int64_t rows, std::int64_t columns,
                      std::int64_t index) {
    if constexpr (std::is_same_v<T, float>) {
      constexpr std::int64_t most = 512;
      auto* acc = static_cast<Acc*>(accumulators);
      if (rows == 1) {
        for (std::int64_t j = 0; j < columns; ++j)
          acc[j] = part(SpanReader<T, false>{inputs[0]}[j]);
        return;
      }
      for (std::int64_t j = 0; j < columns; j += most) {
        const std::int64_t count = columns - j < most ? columns - j : most;
        const char* from = inputs[0] + j * static_cast<std::int64_t>(sizeof(T));
        if (quick_columns(acc + j, from, row_bytes[0], rows, count)) continue;
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

  /// The elements of a register, each as a double.
  static WEFT_ALWAYS_INLINE Vectorized<double> one(const Vectorized<T>& x) {
    if constexpr (std::is_same_v<T, double>) {
      return x;
    } else {
      const WideLanes w = weft::widen(x);
      return w.low * w.high;
    }
  }
  static WEFT_ALWAYS_INLINE Vectorized<double> eight_doubles(const T* x) {
    Vectorized<double> wide;
    if constexpr (std::is_same_v<T, double>) {
      wide = Vectorized<double>::load(x);
    } else {
#if defined(__AVX512F__)
      wide[0] = _mm512_cvtps_pd(_mm256_loadu_ps(x));
#elif defined(__AVX__)
      wide[0] = _mm256_cvtps_pd(_mm_loadu_ps(x));
      wide[1] = _mm256_cvtps_pd(_mm_loadu_ps(x + 4));
#elif defined(__aarch64__)
      WEFT_UNROLLED
      for (int i = 0; i < 2; ++i) {
        const float32x4_t four = vld1q_f32(x + 4 * i);
        wide[2 * i] = vcvt_f64_f32(vget_low_f32(four));
        wide[2 * i + 1] = vcvt_high_f64_f32(four);
      }
#else
      T narrow[8];
      __builtin_memcpy(narrow, x, sizeof narrow);  // aligned or not
      alignas(64) double each[8];
      for (int i = 0; i < 8; ++i)
        each[i] = static_cast<double>(narrow[i]);
      wide = Vectorized<double>::load(each);
#endif
    }
    return wide;
  }

  /// Each element as a double.
  static WEFT_ALWAYS_INLINE Vectorized<double> slow(const T* from, std::int64_t n) {
    using V = Vectorized<T>;
    constexpr std::int64_t lanes = V::lanes;
    constexpr int side = 4;  // so many that multiplications do not wait for each other
    Vectorized<double> product[side];
    for (auto& p : product)
      p = Vectorized<double>(1.0);
    const auto take = [&](const V& x, int k) WEFT_INLINE_LAMBDA {
      if constexpr (std::is_same_v<T, double>) {
        product[k] *= x;
      } else {
        const WideLanes w = weft::widen(x);
        product[k] *= w.low;
        product[k + side / 2] *= w.high;
      }
    };
    constexpr int at_once = std::is_same_v<T, double> ? side : side / 2;
    std::int64_t i = 0;
    for (; i + at_once * lanes <= n; i += at_once * lanes) {
      WEFT_UNROLLED
      for (int k = 0; k < at_once; ++k)
        take(V::load(from + i + k * lanes), k);
    }
    for (; i + lanes <= n; i += lanes)
      take(V::load(from + i), 0);
    if (i < n) take(load_first<T>(from + i, n - i, T(1)), 0);
    return (product[0] * product[1]) * (product[2] * product[3]);
  }
  static double fold_row(const Vectorized<double>& row) {
    double product = 1;
    fold_rows_of<double>(
        &product, 1, 1, [&](std::int64_t) WEFT_INLINE_LAMBDA { return row; },
        [](auto a, auto b) WEFT_INLINE_LAMBDA { return a * b; });
    return product;
  }

  /// Eight floats multiplied in f32 each time, or two; what no pair of vectors holds as it is. NaN
  /// if any product on the way may have left the range in which it is as exact as others: of two
  /// floats none is below 2^-31, so of eight none is below 2^-124, and what is too large ends as
  /// infinity.
  static WEFT_ALWAYS_INLINE Vectorized<double> quick(const float* x, std::int64_t n) {
    using V = Vectorized<float>;
    constexpr std::int64_t lanes = V::lanes;
    Vectorized<double> low(1.0), high(1.0);
    V least(1.0F);
    const auto two = [&](std::int64_t i) WEFT_INLINE_LAMBDA {
      const V a = in_order(V::load(x + i)), b = in_order(V::load(x + i + lanes));
      return a * b;
    };
    const auto take = [&](const V& product) WEFT_INLINE_LAMBDA {
      const WideLanes w = weft::widen(product);
      low *= w.low;
      high *= w.high;
    };
    std::int64_t i = 0;
    for (; i + 8 * lanes <= n; i += 8 * lanes) {
      const V a = two(i), b = two(i + 2 * lanes);
      const V c = two(i + 4 * lanes), d = two(i + 6 * lanes);
      // `least` is waited for once.
      least = min_magnitude(least, a, b, c, d);
      take((a * b) * (c * d));
    }
    if (i + 4 * lanes <= n) {
      const V a = two(i), b = two(i + 2 * lanes);
      least = min_magnitude(min_magnitude(least, a), b);
      take(a * b);
      i += 4 * lanes;
    }
    if (i + pair <= n) {
      const V product = two(i);
      least = min_magnitude(least, product);
      take(product);
      i += pair;
    }
    if (i + lanes <= n) {
      take(in_order(V::load(x + i)));
      i += lanes;
    }
    if (i < n) take(load_first<float>(x + i, n - i, 1.0F));
    if (!all_of(least >= V(0x1p-31F))) return Vectorized<double>(__builtin_nan(""));
    return low * high;
  }
  static WEFT_ALWAYS_INLINE bool all_of(const Mask<float>& mask) {
    bool all = true;
    WEFT_UNROLLED
    for (int i = 0; i < Mask<float>::registers; ++i)
      all = all & xsimd::all(mask[i]);
    return all;
  }

  /// acc[j] = the product of column j, at most 512 of them; NaN as in `quick`. Narrow blocks from
  /// top to bottom in registers; of others eight rows at a time, so that memory is read in long
  /// stretches. Whether all are finite.
  static WEFT_ALWAYS_INLINE bool quick_columns(Acc* acc, const char* from, std::int64_t step,
                                               std::int64_t rows, std::int64_t columns) {
    using V = Vectorized<float>;
    constexpr std::int64_t narrow = 128;
    float least[512];
    const std::int64_t chunk = columns <= narrow ? (rows < 8 ? 8 : rows) : 8;
    for (std::int64_t row = 0; row < rows || row == 0; row += chunk) {
      const std::int64_t count = rows - row < chunk ? rows - row : chunk;
      const char* at = from + row * step;
      std::int64_t j = 0;
      for (; j + 2 * V::lanes <= columns; j += 2 * V::lanes)
        quick_strip<2>(acc + j, least + j, at + j * 4, step, count, row == 0);
      for (; j + V::lanes <= columns; j += V::lanes)
        quick_strip<1>(acc + j, least + j, at + j * 4, step, count, row == 0);
      for (; j < columns; ++j) {
        double product = row == 0 ? 1 : acc[j];
        float smallest = row == 0 ? 1 : least[j];
        const auto value = [&](std::int64_t r) WEFT_INLINE_LAMBDA {
          return SpanReader<float, false>{at + r * step}[j];
        };
        std::int64_t r = 0;
        for (; r + 8 <= count; r += 8)
          product *= static_cast<double>(eight(r, value, smallest));
        for (; r + 2 <= count; r += 2) {
          const float two = value(r) * value(r + 1);
          smallest = min_magnitude(smallest, two);
          product *= static_cast<double>(two);
        }
        if (r < count) product *= static_cast<double>(value(r));
        acc[j] = product;
        least[j] = smallest;
      }
    }
    // Integers, for what is added up has no order then.
    std::uint32_t wrong = 0;
    for (std::int64_t j = 0; j < columns; ++j) {
      acc[j] = least[j] >= 0x1p-31F ? acc[j] : __builtin_nan("");
      wrong |= acc[j] - acc[j] == 0 ? 0U : 1U;
    }
    return wrong == 0;
  }

  /// Eight rows from row r on, `at` gives those of a row.
  template <class At, class F>
  static WEFT_ALWAYS_INLINE F eight(std::int64_t r, const At& at, F& smallest) {
    const auto two = [&](std::int64_t i) WEFT_INLINE_LAMBDA {
      const F a = at(r + i), b = at(r + i + 1);
      const F product = a * b;
      smallest = min_magnitude(smallest, product);
      return product;
    };
    const F a = two(0), b = two(2), c = two(4), d = two(6);
    return (a * b) * (c * d);
  }

  template <int vectors>
  static WEFT_ALWAYS_INLINE void quick_strip(Acc* acc, float* least, const char* from,
                                             std::int64_t step, std::int64_t rows, bool start) {
    using V = Vectorized<float>;
    using Wide = Vectorized<double>;
    Wide product[2 * vectors];
    V smallest[vectors];
    WEFT_UNROLLED
    for (int v = 0; v < vectors; ++v) {
      product[2 * v] = start ? Wide(1.0) : Wide::load(acc + 16 * v);
      product[2 * v + 1] = start ? Wide(1.0) : Wide::load(acc + 16 * v + 8);
      smallest[v] = start ? V(1.0F) : V::load(least + 16 * v);
    }
    const auto value = [&](std::int64_t r, int v) WEFT_INLINE_LAMBDA {
      return in_order(V::load(reinterpret_cast<const float*>(from + r * step) + 16 * v));
    };
    const auto take = [&](const V& x, int v) WEFT_INLINE_LAMBDA {
      const WideLanes w = weft::widen(x);
      product[2 * v] *= w.low;
      product[2 * v + 1] *= w.high;
    };
    std::int64_t r = 0;
    for (; r + 8 <= rows; r += 8) {
      // Row by row through all vectors: rows are what memory is read along.
      V partial[4][vectors];
      WEFT_UNROLLED
      for (int pair_of_rows = 0; pair_of_rows < 4; ++pair_of_rows) {
        V upper[vectors];
        WEFT_UNROLLED
        for (int v = 0; v < vectors; ++v)
          upper[v] = value(r + 2 * pair_of_rows, v);
        WEFT_UNROLLED
        for (int v = 0; v < vectors; ++v)
          partial[pair_of_rows][v] = upper[v] * value(r + 2 * pair_of_rows + 1, v);
      }
      WEFT_UNROLLED
      for (int v = 0; v < vectors; ++v) {
        const V &a = partial[0][v], &b = partial[1][v], &c = partial[2][v], &d = partial[3][v];
        smallest[v] = min_magnitude(smallest[v], a, b, c, d);
        take((a * b) * (c * d), v);
      }
    }
    for (; r + 2 <= rows; r += 2) {
      WEFT_UNROLLED
      for (int v = 0; v < vectors; ++v) {
        const V two = value(r, v) * value(r + 1, v);
        smallest[v] = min_magnitude(smallest[v], two);
        take(two, v);
      }
    }
    if (r < rows) {
      WEFT_UNROLLED
      for (int v = 0; v < vectors; ++v)
        take(value(r, v), v);
    }
    WEFT_UNROLLED
    for (int v = 0; v < vectors; ++v) {
      product[2 * v].store(acc + 16 * v);
      product[2 * v + 1].store(acc + 16 * v + 8);
      smallest[v].store(least + 16 * v);
    }
  }

  /// The smaller of a, which is not negative, and |b|.
  static WEFT_ALWAYS_INLINE float min_magnitude(float a, float b) noexcept {
    const float size = b < 0 ? -b : b;
    return size < a ? size : a;
  }
  static WEFT_ALWAYS_INLINE Vectorized<float> min_magnitude(const Vectorized<float>& a,
                                                            const Vectorized<float>& b) noexcept {
#if defined(__AVX512DQ__)
    Vectorized<float> least;
    least[0] = _mm512_range_ps(a[0], b[0], 2);  // the smaller magnitude, with the sign of a
    return least;
#else
    return extreme_number<false>(a, abs(b));
#endif
  }
  /// The smallest magnitude of five, the first of which is not negative. With few registers one
  /// after the other, else so that it waits for the first once.
  static WEFT_ALWAYS_INLINE Vectorized<float> min_magnitude(const Vectorized<float>& least,
                                                            const Vectorized<float>& a,
                                                            const Vectorized<float>& b,
                                                            const Vectorized<float>& c,
                                                            const Vectorized<float>& d) noexcept {
#if defined(__AVX512DQ__)
    // Signs do not matter but that of the first.
    return min_magnitude(least, min_magnitude(min_magnitude(a, b), min_magnitude(c, d)));
#else
    return min_magnitude(min_magnitude(min_magnitude(min_magnitude(least, a), b), c), d);
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
  return by_type(type, []<class T>() { return choose<T>(); });
}

}  // namespace v0
}  // namespace weft
