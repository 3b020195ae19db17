// SPDX-License-Identifier: Apache-2.0
/// @file
/// The loops of a reduction struct, as the functions of a ReductionKernel.
#pragma once

#include <weft/kernel/detail/reduction_steps.hpp>
#include <weft/kernel/detail/unfused_loops.hpp>
#include <weft/kernel/detail/wide_loops.hpp>
#include <weft/kernel/reduction_kernel.hpp>
#include <weft/machine/level.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

WEFT_REQUESTED_LOOPS_BEGIN
namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// The functions, and copies of wider vectors where there are some.
template <class Op, bool Indexed, bool Masks = false>
class ReductionLoops : public ReductionSteps<Op, Indexed, Masks> {
  using Steps = ReductionSteps<Op, Indexed, Masks>;

 public:
  using Steps::nelements;
  using Steps::nin;
  using Steps::nout;
  using typename Steps::Acc;
  using typename Steps::Outs;

  /// Which inputs may be one value in a row, as a number of bits: loops for each, but for the mask,
  /// of which loops are told.
  static constexpr std::size_t patterns =
      nelements <= max_pattern_inputs ? std::size_t{1} << nin : 1;

  /// The kernel of a struct, to which it refers. `all_loops`: with loops for inputs that are one
  /// value in a row, and for short rows and columns.
  template <bool all_loops = true>
  static constexpr ReductionKernel kernel(const Op& op) {
    ReductionKernel k;
    k.reduce_spans = &reduce_spans<0, all_loops>;
    k.reduce_columns = &reduce_columns<0, all_loops>;
    if constexpr (all_loops) k.reduce_short_columns = &reduce_short_columns<0>;
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
    k.span_elements =
        4 * Steps::run_elements;  // whose accumulators are combined one after the other
    if constexpr (all_loops && Steps::by_member) k.least_row = Steps::least_lane_row;
    k.indexed = Indexed;
    [&]<std::size_t... O, std::size_t... I>(std::index_sequence<O...>, std::index_sequence<I...>) {
      ((k.types[O] = scalar_type_of<std::tuple_element_t<O, Outs>>), ...);
      ((k.types[nout + I] = scalar_type_of<typename Steps::template In<I>>), ...);
    }(std::make_index_sequence<nout>(), std::make_index_sequence<nin>());
    return k;
  }

 private:
  static const Op& op_of(const void* context) { return *static_cast<const Op*>(context); }

  /// Whether combining accumulators, which lie one after the other, is to be no wide loop, and no
  /// vectors in a file that has FMA.
  static constexpr bool combines_unfused = may_fuse(static_cast<std::tuple<Acc>*>(nullptr));
  /// The same of other loops, in which accumulators may lie member by member.
  static constexpr bool is_unfused = combines_unfused && !Steps::by_member;

  static void take_values(ReductionKernel& kernel, std::uint32_t values) {
    [&]<std::size_t... V>(std::index_sequence<V...>) {
      ((values == V ? (kernel.reduce_spans = &reduce_spans<V, true>,
                       kernel.reduce_columns = &reduce_columns<V, true>,
                       void(kernel.reduce_short_columns = &reduce_short_columns<V>))
                    : void()),
       ...);
    }(std::make_index_sequence<patterns>());
  }

  // The functions of a pattern. Each calls one that has the pattern of all but the mask, and is
  // told the step from one flag of the mask to the next.
  static constexpr std::size_t elements = (std::size_t{1} << nelements) - 1;
  static constexpr std::int64_t mask_step(std::size_t values) {
    return (values & ~elements) != 0 ? 0 : 1;
  }
  /// A function that is called with both steps of a mask: compilers make no copy for each.
  template <class Function>
  static WEFT_ALWAYS_INLINE Function* shared(Function* function) noexcept {
    if constexpr (Masks) {
      return unknown(function);
    } else {
      return function;
    }
  }
  template <std::size_t values, bool all_loops>
  WEFT_SPAN_LOOP static void reduce_spans(const void* context, void* out, char* const* inputs,
                                          const std::int64_t* row_bytes, std::int64_t rows,
                                          std::int64_t n, std::int64_t index,
                                          std::int64_t index_step) {
    const auto run = shared(&spans<values & elements, all_loops>);
    run(op_of(context), static_cast<Acc*>(out), inputs, row_bytes, rows, n, index, index_step,
        mask_step(values));
  }
  template <std::size_t values, bool all_loops>
  WEFT_SPAN_LOOP static void reduce_columns(const void* context, void* out, char* const* inputs,
                                            const std::int64_t* row_bytes, std::int64_t rows,
                                            std::int64_t n, std::int64_t index) {
    const auto run = shared(&columns<values & elements, all_loops>);
    run(op_of(context), static_cast<Acc*>(out), inputs, row_bytes, rows, n, index,
        mask_step(values));
  }
  template <std::size_t values>
  WEFT_SPAN_LOOP static void reduce_short_columns(const void* context, char* const* outputs,
                                                  char* const* inputs,
                                                  const std::int64_t* row_bytes, std::int64_t rows,
                                                  std::int64_t n, std::int64_t index) {
    const auto run = shared(&short_columns<values & elements>);
    run(op_of(context), outputs, inputs, row_bytes, rows, n, index, mask_step(values));
  }

  template <std::size_t values, bool all_loops>
  WEFT_SPAN_LOOP static void spans(const Op& op, Acc* results, char* const* inputs,
                                   const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n,
                                   std::int64_t index, std::int64_t index_step,
                                   std::int64_t mask_step) {
#if defined(WEFT_WIDE_LOOPS_ARE_AVX2)
    if (takes_wide(n, rows)) {
      return wide_spans<values, all_loops>(op, results, inputs, row_bytes, rows, n, index,
                                           index_step, mask_step);
    }
#endif
    run_loops<is_unfused>([&]() WEFT_INLINE_LAMBDA {
      Steps::template take_spans<values, all_loops>(op, results, inputs, row_bytes, rows, n, index,
                                                    index_step, mask_step);
    });
  }
  template <std::size_t values, bool all_loops>
  WEFT_SPAN_LOOP static void columns(const Op& op, Acc* acc, char* const* inputs,
                                     const std::int64_t* row_bytes, std::int64_t rows,
                                     std::int64_t n, std::int64_t index, std::int64_t mask_step) {
#if defined(WEFT_WIDE_LOOPS_ARE_AVX2)
    if (takes_wide(n, rows))
      return wide_columns<values, all_loops>(op, acc, inputs, row_bytes, rows, n, index, mask_step);
#endif
    run_loops<is_unfused>([&]() WEFT_INLINE_LAMBDA {
      Steps::template take_columns<values, all_loops>(op, acc, inputs, row_bytes, rows, n, index,
                                                      mask_step);
    });
  }
  template <std::size_t values>
  WEFT_SPAN_LOOP static void short_columns(const Op& op, char* const* outputs, char* const* inputs,
                                           const std::int64_t* row_bytes, std::int64_t rows,
                                           std::int64_t n, std::int64_t index,
                                           std::int64_t mask_step) {
#if defined(WEFT_WIDE_LOOPS_ARE_AVX2)
    if (takes_wide(n, rows))
      return wide_short_columns<values>(op, outputs, inputs, row_bytes, rows, n, index, mask_step);
#endif
    run_loops<is_unfused>([&]() WEFT_INLINE_LAMBDA {
      Steps::template take_short_columns<values>(op, outputs, inputs, row_bytes, rows, n, index,
                                                 mask_step);
    });
  }

#if defined(WEFT_WIDE_LOOPS_ARE_AVX2)
  static bool takes_wide(std::int64_t n, std::int64_t rows) noexcept {
    return !is_unfused && takes_wide_loops(n, rows, sizeof(Acc));
  }
  using WideSteps = ReductionSteps<Op, Indexed, Masks, true>;
  template <std::size_t values, bool all_loops>
  WEFT_WIDE_LOOPS static void wide_spans(const Op& op, Acc* results, char* const* inputs,
                                         const std::int64_t* row_bytes, std::int64_t rows,
                                         std::int64_t n, std::int64_t index,
                                         std::int64_t index_step, std::int64_t mask_step) {
    WideSteps::template take_spans<values, all_loops>(op, results, inputs, row_bytes, rows, n,
                                                      index, index_step, mask_step);
  }
  template <std::size_t values, bool all_loops>
  WEFT_WIDE_LOOPS static void wide_columns(const Op& op, Acc* acc, char* const* inputs,
                                           const std::int64_t* row_bytes, std::int64_t rows,
                                           std::int64_t n, std::int64_t index,
                                           std::int64_t mask_step) {
    WideSteps::template take_columns<values, all_loops>(op, acc, inputs, row_bytes, rows, n, index,
                                                        mask_step);
  }
  template <std::size_t values>
  WEFT_WIDE_LOOPS static void wide_short_columns(const Op& op, char* const* outputs,
                                                 char* const* inputs, const std::int64_t* row_bytes,
                                                 std::int64_t rows, std::int64_t n,
                                                 std::int64_t index, std::int64_t mask_step) {
    WideSteps::template take_short_columns<values>(op, outputs, inputs, row_bytes, rows, n, index,
                                                   mask_step);
  }
  WEFT_WIDE_LOOPS static void wide_project(const Op& op, const Acc* acc, std::int64_t n,
                                           char* const* outputs) {
    WideSteps::project_all(op, acc, n, outputs);
  }
#endif

  WEFT_SPAN_LOOP static void combine(const void* context, void* into, const void* from,
                                     std::int64_t n) {
    const Op& op = op_of(context);
    Acc* a = static_cast<Acc*>(into);
    const Acc* b = static_cast<const Acc*>(from);
    run_loops<combines_unfused>([&]() WEFT_INLINE_LAMBDA {
      WEFT_INDEPENDENT_ITERATIONS
      for (std::int64_t j = 0; j < n; ++j)
        a[j] = op.combine(a[j], b[j]);
    });
  }

  WEFT_SPAN_LOOP static void project(const void* context, const void* accumulators, std::int64_t n,
                                     char* const* outputs) {
    const Op& op = op_of(context);
    const Acc* acc = static_cast<const Acc*>(accumulators);
#if defined(WEFT_WIDE_LOOPS_ARE_AVX2)
    if (takes_wide(n, 1)) return wide_project(op, acc, n, outputs);
#endif
    run_loops<is_unfused>([&]() WEFT_INLINE_LAMBDA { Steps::project_all(op, acc, n, outputs); });
  }

  static bool done(const void* context, const void* accumulator) {
    return op_of(context).done(*static_cast<const Acc*>(accumulator));
  }
};

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
WEFT_REQUESTED_LOOPS_END
