// SPDX-License-Identifier: Apache-2.0
// The logarithm of the sum of e^x.
#include "kernels/exp_below.hpp"
#include "kernels/math/logarithm.hpp"
#include "kernels/reduce/extremes.hpp"
#include "kernels/reduce/folds.hpp"
#include "kernels/reduce/reduce.hpp"

namespace weft::inline v0 {
namespace {

/// sum * e^largest, the sum being over e^(x - largest).
struct Exponents {
  double largest, sum;
};

template <class T>
struct LogSumExp {
  using Element = T;
  using Acc = Exponents;
  using Out = T;
  static constexpr std::int64_t span_elements = reread_span_elements;

  static WEFT_ALWAYS_INLINE Acc combine(Acc a, Acc b) noexcept {
    const double largest = extreme<double, true>(a.largest, b.largest);
    const double shift = shift_of(largest);
    return {largest, shifted(a, shift) + shifted(b, shift)};
  }

  /// Many results at a time: of few elements each the logarithm is most of the work.
  static void project_each(const void*, const void* accumulators, std::int64_t n,
                           char* const* outputs) {
    const Acc* acc = static_cast<const Acc*>(accumulators);
    using R = Register<double>;
    for (std::int64_t first = 0; first < n; first += R::lanes) {
      const std::int64_t count = n - first < R::lanes ? n - first : R::lanes;
      alignas(64) double sums[R::lanes];
      for (std::int64_t i = 0; i < R::lanes; ++i)
        sums[i] = i < count ? acc[first + i].sum : 1;
      weft::log(R::load(sums)).store(sums);
      for (std::int64_t i = 0; i < count; ++i)
        store_element<Out>(outputs[0], first + i,
                           static_cast<Out>(shift_of(acc[first + i].largest) + sums[i]));
    }
  }

  /// In two passes, the second over what is in cache by then: the largest of some rows, and then the
  /// powers of e.
  static void spans(const void*, void* accumulators, char* const* inputs,
                    const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n, std::int64_t,
                    std::int64_t) {
    constexpr std::int64_t most_elements = 4096;
    Acc* acc = static_cast<Acc*>(accumulators);
    T largest[fold_rows];
    double sums[fold_rows];
    std::int64_t step = most_elements / (n + 1);
    step = step < 1 ? 1 : step > fold_rows ? fold_rows : step;
    for (std::int64_t r = 0; r < rows; r += step) {
      const std::int64_t count = rows - r < step ? rows - r : step;
      const char* from = inputs[0] + r * row_bytes[0];
      extreme_rows<T, true>(largest, from, row_bytes[0], count, n);
      fold_rows_of<double>(
          sums, count, n,
          [&](std::int64_t i) WEFT_INLINE_LAMBDA {
            return summed_powers(reinterpret_cast<const T*>(from + i * row_bytes[0]), n,
                                 V(shift_of(largest[i])));
          },
          [](auto a, auto b) WEFT_INLINE_LAMBDA { return a + b; });
      for (std::int64_t i = 0; i < count; ++i)
        acc[r + i] = {static_cast<double>(largest[i]), unless_infinite(sums[i], largest[i])};
    }
  }

  static void columns(const void*, void* accumulators, char* const* inputs,
                      const std::int64_t* row_bytes, std::int64_t rows, std::int64_t columns,
                      std::int64_t) {
    constexpr std::int64_t most_columns = 512;
    Acc* acc = static_cast<Acc*>(accumulators);
    alignas(64) T largest[most_columns];
    alignas(64) T shift[most_columns];
    alignas(64) double sums[most_columns];
    for (std::int64_t j = 0; j < columns; j += most_columns) {
      const std::int64_t count = columns - j < most_columns ? columns - j : most_columns;
      const char* from = inputs[0] + j * size;
      extreme_columns<T, true>(largest, from, row_bytes[0], rows, count);
      for (std::int64_t i = 0; i < most_columns; ++i) {
        shift[i] = i < count ? shift_of(largest[i]) : T(0);
        sums[i] = 0;
      }
      for (std::int64_t row = 0; row < rows; row += 8)
        add_powers(sums, shift, from + row * row_bytes[0], row_bytes[0],
                   rows - row < 8 ? rows - row : 8, count);
      for (std::int64_t i = 0; i < count; ++i)
        acc[j + i] = {static_cast<double>(largest[i]), unless_infinite(sums[i], largest[i])};
    }
  }

 private:
  using V = Vectorized<T>;
  static constexpr std::int64_t size = sizeof(T);

  /// What is taken off: nothing where the largest is infinite (or there is none), which would make NaN.
  template <class F>
  static WEFT_ALWAYS_INLINE F shift_of(F largest) noexcept {
    const bool infinite = largest - largest != 0 && largest == largest;
    return infinite ? F(0) : largest;
  }

  /// The sum if what was taken off the elements left none above 0; infinite with the largest.
  static WEFT_ALWAYS_INLINE double unless_infinite(double sum, T largest) noexcept {
    return largest == std::numeric_limits<T>::infinity() ? static_cast<double>(largest) : sum;
  }

  /// The sum over e^(x - shift). One of nothing but -infinities stays 0, however far it is moved.
  static WEFT_ALWAYS_INLINE double shifted(Acc acc, double shift) noexcept {
    return acc.sum == 0 ? 0 : acc.sum * __builtin_exp(shift_of(acc.largest) - shift);
  }

  /// Terms in lanes, or lanes of terms, as doubles.
  static WEFT_ALWAYS_INLINE Vectorized<double> in_f64(const V& terms) noexcept {
    if constexpr (std::is_same_v<T, double>) {
      return terms;
    } else {
      const WideLanes w = weft::widen(terms);
      return w.low + w.high;
    }
  }

  /// The sum over e^(x - shift) of a row, in lanes: up to 32 vectors are added before they go to f64.
  static WEFT_ALWAYS_INLINE Vectorized<double> summed_powers(const T* x, std::int64_t n,
                                                             const V& shift) noexcept {
    constexpr std::int64_t lanes = V::lanes;
    constexpr std::int64_t block = 32 * lanes;
    Vectorized<double> sum(0.0);
    for (std::int64_t i = 0; i < n;) {
      const std::int64_t end = n - i < block ? n : i + block;
      V part[4] = {V(T(0)), V(T(0)), V(T(0)), V(T(0))};
      for (; i + 4 * lanes <= end; i += 4 * lanes) {
        WEFT_UNROLLED
        for (int k = 0; k < 4; ++k)
          part[k] += exp_below(V::load(x + i + k * lanes) - shift);
      }
      for (; i < end; i += lanes) {
        const bool whole = i + lanes <= end;
        // Of -infinity nothing is added.
        part[0] +=
            exp_below((whole ? V::load(x + i) : load_first<T>(x + i, end - i, nothing)) - shift);
      }
      sum += in_f64((part[0] + part[1]) + (part[2] + part[3]));
    }
    return sum;
  }
  static constexpr T nothing = -std::numeric_limits<T>::infinity();

  /// sums[j] += the sum over e^(x - shift[j]) of column j's next elements, at most eight.
  static WEFT_ALWAYS_INLINE void add_powers(double* sums, const T* shift, const char* from,
                                            std::int64_t row_bytes, std::int64_t rows,
                                            std::int64_t columns) noexcept {
    constexpr std::int64_t lanes = V::lanes;
    for (std::int64_t j = 0; j < columns; j += lanes) {
      const std::int64_t left = columns - j;
      const V by = V::load(shift + j);
      V total[2] = {V(T(0)), V(T(0))};
      const auto add = [&](std::int64_t r, int k) WEFT_INLINE_LAMBDA {
        const T* x = reinterpret_cast<const T*>(from + r * row_bytes) + j;
        total[k] += exp_below((left >= lanes ? V::load(x) : load_first<T>(x, left, nothing)) - by);
      };
      std::int64_t r = 0;
      for (; r + 2 <= rows; r += 2) {
        add(r, 0);
        add(r + 1, 1);
      }
      if (r < rows) add(r, 0);
      const V terms = total[0] + total[1];
      if constexpr (std::is_same_v<T, double>) {
        (Vectorized<double>::load(sums + j) + terms).store(sums + j);
      } else {
        const WideLanes w = weft::widen(terms);
        (Vectorized<double>::load(sums + j) + w.low).store(sums + j);
        (Vectorized<double>::load(sums + j + 8) + w.high).store(sums + j + 8);
      }
    }
  }
};

}  // namespace

const ReductionKernel* WEFT_KERNEL(logsumexp_kernel)(ReduceOp op, ScalarType type) {
  if (op != ReduceOp::logsumexp) return nullptr;
  if (type == ScalarType::f32) return &RuleKernel<LogSumExp<float>>::value;
  return type == ScalarType::f64 ? &RuleKernel<LogSumExp<double>>::value : nullptr;
}

}  // namespace weft::inline v0
