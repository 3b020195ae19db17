// SPDX-License-Identifier: Apache-2.0
// Sums, and what is counted: sum, nansum, mean, the sum of magnitudes, count_nonzero, any, all.
#include "kernels/reduce/sums.hpp"

#include "kernels/arithmetic.hpp"
#include "kernels/reduce/reduce.hpp"

namespace weft::inline v0 {
namespace {

/// What is made of a float, a double or a vector of them before it is added.
struct Whole {
  template <class V>
  static WEFT_ALWAYS_INLINE V map(const V& x) noexcept {
    return x;
  }
};
struct NotNan {
  template <class V>
  static WEFT_ALWAYS_INLINE V map(const V& x) noexcept {
    return select(x == x, x, V(0));
  }
};
struct Magnitude {
  template <class V>
  static WEFT_ALWAYS_INLINE V map(const V& x) noexcept {
    if constexpr (std::is_floating_point_v<V>)
      return magnitude(x);
    else
      return abs(x);
  }
};

/// Sums of integers.
template <class T, class Result>
struct CountedSum {
  using Element = T;
  using Part = std::conditional_t<sizeof(T) <= 2, std::int32_t, std::int64_t>;
  using Acc = std::int64_t;
  using Out = Result;
  static WEFT_ALWAYS_INLINE Acc identity() noexcept { return 0; }
  static WEFT_ALWAYS_INLINE Part part(T x) noexcept { return static_cast<Part>(x); }
  static WEFT_ALWAYS_INLINE Part join(Part a, Part b) noexcept { return plus(a, b); }
  static WEFT_ALWAYS_INLINE Acc widen(Part a) noexcept { return a; }
  static WEFT_ALWAYS_INLINE Acc combine(Acc a, Acc b) noexcept { return plus(a, b); }
  static WEFT_ALWAYS_INLINE Out project(Acc acc, const void*) noexcept {
    return static_cast<Out>(acc);
  }
};

/// Sums of floating elements.
template <class T, class Map>
struct FloatingSum : Map {
  using Element = T;
  using Acc = double;
  using Out = T;
  static WEFT_ALWAYS_INLINE Acc combine(Acc a, Acc b) noexcept { return a + b; }
  static WEFT_ALWAYS_INLINE Out project(Acc acc, const void*) noexcept { return cast<Out>(acc); }
};
template <class T, class Map>
struct SumRule : FloatingSum<T, Map>, MappedSums<FloatingSum<T, Map>> {};

/// The context is the number of elements, a double.
template <class Rule>
struct MeanRule : Rule {
  using Out = typename Rule::Out;
  static WEFT_ALWAYS_INLINE Out project(typename Rule::Acc acc, const void* context) noexcept {
    return cast<Out>(static_cast<double>(acc) / *static_cast<const double*>(context));
  }
};

/// Sums of complex numbers, in f64 each part.
template <class T, bool ignore_nan>
struct ComplexSum {
  using Acc = std::complex<double>;
  Acc identity() const noexcept { return {}; }
  Acc accumulate(Acc acc, T x) const noexcept {
    const bool nan = x.real() != x.real() || x.imag() != x.imag();
    return ignore_nan && nan ? acc : plus(acc, cast<Acc>(x));
  }
  Acc combine(Acc a, Acc b) const noexcept { return plus(a, b); }
  T project(Acc acc) const noexcept { return cast<T>(acc); }
};
template <class Op>
struct Constant {
  static constexpr Op op{};
  static constexpr ReductionKernel value = reduction_kernel(op);
};
template <class T>
struct ComplexMean {
  static void project(const void* context, const void* accumulators, std::int64_t n,
                      char* const* outputs) {
    const auto* acc = static_cast<const std::complex<double>*>(accumulators);
    const double count = *static_cast<const double*>(context);
    for (std::int64_t j = 0; j < n; ++j)
      store_element<T>(outputs[0], j,
                       cast<T>(std::complex<double>(acc[j].real() / count, acc[j].imag() / count)));
  }
  static constexpr ReductionKernel value = [] {
    ReductionKernel k = Constant<ComplexSum<T, false>>::value;
    k.project = &project;
    return k;
  }();
};

/// True for anything but 0: NaN is.
template <class T>
WEFT_ALWAYS_INLINE bool is_nonzero(T x) noexcept {
  if constexpr (is_complex_type<T>) {
    return x.real() != 0 || x.imag() != 0;
  } else {
    return x != T(0);
  }
}

template <class T>
struct CountRule {
  using Element = T;
  using Part = std::int32_t;
  using Acc = std::int64_t;
  using Out = std::int64_t;
  static WEFT_ALWAYS_INLINE Acc identity() noexcept { return 0; }
  static WEFT_ALWAYS_INLINE Part part(T x) noexcept { return is_nonzero(x) ? 1 : 0; }
  static WEFT_ALWAYS_INLINE Part join(Part a, Part b) noexcept { return a + b; }
  static WEFT_ALWAYS_INLINE Acc widen(Part a) noexcept { return a; }
  static WEFT_ALWAYS_INLINE Acc combine(Acc a, Acc b) noexcept { return a + b; }
  static WEFT_ALWAYS_INLINE Out project(Acc acc, const void*) noexcept { return acc; }
};

/// any (wanted: true) and all (wanted: false): whether an element that is `wanted` has been seen
/// decides.
template <class T, bool wanted>
struct SeenRule {
  using Element = T;
  using Part = std::uint8_t;
  using Acc = std::uint8_t;
  using Out = bool;
  static WEFT_ALWAYS_INLINE Acc identity() noexcept { return 0; }
  static WEFT_ALWAYS_INLINE Part part(T x) noexcept { return is_nonzero(x) == wanted ? 1 : 0; }
  static WEFT_ALWAYS_INLINE Part join(Part a, Part b) noexcept { return static_cast<Part>(a | b); }
  static WEFT_ALWAYS_INLINE Acc widen(Part a) noexcept { return a; }
  static WEFT_ALWAYS_INLINE Acc combine(Acc a, Acc b) noexcept { return static_cast<Acc>(a | b); }
  static WEFT_ALWAYS_INLINE Out project(Acc acc, const void*) noexcept {
    return (acc != 0) == wanted;
  }
  static WEFT_ALWAYS_INLINE bool done(Acc acc) noexcept { return acc != 0; }

  static void spans(const void*, void* accumulators, char* const* inputs,
                    const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n, std::int64_t,
                    std::int64_t) {
    auto* acc = static_cast<Acc*>(accumulators);
    for (std::int64_t r = 0; r < rows; ++r)
      acc[r] = row(inputs[0] + r * row_bytes[0], n);
  }

 private:
  static WEFT_ALWAYS_INLINE Acc row(const char* from, std::int64_t n) {
    constexpr std::int64_t chunk = 256;
    std::int64_t i = 0;
    for (; i + chunk <= n; i += chunk) {
      const SpanReader<T, false> in{from + i * static_cast<std::int64_t>(sizeof(T))};
      Part seen = 0;
      for (std::int64_t j = 0; j < chunk; ++j)
        seen = join(seen, part(in[j]));
      if (seen != 0) return 1;
    }
    const SpanReader<T, false> in{from};
    Part seen = 0;
    for (; i < n; ++i)
      seen = join(seen, part(in[i]));
    return seen;
  }
};

template <class T>
const ReductionKernel* sum_of(ReduceOp op) {
  if constexpr (is_complex_type<T>) {
    switch (op) {
      case ReduceOp::sum: return &Constant<ComplexSum<T, false>>::value;
      case ReduceOp::nansum: return &Constant<ComplexSum<T, true>>::value;
      case ReduceOp::mean: return &ComplexMean<T>::value;
      default: return nullptr;
    }
  } else if constexpr (std::is_floating_point_v<T> || is_half_type<T>) {
    switch (op) {
      case ReduceOp::sum: return &RuleKernel<SumRule<T, Whole>>::value;
      case ReduceOp::mean: return &RuleKernel<MeanRule<SumRule<T, Whole>>>::value;
      default: break;
    }
    if constexpr (!is_half_type<T>) {
      if (op == ReduceOp::nansum) return &RuleKernel<SumRule<T, NotNan>>::value;
      if (op == ReduceOp::norm1) return &RuleKernel<SumRule<T, Magnitude>>::value;
    }
    return nullptr;
  } else {
    switch (op) {
      case ReduceOp::sum:
      case ReduceOp::nansum: return &RuleKernel<CountedSum<T, std::int64_t>>::value;
      case ReduceOp::mean: return &RuleKernel<MeanRule<CountedSum<T, double>>>::value;
      default: return nullptr;
    }
  }
}

template <class T>
const ReductionKernel* choose(ReduceOp op) {
  if constexpr (!is_half_type<T>) {
    switch (op) {
      case ReduceOp::any: return &RuleKernel<SeenRule<T, true>>::value;
      case ReduceOp::all: return &RuleKernel<SeenRule<T, false>>::value;
      case ReduceOp::count_nonzero: return &RuleKernel<CountRule<T>>::value;
      default: break;
    }
  }
  return sum_of<T>(op);
}

}  // namespace

const ReductionKernel* WEFT_KERNEL(sums_kernel)(ReduceOp op, ScalarType type) {
  switch (type) {
#define WEFT_CASE(NAME, TYPE) \
  case ScalarType::NAME: return choose<TYPE>(op);
    WEFT_FOR_EACH_SCALAR_TYPE(WEFT_CASE)
#undef WEFT_CASE
  }
  return nullptr;
}

}  // namespace weft::inline v0
