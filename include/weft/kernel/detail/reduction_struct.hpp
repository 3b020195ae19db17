// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a reduction struct takes and gives.
#pragma once

#include <weft/kernel/detail/member_arrays.hpp>
#include <weft/kernel/detail/span_element.hpp>
#include <weft/kernel/detail/span_loop.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

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

/// Op::accumulate is one function, of an accumulator at least.
template <class Op>
concept TypedReduction = requires {
  typename AccumulateParams<typename Signature<decltype(&Op::accumulate)>::Params>::Accumulator;
};

/// As AccumulateParams, of an Op whose accumulate is a template: everything is of the type of the
/// identity. No elements if it takes none of that type.
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
    } else if constexpr (count < std::size_t{max_generic_inputs}) {
      return find_elements<count + 1>();
    } else {
      return std::type_identity<std::tuple<>>();
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

/// What accumulate takes after the accumulator: elements, and the index where it is told that.
template <class Op, bool Indexed>
struct ReductionElements {
  using Types = typename AccumulateOf<Op>::Elements;
  static constexpr bool has_index = true;
};
template <class Op>
struct ReductionElements<Op, true> {
  using Listed = typename AccumulateOf<Op>::Elements;
  static constexpr std::size_t last = std::tuple_size_v<Listed> - 1;
  template <std::size_t... I>
  static std::tuple<std::tuple_element_t<I, Listed>...> first(std::index_sequence<I...>);
  using Types = decltype(first(std::make_index_sequence<last>()));
  static constexpr bool has_index =
      std::is_same_v<std::tuple_element_t<last, Listed>, std::int64_t>;
};

/// What project makes of an accumulator.
template <class Op, class Acc>
using Projected =
    std::remove_cvref_t<decltype(std::declval<const Op&>().project(std::declval<Acc>()))>;

/// Whether project returns elements; if not, one line says so.
template <class Op, class Acc>
constexpr bool projects_elements() {
  constexpr bool gives_elements = has_output_elements<Projected<Op, Acc>>;
  static_assert(gives_elements,
                "project() returns an element, or a std::tuple of elements (no std::pair, no "
                "std::array)");
  return gives_elements;
}

/// Whether a struct's functions can be called, and give what they are to.
template <class Op, class Acc, class... Listed>
constexpr bool has_reduction_functions(std::tuple<Listed...>*) {
  constexpr bool accumulates =
      requires(const Op& op, const Acc& acc, const Listed&... x) { op.accumulate(acc, x...); };
  static_assert(
      accumulates,
      "a reduction struct's accumulate() is const, since threads share the struct, and takes "
      "what it takes by value or const reference");
  constexpr bool combines = requires(const Op& op, const Acc& acc) { op.combine(acc, acc); };
  static_assert(combines, "a reduction struct has `Acc combine(Acc, Acc) const`");
  constexpr bool projects = requires(const Op& op, const Acc& acc) { op.project(acc); };
  static_assert(projects, "a reduction struct has `Out project(Acc) const`");
  if constexpr (!accumulates || !combines || !projects) {
    return false;
  } else {
    constexpr bool gives_accumulators = requires(const Op& op, const Acc& acc, const Listed&... x) {
      { op.identity() } -> std::convertible_to<Acc>;
      { op.accumulate(acc, x...) } -> std::convertible_to<Acc>;
      { op.combine(acc, acc) } -> std::convertible_to<Acc>;
    };
    static_assert(gives_accumulators,
                  "identity(), accumulate() and combine() return an accumulator, which is what "
                  "accumulate's first parameter is");
    constexpr bool gives_elements = projects_elements<Op, Acc>();
    return gives_accumulators && gives_elements;
  }
}

/// Whether a struct has what a reduction calls; if not, one line says what it has not. With a mask,
/// accumulate may take no element: it counts what is selected.
template <class Op, bool Indexed, bool Masks>
constexpr bool is_reduction_struct() {
  constexpr bool has_identity = requires(const Op& op) { op.identity(); };
  static_assert(has_identity, "a reduction struct has `Acc identity() const`");
  if constexpr (!has_identity) {
    return false;
  } else {
    using Acc = typename AccumulateOf<Op>::Accumulator;
    using Listed = typename AccumulateOf<Op>::Elements;
    constexpr bool takes_any = std::tuple_size_v<Listed> >= (Indexed ? 1 : 0) + (Masks ? 0 : 1);
    static_assert(
        takes_any,
        "a reduction struct has `Acc accumulate(Acc, T...) const` of one to nine elements, "
        "and std::int64_t behind them for cpu_reduce_indexed; one function, or a template "
        "of which all types are that of the identity");
    if constexpr (!takes_any) {
      return false;
    } else {
      constexpr bool has_index = ReductionElements<Op, Indexed>::has_index;
      static_assert(has_index,
                    "for cpu_reduce_indexed, accumulate's last parameter is the index, a "
                    "std::int64_t");
      constexpr bool takes_elements = are_elements<typename ReductionElements<Op, Indexed>::Types>;
      static_assert(
          takes_elements,
          "accumulate takes an accumulator and elements, as a kernel's parameters (long double "
          "and char are none)");
      return has_index && takes_elements &&
             has_reduction_functions<Op, Acc>(static_cast<Listed*>(nullptr));
    }
  }
}

/// What follows from a reduction struct's functions. `Indexed`: accumulate takes the index as its
/// last parameter. `Masks`: another input follows what accumulate takes, the mask.
template <class Op, bool Indexed, bool Masks>
class ReductionStruct {
  static_assert(TypedReduction<Op> || !Indexed, "an accumulate that is told an index has types");
  using Elements = typename ReductionElements<Op, Indexed>::Types;
  using Ins = std::conditional_t<
      Masks, decltype(std::tuple_cat(std::declval<Elements>(), std::declval<std::tuple<bool>>())),
      Elements>;

 public:
  using Acc = typename AccumulateOf<Op>::Accumulator;
  static_assert(std::is_trivially_copyable_v<Acc>, "an accumulator is copied bytewise");
  static_assert(std::is_default_constructible_v<Acc> && std::is_copy_assignable_v<Acc>,
                "there are arrays of accumulators, which are assigned to");
  static_assert(alignof(Acc) <= 64, "an accumulator is aligned to at most 64 bytes");

  /// Inputs that accumulate takes, and all.
  static constexpr std::size_t nelements = std::tuple_size_v<Elements>;
  static constexpr std::size_t nin = nelements + (Masks ? 1 : 0);
  template <std::size_t I>
  using In = std::tuple_element_t<I, Ins>;
  using Outs = typename Outputs<Projected<Op, Acc>>::Types;
  static constexpr std::size_t nout = std::tuple_size_v<Outs>;
  /// Whether project returns its one result as it is, in no std::tuple.
  static constexpr bool projects_one = nout == 1 && !Outputs<Projected<Op, Acc>>::is_tuple;

  /// Accumulators side by side in a span: 256 bytes of them, at most 64. As many at every level, so
  /// that results agree.
  static constexpr int lanes = [] {
    int n = 1;
    while (n < 64 && static_cast<std::size_t>(2 * n) * sizeof(Acc) <= 256)
      n *= 2;
    return n;
  }();

  /// Whether accumulate is called with vectors. Not with a mask: what compilers make of single
  /// numbers and their flags takes three quarters of the time of registers of flags (f64 at the
  /// baseline: a quarter).
  static constexpr bool takes_vectors = [] {
    if constexpr (TypedReduction<Op> || Masks) {
      return false;
    } else if constexpr (requires { VectorizedSteps<Op, Acc>::template accepts<nin>; }) {
      return VectorizedSteps<Op, Acc>::template accepts<nin>;
    } else {
      return false;
    }
  }();

  /// Whether arrays of accumulators lie member by member.
  static constexpr bool by_member = sizeof(Acc) <= 32 && MemberArrays<Acc, 1>::by_member;
};

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
