// SPDX-License-Identifier: Apache-2.0
// cumsum, nancumsum, cumprod and logcumsumexp.
#include <weft/kernel/cumulative.hpp>

#include "kernels/cumulative/complex_sums.hpp"
#include "kernels/cumulative/cumulative.hpp"
#include "kernels/cumulative/fours.hpp"
#include "kernels/loops/by_type.hpp"
#include "kernels/scalar/arithmetic.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

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

template <class Part, bool numbers, ScalarType type>
struct Complex {
  static constexpr CumulativeKernel value = ComplexSums<Part, numbers>::kernel(type);
};

using Words = std::uint64_t;

/// `numbers`: NaN is left out.
template <class T, bool numbers>
const CumulativeKernel* sum() {
  if constexpr (is_complex_type<T>) {
    return &Complex<typename T::value_type, numbers, scalar_type_of<T>>::value;
  } else if constexpr (std::is_floating_point_v<T>) {
    using Op = std::conditional_t<numbers, AddingNumbers, Adding>;
    return &Fours<Op, T, double, scalar_type_of<T>>::value;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return &Fours<Adding, Words, Words, ScalarType::i64>::value;
  } else {
    return nullptr;
  }
}
template <class T>
const CumulativeKernel* product() {
  if constexpr (is_complex_type<T>) {
    return &Constant<CumProd<std::complex<double>, T>>::value;
  } else if constexpr (std::is_same_v<T, double>) {
    return &Constant<CumProd<double, double>>::value;
  } else if constexpr (std::is_same_v<T, float>) {
    return &Fours<Multiplying, float, double, ScalarType::f32>::value;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return &Fours<Multiplying, Words, Words, ScalarType::i64>::value;
  } else {
    return nullptr;
  }
}
template <class T>
const CumulativeKernel* logarithm() {
  if constexpr (std::is_floating_point_v<T>) {
    return &Constant<LogCumSumExp<T>>::value;
  } else {
    return nullptr;
  }
}

}  // namespace

const CumulativeKernel* WEFT_KERNEL(running_total_kernel)(CumulativeOp op, ScalarType type) {
  return by_type(type, [op]<class T>() -> const CumulativeKernel* {
    switch (op) {
      case CumulativeOp::cumsum: return sum<T, false>();
      case CumulativeOp::nancumsum: return sum<T, true>();
      case CumulativeOp::cumprod: return product<T>();
      case CumulativeOp::logcumsumexp: return logarithm<T>();
      default: return nullptr;
    }
  });
}

}  // namespace v0
}  // namespace weft
