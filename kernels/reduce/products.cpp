// SPDX-License-Identifier: Apache-2.0
// Products, norms and logsumexp.
#include <weft/kernel/vectorized_math.hpp>

#include "kernels/arithmetic.hpp"
#include "kernels/reduce/extremes.hpp"
#include "kernels/reduce/reduce.hpp"
#include "kernels/reduce/sums.hpp"

namespace weft::inline v0 {
namespace {

// ---- prod ---------------------------------------------------------------------------------------

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
    for (std::int64_t r = 0; r < rows; ++r)
      acc[r] = row(inputs[0] + r * row_bytes[0], n);
  }

 private:
  static WEFT_ALWAYS_INLINE Acc row(const char* from, std::int64_t n) {
    if constexpr (std::is_same_v<T, float>) {
      double product = 1;
      if (n >= 64 && quick(from, n, product)) return product;
    }
    const SpanReader<T, false> in{from};
    Acc product[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    std::int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
      for (int j = 0; j < 8; ++j)
        product[j] *= static_cast<double>(in[i + j]);
    }
    for (int j = 0; i + j < n; ++j)
      product[j] *= static_cast<double>(in[i + j]);
    return ((product[0] * product[4]) * (product[2] * product[6])) *
           ((product[1] * product[5]) * (product[3] * product[7]));
  }

  /// Four floats multiplied in f32 each time. False if any such product may have left the range in
  /// which it is as exact as others.
  static WEFT_ALWAYS_INLINE bool quick(const char* from, std::int64_t n, double& result) {
    using V = Vectorized<float>;
    constexpr std::int64_t lanes = V::lanes;
    const float* x = reinterpret_cast<const float*>(from);
    Vectorized<double> low(1.0), high(1.0);
    V least(1.0F);
    std::int64_t i = 0;
    for (; i + 4 * lanes <= n; i += 4 * lanes) {
      const V four = (V::load(x + i) * V::load(x + i + lanes)) *
                     (V::load(x + i + 2 * lanes) * V::load(x + i + 3 * lanes));
      least = extreme_number<false>(least, abs(four));
      const WideLanes w = weft::widen(four);
      low *= w.low;
      high *= w.high;
    }
    if (!(reduce_lanes(least, [](float a, float b) { return b < a ? b : a; }) >= 0x1p-126F))
      return false;
    result = reduce_lanes(low * high, [](double a, double b) { return a * b; });
    for (; i < n; ++i)
      result *= static_cast<double>(SpanReader<float, false>{from}[i]);
    return result - result == 0;  // neither infinite nor NaN
  }
};

template <class T>
struct ComplexProduct {
  using Acc = std::complex<double>;
  Acc identity() const noexcept { return {1, 0}; }
  Acc accumulate(Acc acc, T x) const noexcept { return combine(acc, cast<Acc>(x)); }
  Acc combine(Acc a, Acc b) const noexcept {
    double re_re = a.real() * b.real();
    double im_im = a.imag() * b.imag();
    double re_im = a.real() * b.imag();
    double im_re = a.imag() * b.real();
#if defined(__FMA__) && defined(__GNUC__)
    // GCC 12 would fuse a product with the difference or the sum, see complex_parts.hpp.
    __asm__("" : "+x"(re_re), "+x"(im_im), "+x"(re_im), "+x"(im_re));
#endif
    return {re_re - im_im, re_im + im_re};
  }
  T project(Acc acc) const noexcept { return cast<T>(acc); }
};

// ---- Norms --------------------------------------------------------------------------------------

/// |x|, as double.
template <class T>
WEFT_ALWAYS_INLINE double size_of(T x) noexcept {
  if constexpr (is_complex_type<T>) {
    return __builtin_hypot(static_cast<double>(x.real()), static_cast<double>(x.imag()));
  } else {
    return __builtin_fabs(static_cast<double>(x));
  }
}

/// A sum of squares, scale^2 * sum: scale is 1 wherever that leaves sum in range.
struct Squares {
  double sum, scale;
};

/// The root of the sum of squares. Squares of floats are added as floats as long as they are neither
/// huge nor tiny, else in f64; where f64 would leave its range, elements are scaled by the largest.
template <class T>
struct Norm2 {
  using Element = T;
  using Acc = Squares;
  using Out = T;
  using C = Computed<T>;

  static WEFT_ALWAYS_INLINE Acc combine(Acc a, Acc b) noexcept {
    if (a.scale == b.scale) return {a.sum + b.sum, a.scale};
    const double scale = b.scale > a.scale ? b.scale : a.scale;
    const double of_a = a.scale / scale;
    const double of_b = b.scale / scale;
    return {a.sum * of_a * of_a + b.sum * of_b * of_b, scale};
  }
  static WEFT_ALWAYS_INLINE Out project(Acc acc, const void*) noexcept {
    return cast<T>(acc.scale * __builtin_sqrt(acc.sum));
  }

  static void spans(const void*, void* accumulators, char* const* inputs,
                    const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n, std::int64_t,
                    std::int64_t) {
    Acc* acc = static_cast<Acc*>(accumulators);
    double sums[fold_rows];
    for (std::int64_t r = 0; r < rows; r += fold_rows) {
      const std::int64_t count = rows - r < fold_rows ? rows - r : fold_rows;
      const char* from = inputs[0] + r * row_bytes[0];
      sum_rows<T>(sums, from, row_bytes[0], count, n, [](std::int64_t) WEFT_INLINE_LAMBDA {
        return [](auto x) WEFT_INLINE_LAMBDA { return x * x; };
      });
      for (std::int64_t i = 0; i < count; ++i)
        acc[r + i] = checked(sums[i], from + i * row_bytes[0], sizeof(T), n);
    }
  }
  static void columns(const void*, void* accumulators, char* const* inputs,
                      const std::int64_t* row_bytes, std::int64_t rows, std::int64_t columns,
                      std::int64_t) {
    constexpr std::int64_t most = 1024;
    constexpr std::int64_t size = sizeof(T);
    Acc* acc = static_cast<Acc*>(accumulators);
    double sums[most];
    for (std::int64_t j = 0; j < columns; j += most) {
      const std::int64_t count = columns - j < most ? columns - j : most;
      const char* from = inputs[0] + j * size;
      sum_columns<T>(sums, from, row_bytes[0], rows, count,
                     [](const auto& x, std::int64_t) WEFT_INLINE_LAMBDA { return x * x; });
      for (std::int64_t i = 0; i < count; ++i)
        acc[j + i] = checked(sums[i], from + i * size, row_bytes[0], rows);
    }
  }

 private:
  static WEFT_ALWAYS_INLINE Acc checked(double sum, const char* from, std::int64_t step,
                                        std::int64_t n) {
    constexpr bool f64 = std::is_same_v<T, double>;
    if (sum >= (f64 ? 1e-280 : 1e-30) && sum <= (f64 ? 1e280 : 1e37)) return {sum, 1};
    return slow(from, step, n);
  }
  static Acc slow(const char* from, std::int64_t step, std::int64_t n) {
    const auto at = [&](std::int64_t i) WEFT_INLINE_LAMBDA {
      return size_of(static_cast<C>(SpanReader<T, false>{from + i * step}[0]));
    };
    double largest = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const double x = at(i);
      largest = x > largest ? x : largest;
    }
    const bool scaled = (largest > 1e140 || largest < 1e-140) && largest > 0 &&
                        largest <= std::numeric_limits<double>::max();
    const double scale = scaled ? largest : 1;
    double sum = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const double x = at(i) / scale;
      sum += x * x;
    }
    return {sum, scale};
  }
};

template <class T>
struct RealPart {
  using Type = T;
};
template <class T>
struct RealPart<std::complex<T>> {
  using Type = T;
};
template <class T>
using Real = typename RealPart<T>::Type;

template <class T>
struct ComplexNorm1 {
  double identity() const noexcept { return 0; }
  double accumulate(double acc, T x) const noexcept { return acc + size_of(x); }
  double combine(double a, double b) const noexcept { return a + b; }
  Real<T> project(double acc) const noexcept { return static_cast<Real<T>>(acc); }
};
template <class T>
struct ComplexNorm2 : ComplexNorm1<T> {
  double accumulate(double acc, T x) const noexcept {
    const double re = static_cast<double>(x.real());
    const double im = static_cast<double>(x.imag());
    return acc + (re * re + im * im);
  }
  Real<T> project(double acc) const noexcept { return static_cast<Real<T>>(__builtin_sqrt(acc)); }
};

/// The largest or the smallest magnitude; NaN if there is one.
template <class T, bool largest>
struct EndNorm {
  double identity() const noexcept { return largest ? 0 : std::numeric_limits<double>::infinity(); }
  double accumulate(double acc, T x) const noexcept { return combine(acc, size_of(x)); }
  double combine(double a, double b) const noexcept { return extreme<double, largest>(a, b); }
  Real<T> project(double acc) const noexcept { return static_cast<Real<T>>(acc); }
};

/// The p-th root of the sum of p-th powers, in f64. The context is p, a double.
template <class T>
struct PowerNorm {
  double p = 2;
  double identity() const noexcept { return 0; }
  double accumulate(double acc, T x) const noexcept { return acc + __builtin_pow(size_of(x), p); }
  double combine(double a, double b) const noexcept { return a + b; }
  Real<T> project(double acc) const noexcept {
    return static_cast<Real<T>>(__builtin_pow(acc, 1 / p));
  }
};

template <class Op>
struct Constant {
  static constexpr Op op{};
  static constexpr ReductionKernel value = reduction_kernel(op);
};

// ---- logsumexp ----------------------------------------------------------------------------------

/// sum * e^largest, the sum being over e^(x - largest).
struct Exponents {
  double largest, sum;
};

template <class T>
struct LogSumExp {
  using Element = T;
  using Acc = Exponents;
  using Out = T;

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
      acc[r] = {static_cast<double>(largest), sum};
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
        exp(V::load(x + i) - shift(i)).store(powers + i);
      } else {
        exp(V::load(x + i, left, T(0)) - shift(i)).store(powers + i, left);
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

// -------------------------------------------------------------------------------------------------

template <class T>
const ReductionKernel* norm_of(ReduceOp op) {
  switch (op) {
    case ReduceOp::norm_inf: return &Constant<EndNorm<T, true>>::value;
    case ReduceOp::norm_minus_inf: return &Constant<EndNorm<T, false>>::value;
    case ReduceOp::norm_p: return &Constant<PowerNorm<T>>::value;
    default: return nullptr;
  }
}

template <class T>
const ReductionKernel* choose(ReduceOp op) {
  if constexpr (is_half_type<T>) {
    return nullptr;
  } else if constexpr (is_complex_type<T>) {
    switch (op) {
      case ReduceOp::prod: return &Constant<ComplexProduct<T>>::value;
      case ReduceOp::norm1: return &Constant<ComplexNorm1<T>>::value;
      case ReduceOp::norm2: return &Constant<ComplexNorm2<T>>::value;
      default: return norm_of<T>(op);
    }
  } else if constexpr (std::is_floating_point_v<T>) {
    switch (op) {
      case ReduceOp::prod: return &RuleKernel<FloatingProduct<T>>::value;
      case ReduceOp::norm2: return &RuleKernel<Norm2<T>>::value;
      case ReduceOp::logsumexp: return &RuleKernel<LogSumExp<T>>::value;
      default: return norm_of<T>(op);
    }
  } else {
    return op == ReduceOp::prod ? &RuleKernel<WholeProduct<T>>::value : nullptr;
  }
}

}  // namespace

const ReductionKernel* WEFT_KERNEL(products_kernel)(ReduceOp op, ScalarType type) {
  switch (type) {
#define WEFT_CASE(NAME, TYPE) \
  case ScalarType::NAME: return choose<TYPE>(op);
    WEFT_FOR_EACH_SCALAR_TYPE(WEFT_CASE)
#undef WEFT_CASE
  }
  return nullptr;
}

}  // namespace weft::inline v0
