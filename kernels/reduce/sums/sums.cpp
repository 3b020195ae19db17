// SPDX-License-Identifier: Apache-2.0
// Sums, and what is counted: sum, nansum, mean, the sum of magnitudes, count_nonzero, any, all.
#include "kernels/reduce/sums/sums.hpp"

#include "kernels/loops/by_type.hpp"
#include "kernels/loops/shared_loops.hpp"
#include "kernels/reduce/reduce.hpp"
#include "kernels/reduce/shared/quotient.hpp"
#include "kernels/reduce/shared/stateless.hpp"
#include "kernels/reduce/sums/byte_sums.hpp"
#include "kernels/scalar/arithmetic.hpp"

namespace weft {
inline namespace v0 {
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

/// Rows of 64-bit integers; for narrower ones compilers make good loops by themselves.
struct WordSpans {
  static void spans(const void*, void* accumulators, char* const* inputs,
                    const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n, std::int64_t,
                    std::int64_t) {
    using Word = std::int64_t;
    using V = Vectorized<Word>;
    constexpr std::int64_t lanes = V::lanes;
    auto* acc = static_cast<Word*>(accumulators);
    const auto at = [&](std::int64_t r) WEFT_INLINE_LAMBDA { return inputs[0] + r * row_bytes[0]; };
    fold_rows_of<Word>(
        acc, rows, n, [&](std::int64_t r) WEFT_INLINE_LAMBDA { return whole_vectors(at(r), n); },
        [](auto a, auto b) WEFT_INLINE_LAMBDA {
          if constexpr (std::is_same_v<decltype(a), Word>) {
            return plus(a, b);
          } else {
            return a + b;
          }
        });
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t i = n / lanes * lanes; i < n; ++i)
        acc[r] = plus(acc[r], SpanReader<Word, false>{at(r)}[i]);
    }
  }

 private:
  static WEFT_ALWAYS_INLINE Vectorized<std::int64_t> whole_vectors(const char* from,
                                                                   std::int64_t n) {
    using V = Vectorized<std::int64_t>;
    constexpr std::int64_t lanes = V::lanes;
    const auto at = [&](std::int64_t i) WEFT_INLINE_LAMBDA {
      return in_order(V::load(reinterpret_cast<const std::int64_t*>(from) + i));
    };
    V a(0), b(0), c(0), d(0);
    std::int64_t i = 0;
    for (; i + 4 * lanes <= n; i += 4 * lanes) {
      a += at(i);
      b += at(i + lanes);
      c += at(i + 2 * lanes);
      d += at(i + 3 * lanes);
    }
    for (; i + lanes <= n; i += lanes)
      a += at(i);
    return (a + b) + (c + d);
  }
};
template <class T>
struct CountRule;
template <class T, class Result>
struct CountedSum;

/// Loops of rules for integers where compilers' own are not the best.
template <class Rule, class T, class How>
struct IntegerLoops {};
template <class Rule, class T, class How>
  requires(sizeof(T) == sizeof(std::int64_t) && std::is_same_v<How, CountedBytes<T>>)
struct IntegerLoops<Rule, T, How> : WordSpans {};
template <class Rule, class T, class How>
  requires(sizeof(T) == 1)
struct IntegerLoops<Rule, T, How> : ByteSums<Rule, How> {};

/// Sums of integers; of bools, counts of what is true.
template <class T, class Result>
struct CountedSum : IntegerLoops<CountedSum<T, Result>, T, CountedBytes<T>> {
  using Loops = std::conditional_t<std::is_same_v<T, bool>, CountRule<std::uint8_t>,
                                   CountedSum<T, std::int64_t>>;
  using Results = CountedSum<std::int64_t, Result>;
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

/// Accumulators are doubles, and their rows are those of doubles.
void combine_sums(const void*, void* into, const void* from, std::int64_t rows, std::int64_t n) {
  // Rows are only read.
  char* in =
      static_cast<char*>(const_cast<void*>(from));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  const std::int64_t row_bytes = n * static_cast<std::int64_t>(sizeof(double));
  MappedSums<FloatingSum<double, Whole>>::spans(nullptr, into, &in, &row_bytes, rows, n, 0, 0);
}

template <class T, class Map>
struct SumRule : FloatingSum<T, Map>, MappedSums<FloatingSum<T, Map>> {
  using Results = SumRule<T, Whole>;
  static constexpr bool straight = std::is_same_v<T, float>;
  static constexpr auto combine_rows = &combine_sums;
  static void short_rows_to(const void*, char* output, const char* input, std::int64_t rows,
                            std::int64_t n) {
    sum_short_rows<T, true>(
        reinterpret_cast<T*>(output), input, n * static_cast<std::int64_t>(sizeof(T)), rows, n,
        [](std::int64_t)
            WEFT_INLINE_LAMBDA { return [](auto x) WEFT_INLINE_LAMBDA { return Map::map(x); }; });
  }
};

/// The context is the number of elements, a double.
template <class Rule>
struct MeanRule : Rule {
  using Results = MeanRule<typename Rule::Results>;
  static constexpr bool straight = false;
  using Out = typename Rule::Out;
  static void project_each(const void* context, const void* accumulators, std::int64_t n,
                           char* const* outputs) {
    const auto* acc = static_cast<const typename Rule::Acc*>(accumulators);
    char* out = outputs[0];
    const double count = *static_cast<const double*>(context);
    const IntegerDivisor divisor(count);
    WEFT_INDEPENDENT_ITERATIONS
    for (std::int64_t j = 0; j < n; ++j) {
      const auto sum = static_cast<double>(acc[j]);
      // Sums of f64 may have subnormal quotients.
      constexpr bool divides = std::is_same_v<typename Rule::Element, double>;
      store_element<Out>(out, j, cast<Out>(divides ? sum / count : divisor.quotient(sum)));
    }
  }
};

/// Sums of complex numbers, in f64 each part: those of their reals, every other one.
template <class T>
struct ComplexSum {
  using Part = typename T::value_type;
  using Loops = ComplexSum;
  using Element = T;
  using Acc = std::complex<double>;
  using Out = T;
  static_assert(sizeof(Acc) == 2 * sizeof(double));

  static WEFT_ALWAYS_INLINE Acc combine(Acc a, Acc b) noexcept { return plus(a, b); }
  static WEFT_ALWAYS_INLINE Out project(const Acc& acc, const void*) noexcept {
    return cast<Out>(acc);
  }
  static void spans(const void*, void* accumulators, char* const* inputs,
                    const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n, std::int64_t,
                    std::int64_t) {
    auto* acc = static_cast<Acc*>(accumulators);
    for (std::int64_t r = 0; r < rows; ++r)
      acc[r] = row(inputs[0] + r * row_bytes[0], 2 * n);
  }
  static void columns(const void*, void* accumulators, char* const* inputs,
                      const std::int64_t* row_bytes, std::int64_t rows, std::int64_t columns,
                      std::int64_t) {
    sum_columns<Part>(static_cast<double*>(accumulators), inputs[0], row_bytes[0], rows,
                      2 * columns, [](auto x, std::int64_t) WEFT_INLINE_LAMBDA { return x; });
  }

 private:
  /// Of n reals.
  static WEFT_ALWAYS_INLINE Acc row(const char* from, std::int64_t n) {
    using V = Vectorized<Part>;
    const auto itself = [&](const V& x) WEFT_INLINE_LAMBDA { return x; };
    double parts[8] = {};
    if (n < 2 * V::lanes) {
      const SpanReader<Part, false> in{from};
      for (std::int64_t i = 0; i < n; ++i)
        parts[i % 2] += static_cast<double>(in[i]);
      return {parts[0], parts[1]};
    }
    const V numbers = lane_numbers<Part>();
    const MappedRow<Part, decltype(itself)> all{from, numbers, itself};
    if constexpr (std::is_same_v<Part, double>) {
      sum_lanes(all, n).store(parts);
    } else if (n <= short_row) {
      const WideLanes sum = widen(FloatRow(all, n).in_f32());
      (sum.low + sum.high).store(parts);
    } else {
      FloatRow(all, n).in_f64().store(parts);
    }
    return {(parts[0] + parts[4]) + (parts[2] + parts[6]),
            (parts[1] + parts[5]) + (parts[3] + parts[7])};
  }
};

/// The sum of what has no NaN in either part.
template <class T>
struct ComplexNanSum {
  using Acc = std::complex<double>;
  Acc identity() const noexcept { return {}; }
  Acc accumulate(Acc acc, T x) const noexcept {
    const bool nan = x.real() != x.real() || x.imag() != x.imag();
    return nan ? acc : plus(acc, cast<Acc>(x));
  }
  Acc combine(Acc a, Acc b) const noexcept { return plus(a, b); }
  T project(Acc acc) const noexcept { return cast<T>(acc); }
};

template <class T>
struct ComplexMean : ComplexSum<T> {
  static WEFT_ALWAYS_INLINE T project(const std::complex<double>& acc,
                                      const void* context) noexcept {
    const double count = *static_cast<const double*>(context);
    return cast<T>(std::complex<double>(acc.real() / count, acc.imag() / count));
  }
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
struct CountRule : IntegerLoops<CountRule<T>, T, NonzeroBytes> {
  using Loops = CountRule<typename Truthful<T>::Type>;
  using Results = CountRule<std::int64_t>;
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

/// What has been seen: bit 0, an element that is not 0; bit 1, one that is.
template <class T>
struct SeenRule {
  using Element = T;
  using Part = std::uint8_t;
  using Acc = std::uint8_t;
  static WEFT_ALWAYS_INLINE Acc identity() noexcept { return 0; }
  static WEFT_ALWAYS_INLINE Part part(T x) noexcept { return is_nonzero(x) ? 1 : 2; }
  static WEFT_ALWAYS_INLINE Part join(Part a, Part b) noexcept { return static_cast<Part>(a | b); }
  static WEFT_ALWAYS_INLINE Acc widen(Part a) noexcept { return a; }
  static WEFT_ALWAYS_INLINE Acc combine(Acc a, Acc b) noexcept { return static_cast<Acc>(a | b); }
};

/// any (wanted: true) and all (wanted: false): whether an element that is `wanted` has been seen
/// decides. Columns are those of both; a row of one ends with the first such element.
template <class T, bool wanted>
struct WantedRule : SeenRule<T> {
  using Loops = WantedRule<typename Truthful<T>::Type, wanted>;
  using Columns = SeenRule<typename Truthful<T>::Type>;
  using Results = WantedRule<std::uint8_t, wanted>;
  using Acc = std::uint8_t;
  using Out = bool;
  static constexpr Acc bit = wanted ? 1 : 2;
  /// As bytes: of bools, compilers make no vectors.
  static void project_each(const void*, const void* accumulators, std::int64_t n,
                           char* const* outputs) {
    const auto* acc = static_cast<const Acc*>(accumulators);
    char* out = outputs[0];
    WEFT_INDEPENDENT_ITERATIONS
    for (std::int64_t j = 0; j < n; ++j)
      out[j] = static_cast<char>((acc[j] & bit) / bit ^ (wanted ? 0 : 1));
  }
  static WEFT_ALWAYS_INLINE bool done(Acc acc) noexcept { return (acc & bit) != 0; }

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
      std::uint8_t seen = 0;
      WEFT_UNROLLED
      for (std::int64_t j = 0; j < chunk; ++j)
        seen |= seen_in(in[j]);
      if (seen != 0) return bit;
    }
    const SpanReader<T, false> in{from};
    std::uint8_t seen = 0;
    for (; i < n; ++i)
      seen |= seen_in(in[i]);
    return seen != 0 ? bit : Acc{0};
  }
  /// Not part(): a choice between two bits takes a tenth longer (any over axis 1).
  static WEFT_ALWAYS_INLINE std::uint8_t seen_in(T x) noexcept {
    return is_nonzero(x) == wanted ? 1 : 0;
  }
};

template <class T>
const ReductionKernel* sum_of(ReduceOp op) {
  if constexpr (is_complex_type<T>) {
    switch (op) {
      case ReduceOp::sum: return &RuleKernel<ComplexSum<T>>::value;
      case ReduceOp::nansum: return &Stateless<ComplexNanSum<T>>::value;
      case ReduceOp::mean: return &RuleKernel<ComplexMean<T>>::value;
      default: return nullptr;
    }
  } else if constexpr (std::is_floating_point_v<T> || is_half_type<T>) {
    switch (op) {
      case ReduceOp::sum: return &RuleKernel<SumRule<T, Whole>>::value;
      case ReduceOp::mean: return &RuleKernel<MeanRule<SumRule<T, Whole>>>::value;
      default: break;
    }
    if (op == ReduceOp::nansum) return &RuleKernel<SumRule<T, NotNan>>::value;
    if constexpr (!is_half_type<T>) {
      if (op == ReduceOp::norm1) return &RuleKernel<SumRule<T, Magnitude>>::value;
    }
    return nullptr;
  } else {
    switch (op) {
      case ReduceOp::sum:
      case ReduceOp::nansum: return &RuleKernel<CountedSum<T, std::int64_t>>::value;
      case ReduceOp::mean:
        // Sums of larger integers may be beyond i64 where their mean is not: they are read as f64.
        if constexpr (sizeof(T) < 8) return &RuleKernel<MeanRule<CountedSum<T, double>>>::value;
        return nullptr;
      default: return nullptr;
    }
  }
}

template <class T>
const ReductionKernel* choose(ReduceOp op) {
  if constexpr (!is_half_type<T>) {
    switch (op) {
      case ReduceOp::any: return &RuleKernel<WantedRule<T, true>>::value;
      case ReduceOp::all: return &RuleKernel<WantedRule<T, false>>::value;
      case ReduceOp::count_nonzero: return &RuleKernel<CountRule<T>>::value;
      default: break;
    }
  }
  return sum_of<T>(op);
}

}  // namespace

const ReductionKernel* WEFT_KERNEL(sums_kernel)(ReduceOp op, ScalarType type) {
  return by_type(type, [op]<class T>() { return choose<T>(op); });
}

}  // namespace v0
}  // namespace weft
