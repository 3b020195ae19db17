// SPDX-License-Identifier: Apache-2.0
// Logarithms.
#include "kernels/math/logarithm.hpp"

#include "kernels/math/formulas.hpp"
#include "kernels/math/math.hpp"

namespace weft::inline v0 {
namespace {

WEFT_REGISTER_FORMULA(Log, log, 4)
WEFT_COMPLEX_FORMULA(Log, log)
WEFT_REGISTER_FORMULA(Log1p, log1p, 5)

/// log(x) * (high + low) for f64, rounded once or hardly more.
struct LogTimes {
  DoubleWord<double> factor;
  WEFT_ALWAYS_INLINE Register<double> operator()(const Register<double>& x) const noexcept {
    return with_log_edges(rounded(log_words(x) * factor), x);
  }
};
/// The same for results of f32, for which log(x) need not be in two words.
struct PlainLogTimes {
  double factor;
  WEFT_ALWAYS_INLINE Register<double> operator()(const Register<double>& x) const noexcept {
    return log(x) * factor;
  }
};
template <class T>
WEFT_ALWAYS_INLINE Register<T> log_times(const Register<T>& a, double high, double low) noexcept {
  if constexpr (sizeof(T) == 4) return in_double(PlainLogTimes{high}, a);
  if constexpr (sizeof(T) == 8) return LogTimes{{high, low}}(a);
}
template <class Part>
WEFT_ALWAYS_INLINE std::complex<Part> log_times(std::complex<Part> a, double factor) noexcept {
  const std::complex<Part> log = complex_log(a);
  return {log.real() * static_cast<Part>(factor), log.imag() * static_cast<Part>(factor)};
}

// 1 / log(2) and 1 / log(10), in two words.
constexpr double log2e_high = 1.4426950408889634, log2e_low = 2.0355273740931033e-17;
constexpr double log10e_high = 0.4342944819032518, log10e_low = 1.098319650216765e-17;

template <class T>
struct Log2 {
  static constexpr float cost = 10;
  WEFT_ALWAYS_INLINE Register<T> operator()(const Register<T>& a) const noexcept {
    return log_times(a, log2e_high, log2e_low);
  }
};
template <class Part>
struct Log2<std::complex<Part>> {
  using T = std::complex<Part>;
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept { return log_times(a, log2e_high); }
};
template <class T>
struct Log10 {
  static constexpr float cost = 10;
  WEFT_ALWAYS_INLINE Register<T> operator()(const Register<T>& a) const noexcept {
    return log_times(a, log10e_high, log10e_low);
  }
};
template <class Part>
struct Log10<std::complex<Part>> {
  using T = std::complex<Part>;
  WEFT_ALWAYS_INLINE T operator()(T a) const noexcept { return log_times(a, log10e_high); }
};

}  // namespace

const SpanKernel* WEFT_KERNEL(logarithm_kernel)(UnaryOp op, ScalarType type) {
  switch (op) {
    WEFT_FOR_EACH_LOGARITHM(WEFT_UNARY_KERNEL)
    default: return nullptr;
  }
}

}  // namespace weft::inline v0
