// SPDX-License-Identifier: Apache-2.0
// Means and variances of what is not NaN.
#include "kernels/loops/by_type.hpp"
#include "kernels/reduce/moments/moments.hpp"
#include "kernels/reduce/numbers/numbers.hpp"
#include "kernels/reduce/reduce.hpp"

namespace weft {
inline namespace v0 {
namespace {

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
  static WEFT_ALWAYS_INLINE Out project(Acc acc, const void*) noexcept {
    return cast<T>(acc.sum / acc.count);
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
    for (std::int64_t j = 0; j < columns; j += number_columns) {
      const std::int64_t count = columns - j < number_columns ? columns - j : number_columns;
      alignas(64) double sums[number_columns];
      alignas(64) T counts[number_columns];
      for (std::int64_t i = 0; i < whole_vectors(count); ++i)
        sums[i] = counts[i] = 0;
      const std::int64_t chunk = columns <= narrow_columns ? rows : few_rows;
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
  static WEFT_ALWAYS_INLINE Counted counted(const V& x) noexcept {
    const Mask<T> is = x == x;
    return {select(is, x, V(T(0))), select(is, V(T(1)), V(T(0)))};
  }
  /// Of columns: choosing between a sum and what it was is one addition under a mask.
  template <class Load>
  static WEFT_ALWAYS_INLINE Counted four_of_column(const char* from, std::int64_t step,
                                                   const Load& load) noexcept {
    Counted all = counted(load(from));
    WEFT_UNROLLED
    for (int k = 1; k < 4; ++k) {
      const V x = load(from + k * step);
      const Mask<T> is = x == x;
      all.sum = select(is, all.sum + x, all.sum);
      all.count = select(is, all.count + V(T(1)), all.count);
    }
    return all;
  }
  /// Elements of as many vectors as hold so many: what arrays of them have room for.
  static constexpr std::int64_t whole_vectors(std::int64_t count) noexcept {
    return (count + lanes - 1) / lanes * lanes;
  }
  static WEFT_ALWAYS_INLINE Acc row(const char* from, std::int64_t n) noexcept {
    WideVector<T> sums(0);  // of four elements each, added up as they are
    LaneCount<T> count;
    const auto number = [&](const V& x) WEFT_INLINE_LAMBDA {
      const Mask<T> is = x == x;
      count.add(is);
      return select(is, x, V(T(0)));
    };
    const auto at = [&](std::int64_t i) WEFT_INLINE_LAMBDA {
      return number(in_order(load_vector<T>(from + i * size)));
    };
    std::int64_t i = 0;
    for (; i + 4 * lanes <= n; i += 4 * lanes)
      sums.add((at(i) + at(i + lanes)) + (at(i + 2 * lanes) + at(i + 3 * lanes)));
    if (i < n) {  // up to four more, the last of them in part
      V sum(T(0));
      for (; i + lanes <= n; i += lanes)
        sum += at(i);
      if (i < n) sum += number(load_first<T>(from + i * size, n - i));
      sums.add(sum);
    }
    return {sums.sum(), count.total()};
  }

  /// Of some vectors of them.
  template <int vectors, class Load>
  static WEFT_ALWAYS_INLINE void add_strip(double* sums, T* counts, const char* from,
                                           std::int64_t row_bytes, std::int64_t rows,
                                           const Load& load) noexcept {
    WideVector<T> total[vectors];
    V count[vectors];
    WEFT_UNROLLED
    for (int v = 0; v < vectors; ++v) {
      total[v] = WideVector<T>::load(sums + v * lanes);
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
        take(v, four_of_column(from + v * lanes * size, row_bytes, load));
    }
    for (; r < rows; ++r, from += row_bytes) {
      WEFT_UNROLLED
      for (int v = 0; v < vectors; ++v)
        take(v, counted(load(from + v * lanes * size)));
    }
    WEFT_UNROLLED
    for (int v = 0; v < vectors; ++v) {
      total[v].store(sums + v * lanes);
      count[v].store(counts + v * lanes);
    }
  }

  static WEFT_ALWAYS_INLINE void add_rows(double* sums, T* counts, const char* from,
                                          std::int64_t row_bytes, std::int64_t rows,
                                          std::int64_t columns) noexcept {
    std::int64_t j = 0;
    for (; j + strip_vectors * lanes <= columns; j += strip_vectors * lanes) {
      add_strip<strip_vectors>(sums + j, counts + j, from + j * size, row_bytes, rows,
                               WholeColumns<T>());
    }
    // In the same order: a column's sum does not depend on where the column stands.
    if constexpr (takes_first_columns<T>) {
      for (; j < columns; j += lanes) {
        add_strip<1>(sums + j, counts + j, from + j * size, row_bytes, rows,
                     FirstColumns<T>{columns - j});
      }
    } else {
      for (; j < columns; ++j)
        add_column(sums[j], counts[j], from + j * size, row_bytes, rows);
    }
  }
  static WEFT_ALWAYS_INLINE void add_column(double& total, T& count, const char* from,
                                            std::int64_t row_bytes, std::int64_t rows) noexcept {
    for (std::int64_t r = 0; r < rows;) {
      const std::int64_t some = r + 4 <= rows ? 4 : 1;
      T sum = 0;
      for (const std::int64_t end = r + some; r < end; ++r) {
        const T x = SpanReader<T, false>{from + r * row_bytes}[0];
        sum = x == x ? sum + x : sum;
        count += x == x ? T(1) : T(0);
      }
      total += static_cast<double>(sum);
    }
  }
};

/// Blocks in two passes over what is in cache by the second.
template <class T>
struct NumberVariance {
  using Element = T;
  using Acc = Moments;
  using Out = T;
  static constexpr std::int64_t span_elements = reread_span_elements;

  static WEFT_ALWAYS_INLINE Acc combine(const Acc& a, const Acc& b) noexcept {
    return joined(a, b);
  }
  static WEFT_ALWAYS_INLINE Out project(const Acc& acc, const void* context) noexcept {
    return cast<T>(variance(acc, context));
  }

  static void spans(const void*, void* accumulators, char* const* inputs,
                    const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n, std::int64_t,
                    std::int64_t) {
    auto* acc = static_cast<Acc*>(accumulators);
    // Few rows at a time: they have to stay in cache.
    constexpr std::int64_t max_elements = 4096;
    typename Mean::Acc means[fold_rows];
    std::int64_t most = n == 0 ? fold_rows : max_elements / n;
    most = most < 1 ? 1 : most > fold_rows ? fold_rows : most;
    for (std::int64_t r = 0; r < rows; r += most) {
      const std::int64_t count = rows - r < most ? rows - r : most;
      char* from = inputs[0] + r * row_bytes[0];
      unknown (&Mean::spans)(nullptr, means, &from, row_bytes, count, n, 0, 0);
      for (std::int64_t i = 0; i < count; ++i, from += row_bytes[0])
        acc[r + i] = moments(means[i], row(near(means[i]), from, n), from, size, n);
    }
  }

  /// As many columns at a time as stay in the second-level cache.
  static void columns(const void*, void* accumulators, char* const* inputs,
                      const std::int64_t* row_bytes, std::int64_t rows, std::int64_t columns,
                      std::int64_t) {
    constexpr std::int64_t block_bytes = 256 << 10, least = 128, max_columns = 512;
    auto* acc = static_cast<Acc*>(accumulators);
    std::int64_t most = block_bytes / (size * (rows + 1)) / least * least;
    most = most < least ? least : most > max_columns ? max_columns : most;
    for (std::int64_t first = 0; first < columns; first += most) {
      const std::int64_t count = columns - first < most ? columns - first : most;
      char* from = inputs[0] + first * size;
      typename Mean::Acc means[max_columns];
      unknown (&Mean::columns)(nullptr, means, &from, row_bytes, rows, count, 0);
      alignas(64) T nears[max_columns] = {};
      for (std::int64_t j = 0; j < count; ++j)
        nears[j] = near(means[j]);
      std::int64_t j = 0;
      alignas(64) double deviations[strip], squares[strip];
      const auto finish = [&](std::int64_t some) {
        for (std::int64_t i = 0; i < some; ++i) {
          acc[first + j + i] = moments(means[j + i], {deviations[i], squares[i]},
                                       from + (j + i) * size, row_bytes[0], rows);
        }
      };
      for (; j + strip <= count; j += strip) {
        take_strip<strip_vectors>(deviations, squares, nears + j, from + j * size, row_bytes[0],
                                  rows, WholeColumns<T>());
        finish(strip);
      }
      if constexpr (takes_first_columns<T>) {
        for (; j < count; j += lanes) {
          const std::int64_t some = count - j < lanes ? count - j : lanes;
          take_strip<1>(deviations, squares, nears + j, from + j * size, row_bytes[0], rows,
                        FirstColumns<T>{some});
          finish(some);
        }
      } else {
        for (; j < count; ++j) {
          const char* const at = from + j * size;
          acc[first + j] =
              moments(means[j], column(nears[j], at, row_bytes[0], rows), at, row_bytes[0], rows);
        }
      }
    }
  }

 private:
  using Mean = NumberMean<T>;
  using V = Vectorized<T>;
  static constexpr std::int64_t size = sizeof(T), lanes = V::lanes, strip = strip_vectors * lanes;

  /// Sums of deviations from a number, and of their squares: one by one, or of four elements as
  /// they are.
  struct Sums {
    double deviations, squares;
  };
  template <class Number>
  struct Deviations {
    Number sum{0}, squares{0};
    WEFT_ALWAYS_INLINE void add(const Number& deviation) noexcept {
      add({deviation, deviation * deviation});
    }
    WEFT_ALWAYS_INLINE void add(const Deviations& x) noexcept {
      sum = sum + x.sum;
      squares = squares + x.squares;
    }
  };
  struct WideSums {
    WideVector<T> deviations{0}, squares{0};
    WEFT_ALWAYS_INLINE void add(const Deviations<V>& x) noexcept {
      deviations.add(x.sum);
      squares.add(x.squares);
    }
  };

  static WEFT_ALWAYS_INLINE T near(const typename Mean::Acc& m) noexcept {
    return m.count == 0 ? T(0) : static_cast<T>(m.sum / m.count);
  }
  static WEFT_ALWAYS_INLINE V deviation(const V& x, const V& near) noexcept {
    return select(x == x, x - near, V(T(0)));
  }
  /// Of `some` vectors, up to four.
  template <class Load = WholeColumns<T>>
  static WEFT_ALWAYS_INLINE Deviations<V> deviations_of(const char* from, std::int64_t step,
                                                        const V& near, int some,
                                                        const Load& load = Load()) noexcept {
    const V first = deviation(load(from), near);
    Deviations<V> all{first, first * first};
    WEFT_UNROLLED
    for (int k = 1; k < some; ++k)
      all.add(deviation(load(from + k * step), near));
    return all;
  }

  static WEFT_ALWAYS_INLINE Sums row(T number, const char* from, std::int64_t n) noexcept {
    const V near(number);
    WideSums wide;
    std::int64_t i = 0;
    for (; i + 4 * lanes <= n; i += 4 * lanes)
      wide.add(deviations_of(from + i * size, lanes * size, near, 4));
    for (; i + lanes <= n; i += lanes)
      wide.add(deviations_of(from + i * size, 0, near, 1));
    if (i < n) {
      const V rest = deviation(load_first<T>(from + i * size, n - i), near);
      wide.add({rest, rest * rest});
    }
    return {wide.deviations.sum(), wide.squares.sum()};
  }

  template <int vectors, class Load>
  static WEFT_ALWAYS_INLINE void take_strip(double* deviations, double* squares, const T* nears,
                                            const char* from, std::int64_t row_bytes,
                                            std::int64_t rows, const Load& load) noexcept {
    WideSums wide[vectors];
    Deviations<V> sums[vectors];
    const auto add = [&]() WEFT_INLINE_LAMBDA {
      WEFT_UNROLLED
      for (int v = 0; v < vectors; ++v) {
        wide[v].add(sums[v]);
        sums[v] = {};
      }
    };
    const auto take = [&](int some) WEFT_INLINE_LAMBDA {
      WEFT_UNROLLED
      for (int v = 0; v < vectors; ++v) {
        sums[v].add(deviations_of(from + v * lanes * size, row_bytes, V::load(nears + v * lanes),
                                  some, load));
      }
      from += some * row_bytes;
    };
    // Conversions to f64 are a third of what there is to do after four rows.
    std::int64_t r = 0;
    for (; r + 4 <= rows; r += 4) {
      take(4);
      if (r % 8 != 0) add();
    }
    for (; r < rows; ++r)
      take(1);
    add();
    WEFT_UNROLLED
    for (int v = 0; v < vectors; ++v) {
      wide[v].deviations.store(deviations + v * lanes);
      wide[v].squares.store(squares + v * lanes);
    }
  }
  /// In the same order: what a column gives does not depend on where it stands.
  static WEFT_ALWAYS_INLINE Sums column(T near, const char* from, std::int64_t step,
                                        std::int64_t rows) noexcept {
    Sums all{0, 0};
    Deviations<T> sums;
    for (std::int64_t r = 0; r < rows;) {
      Deviations<T> some;
      for (const std::int64_t end = r + 4 <= rows ? r + 4 : r + 1; r < end; ++r) {
        const T x = SpanReader<T, false>{from + r * step}[0];
        some.add(x == x ? x - near : T(0));
      }
      sums.add(some);
      if (r % 8 != 0 && r != rows) continue;
      all.deviations += static_cast<double>(sums.sum);
      all.squares += static_cast<double>(sums.squares);
      sums = {};
    }
    return all;
  }

  static WEFT_ALWAYS_INLINE Moments moments(const typename Mean::Acc& mean, const Sums& sums,
                                            const char* from, std::int64_t step,
                                            std::int64_t n) noexcept {
    if (mean.count == 0) return {0, 0, 0};
    if (!in_range<T>(sums.squares)) return slow_moments(from, step, n);
    return moments_about(static_cast<double>(near(mean)), sums.deviations, sums.squares,
                         mean.count);
  }
  /// The same one by one, in f64.
  [[gnu::noinline]] static Moments slow_moments(const char* from, std::int64_t step,
                                                std::int64_t n) noexcept {
    const auto at = [&](std::int64_t i) WEFT_INLINE_LAMBDA {
      return static_cast<double>(SpanReader<T, false>{from + i * step}[0]);
    };
    double sum = 0, count = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const double x = at(i);
      sum += x == x ? x : 0;
      count += x == x ? 1 : 0;
    }
    const double mean = sum / count;
    Deviations<double> sums;
    for (std::int64_t i = 0; i < n; ++i) {
      const double x = at(i);
      sums.add(x == x ? x - mean : 0);
    }
    return moments_about(mean, sums.sum, sums.squares, count);
  }
};

}  // namespace

const ReductionKernel* WEFT_KERNEL(number_moments_kernel)(ReduceOp op, ScalarType type) {
  return by_type(type, [op]<class T>() -> const ReductionKernel* {
    if constexpr (std::is_floating_point_v<T>) {
      switch (op) {
        case ReduceOp::nanmean: return &RuleKernel<NumberMean<T>>::value;
        case ReduceOp::nanvar: return &RuleKernel<NumberVariance<T>>::value;
        default: break;
      }
    }
    return nullptr;
  });
}

}  // namespace v0
}  // namespace weft
