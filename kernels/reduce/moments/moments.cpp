// SPDX-License-Identifier: Apache-2.0
// Mean and squared deviations from it: var, std, and both with the mean.
#include "kernels/reduce/moments/moments.hpp"

#include "kernels/loops/by_type.hpp"
#include "kernels/reduce/moments/deviations.hpp"
#include "kernels/reduce/reduce.hpp"
#include "kernels/reduce/shared/alike.hpp"
#include "kernels/reduce/sums/sums.hpp"

#include <limits>

namespace weft {
inline namespace v0 {
namespace {

/// The same one by one, in f64.
template <class T>
Moments slow_moments(const char* from, std::int64_t step, std::int64_t n) {
  const auto at = [&](std::int64_t i) WEFT_INLINE_LAMBDA {
    return static_cast<double>(static_cast<Computed<T>>(SpanReader<T, false>{from + i * step}[0]));
  };
  // What is out of range is 0 more often than not.
  const double first = at(0);
  if (__builtin_fabs(first) <= std::numeric_limits<double>::max() &&
      are_alike<sizeof(T)>(from, step, n))
    return moments_about(first, 0, 0, static_cast<double>(n));
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i)
    sum += at(i);
  const double mean = sum / static_cast<double>(n);
  double deviations = 0;
  double squares = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double d = at(i) - mean;
    deviations += d;
    squares += d * d;
  }
  return moments_about(mean, deviations, squares, static_cast<double>(n));
}

/// Blocks in two passes over what is in cache by the second.
template <class T>
struct MomentsOf {
  using Loops = MomentsOf;
  using Element = T;
  using Acc = Moments;
  using C = Computed<T>;
  static constexpr std::int64_t size = sizeof(T);
  static constexpr std::int64_t span_elements = reread_span_elements;

  static WEFT_ALWAYS_INLINE Acc combine(Acc a, Acc b) noexcept { return joined(a, b); }

  static void spans(const void*, void* accumulators, char* const* inputs,
                    const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n, std::int64_t,
                    std::int64_t) {
    Acc* acc = static_cast<Acc*>(accumulators);
    if (n == 0) {
      for (std::int64_t r = 0; r < rows; ++r)
        acc[r] = {};
      return;
    }
    // Few rows at a time: they have to stay in cache.
    std::int64_t most = 4096 / n;
    most = most < 1 ? 1 : most > fold_rows ? fold_rows : most;
    for (std::int64_t r = 0; r < rows; r += most) {
      const std::int64_t count = rows - r < most ? rows - r : most;
      rows_of(acc + r, inputs[0] + r * row_bytes[0], row_bytes[0], count, n);
    }
  }

  /// As many columns at a time as stay in the second-level cache, so that what comes from further
  /// away is read in long stretches.
  static void columns(const void*, void* accumulators, char* const* inputs,
                      const std::int64_t* row_bytes, std::int64_t rows, std::int64_t columns,
                      std::int64_t) {
    constexpr std::int64_t block_bytes = 256 << 10;
    Acc* acc = static_cast<Acc*>(accumulators);
    std::int64_t most = block_bytes / (size * (rows + 1)) / strip_columns * strip_columns;
    most = most < strip_columns ? strip_columns : most > max_columns ? max_columns : most;
    for (std::int64_t j = 0; j < columns; j += most) {
      const std::int64_t count = columns - j < most ? columns - j : most;
      columns_of(acc + j, inputs[0] + j * size, row_bytes[0], rows, count);
    }
  }

 private:
  static constexpr std::int64_t strip_columns = 128;
  static constexpr std::int64_t max_columns = 1024;

  static void rows_of(Acc* acc, const char* from, std::int64_t row_bytes, std::int64_t rows,
                      std::int64_t n) {
    double sums[fold_rows], deviations[fold_rows], squares[fold_rows];
    C near[fold_rows];
    sum_rows<T, true>(sums, from, row_bytes, rows, n, [](std::int64_t) WEFT_INLINE_LAMBDA {
      return [](auto x) WEFT_INLINE_LAMBDA { return x; };
    });
    for (std::int64_t r = 0; r < rows; ++r)
      near[r] = static_cast<C>(sums[r] / static_cast<double>(n));
    sum_rows<T>(deviations, from, row_bytes, rows, n, [&](std::int64_t r) WEFT_INLINE_LAMBDA {
      return [c = near[r]](auto x) WEFT_INLINE_LAMBDA { return x - decltype(x)(c); };
    });
    sum_rows<T>(squares, from, row_bytes, rows, n, [&](std::int64_t r) WEFT_INLINE_LAMBDA {
      return [c = near[r]](auto x) WEFT_INLINE_LAMBDA {
        const auto d = x - decltype(x)(c);
        return d * d;
      };
    });
    for (std::int64_t r = 0; r < rows; ++r) {
      acc[r] = in_range<C>(squares[r])
                   ? moments_about(near[r], deviations[r], squares[r], static_cast<double>(n))
                   : slow_moments<T>(from + r * row_bytes, size, n);
    }
  }

  static void columns_of(Acc* acc, const char* from, std::int64_t row_bytes, std::int64_t rows,
                         std::int64_t columns) {
    alignas(64) double sums[max_columns];
    alignas(64) C near[max_columns];
    if (rows == 0) {
      for (std::int64_t j = 0; j < columns; ++j)
        acc[j] = {};
      return;
    }
    sum_columns<T>(sums, from, row_bytes, rows, columns,
                   [](auto x, std::int64_t) WEFT_INLINE_LAMBDA { return x; });
    for (std::int64_t j = 0; j < columns; ++j)
      near[j] = static_cast<C>(sums[j] / static_cast<double>(rows));
    for (std::int64_t first = 0; first < columns; first += strip_columns) {
      const std::int64_t count = columns - first < strip_columns ? columns - first : strip_columns;
      alignas(64) double deviations[strip_columns], squares[strip_columns];
      const char* at = from + first * size;
      sum_deviations<T>(deviations, squares, at, row_bytes, rows, count, near + first);
      moments_of_columns(acc + first, near + first, deviations, squares, at, row_bytes, rows,
                         count);
    }
  }

  /// Except where squares are out of range, without branches: several at a time.
  static WEFT_ALWAYS_INLINE void moments_of_columns(Acc* acc, const C* near,
                                                    const double* deviations, const double* squares,
                                                    const char* from, std::int64_t row_bytes,
                                                    std::int64_t rows, std::int64_t columns) {
    const auto n = static_cast<double>(rows);
    double mean[strip_columns], sum[strip_columns];
    std::int64_t outside = 0;
    for (std::int64_t j = 0; j < columns; ++j) {
      const Moments m = moments_about(near[j], deviations[j], squares[j], n);
      mean[j] = m.mean;
      sum[j] = m.squares;
      outside += in_range<C>(squares[j]) ? 0 : 1;
    }
    for (std::int64_t j = 0; j < columns; ++j)
      acc[j] = {mean[j], sum[j], n};
    for (std::int64_t j = 0; outside > 0 && j < columns; ++j) {
      if (!in_range<C>(squares[j])) acc[j] = slow_moments<T>(from + j * size, row_bytes, rows);
    }
  }
};

template <class T, bool root>
struct VarianceRule : MomentsOf<T> {
  using Out = T;
  static WEFT_ALWAYS_INLINE T project(const Moments& m, const void* context) noexcept {
    const double v = variance(m, context);
    return cast<T>(root ? __builtin_sqrt(v) : v);
  }
};
template <class T, bool root>
struct VarianceMeanRule : MomentsOf<T> {
  using Out = T;
  using Second = T;
  static WEFT_ALWAYS_INLINE T first(const Moments& m, const void* context) noexcept {
    return VarianceRule<T, root>::project(m, context);
  }
  static WEFT_ALWAYS_INLINE T second(const Moments& m, const void*) noexcept {
    return cast<T>(m.count == 0 ? __builtin_nan("") : m.mean);
  }
};

template <class T>
const ReductionKernel* choose(ReduceOp op) {
  if constexpr (std::is_floating_point_v<T>) {
    switch (op) {
      case ReduceOp::var: return &RuleKernel<VarianceRule<T, false>>::value;
      case ReduceOp::std: return &RuleKernel<VarianceRule<T, true>>::value;
      case ReduceOp::var_mean: return &RuleKernel<VarianceMeanRule<T, false>>::value;
      case ReduceOp::std_mean: return &RuleKernel<VarianceMeanRule<T, true>>::value;
      default: break;
    }
  }
  return nullptr;
}

}  // namespace

const ReductionKernel* WEFT_KERNEL(moments_kernel)(ReduceOp op, ScalarType type) {
  return by_type(type, [op]<class T>() { return choose<T>(op); });
}

}  // namespace v0
}  // namespace weft
