// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a prefix struct takes and gives.
#pragma once

#include <weft/core/dispatch_types.hpp>
#include <weft/kernel/detail/reduction_struct.hpp>
#include <weft/kernel/detail/span_loop.hpp>
#include <weft/kernel/masked_op.hpp>
#include <weft/machine/level.hpp>

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// What starts consist of: the parameters of Op::start; without it, an accumulator that is an
/// element.
template <class Op, class Acc>
constexpr auto find_starts() {
  if constexpr (requires { &Op::start; }) {
    return std::type_identity<typename Signature<decltype(&Op::start)>::Params>();
  } else if constexpr (Element<Acc>) {
    return std::type_identity<std::tuple<Acc>>();
  } else {
    return std::type_identity<std::tuple<>>();
  }
}

/// What a prefix struct takes and gives.
template <class Op>
struct CumulativeTypes {
  using Params = AccumulateParams<typename Signature<decltype(&Op::accumulate)>::Params>;
  using Acc = typename Params::Accumulator;
  using Ins = typename Params::Elements;
  using Outs = typename Outputs<Projected<Op, Acc>>::Types;
  using Starts = typename decltype(find_starts<Op, Acc>())::type;

  /// Whether project returns its one result as it is, in no std::tuple.
  static constexpr bool projects_one =
      std::tuple_size_v<Outs> == 1 && !Outputs<Projected<Op, Acc>>::is_tuple;
  static constexpr bool has_identity = requires(const Op& op) { op.identity(); };
  static constexpr bool has_combine = requires(const Op& op, const Acc& acc) {
    { op.combine(acc, acc) } -> std::convertible_to<Acc>;
  };
};

/// Whether identity() and start(), where there are such, can be called and give accumulators.
template <class Op, class Acc, class... Starts>
constexpr bool may_start(std::tuple<Starts...>*) {
  bool may = true;
  if constexpr (requires(Op& op) { op.identity(); }) {
    may = requires(const Op& op) {
      { op.identity() } -> std::convertible_to<Acc>;
    };
  }
  if constexpr (requires { &Op::start; }) {
    may = may && are_elements<std::tuple<Starts...>> && requires(const Op& op, const Starts&... x) {
      { op.start(x...) } -> std::convertible_to<Acc>;
    };
  }
  return may;
}

/// Whether a struct's functions can be called, and give what they are to.
template <class Op, class Acc, class... Ins>
constexpr bool has_cumulative_functions(std::tuple<Ins...>*) {
  constexpr bool accumulates = requires(const Op& op, const Acc& acc, const Ins&... x) {
    { op.accumulate(acc, x...) } -> std::convertible_to<Acc>;
  };
  static_assert(
      accumulates,
      "a prefix struct's accumulate() is const, since threads share the struct, takes what "
      "it takes by value or const reference, and returns the accumulator");
  constexpr bool projects = requires(const Op& op, const Acc& acc) { op.project(acc); };
  static_assert(projects, "a prefix struct has `Out project(Acc) const`");
  if constexpr (!accumulates || !projects) {
    return false;
  } else {
    using Types = CumulativeTypes<Op>;
    constexpr bool gives_elements = projects_elements<Op, Acc>();
    constexpr bool has_start = Types::has_identity || std::tuple_size_v<typename Types::Starts> > 0;
    static_assert(has_start,
                  "the struct has identity(), or start(x...) which makes an accumulator");
    constexpr bool starts = may_start<Op, Acc>(static_cast<typename Types::Starts*>(nullptr));
    static_assert(
        !has_start || starts,
        "identity() and start(x...) are const, take elements by value or const reference, "
        "and return an accumulator");
    constexpr bool starts_blocks = Types::has_identity || !Types::has_combine;
    static_assert(!starts || starts_blocks, "combine needs identity(), which blocks begin with");
    constexpr bool may_combine =
        Types::has_combine || !requires(Op& op, Acc acc) { op.combine(acc, acc); };
    static_assert(may_combine, "combine is const and returns an accumulator");
    return gives_elements && has_start && starts && starts_blocks && may_combine;
  }
}

/// Whether a struct has what a prefix operation calls; if not, one line says what it has not.
template <class Op>
constexpr bool is_cumulative_struct() {
  static_assert(!is_masked<Op>, "a prefix operation takes no masked() struct");
  constexpr bool accumulates =
      is_masked<Op> || requires { typename Signature<decltype(&Op::accumulate)>::Params; };
  static_assert(accumulates,
                "a prefix struct has `Acc accumulate(Acc, T...) const`, one function, neither "
                "overloaded nor a template");
  if constexpr (is_masked<Op> || !accumulates) {
    return false;
  } else {
    using Params = typename Signature<decltype(&Op::accumulate)>::Params;
    constexpr bool takes_any = std::tuple_size_v<Params> > 1;
    static_assert(takes_any, "accumulate takes an accumulator and elements");
    if constexpr (!takes_any) {
      return false;
    } else {
      using Acc = typename AccumulateParams<Params>::Accumulator;
      using Ins = typename AccumulateParams<Params>::Elements;
      constexpr bool takes_elements = are_elements<Ins>;
      static_assert(takes_elements,
                    "accumulate takes an accumulator and elements, as a kernel's parameters (long "
                    "double and char are none)");
      constexpr bool is_bytes = std::is_trivially_copyable_v<Acc> &&
                                std::is_default_constructible_v<Acc> &&
                                std::is_copy_assignable_v<Acc> && sizeof(Acc) <= 64;
      static_assert(is_bytes,
                    "an accumulator is copied bytewise, made, and assigned to, and has at most 64 "
                    "bytes");
      return takes_elements && is_bytes &&
             has_cumulative_functions<Op, Acc>(static_cast<Ins*>(nullptr));
    }
  }
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
