// SPDX-License-Identifier: Apache-2.0
// sum, amax, argmax, as structs of the public reduction interface.
#include "kernels/reduce/reduce.hpp"

#include <weft/kernel/reduce.hpp>

#include "kernels/arithmetic.hpp"

#include <limits>

namespace weft::inline v0 {
namespace {

/// What elements of a type add up in: f64 for f32, so that a sum of millions is right to the last bit
/// or two. The kernel is bound by memory, and widening costs less than what a pairwise f32 sum loses.
template <class T>
struct SumAccumulator {
  using Type = T;
};
template <>
struct SumAccumulator<float> {
  using Type = double;
};
template <>
struct SumAccumulator<std::complex<float>> {
  using Type = std::complex<double>;
};

template <class T>
struct Sum {
  using Acc = typename SumAccumulator<T>::Type;
  Acc identity() const noexcept { return Acc(0); }
  Acc accumulate(Acc acc, T x) const noexcept { return plus(acc, cast<Acc>(x)); }
  Acc combine(Acc a, Acc b) const noexcept { return plus(a, b); }
  T project(Acc acc) const noexcept { return cast<T>(acc); }
};

/// The least value of a type: smaller than or equal to everything.
template <class T>
constexpr T least() noexcept {
  if constexpr (std::is_floating_point_v<T>) return -std::numeric_limits<T>::infinity();
  return std::numeric_limits<T>::lowest();
}

/// NaN wins: it replaces what it meets, and nothing compares greater than it.
template <class T>
struct Max {
  T identity() const noexcept { return least<T>(); }
  T accumulate(T acc, T x) const noexcept { return ((x > acc) | (x != x)) ? x : acc; }
  T combine(T a, T b) const noexcept { return accumulate(a, b); }
  T project(T acc) const noexcept { return acc; }
};

template <class T>
struct Indexed {
  T value;
  std::int64_t index;  // negative: nothing seen yet
};

/// The first of the largest; the first NaN if there is one. Lanes and blocks meet in any order, so
/// equal values are told apart by their index.
template <class T>
struct ArgMax {
  Indexed<T> identity() const noexcept { return {least<T>(), -1}; }
  Indexed<T> accumulate(Indexed<T> acc, T x, std::int64_t index) const noexcept {
    return combine(acc, {x, index});
  }
  Indexed<T> combine(Indexed<T> a, Indexed<T> b) const noexcept {
    const bool a_nan = a.value != a.value;
    const bool b_nan = b.value != b.value;
    const bool b_larger = (b.value > a.value) & !a_nan;
    const bool equal = (a.value == b.value) | (a_nan & b_nan);
    const bool b_first = (b.index >= 0) & ((b.index < a.index) | (a.index < 0));
    return (b_larger | (b_nan & !a_nan) | (equal & b_first)) ? b : a;
  }
  std::int64_t project(Indexed<T> acc) const noexcept { return acc.index; }
};

template <class Op, bool WithIndex = false>
struct Constant {
  static constexpr Op op{};
  static constexpr ReductionKernel value = reduction_kernel<WithIndex>(op);
};

template <class T>
const ReductionKernel* choose(ReduceOp op) {
  constexpr bool wide =
      std::is_same_v<T, std::int64_t> || std::is_floating_point_v<T> || is_complex_type<T>;
  if constexpr (wide) {
    if (op == ReduceOp::sum) return &Constant<Sum<T>>::value;
  }
  if constexpr (!is_half_type<T> && !is_complex_type<T>) {
    if (op == ReduceOp::amax) return &Constant<Max<T>>::value;
    if (op == ReduceOp::argmax) return &Constant<ArgMax<T>, true>::value;
  }
  return nullptr;
}

}  // namespace

const ReductionKernel* WEFT_KERNEL(reduce_kernel)(ReduceOp op, ScalarType type) {
  switch (type) {
#define WEFT_CASE(NAME, TYPE) \
  case ScalarType::NAME: return choose<TYPE>(op);
    WEFT_FOR_EACH_SCALAR_TYPE(WEFT_CASE)
#undef WEFT_CASE
  }
  return nullptr;
}

}  // namespace weft::inline v0
