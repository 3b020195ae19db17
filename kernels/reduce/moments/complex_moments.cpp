// SPDX-License-Identifier: Apache-2.0
// Squared deviations of complex numbers from their mean: var and std.
#include "kernels/loops/by_type.hpp"
#include "kernels/reduce/reduce.hpp"
#include "kernels/reduce/shared/lanes.hpp"
#include "kernels/reduce/shared/rule_kernel.hpp"

namespace weft {
inline namespace v0 {
namespace {

/// What is kept of `count` elements, in f64: a deviation is as large as its magnitude.
struct ComplexMoments {
  double re, im;  // the mean
  double squares;
  double count;
};

template <class T, bool root>
struct ComplexVariance {
  using Element = std::complex<T>;
  using Acc = ComplexMoments;
  using Out = T;
  static constexpr std::int64_t size = 2 * sizeof(T);
  static constexpr std::int64_t span_elements = reread_span_elements / 2;

  static WEFT_ALWAYS_INLINE Acc combine(Acc a, Acc b) noexcept {
    const double n = a.count + b.count;
    const double re = b.re - a.re;
    const double im = b.im - a.im;
    const double share = b.count / (n == 0 ? 1 : n);
    const Acc both{a.re + re * share, a.im + im * share,
                   a.squares + b.squares + (re * re + im * im) * a.count * share, n};
    return a.count == 0 ? b : b.count == 0 ? a : both;
  }
  static WEFT_ALWAYS_INLINE T project(const Acc& m, const void* context) noexcept {
    const double n = m.count - *static_cast<const double*>(context);
    const double v = m.squares / (n > 0 ? n : 0.0);
    return static_cast<T>(root ? __builtin_sqrt(v) : v);
  }

  /// Sixteen reals side by side: eight real and eight imaginary parts.
  static void spans(const void*, void* accumulators, char* const* inputs,
                    const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n, std::int64_t,
                    std::int64_t) {
    auto* acc = static_cast<Acc*>(accumulators);
    for (std::int64_t r = 0; r < rows; ++r) {
      const char* from = inputs[0] + r * row_bytes[0];
      double sums[side] = {}, deviations[side] = {}, squares[side] = {}, near[side];
      for (std::int64_t i = 0; i < 2 * n; i += side)
        add(sums, from, i, 2 * n - i);
      const Mean mean = mean_of(sums, n);
      for (int j = 0; j < side; j += 2) {
        near[j] = mean.re;
        near[j + 1] = mean.im;
      }
      for (std::int64_t i = 0; i < 2 * n; i += side)
        add_deviations(deviations, squares, near, from, i, 2 * n - i);
      double sum = 0;
      for (const double s : squares)
        sum += s;
      acc[r] = about(mean, mean_of(deviations, n), sum, n);
    }
  }

  static void columns(const void*, void* accumulators, char* const* inputs,
                      const std::int64_t* row_bytes, std::int64_t rows, std::int64_t columns,
                      std::int64_t) {
    auto* acc = static_cast<Acc*>(accumulators);
    for (std::int64_t j = 0; j < columns; j += side / 2) {
      const std::int64_t count = columns - j < side / 2 ? columns - j : side / 2;
      const char* from = inputs[0] + j * size;
      double sums[side] = {}, deviations[side] = {}, squares[side] = {}, near[side];
      for (std::int64_t r = 0; r < rows; ++r)
        add(sums, from + r * row_bytes[0], 0, 2 * count);
      for (int i = 0; i < side; ++i)
        near[i] = rows == 0 ? 0 : sums[i] / static_cast<double>(rows);
      for (std::int64_t r = 0; r < rows; ++r)
        add_deviations(deviations, squares, near, from + r * row_bytes[0], 0, 2 * count);
      for (std::int64_t i = 0; i < count; ++i) {
        const double n = rows == 0 ? 1 : static_cast<double>(rows);
        acc[j + i] = about({near[2 * i], near[2 * i + 1]},
                           {deviations[2 * i] / n, deviations[2 * i + 1] / n},
                           squares[2 * i] + squares[2 * i + 1], rows);
      }
    }
  }

 private:
  static constexpr int side = 16;
  struct Mean {
    double re, im;
  };

  /// Of squares about a mean that is off by `off`.
  static WEFT_ALWAYS_INLINE Acc about(Mean mean, Mean off, double squares, std::int64_t n) {
    const auto count = static_cast<double>(n);
    if (n == 0) return {};
    return {mean.re + off.re, mean.im + off.im,
            squares - (off.re * off.re + off.im * off.im) * count, count};
  }
  static WEFT_ALWAYS_INLINE Mean mean_of(const double* sums, std::int64_t n) {
    Mean mean{0, 0};
    for (int j = 0; j < side; j += 2) {
      mean.re += sums[j];
      mean.im += sums[j + 1];
    }
    const double count = n == 0 ? 1 : static_cast<double>(n);
    return {mean.re / count, mean.im / count};
  }
  /// Calls f(j, x) with the reals from `first` on, at most `left` and as many as stand side by
  /// side.
  template <class F>
  static WEFT_ALWAYS_INLINE void each(const char* from, std::int64_t first, std::int64_t left,
                                      const F& f) {
    const SpanReader<T, false> in{from};
    if (left >= side) {
      for (int j = 0; j < side; ++j)
        f(j, static_cast<double>(in[first + j]));
    } else {
      for (int j = 0; j < left; ++j)
        f(j, static_cast<double>(in[first + j]));
    }
  }
  static WEFT_ALWAYS_INLINE void add(double* sums, const char* from, std::int64_t first,
                                     std::int64_t left) {
    each(from, first, left, [&](int j, double x) WEFT_INLINE_LAMBDA { sums[j] += x; });
  }
  static WEFT_ALWAYS_INLINE void add_deviations(double* deviations, double* squares,
                                                const double* near, const char* from,
                                                std::int64_t first, std::int64_t left) {
    each(from, first, left, [&](int j, double x) WEFT_INLINE_LAMBDA {
      const double d = x - near[j];
      deviations[j] += d;
      squares[j] += d * d;
    });
  }
};

template <class T>
const ReductionKernel* choose(ReduceOp op) {
  if constexpr (is_complex_type<T>) {
    using Part = typename T::value_type;
    switch (op) {
      case ReduceOp::var: return &RuleKernel<ComplexVariance<Part, false>>::value;
      case ReduceOp::std: return &RuleKernel<ComplexVariance<Part, true>>::value;
      default: break;
    }
  }
  return nullptr;
}

}  // namespace

const ReductionKernel* WEFT_KERNEL(complex_moments_kernel)(ReduceOp op, ScalarType type) {
  return by_type(type, [op]<class T>() { return choose<T>(op); });
}

}  // namespace v0
}  // namespace weft
