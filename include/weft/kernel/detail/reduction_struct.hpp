// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a reduction struct takes and gives.
#pragma once

#include <weft/kernel/detail/member_arrays.hpp>
#include <weft/kernel/detail/span_element.hpp>
#include <weft/kernel/detail/span_loop.hpp>

#include <concepts>
#include <cstddef>
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

/// Whether a struct has what a reduction calls; if not, one line says what it has not.
template <class Op>
constexpr bool is_reduction_struct() {
  constexpr bool has_identity = requires(const Op& op) { op.identity(); };
  static_assert(has_identity, "a reduction struct has `Acc identity() const`");
  if constexpr (!has_identity) {
    return false;
  } else {
    using Acc = typename AccumulateOf<Op>::Accumulator;
    constexpr bool is_shared = []<class... Elements>(std::tuple<Elements...>*) {
      return requires(const Op& op, Acc acc, Elements... x) { op.accumulate(acc, x...); };
    }(static_cast<typename AccumulateOf<Op>::Elements*>(nullptr));
    static_assert(is_shared,
                  "a reduction struct's accumulate() is const: threads share the struct");
    constexpr bool has_combine = requires(const Op& op, Acc acc) { op.combine(acc, acc); };
    static_assert(has_combine, "a reduction struct has `Acc combine(Acc, Acc) const`");
    constexpr bool has_project = requires(const Op& op, Acc acc) { op.project(acc); };
    static_assert(has_project, "a reduction struct has `Out project(Acc) const`");
    return is_shared && has_combine && has_project;
  }
}

/// The first elements of a list, and a bool.
template <class Listed, std::size_t... I>
std::tuple<std::tuple_element_t<I, Listed>..., bool> with_mask(std::index_sequence<I...>);

/// What follows from a reduction struct's functions. `Indexed`: accumulate takes the index as its
/// last parameter. `Masks`: another input follows what accumulate takes, the mask.
template <class Op, bool Indexed, bool Masks>
class ReductionStruct {
  static_assert(TypedReduction<Op> || !Indexed, "an accumulate that is told an index has types");
  using Params = AccumulateOf<Op>;
  using Listed = typename Params::Elements;

 public:
  using Acc = typename Params::Accumulator;
  static_assert(std::is_trivially_copyable_v<Acc>, "an accumulator is copied bytewise");
  static_assert(std::is_default_constructible_v<Acc> && std::is_copy_assignable_v<Acc>,
                "there are arrays of accumulators, which are assigned to");
  static_assert(alignof(Acc) <= 64);

  /// Inputs that accumulate takes, and all.
  static constexpr std::size_t nelements = std::tuple_size_v<Listed> - (Indexed ? 1 : 0);
  static constexpr std::size_t nin = nelements + (Masks ? 1 : 0);
  template <std::size_t I>
  using In = std::tuple_element_t<
      I, std::conditional_t<
             Masks, decltype(with_mask<Listed>(std::make_index_sequence<nelements>())), Listed>>;
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
