// SPDX-License-Identifier: Apache-2.0
// The logarithm of the sum of e^x.
#include <weft/kernel/detail/math/logarithm.hpp>

#include "kernels/loops/by_type.hpp"
#include "kernels/reduce/extremes/extremes.hpp"
#include "kernels/reduce/reduce.hpp"
#include "kernels/reduce/shared/folds.hpp"
#include "kernels/scalar/exp_below.hpp"

namespace weft {
inline namespace v0 {
namespace {

/// sum * e^largest, the sum being over e^(x - largest).
struct Exponents {
  double largest, sum;
};

using Doubles = Vectorized<double>;

/// As many of them as there are lanes.
struct Pairs {
  static constexpr int lanes = Doubles::lanes;
  Doubles largest, sum;

  /// The first `count`, if there are not as many.
  static WEFT_ALWAYS_INLINE Pairs load(const Exponents* from, std::int64_t count) noexcept {
    Exponents some[lanes] = {};
    if (count < lanes) {
      for (std::int64_t i = 0; i < count; ++i)
        some[i] = from[i];
      from = some;
    }
    Pairs p;
#if defined(__AVX512F__)
    const __m512d low = _mm512_loadu_pd(from), high = _mm512_loadu_pd(from + lanes / 2);
    const __m512i first = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    const __m512i second = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    p.largest[0] = _mm512_permutex2var_pd(low, first, high);
    p.sum[0] = _mm512_permutex2var_pd(low, second, high);
#elif defined(__aarch64__)
    WEFT_UNROLLED
    for (int i = 0; i < Doubles::registers; ++i) {
      const float64x2x2_t pairs = vld2q_f64(&from[2 * i].largest);
      p.largest[i] = pairs.val[0];
      p.sum[i] = pairs.val[1];
    }
#else
    alignas(64) double largest[lanes], sum[lanes];
    for (int i = 0; i < lanes; ++i) {
      largest[i] = from[i].largest;
      sum[i] = from[i].sum;
    }
    p.largest = Doubles::load(largest);
    p.sum = Doubles::load(sum);
#endif
    return p;
  }
  WEFT_ALWAYS_INLINE void store(Exponents* to, std::int64_t count) const noexcept {
    alignas(64) double largests[lanes], sums[lanes];
    largest.store(largests);
    sum.store(sums);
    for (std::int64_t i = 0; i < lanes && i < count; ++i)
      to[i] = {largests[i], sums[i]};
  }
};

template <class T>
struct LogSumExp {
  using Element = T;
  using Acc = Exponents;
  using Out = T;
  static constexpr std::int64_t span_elements = reread_span_elements;

  static void combine_each(const void*, void* into, const void* from, std::int64_t n) {
    Acc* a = static_cast<Acc*>(into);
    const Acc* b = static_cast<const Acc*>(from);
    for (std::int64_t i = 0; i < n; i += Pairs::lanes)
      combined(Pairs::load(a + i, n - i), Pairs::load(b + i, n - i)).store(a + i, n - i);
  }

  /// Many results at a time: of few elements each the logarithm is most of the work.
  static void project_each(const void*, const void* accumulators, std::int64_t n,
                           char* const* outputs) {
    const Acc* acc = static_cast<const Acc*>(accumulators);
    for (std::int64_t i = 0; i < n; i += Pairs::lanes) {
      const Pairs p = Pairs::load(acc + i, n - i);
      alignas(64) double results[Pairs::lanes];
      (shift_of(p.largest) + logarithm(p.sum)).store(results);
      if (n - i >= Pairs::lanes) {
        for (std::int64_t k = 0; k < Pairs::lanes; ++k)
          store_element<Out>(outputs[0], i + k, static_cast<Out>(results[k]));
      } else {
        for (std::int64_t k = 0; k < n - i; ++k)
          store_element<Out>(outputs[0], i + k, static_cast<Out>(results[k]));
      }
    }
  }

  /// In two passes, the second over what is in cache by then: the largest of some rows, and then
  /// the powers of e.
  static void spans(const void*, void* accumulators, char* const* inputs,
                    const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n, std::int64_t,
                    std::int64_t) {
    constexpr std::int64_t max_elements = 4096;
    Acc* acc = static_cast<Acc*>(accumulators);
    T largest[fold_rows];
    double sums[fold_rows];
    std::int64_t step = max_elements / (n + 1);
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
    constexpr std::int64_t max_columns = 512;
    Acc* acc = static_cast<Acc*>(accumulators);
    alignas(64) T largest[max_columns];
    alignas(64) T shift[max_columns];
    alignas(64) double sums[max_columns];
    for (std::int64_t j = 0; j < columns; j += max_columns) {
      const std::int64_t count = columns - j < max_columns ? columns - j : max_columns;
      const char* from = inputs[0] + j * size;
      extreme_columns<T, true>(largest, from, row_bytes[0], rows, count);
      for (std::int64_t i = 0; i < max_columns; ++i) {
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

  /// What is taken off: nothing where the largest is infinite (or there is none), which would make
  /// NaN.
  static WEFT_ALWAYS_INLINE T shift_of(T largest) noexcept {
    const bool infinite = largest - largest != 0 && largest == largest;
    return infinite ? T(0) : largest;
  }
  static WEFT_ALWAYS_INLINE Doubles shift_of(const Doubles& largest) noexcept {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const Doubles above = select(largest == Doubles(-infinity), Doubles(0.0), largest);
    return select(largest == Doubles(infinity), Doubles(0.0), above);
  }

  /// The sum if what was taken off the elements left none above 0; infinite with the largest.
  static WEFT_ALWAYS_INLINE double unless_infinite(double sum, T largest) noexcept {
    return largest == std::numeric_limits<T>::infinity() ? static_cast<double>(largest) : sum;
  }

  static WEFT_ALWAYS_INLINE Pairs combined(const Pairs& a, const Pairs& b) noexcept {
    const Doubles zero(0.0);
    const Doubles largest = extreme_each<double, true>(a.largest, b.largest);
    const Doubles shift = shift_of(largest);
    const Doubles x = shift_of(a.largest) - shift, y = shift_of(b.largest) - shift;
    const Doubles by = exp(x + y);  // one of them is 0
    // A sum of nothing but -infinities stays 0, however far it is moved.
    const auto moved = [&](const Doubles& sum, const Doubles& off) WEFT_INLINE_LAMBDA {
      return select(sum == zero, zero, sum * select(off == zero, Doubles(1.0), by));
    };
    return {largest, moved(a.sum, x) + moved(b.sum, y)};
  }

  static WEFT_ALWAYS_INLINE Doubles logarithm(Doubles x) noexcept {
    WEFT_UNROLLED
    for (int i = 0; i < Doubles::registers; ++i)
      x[i] = weft::log(Register<double>(x[i])).value;
    return x;
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

  /// The sum over e^(x - shift) of a row, in lanes: up to 32 vectors are added before they go to
  /// f64.
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
  return by_type(type, []<class T>() -> const ReductionKernel* {
    if constexpr (std::is_floating_point_v<T>) {
      return &RuleKernel<LogSumExp<T>>::value;
    } else {
      return nullptr;
    }
  });
}

}  // namespace v0
}  // namespace weft
