// SPDX-License-Identifier: Apache-2.0
// Norms, but for that with p = 1 of real numbers, which is a sum.
#include <weft/kernel/detail/math/power.hpp>

#include "kernels/loops/by_type.hpp"
#include "kernels/reduce/extremes/extremes.hpp"
#include "kernels/reduce/reduce.hpp"
#include "kernels/reduce/shared/alike.hpp"
#include "kernels/reduce/shared/stateless.hpp"
#include "kernels/reduce/sums/sums.hpp"

namespace weft {
inline namespace v0 {
namespace {

/// |x|, as double.
template <class T>
WEFT_ALWAYS_INLINE double size_of(T x) noexcept {
  if constexpr (std::is_same_v<T, std::complex<float>>) {
    const double re = static_cast<double>(x.real());
    const double im = static_cast<double>(x.imag());
    return __builtin_sqrt(re * re + im * im);
  } else if constexpr (is_complex_type<T>) {
    return __builtin_hypot(x.real(), x.imag());
  } else {
    return __builtin_fabs(static_cast<double>(x));
  }
}

/// A sum of squares, scale^2 * sum: scale is 1 wherever that leaves sum in range.
struct Squares {
  double sum, scale;
};

/// The root of the sum of squares. Squares of floats are added as floats as long as they are
/// neither huge nor tiny, else in f64; where f64 would leave its range, elements are scaled by the
/// largest.
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
      sum_rows<T, true>(sums, from, row_bytes[0], count, n, [](std::int64_t) WEFT_INLINE_LAMBDA {
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
    if (sum != sum) return {sum, 1};  // of squares, the sum is NaN only if one is
    return slow(from, step, n);
  }
  static Acc slow(const char* from, std::int64_t step, std::int64_t n) {
    const auto at = [&](std::int64_t i) WEFT_INLINE_LAMBDA {
      return size_of(static_cast<C>(SpanReader<T, false>{from + i * step}[0]));
    };
    if (n == 0 || (at(0) == 0 && are_alike<sizeof(T)>(from, step, n))) return {0, 1};
    double largest = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const double x = at(i);
      if (x > std::numeric_limits<double>::max()) return {x, 1};
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
struct ComplexEndNorm {
  double identity() const noexcept { return largest ? 0 : std::numeric_limits<double>::infinity(); }
  double accumulate(double acc, T x) const noexcept { return combine(acc, size_of(x)); }
  double combine(double a, double b) const noexcept { return extreme<double, largest>(a, b); }
  Real<T> project(double acc) const noexcept { return static_cast<Real<T>>(acc); }
};

struct SizeOfEach {
  template <class V>
  WEFT_ALWAYS_INLINE V operator()(const V& x) const noexcept {
    if constexpr (std::is_floating_point_v<V>)
      return x < 0 ? -x : x;
    else
      return abs(x);
  }
};
template <class T, bool largest>
struct EndNorm {
  using Element = T;
  using Acc = T;
  using Out = T;
  static constexpr T nothing = largest ? T(0) : std::numeric_limits<T>::infinity();

  static WEFT_ALWAYS_INLINE T combine(T a, T b) noexcept { return extreme<T, largest>(a, b); }
  static WEFT_ALWAYS_INLINE T project(T acc, const void*) noexcept { return acc; }
  static void spans(const void*, void* accumulators, char* const* inputs,
                    const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n, std::int64_t,
                    std::int64_t) {
    extreme_rows<T, largest>(static_cast<T*>(accumulators), inputs[0], row_bytes[0], rows, n,
                             SizeOfEach(), nothing);
  }
  static void columns(const void*, void* accumulators, char* const* inputs,
                      const std::int64_t* row_bytes, std::int64_t rows, std::int64_t columns,
                      std::int64_t) {
    extreme_columns<T, largest>(static_cast<T*>(accumulators), inputs[0], row_bytes[0], rows,
                                columns, SizeOfEach(), nothing);
  }
};

/// Powers in f64, in place, of so many vectors.
[[gnu::noinline]] void write_exact_powers(double* x, std::int64_t n, double p) noexcept {
  using R = Register<double>;
  for (std::int64_t i = 0; i < n; i += R::lanes)
    pow(R::load(x + i), R(p)).store(x + i);
}
/// The same of magnitudes of f32, by fewer terms wherever the number is plain and the power is far
/// from the ends of f64.
[[gnu::noinline]] void write_powers_of_single(double* x, std::int64_t n, double p) noexcept {
  using R = Register<double>;
  for (std::int64_t i = 0; i < n; i += R::lanes) {
    const R size = R::load(x + i);
    const R exponent = rough_log(size, log_series_35) * p;
    const RegisterMask<double> plain =
        (size >= 1e-300) & (size < infinity<double>)&(exponent > -700.0) & (exponent < 700.0);
    const R power = rough_exp(clamped(exponent, -700.0, 700.0));
    if (!any(!plain)) {
      power.store(x + i);
      continue;
    }
    write_exact_powers(x + i, R::lanes, p);
    select(plain, power, R::load(x + i)).store(x + i);
  }
}

/// The p-th root of the sum of p-th powers, in f64. The context is p, a double.
template <class T>
struct PowerNorm {
  using Element = T;
  using Acc = double;
  using Out = Real<T>;
  static constexpr std::int64_t size = sizeof(T);
  static constexpr std::int64_t most = 512;  // powers that are written before they are added

  static WEFT_ALWAYS_INLINE double combine(double a, double b) noexcept { return a + b; }
  static WEFT_ALWAYS_INLINE Out project(double acc, const void* context) noexcept {
    return static_cast<Out>(__builtin_pow(acc, 1 / *static_cast<const double*>(context)));
  }
  static void spans(const void* context, void* accumulators, char* const* inputs,
                    const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n, std::int64_t,
                    std::int64_t) {
    auto* acc = static_cast<double*>(accumulators);
    alignas(64) double powers[most];
    for (std::int64_t r = 0; r < rows; ++r) {
      acc[r] = 0;
      for (std::int64_t i = 0; i < n; i += most) {
        const std::int64_t count = n - i < most ? n - i : most;
        write_powers(powers, inputs[0] + r * row_bytes[0] + i * size, count, context);
        double sum = 0;
        sum_rows<double>(&sum, reinterpret_cast<const char*>(powers), 0, 1, count,
                         [](std::int64_t) WEFT_INLINE_LAMBDA { return Itself(); });
        acc[r] += sum;
      }
    }
  }
  static void columns(const void* context, void* accumulators, char* const* inputs,
                      const std::int64_t* row_bytes, std::int64_t rows, std::int64_t columns,
                      std::int64_t) {
    auto* acc = static_cast<double*>(accumulators);
    alignas(64) double powers[most];
    for (std::int64_t j = 0; j < columns; j += most) {
      const std::int64_t count = columns - j < most ? columns - j : most;
      for (std::int64_t i = 0; i < count; ++i)
        acc[j + i] = 0;
      for (std::int64_t r = 0; r < rows; ++r) {
        write_powers(powers, inputs[0] + r * row_bytes[0] + j * size, count, context);
        for (std::int64_t i = 0; i < count; ++i)
          acc[j + i] += powers[i];
      }
    }
  }

 private:
  static void write_powers(double* powers, const char* from, std::int64_t n, const void* context) {
    const double p = *static_cast<const double*>(context);
    const SpanReader<T, false> in{from};
    for (std::int64_t i = 0; i < n; ++i)
      powers[i] = size_of(in[i]);
    for (std::int64_t i = n; i % Register<double>::lanes != 0; ++i)
      powers[i] = 1;
    sizeof(Real<T>) == sizeof(float) ? write_powers_of_single(powers, n, p)
                                     : write_exact_powers(powers, n, p);
  }
};

template <class T>
const ReductionKernel* complex_norm(ReduceOp op) {
  switch (op) {
    case ReduceOp::norm1: return &Stateless<ComplexNorm1<T>>::value;
    case ReduceOp::norm2: return &Stateless<ComplexNorm2<T>>::value;
    case ReduceOp::norm_inf: return &Stateless<ComplexEndNorm<T, true>>::value;
    case ReduceOp::norm_minus_inf: return &Stateless<ComplexEndNorm<T, false>>::value;
    case ReduceOp::norm_p: return &RuleKernel<PowerNorm<T>>::value;
    default: return nullptr;
  }
}

template <class T>
const ReductionKernel* real_norm(ReduceOp op) {
  switch (op) {
    case ReduceOp::norm2: return &RuleKernel<Norm2<T>>::value;
    case ReduceOp::norm_inf: return &RuleKernel<EndNorm<T, true>>::value;
    case ReduceOp::norm_minus_inf: return &RuleKernel<EndNorm<T, false>>::value;
    case ReduceOp::norm_p: return &RuleKernel<PowerNorm<T>>::value;
    default: return nullptr;
  }
}

}  // namespace

const ReductionKernel* WEFT_KERNEL(norms_kernel)(ReduceOp op, ScalarType type) {
  return by_type(type, [op]<class T>() -> const ReductionKernel* {
    if constexpr (is_complex_type<T>) {
      return complex_norm<T>(op);
    } else if constexpr (std::is_floating_point_v<T>) {
      return real_norm<T>(op);
    } else {
      return nullptr;
    }
  });
}

}  // namespace v0
}  // namespace weft
