// SPDX-License-Identifier: Apache-2.0
// cumsum, cumprod and logcumsumexp.
#include <weft/kernel/cumulative.hpp>

#include "kernels/cumulative/complex_sums.hpp"
#include "kernels/cumulative/cumulative.hpp"
#include "kernels/cumulative/fours.hpp"
#include "kernels/scalar/arithmetic.hpp"

#include <cmath>
#include <limits>

namespace weft {
inline namespace v0 {
namespace {

// One after the other: products of complex numbers, and of f64, of which a few together may
// overflow where what comes before them is small.

/// A product that stays one: GCC 12 fuses products of which one lane takes the difference and the
/// next the sum, contraction being off or not.
WEFT_ALWAYS_INLINE double rounded(double product) noexcept {
#if defined(__GNUC__) && !defined(__clang__)
  return __builtin_assoc_barrier(product);
#else
  return product;
#endif
}
WEFT_ALWAYS_INLINE double product_of(double a, double b) noexcept { return a * b; }
WEFT_ALWAYS_INLINE std::complex<double> product_of(std::complex<double> a,
                                                   std::complex<double> b) noexcept {
  return {rounded(a.real() * b.real()) - rounded(a.imag() * b.imag()),
          rounded(a.real() * b.imag()) + rounded(a.imag() * b.real())};
}

template <class Acc, class T>
struct CumProd {
  Acc identity() const noexcept { return Acc(1); }
  Acc accumulate(Acc acc, T x) const noexcept { return product_of(acc, cast<Acc>(x)); }
  T project(Acc acc) const noexcept { return cast<T>(acc); }
};

/// log(e^x0 + ... + e^xi), in f64: the largest element so far, and the sum of e^(x - largest).
template <class T>
struct LogCumSumExp {
  struct Acc {
    double largest;
    double sum;
  };
  Acc identity() const noexcept { return {-std::numeric_limits<double>::infinity(), 0}; }
  Acc accumulate(Acc acc, T given) const noexcept {
    const auto x = static_cast<double>(given);
    if (x == acc.largest) {  // infinities have no difference
      const bool nothing = x < 0 && x - x != 0;
      return {x, nothing ? acc.sum : acc.sum + 1};
    }
    if (x > acc.largest) return {x, acc.sum * std::exp(acc.largest - x) + 1};
    return {acc.largest, acc.sum + std::exp(x - acc.largest)};
  }
  T project(Acc acc) const noexcept { return static_cast<T>(acc.largest + std::log(acc.sum)); }
};

template <class F>
struct Constant {
  static constexpr F op{};
  static constexpr CumulativeKernel value = cumulative_kernel(op);
};
template <class Op, class T, class Acc, ScalarType type>
struct Fours {
  static constexpr CumulativeKernel value = ByFours<Op, T, Acc>::kernel(type);
};

template <class Part, ScalarType type>
struct Complex {
  static constexpr CumulativeKernel value = ComplexSums<Part>::kernel(type);
};

using Words = std::uint64_t;

const CumulativeKernel* sum(ScalarType type) {
  using enum ScalarType;
  switch (type) {
    case i64: return &Fours<Adding, Words, Words, i64>::value;
    case f32: return &Fours<Adding, float, double, f32>::value;
    case f64: return &Fours<Adding, double, double, f64>::value;
    case c64: return &Complex<float, c64>::value;
    case c128: return &Complex<double, c128>::value;
    default: return nullptr;
  }
}
const CumulativeKernel* product(ScalarType type) {
  using enum ScalarType;
  switch (type) {
    case i64: return &Fours<Multiplying, Words, Words, i64>::value;
    case f32: return &Fours<Multiplying, float, double, f32>::value;
    case f64: return &Constant<CumProd<double, double>>::value;
    case c64: return &Constant<CumProd<std::complex<double>, std::complex<float>>>::value;
    case c128: return &Constant<CumProd<std::complex<double>, std::complex<double>>>::value;
    default: return nullptr;
  }
}
const CumulativeKernel* logarithm(ScalarType type) {
  if (type == ScalarType::f32) return &Constant<LogCumSumExp<float>>::value;
  return type == ScalarType::f64 ? &Constant<LogCumSumExp<double>>::value : nullptr;
}

}  // namespace

const CumulativeKernel* WEFT_KERNEL(running_total_kernel)(CumulativeOp op, ScalarType type) {
  switch (op) {
    case CumulativeOp::cumsum: return sum(type);
    case CumulativeOp::cumprod: return product(type);
    case CumulativeOp::logcumsumexp: return logarithm(type);
    default: return nullptr;
  }
}

}  // namespace v0
}  // namespace weft
