// SPDX-License-Identifier: Apache-2.0
// The logarithm of the sum of e^x.
#include "kernels/exp_below.hpp"
#include "kernels/reduce/extremes.hpp"
#include "kernels/reduce/reduce.hpp"
#include "kernels/reduce/sums.hpp"

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
  static WEFT_ALWAYS_INLINE Out project(Acc acc, const void*) noexcept {
    return static_cast<T>(shift_of(acc.largest) + __builtin_log(acc.sum));
  }

  /// In two passes over what is in cache by the second: the largest, and then powers of e, which are
  /// written next to each other before they are added.
  static void spans(const void*, void* accumulators, char* const* inputs,
                    const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n, std::int64_t,
                    std::int64_t) {
    Acc* acc = static_cast<Acc*>(accumulators);
    alignas(64) T powers[most_powers];
    for (std::int64_t r = 0; r < rows; ++r) {
      const char* from = inputs[0] + r * row_bytes[0];
      T largest;
      extreme_rows<T, true>(&largest, from, row_bytes[0], 1, n);
      const V shift(shift_of(largest));
      double sum = 0;
      for (std::int64_t i = 0; i < n; i += most_powers) {
        const std::int64_t count = n - i < most_powers ? n - i : most_powers;
        write_powers(powers, from + i * size, count, [&](std::int64_t) { return shift; });
        sum += sum_of(powers, count);
      }
      acc[r] = {static_cast<double>(largest), unless_infinite(sum, largest)};
    }
  }

  static void columns(const void*, void* accumulators, char* const* inputs,
                      const std::int64_t* row_bytes, std::int64_t rows, std::int64_t columns,
                      std::int64_t) {
    constexpr std::int64_t most_columns = 64;
    constexpr std::int64_t most_rows = most_powers / most_columns;
    Acc* acc = static_cast<Acc*>(accumulators);
    alignas(64) T powers[most_powers];
    alignas(64) T largest[most_columns];
    alignas(64) T shift[most_columns];
    double sums[most_columns];
    for (std::int64_t j = 0; j < columns; j += most_columns) {
      const std::int64_t count = columns - j < most_columns ? columns - j : most_columns;
      const char* from = inputs[0] + j * size;
      extreme_columns<T, true>(largest, from, row_bytes[0], rows, count);
      for (std::int64_t i = 0; i < most_columns; ++i)
        shift[i] = i < count ? shift_of(largest[i]) : T(0);
      for (std::int64_t i = 0; i < count; ++i)
        acc[j + i] = {static_cast<double>(largest[i]), 0};
      for (std::int64_t row = 0; row < rows; row += most_rows) {
        const std::int64_t height = rows - row < most_rows ? rows - row : most_rows;
        for (std::int64_t r = 0; r < height; ++r) {
          write_powers(powers + r * most_columns, from + (row + r) * row_bytes[0], count,
                       [&](std::int64_t i) { return V::load(shift + i); });
        }
        sum_columns<T>(sums, reinterpret_cast<const char*>(powers), most_columns * size, height,
                       count, [](auto x, std::int64_t) WEFT_INLINE_LAMBDA { return x; });
        for (std::int64_t i = 0; i < count; ++i)
          acc[j + i].sum += sums[i];
      }
      for (std::int64_t i = 0; i < count; ++i)
        acc[j + i].sum = unless_infinite(acc[j + i].sum, largest[i]);
    }
  }

 private:
  using V = Vectorized<T>;
  static constexpr std::int64_t size = sizeof(T);
  static constexpr std::int64_t most_powers = 2048;

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

  /// powers[i] = e^(x[i] - shift(i)).
  template <class Shift>
  static WEFT_ALWAYS_INLINE void write_powers(T* powers, const char* from, std::int64_t n,
                                              const Shift& shift) {
    const T* x = reinterpret_cast<const T*>(from);
    for (std::int64_t i = 0; i < n; i += V::lanes) {
      const std::int64_t left = n - i;
      if (left >= V::lanes) {
        exp_below(V::load(x + i) - shift(i)).store(powers + i);
      } else {
        exp_below(V::load(x + i, left, T(0)) - shift(i)).store(powers + i, left);
      }
    }
  }

  static WEFT_ALWAYS_INLINE double sum_of(const T* powers, std::int64_t n) {
    double sum = 0;
    sum_rows<T>(&sum, reinterpret_cast<const char*>(powers), 0, 1, n,
                [](std::int64_t)
                    WEFT_INLINE_LAMBDA { return [](auto x) WEFT_INLINE_LAMBDA { return x; }; });
    return sum;
  }
};

}  // namespace

const ReductionKernel* WEFT_KERNEL(logsumexp_kernel)(ReduceOp op, ScalarType type) {
  if (op != ReduceOp::logsumexp) return nullptr;
  if (type == ScalarType::f32) return &RuleKernel<LogSumExp<float>>::value;
  return type == ScalarType::f64 ? &RuleKernel<LogSumExp<double>>::value : nullptr;
}

}  // namespace weft::inline v0
