// SPDX-License-Identifier: Apache-2.0
/// @file
/// Reductions from a struct of four functions.
#pragma once

#include <weft/base/export.hpp>
#include <weft/kernel/detail/span_element.hpp>
#include <weft/kernel/detail/span_loop.hpp>
#include <weft/kernel/detail/wide_loops.hpp>
#include <weft/kernel/reduction_kernel.hpp>
#include <weft/kernel/scalar_math.hpp>
#include <weft/machine/level.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

WEFT_REQUESTED_LOOPS_BEGIN
namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// The steps of structs whose accumulate accepts Vectorized<T>: detail/vectorized_steps.hpp.
template <class Op, class T>
struct VectorizedSteps;

/// The accumulator and the elements that Op::accumulate takes, the index perhaps last of these.
template <class Params>
struct AccumulateParams;
template <class Acc, class... Rest>
struct AccumulateParams<std::tuple<Acc, Rest...>> {
  using Accumulator = Acc;
  using Elements = std::tuple<Rest...>;
};

template <class Op>
concept TypedReduction = requires { &Op::accumulate; };

/// The same of an Op whose accumulate is a template: everything is of the type of the identity.
template <class Op>
struct GenericAccumulate {
  using Accumulator = std::remove_cvref_t<decltype(std::declval<const Op&>().identity())>;

  template <std::size_t count>
  static constexpr auto find_elements() {
    constexpr bool takes = []<std::size_t... I>(std::index_sequence<I...>) {
      return requires(const Op& op, Accumulator acc, Repeat<I, Accumulator>... x) {
        op.accumulate(acc, x...);
      };
    }(std::make_index_sequence<count>());
    if constexpr (takes) {
      return []<std::size_t... I>(std::index_sequence<I...>) {
        return std::type_identity<std::tuple<Repeat<I, Accumulator>...>>();
      }(std::make_index_sequence<count>());
    } else {
      static_assert(count < std::size_t{max_generic_inputs},
                    "accumulate takes an accumulator and one to six elements");
      return find_elements<count + 1>();
    }
  }
  using Elements = typename decltype(find_elements<1>())::type;
};

/// Either.
template <class Op>
struct AccumulateOf : GenericAccumulate<Op> {};
template <TypedReduction Op>
struct AccumulateOf<Op> : AccumulateParams<typename Signature<decltype(&Op::accumulate)>::Params> {
};

/// The loops of a reduction struct. `Indexed`: accumulate takes the index as its last parameter.
template <class Op, bool Indexed>
class ReductionLoops {
  static_assert(TypedReduction<Op> || !Indexed, "an accumulate that is told an index has types");
  using Params = AccumulateOf<Op>;
  using Listed = typename Params::Elements;

 public:
  using Acc = typename Params::Accumulator;
  static_assert(std::is_trivially_copyable_v<Acc>, "an accumulator is copied bytewise");
  static_assert(alignof(Acc) <= 64);

  static constexpr std::size_t nin = std::tuple_size_v<Listed> - (Indexed ? 1 : 0);
  template <std::size_t I>
  using In = std::tuple_element_t<I, Listed>;
  using Outs = typename Outputs<typename Signature<decltype(&Op::project)>::Result>::Types;
  static constexpr std::size_t nout = std::tuple_size_v<Outs>;

  /// Accumulators side by side in a span: 256 bytes of them, at most 64. As many at every level, so
  /// that results agree.
  static constexpr int lanes = [] {
    int n = 1;
    while (n < 64 && static_cast<std::size_t>(2 * n) * sizeof(Acc) <= 256)
      n *= 2;
    return n;
  }();

  /// Whether accumulate is called with vectors.
  static constexpr bool takes_vectors = [] {
    if constexpr (TypedReduction<Op>) {
      return false;
    } else if constexpr (requires { VectorizedSteps<Op, Acc>::template accepts<nin>; }) {
      return VectorizedSteps<Op, Acc>::template accepts<nin>;
    } else {
      return false;
    }
  }();

  /// Which inputs may be one value in a row, as a number of bits: loops for each.
  static constexpr std::size_t patterns = nin <= max_pattern_inputs ? std::size_t{1} << nin : 1;

  /// Elements of a span that lanes take in before they are folded.
  static constexpr std::int64_t run_elements = 2048;

  /// `all_loops`: with loops for inputs that are one value in a row, and for few rows.
  template <bool all_loops = true>
  static constexpr ReductionKernel kernel(const Op& op) {
    ReductionKernel k;
    k.reduce_spans = &reduce_spans<0>;
    k.reduce_columns = &reduce_columns<0, all_loops>;
    if constexpr (all_loops && patterns > 1) k.take_values = &take_values;
    k.combine = &combine;
    k.project = &project;
    if constexpr (requires(Acc acc) {
                    { op.done(acc) } -> std::convertible_to<bool>;
                  })
      k.done = &done;
    k.context = &op;
    k.noutputs = static_cast<int>(nout);
    k.ninputs = static_cast<int>(nin);
    k.accumulator_bytes = sizeof(Acc);
    k.span_elements = 4 * run_elements;  // whose accumulators are combined one after the other
    k.indexed = Indexed;
    [&]<std::size_t... O, std::size_t... I>(std::index_sequence<O...>, std::index_sequence<I...>) {
      ((k.types[O] = scalar_type_of<std::tuple_element_t<O, Outs>>), ...);
      ((k.types[nout + I] = scalar_type_of<In<I>>), ...);
    }(std::make_index_sequence<nout>(), std::make_index_sequence<nin>());
    return k;
  }

 private:
  static const Op& op_of(const void* context) { return *static_cast<const Op*>(context); }

  template <class Readers>
  static WEFT_ALWAYS_INLINE Acc step(const Op& op, const Acc& acc, const Readers& in,
                                     std::int64_t i, std::int64_t index) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) WEFT_INLINE_LAMBDA {
      if constexpr (Indexed) {
        return op.accumulate(acc, std::get<I>(in)[i]..., index);
      } else {
        return op.accumulate(acc, std::get<I>(in)[i]...);
      }
    }(std::make_index_sequence<nin>());
  }

  static void take_values(ReductionKernel& kernel, std::uint32_t values) {
    [&]<std::size_t... V>(std::index_sequence<V...>) {
      ((values == V ? (kernel.reduce_spans = &reduce_spans<V>,
                       void(kernel.reduce_columns = &reduce_columns<V, true>))
                    : void()),
       ...);
    }(std::make_index_sequence<patterns>());
  }

  /// Reads a row of each input, of which those in `values` are one value.
  template <std::size_t values>
  static WEFT_ALWAYS_INLINE auto readers(char* const* in, const std::int64_t* row_bytes,
                                         std::int64_t row) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) WEFT_INLINE_LAMBDA {
      return std::tuple<SpanReader<In<I>, (values >> I & 1) != 0>...>{
          SpanReader<In<I>, (values >> I & 1) != 0>{in[I] + row * row_bytes[I]}...};
    }(std::make_index_sequence<nin>());
  }

  template <std::size_t values>
  static WEFT_ALWAYS_INLINE void take_spans(const Op& op, Acc* results, char* const* inputs,
                                            const std::int64_t* row_bytes, std::int64_t rows,
                                            std::int64_t n, std::int64_t index,
                                            std::int64_t index_step) {
    for (std::int64_t r = 0; r < rows; ++r)
      results[r] = reduce_row(op, readers<values>(inputs, row_bytes, r), n, index + r * index_step);
  }

  template <std::size_t values>
  WEFT_SPAN_LOOP static void reduce_spans(const void* context, void* out, char* const* inputs,
                                          const std::int64_t* row_bytes, std::int64_t rows,
                                          std::int64_t n, std::int64_t index,
                                          std::int64_t index_step) {
    const Op& op = op_of(context);
    Acc* results = static_cast<Acc*>(out);
#if defined(WEFT_WIDE_LOOPS_ARE_AVX2)
    if (takes_wide_loops(n, rows, sizeof(Acc)))
      return wide_spans<values>(op, results, inputs, row_bytes, rows, n, index, index_step);
#endif
    take_spans<values>(op, results, inputs, row_bytes, rows, n, index, index_step);
  }

#if defined(WEFT_WIDE_LOOPS_ARE_AVX2)
  template <std::size_t values>
  WEFT_WIDE_LOOPS static void wide_spans(const Op& op, Acc* results, char* const* inputs,
                                         const std::int64_t* row_bytes, std::int64_t rows,
                                         std::int64_t n, std::int64_t index,
                                         std::int64_t index_step) {
    take_spans<values>(op, results, inputs, row_bytes, rows, n, index, index_step);
  }
  template <std::size_t values, bool few_rows>
  WEFT_WIDE_LOOPS static void wide_columns(const Op& op, Acc* acc, char* const* inputs,
                                           const std::int64_t* row_bytes, std::int64_t rows,
                                           std::int64_t columns, std::int64_t index) {
    take_columns<values, few_rows>(op, acc, inputs, row_bytes, rows, columns, index);
  }
#endif

  /// A row, in runs: so that what lanes add up one after the other stays short.
  template <class Readers>
  static WEFT_ALWAYS_INLINE Acc reduce_row(const Op& op, const Readers& in, std::int64_t n,
                                           std::int64_t index) {
    if (n <= run_elements) return reduce_run(op, in, 0, n, index);
    Acc acc = reduce_run(op, in, 0, run_elements, index);
    for (std::int64_t i = run_elements; i < n; i += run_elements) {
      const std::int64_t count = n - i < run_elements ? n - i : run_elements;
      acc = op.combine(acc, reduce_run(op, in, i, count, index));
    }
    return acc;
  }

  /// Elements [first, first + n), the row's first having the index given.
  template <class Readers>
  static WEFT_ALWAYS_INLINE Acc reduce_run(const Op& op, const Readers& in, std::int64_t first,
                                           std::int64_t n, std::int64_t index) {
    const std::int64_t end = first + n;
    if (n < 2 * lanes) {
      Acc acc = op.identity();
      for (std::int64_t i = first; i < end; ++i)
        acc = step(op, acc, in, i, index + i);
      return acc;
    }
    alignas(64) Acc acc[static_cast<std::size_t>(lanes)];
    for (Acc& a : acc)
      a = op.identity();
    std::int64_t i = first;
    if constexpr (takes_vectors)
      i = VectorizedSteps<Op, Acc>::template take_lanes<lanes>(op, acc, in, i, end);
    for (; i + lanes <= end; i += lanes) {
      WEFT_INDEPENDENT_ITERATIONS
      for (int j = 0; j < lanes; ++j)
        acc[j] = step(op, acc[j], in, i + j, index + i + j);
    }
    for (int j = 0; i + j < end; ++j)
      acc[j] = step(op, acc[j], in, i + j, index + i + j);
    for (int half = lanes / 2; half > 0; half /= 2) {
      for (int j = 0; j < half; ++j)
        acc[j] = op.combine(acc[j], acc[j + half]);
    }
    return acc[0];
  }

  /// Rows [row, row + count) into accumulators, the first of a column beginning with the identity.
  template <std::size_t values, std::size_t count, bool first>
  static WEFT_ALWAYS_INLINE void take_rows(const Op& op, Acc* acc, char* const* inputs,
                                           const std::int64_t* row_bytes, std::int64_t row,
                                           std::int64_t columns, std::int64_t index) {
    [&]<std::size_t... R>(std::index_sequence<R...>) WEFT_INLINE_LAMBDA {
      const std::array in{readers<values>(inputs, row_bytes, row + std::int64_t{R})...};
      std::int64_t taken = 0;
      if constexpr (takes_vectors)
        taken = VectorizedSteps<Op, Acc>::template take_columns<first>(op, acc, in, columns);
      WEFT_INDEPENDENT_ITERATIONS
      for (std::int64_t j = taken; j < columns; ++j) {
        Acc a = first ? op.identity() : acc[j];
        ((a = step(op, a, in[R], j, index + row + std::int64_t{R})), ...);
        acc[j] = a;
      }
    }(std::make_index_sequence<count>());
  }

  /// Few rows at once: accumulators are written once. More of them row by row, as they follow each
  /// other in memory: by twos, which lie in one page, processors fetch them late (2.5 times as long
  /// from memory; 0.95 in cache).
  template <std::size_t values, bool few_rows>
  static WEFT_ALWAYS_INLINE void take_columns(const Op& op, Acc* acc, char* const* inputs,
                                              const std::int64_t* row_bytes, std::int64_t rows,
                                              std::int64_t columns, std::int64_t index) {
    if (rows == 0) {
      for (std::int64_t j = 0; j < columns; ++j)
        acc[j] = op.identity();
      return;
    }
    if constexpr (few_rows) {
      const auto all =
          [&]<std::size_t count>(std::integral_constant<std::size_t, count>) WEFT_INLINE_LAMBDA {
            take_rows<values, count, true>(op, acc, inputs, row_bytes, 0, columns, index);
          };
      if (rows == 2) return all(std::integral_constant<std::size_t, 2>());
      if (rows == 3) return all(std::integral_constant<std::size_t, 3>());
      if (rows == 4) return all(std::integral_constant<std::size_t, 4>());
    }
    take_rows<values, 1, true>(op, acc, inputs, row_bytes, 0, columns, index);
    for (std::int64_t r = 1; r < rows; ++r)
      take_rows<values, 1, false>(op, acc, inputs, row_bytes, r, columns, index);
  }

  template <std::size_t values, bool few_rows>
  WEFT_SPAN_LOOP static void reduce_columns(const void* context, void* out, char* const* inputs,
                                            const std::int64_t* row_bytes, std::int64_t rows,
                                            std::int64_t columns, std::int64_t index) {
    const Op& op = op_of(context);
    Acc* acc = static_cast<Acc*>(out);
#if defined(WEFT_WIDE_LOOPS_ARE_AVX2)
    if (takes_wide_loops(columns, rows, sizeof(Acc)))
      return wide_columns<values, few_rows>(op, acc, inputs, row_bytes, rows, columns, index);
#endif
    take_columns<values, few_rows>(op, acc, inputs, row_bytes, rows, columns, index);
  }

  WEFT_SPAN_LOOP static void combine(const void* context, void* into, const void* from,
                                     std::int64_t n) {
    const Op& op = op_of(context);
    Acc* a = static_cast<Acc*>(into);
    const Acc* b = static_cast<const Acc*>(from);
    WEFT_INDEPENDENT_ITERATIONS
    for (std::int64_t j = 0; j < n; ++j)
      a[j] = op.combine(a[j], b[j]);
  }

  WEFT_SPAN_LOOP static void project(const void* context, const void* accumulators, std::int64_t n,
                                     char* const* outputs) {
    const Op& op = op_of(context);
    const Acc* acc = static_cast<const Acc*>(accumulators);
    if constexpr (nout == 1) {
      char* const out = outputs[0];  // or it would be read anew behind each store
      WEFT_INDEPENDENT_ITERATIONS
      for (std::int64_t j = 0; j < n; ++j)
        store_element<std::tuple_element_t<0, Outs>>(out, j, op.project(acc[j]));
    } else {
      WEFT_INDEPENDENT_ITERATIONS
      for (std::int64_t j = 0; j < n; ++j) {
        const Outs values = op.project(acc[j]);
        [&]<std::size_t... O>(std::index_sequence<O...>) {
          (store_element<std::tuple_element_t<O, Outs>>(outputs[O], j, std::get<O>(values)), ...);
        }(std::make_index_sequence<nout>());
      }
    }
  }

  static bool done(const void* context, const void* accumulator) {
    return op_of(context).done(*static_cast<const Acc*>(accumulator));
  }
};

/// The ReductionKernel of a reduction struct; refers to op.
template <bool Indexed = false, class Op>
constexpr ReductionKernel reduction_kernel(const Op& op) {
  return ReductionLoops<Op, Indexed>::kernel(op);
}

/// Reduces with a struct of const member functions, Acc being any trivially copyable type:
///
///     struct SumOfSquares {
///       double identity() const { return 0; }
///       double accumulate(double acc, float x) const { return acc + double(x) * x; }
///       double combine(double a, double b) const { return a + b; }
///       float project(double acc) const { return float(acc); }
///     };
///     auto iter = weft::TensorIterator::reduce_op(out, a);  // out: extent 1 where it reduces
///     weft::cpu_reduce(iter, SumOfSquares{});
///
/// accumulate takes one element of each input; combine must be associative and commutative; with
/// several outputs project returns a std::tuple. Optional: `bool done(Acc) const`, true if nothing
/// can change the accumulator any more, which stops early.
///
/// An accumulate of one template, `V accumulate(V acc, V x) const`, is of the type of the identity,
/// float or double, throughout. If <weft/kernel/vectorized_math.hpp> is included before, it is
/// called with Vectorized values, and with single ones for what is left at the end of a row.
///
/// How elements are grouped, what is staged and thrown, and why results do not depend on threads:
/// run_reduction.
/// @param grain  least elements a thread gets; 0 leaves it to the engine
template <class Op>
void cpu_reduce(const TensorIterator& iter, const Op& op, std::int64_t grain = 0) {
  run_reduction(iter, reduction_kernel(op), {.grain = grain});
}

/// The parts of cpu_reduce, for elements that are not all in one place: cpu_partial leaves an
/// accumulator for each output element, op.combine joins those of several parts, and cpu_finalize
/// projects them. `accumulators` are of the struct's own type, iter.num_output_elements() of them;
/// their order and what may be combined: run_partial_reduction.
template <class Op, class Acc>
void cpu_partial(const TensorIterator& iter, const Op& op, Acc* accumulators,
                 std::int64_t grain = 0) {
  static_assert(std::is_same_v<Acc, typename ReductionLoops<Op, false>::Acc>);
  run_partial_reduction(iter, reduction_kernel(op), accumulators, {.grain = grain});
}
template <class Op, class Acc>
void cpu_finalize(const TensorIterator& iter, const Op& op, const Acc* accumulators) {
  static_assert(std::is_same_v<Acc, typename ReductionLoops<Op, false>::Acc>);
  finalize_reduction(iter, reduction_kernel(op), accumulators);
}

/// As cpu_reduce, with accumulate(acc, x..., std::int64_t index) told where an element stands among
/// those reduced into its output (see ReductionKernel for the order).
template <class Op>
void cpu_reduce_indexed(const TensorIterator& iter, const Op& op, std::int64_t grain = 0) {
  run_reduction(iter, reduction_kernel<true>(op), {.grain = grain});
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
WEFT_REQUESTED_LOOPS_END
