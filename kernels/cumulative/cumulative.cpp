// SPDX-License-Identifier: Apache-2.0
// cumsum, as a struct of the public prefix interface.
#include "kernels/cumulative/cumulative.hpp"

#include <weft/kernel/cumulative.hpp>

#include "kernels/arithmetic.hpp"

namespace weft::inline v0 {
namespace {

template <class Acc, class T>
struct CumSum {
  Acc identity() const noexcept { return Acc(0); }
  Acc accumulate(Acc acc, T x) const noexcept { return plus(acc, cast<Acc>(x)); }
  T project(Acc acc) const noexcept { return cast<T>(acc); }
};

template <class Acc, class T>
struct Constant {
  static constexpr CumSum<Acc, T> op{};
  static constexpr CumulativeKernel value = cumulative_kernel(op);
};

}  // namespace

const CumulativeKernel* WEFT_KERNEL(cumsum_kernel)(ScalarType type) {
  switch (type) {
    case ScalarType::i64: return &Constant<std::int64_t, std::int64_t>::value;
    case ScalarType::f32: return &Constant<double, float>::value;
    case ScalarType::f64: return &Constant<double, double>::value;
    case ScalarType::c64: return &Constant<std::complex<double>, std::complex<float>>::value;
    case ScalarType::c128: return &Constant<std::complex<double>, std::complex<double>>::value;
    default: return nullptr;
  }
}

}  // namespace weft::inline v0
