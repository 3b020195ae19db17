// SPDX-License-Identifier: Apache-2.0
/// @file
/// From a rule, a class of static functions that says how to reduce, to a constant ReductionKernel.
///
///     struct Rule {
///       using Element = float;   // of the input
///       using Part = float;      // what a few elements add up in
///       using Acc = double;      // what Parts add up in: the accumulator
///       using Out = float;
///       static Acc identity();
///       static Part part(Element);
///       static Part join(Part, Part);
///       static Acc widen(Part);
///       static Acc combine(Acc, Acc);
///       static Out project(Acc, const void* context);
///     };
///
/// A rule may bring `spans` or `columns` of its own, with the signature that ReductionKernel wants,
/// or `combine_each` and `project_each` instead of `combine` and `project`, and `span_elements`
/// where `spans` reads its rows more than once; `least_row` where `spans` is quick for shorter rows
/// than others; `straight` with `short_rows_to`, which is reduce_short_rows; `combine_rows`.
/// `Loops` names another rule whose spans and columns do as well, `Columns` one whose plain columns
/// do, `Results` one whose combine and project do: what differs only in the rest is compiled once.
#pragma once

#include <weft/kernel/reduce.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Elements of a span that stays in L1 from one reading to the next.
inline constexpr std::int64_t reread_span_elements = 8192;

/// Elements that a Part takes in: for narrow ones a bound that keeps 16-bit elements from
/// overflowing 32 bits.
template <class Part>
inline constexpr std::int64_t part_elements = sizeof(Part) < 8 ? 2048 : 65536;

/// Rows by plain loops, which compilers turn into SIMD code where the operation is associative: on
/// integers.
template <class Rule>
struct PlainSpans {
  static void spans(const void*, void* accumulators, char* const* inputs,
                    const std::int64_t* row_bytes, std::int64_t rows, std::int64_t n, std::int64_t,
                    std::int64_t) {
    auto* acc = static_cast<typename Rule::Acc*>(accumulators);
    for (std::int64_t r = 0; r < rows; ++r)
      acc[r] = row(inputs[0] + r * row_bytes[0], n);
  }

  static WEFT_ALWAYS_INLINE typename Rule::Acc row(const char* from, std::int64_t n) {
    using Element = typename Rule::Element;
    constexpr std::int64_t most = part_elements<typename Rule::Part>;
    auto acc = Rule::identity();
    for (std::int64_t i = 0; i < n; i += most) {
      const SpanReader<Element, false> in{from + i * static_cast<std::int64_t>(sizeof(Element))};
      const std::int64_t count = n - i < most ? n - i : most;
      typename Rule::Part part = Rule::part(in[0]);
      for (std::int64_t j = 1; j < count; ++j)
        part = Rule::join(part, Rule::part(in[j]));
      acc = i == 0 ? Rule::widen(part) : Rule::combine(acc, Rule::widen(part));
    }
    return acc;
  }
};

/// Columns: the rows that are no four first, then four rows at a time, which are joined as a tree
/// before they meet the accumulator.
template <class Rule>
struct TreeColumns {
  using Acc = typename Rule::Acc;
  using Reader = SpanReader<typename Rule::Element, false>;

  static void columns(const void*, void* accumulators, char* const* inputs,
                      const std::int64_t* row_bytes, std::int64_t rows, std::int64_t columns,
                      std::int64_t) {
    Acc* acc = static_cast<Acc*>(accumulators);
    const char* from = inputs[0];
    const std::int64_t step = row_bytes[0];
    start(acc, from, step, rows % 4, columns);
    for (std::int64_t row = rows % 4; row < rows; row += 4)
      add_four(acc, from + row * step, step, columns);
  }

 private:
  /// Fewer than four rows.
  static WEFT_ALWAYS_INLINE void start(Acc* acc, const char* from, std::int64_t step,
                                       std::int64_t rows, std::int64_t columns) {
    const Reader x0{from}, x1{from + step}, x2{from + 2 * step};
    if (rows == 0) {
      for (std::int64_t j = 0; j < columns; ++j)
        acc[j] = Rule::identity();
    } else if (rows == 1) {
      WEFT_INDEPENDENT_ITERATIONS
      for (std::int64_t j = 0; j < columns; ++j)
        acc[j] = Rule::widen(Rule::part(x0[j]));
    } else if (rows == 2) {
      WEFT_INDEPENDENT_ITERATIONS
      for (std::int64_t j = 0; j < columns; ++j)
        acc[j] = Rule::widen(Rule::join(Rule::part(x0[j]), Rule::part(x1[j])));
    } else {
      WEFT_INDEPENDENT_ITERATIONS
      for (std::int64_t j = 0; j < columns; ++j)
        acc[j] = Rule::widen(
            Rule::join(Rule::join(Rule::part(x0[j]), Rule::part(x1[j])), Rule::part(x2[j])));
    }
  }

  static WEFT_ALWAYS_INLINE void add_four(Acc* acc, const char* from, std::int64_t step,
                                          std::int64_t columns) {
    const Reader x0{from}, x1{from + step}, x2{from + 2 * step}, x3{from + 3 * step};
    WEFT_INDEPENDENT_ITERATIONS
    for (std::int64_t j = 0; j < columns; ++j)
      acc[j] = Rule::combine(
          acc[j], Rule::widen(Rule::join(Rule::join(Rule::part(x0[j]), Rule::part(x1[j])),
                                         Rule::join(Rule::part(x2[j]), Rule::part(x3[j])))));
  }
};

template <class Rule>
struct LoopsOf {
  using Type = Rule;
};
template <class Rule>
  requires requires { typename Rule::Loops; }
struct LoopsOf<Rule> {
  using Type = typename Rule::Loops;
};

template <class Rule>
struct ResultsOf {
  using Type = Rule;
};
template <class Rule>
  requires requires { typename Rule::Results; }
struct ResultsOf<Rule> {
  using Type = typename Rule::Results;
};

/// The kernel of a rule, as a constant.
template <class Rule>
struct RuleKernel {
  using Acc = typename Rule::Acc;

  static void combine(const void*, void* into, const void* from, std::int64_t n) {
    Acc* a = static_cast<Acc*>(into);
    const Acc* b = static_cast<const Acc*>(from);
    WEFT_INDEPENDENT_ITERATIONS
    for (std::int64_t j = 0; j < n; ++j)
      a[j] = Rule::combine(a[j], b[j]);
  }

  static void project(const void* context, const void* accumulators, std::int64_t n,
                      char* const* outputs) {
    const Acc* acc = static_cast<const Acc*>(accumulators);
    if constexpr (requires { Rule::project(acc[0], context); }) {
      char* out = outputs[0];
      WEFT_INDEPENDENT_ITERATIONS
      for (std::int64_t j = 0; j < n; ++j)
        store_element<typename Rule::Out>(out, j, Rule::project(acc[j], context));
    } else {
      WEFT_INDEPENDENT_ITERATIONS
      for (std::int64_t j = 0; j < n; ++j) {
        store_element<typename Rule::Out>(outputs[0], j, Rule::first(acc[j], context));
        store_element<typename Rule::Second>(outputs[1], j, Rule::second(acc[j], context));
      }
    }
  }

  static bool done(const void*, const void* accumulator) {
    return Rule::done(*static_cast<const Acc*>(accumulator));
  }

  static constexpr ReductionKernel value = [] {
    using Loops = typename LoopsOf<Rule>::Type;
    using Results = typename ResultsOf<Rule>::Type;
    static_assert(std::is_same_v<Acc, typename Results::Acc> &&
                  std::is_same_v<typename Rule::Out, typename Results::Out>);
    ReductionKernel k;
    if constexpr (requires { &Loops::spans; }) {
      k.reduce_spans = &Loops::spans;
    } else {
      k.reduce_spans = &PlainSpans<Loops>::spans;
    }
    if constexpr (requires { &Loops::columns; }) {
      k.reduce_columns = &Loops::columns;
    } else if constexpr (requires { typename Loops::Columns; }) {
      k.reduce_columns = &TreeColumns<typename Loops::Columns>::columns;
    } else {
      k.reduce_columns = &TreeColumns<Loops>::columns;
    }
    if constexpr (requires { &Loops::column_blocks; })
      k.reduce_column_blocks = &Loops::column_blocks;
    if constexpr (requires { &Results::combine_each; }) {
      k.combine = &Results::combine_each;
    } else {
      k.combine = &RuleKernel<Results>::combine;
    }
    if constexpr (requires { Rule::combine_rows; }) k.combine_rows = Rule::combine_rows;
    if constexpr (requires { &Results::project_each; }) {
      k.project = &Results::project_each;
    } else {
      k.project = &RuleKernel<Results>::project;
    }
    if constexpr (requires(Acc acc) { Rule::done(acc); }) k.done = &done;
    k.noutputs = 1;
    k.ninputs = 1;
    k.accumulator_bytes = sizeof(Acc);
    if constexpr (requires { Rule::straight; }) {
      if constexpr (Rule::straight) k.reduce_short_rows = &Rule::short_rows_to;
    }
    if constexpr (requires { Loops::least_row; }) k.least_row = Loops::least_row;
    if constexpr (requires { Rule::indexed; }) k.indexed = true;
    if constexpr (requires { Rule::span_elements; }) k.span_elements = Rule::span_elements;
    k.types[0] = scalar_type_of<typename Rule::Out>;
    if constexpr (requires { typename Rule::Second; }) {
      k.noutputs = 2;
      k.types[1] = scalar_type_of<typename Rule::Second>;
    }
    k.types[k.noutputs] = scalar_type_of<typename Rule::Element>;
    return k;
  }();
};

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
