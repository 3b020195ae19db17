// SPDX-License-Identifier: Apache-2.0
// Means, least and largest of what is not NaN. Short loops: memory is what they wait for.
#include "kernels/loops/by_type.hpp"
#include "kernels/reduce/extremes/extremes.hpp"
#include "kernels/reduce/reduce.hpp"
#include "kernels/reduce/sums/row_sums.hpp"

namespace weft {
inline namespace v0 {
namespace {

/// Columns that are worked on together, and rows of wider ones, so that memory is read in long
/// stretches.
constexpr std::int64_t max_columns = 1024, narrow = 128, few_rows = 8;
/// Vectors of columns whose sums are in registers.
#if defined(__AVX512F__)
constexpr int vectors = 2;
#else
constexpr int vectors = 1;  // of twice as many registers, and half as many are there
#endif

/// Sums and counts at once.
template <class T>
struct NumberMean {
  struct Acc {
    double sum, count;
  };
  using Element = T;
  using Out = T;

  static WEFT_ALWAYS_INLINE Acc combine(Acc a, Acc b) noexcept {
    return {a.sum + b.sum, a.count + b.count};
  }
  static WEFT_ALWAYS_INLINE Out project(Acc acc, const void* context) noexcept {
    const double less = context == nullptr ? 0 : *static_cast<const double*>(context);
    const double left = acc.count - less;
    return cast<T>(acc.sum / (left > 0 ? left : 0));
  }

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
    for (std::int64_t j = 0; j < columns; j += max_columns) {
      const std::int64_t count = columns - j < max_columns ? columns - j : max_columns;
      alignas(64) double sums[max_columns];
      alignas(64) T counts[max_columns];
      for (std::int64_t i = 0; i < count; ++i)
        sums[i] = counts[i] = 0;
      const std::int64_t chunk = columns <= narrow ? rows : few_rows;
      for (std::int64_t r = 0; r < rows; r += chunk) {
        const std::int64_t some = rows - r < chunk ? rows - r : chunk;
        add_rows(sums, counts, inputs[0] + r * row_bytes[0] + j * size, row_bytes[0], some, count);
      }
      for (std::int64_t i = 0; i < count; ++i)
        acc[j + i] = {sums[i], static_cast<double>(counts[i])};
    }
  }

 private:
  using V = Vectorized<T>;
  static constexpr std::int64_t size = sizeof(T), lanes = V::lanes;

  struct Counted {
    V sum, count;
  };
  static WEFT_ALWAYS_INLINE Counted at(const char* from) noexcept {
    const V x = in_order(load_vector<T>(from));
    const Mask<T> is = x == x;
    return {select(is, x, V(T(0))), select(is, V(T(1)), V(T(0)))};
  }
  static WEFT_ALWAYS_INLINE Counted plus(const Counted& a, const Counted& b) noexcept {
    return {a.sum + b.sum, a.count + b.count};
  }
  /// Of a row, which waits for each addition: two at a time.
  static WEFT_ALWAYS_INLINE Counted four_of_row(const char* from) noexcept {
    constexpr std::int64_t step = lanes * size;
    return plus(plus(at(from), at(from + step)), plus(at(from + 2 * step), at(from + 3 * step)));
  }
  /// Of columns: choosing between a sum and what it was is one addition under a mask.
  static WEFT_ALWAYS_INLINE Counted four_of_column(const char* from, std::int64_t step) noexcept {
    Counted all = at(from);
    WEFT_UNROLLED
    for (int k = 1; k < 4; ++k) {
      const V x = in_order(load_vector<T>(from + k * step));
      const Mask<T> is = x == x;
      all.sum = select(is, all.sum + x, all.sum);
      all.count = select(is, all.count + V(T(1)), all.count);
    }
    return all;
  }
  /// Of floats, four are added up before they meet a sum in f64.
  struct Sums {
    Vectorized<double> low, high;
    WEFT_ALWAYS_INLINE void add(const V& x) noexcept {
      if constexpr (std::is_same_v<T, double>) {
        low += x;
      } else {
        const WideLanes w = widen(x);
        low += w.low;
        high += w.high;
      }
    }
  };

  static WEFT_ALWAYS_INLINE Acc row(const char* from, std::int64_t n) noexcept {
    Sums sums{Vectorized<double>(0.0), Vectorized<double>(0.0)};
    V counts(T(0));
    std::int64_t i = 0;
    for (; i + 4 * lanes <= n; i += 4 * lanes) {
      const Counted x = four_of_row(from + i * size);
      sums.add(x.sum);
      counts += x.count;
    }
    for (; i + lanes <= n; i += lanes) {
      const Counted x = at(from + i * size);
      sums.add(x.sum);
      counts += x.count;
    }
    const auto add = [](auto a, auto b) WEFT_INLINE_LAMBDA { return a + b; };
    Acc acc{reduce_lanes(sums.low + sums.high, add),
            static_cast<double>(reduce_lanes(counts, add))};
    for (; i < n; ++i)
      acc = combine(acc, one(SpanReader<T, false>{from}[i]));
    return acc;
  }
  static WEFT_ALWAYS_INLINE Acc one(T x) noexcept {
    return x == x ? Acc{static_cast<double>(x), 1} : Acc{0, 0};
  }

  /// Of `vectors` of them.
  static WEFT_ALWAYS_INLINE void add_strip(double* sums, T* counts, const char* from,
                                           std::int64_t row_bytes, std::int64_t rows) noexcept {
    constexpr std::int64_t wide = Vectorized<double>::lanes;
    constexpr bool halves = lanes > wide;
    Sums total[vectors];
    V count[vectors];
    WEFT_UNROLLED
    for (int v = 0; v < vectors; ++v) {
      total[v].low = Vectorized<double>::load(sums + v * lanes);
      total[v].high = Vectorized<double>(0.0);
      if constexpr (halves) total[v].high = Vectorized<double>::load(sums + v * lanes + wide);
      count[v] = V::load(counts + v * lanes);
    }
    const auto take = [&](int v, const Counted& x) WEFT_INLINE_LAMBDA {
      total[v].add(x.sum);
      count[v] += x.count;
    };
    std::int64_t r = 0;
    for (; r + 4 <= rows; r += 4, from += 4 * row_bytes) {
      WEFT_UNROLLED
      for (int v = 0; v < vectors; ++v)
        take(v, four_of_column(from + v * lanes * size, row_bytes));
    }
    for (; r < rows; ++r, from += row_bytes) {
      WEFT_UNROLLED
      for (int v = 0; v < vectors; ++v)
        take(v, at(from + v * lanes * size));
    }
    WEFT_UNROLLED
    for (int v = 0; v < vectors; ++v) {
      total[v].low.store(sums + v * lanes);
      if constexpr (halves) total[v].high.store(sums + v * lanes + wide);
      count[v].store(counts + v * lanes);
    }
  }

  static WEFT_ALWAYS_INLINE void add_rows(double* sums, T* counts, const char* from,
                                          std::int64_t row_bytes, std::int64_t rows,
                                          std::int64_t columns) noexcept {
    std::int64_t j = 0;
    for (; j + vectors * lanes <= columns; j += vectors * lanes)
      add_strip(sums + j, counts + j, from + j * size, row_bytes, rows);
    // In the same order: a column's sum does not depend on where the column stands.
    for (; j < columns; ++j) {
      for (std::int64_t r = 0; r < rows;) {
        const std::int64_t some = r + 4 <= rows ? 4 : 1;
        T sum = 0;
        for (const std::int64_t end = r + some; r < end; ++r) {
          const T x = SpanReader<T, false>{from + r * row_bytes}[j];
          sum = x == x ? sum + x : sum;
          counts[j] += x == x ? T(1) : T(0);
        }
        sums[j] += static_cast<double>(sum);
      }
    }
  }
};

/// NaN stands for nothing.
template <class T, bool largest>
struct NumberExtreme {
  using Element = T;
  using Acc = T;
  using Out = T;

  static WEFT_ALWAYS_INLINE T combine(T a, T b) noexcept {
    return (beyond<largest>(a, b) | (b != b)) ? a : b;
  }
  static WEFT_ALWAYS_INLINE T project(T acc, const void*) noexcept { return acc; }

  static void spans(const void*, void* accumulators, char* const* inputs,
                    const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n, std::int64_t,
                    std::int64_t) {
    T* const acc = static_cast<T*>(accumulators);
    for (std::int64_t r = 0; r < rows; ++r) {
      const char* const from = inputs[0] + r * row_bytes[0];
      acc[r] = settled(row(from, n), from, size, n);
    }
  }
  static void columns(const void*, void* accumulators, char* const* inputs,
                      const std::int64_t* row_bytes, std::int64_t rows, std::int64_t columns,
                      std::int64_t) {
    T* const acc = static_cast<T*>(accumulators);
    for (std::int64_t j = 0; j < columns; ++j)
      acc[j] = nothing;
    const std::int64_t chunk = columns <= narrow ? rows : few_rows / 2;
    for (std::int64_t r = 0; r < rows; r += chunk) {
      const std::int64_t some = rows - r < chunk ? rows - r : chunk;
      take_rows(acc, inputs[0] + r * row_bytes[0], row_bytes[0], some, columns);
    }
    for (std::int64_t j = 0; j < columns; ++j)
      acc[j] = settled(acc[j], inputs[0] + j * size, row_bytes[0], rows);
  }

 private:
  using V = Vectorized<T>;
  static constexpr std::int64_t size = sizeof(T), lanes = V::lanes;
  static constexpr T nothing = nothing_beyond<T, largest>();

  /// `best` where the element is NaN.
  static WEFT_ALWAYS_INLINE V better(const V& best, const char* from) noexcept {
    return extreme_number<largest>(in_order(load_vector<T>(from)), best);
  }
  static WEFT_ALWAYS_INLINE T better(T best, T x) noexcept {
    return beyond<largest>(x, best) ? x : best;
  }

  static WEFT_ALWAYS_INLINE T row(const char* from, std::int64_t n) noexcept {
    V best[4] = {V(nothing), V(nothing), V(nothing), V(nothing)};
    std::int64_t i = 0;
    for (; i + 4 * lanes <= n; i += 4 * lanes) {
      WEFT_UNROLLED
      for (int k = 0; k < 4; ++k)
        best[k] = better(best[k], from + (i + k * lanes) * size);
    }
    for (; i + lanes <= n; i += lanes)
      best[0] = better(best[0], from + i * size);
    T one = nothing;
    if (n >= lanes) {
      const V all = extreme_number<largest>(extreme_number<largest>(best[0], best[1]),
                                            extreme_number<largest>(best[2], best[3]));
      one = reduce_lanes(all, [](auto a, auto b) WEFT_INLINE_LAMBDA {
        if constexpr (std::is_same_v<decltype(a), T>) {
          return better(a, b);
        } else {
          return extreme_number<largest>(a, b);
        }
      });
    }
    for (; i < n; ++i)
      one = better(one, SpanReader<T, false>{from}[i]);
    return one;
  }

  static WEFT_ALWAYS_INLINE void take_rows(T* acc, const char* from, std::int64_t row_bytes,
                                           std::int64_t rows, std::int64_t columns) noexcept {
    std::int64_t j = 0;
    for (; j + 2 * vectors * lanes <= columns; j += 2 * vectors * lanes) {
      const char* here = from + j * size;
      V best[2 * vectors];
      WEFT_UNROLLED
      for (int v = 0; v < 2 * vectors; ++v)
        best[v] = V::load(acc + j + v * lanes);
      std::int64_t r = 0;
      for (; r + 2 <= rows; r += 2, here += 2 * row_bytes) {
        WEFT_UNROLLED
        for (int v = 0; v < 2 * vectors; ++v) {
          const char* const at = here + v * lanes * size;
          best[v] = better(better(best[v], at), at + row_bytes);
        }
      }
      WEFT_UNROLLED
      for (int v = 0; r < rows && v < 2 * vectors; ++v)
        best[v] = better(best[v], here + v * lanes * size);
      WEFT_UNROLLED
      for (int v = 0; v < 2 * vectors; ++v)
        best[v].store(acc + j + v * lanes);
    }
    for (; j < columns; ++j) {
      for (std::int64_t r = 0; r < rows; ++r)
        acc[j] = better(acc[j], SpanReader<T, false>{from + r * row_bytes}[j]);
    }
  }

  /// What is beyond nothing is either an element or that there was none.
  static WEFT_ALWAYS_INLINE T settled(T best, const char* from, std::int64_t step,
                                      std::int64_t n) noexcept {
    if (best != nothing) return best;
    for (std::int64_t i = 0; i < n; ++i) {
      const T x = SpanReader<T, false>{from + i * step}[0];
      if (x == x) return best;
    }
    return std::numeric_limits<T>::quiet_NaN();
  }
};

}  // namespace

const ReductionKernel* WEFT_KERNEL(numbers_kernel)(ReduceOp op, ScalarType type) {
  return by_type(type, [op]<class T>() -> const ReductionKernel* {
    if constexpr (std::is_floating_point_v<T>) {
      switch (op) {
        case ReduceOp::nanmean: return &RuleKernel<NumberMean<T>>::value;
        case ReduceOp::nanmax: return &RuleKernel<NumberExtreme<T, true>>::value;
        case ReduceOp::nanmin: return &RuleKernel<NumberExtreme<T, false>>::value;
        default: break;
      }
    }
    return nullptr;
  });
}

}  // namespace v0
}  // namespace weft
