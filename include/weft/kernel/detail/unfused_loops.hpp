// SPDX-License-Identifier: Apache-2.0
/// @file
/// Loops whose bits do not depend on which products a compiler fuses (WEFT_FUSES_COMPLEX).
#pragma once

#include <weft/core/cast.hpp>
#include <weft/core/scalar_type.hpp>
#include <weft/kernel/detail/member_arrays.hpp>
#include <weft/kernel/detail/span_element.hpp>
#include <weft/machine/level.hpp>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

WEFT_REQUESTED_LOOPS_BEGIN
namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Whether two numbers in floating point may be next to each other in T, as in a complex number, or
/// in an accumulator that is used as one.
template <class T>
constexpr bool holds_pairs() noexcept {
  if constexpr (is_complex_type<T>) {
    return true;
  } else if constexpr (Element<T>) {
    return false;
  } else if constexpr (MemberArrays<T, 1>::by_member) {
    return []<class... M>(std::tuple<M...>*) {
      return (int{std::is_floating_point_v<M>} + ...) > 1;
    }(static_cast<decltype(members_of(std::declval<const T&>()))*>(nullptr));
  } else {
    return std::is_class_v<T>;
  }
}

/// Whether compilers fuse what is made of some of these types.
template <class... T>
constexpr bool may_fuse(std::tuple<T...>*) noexcept {
#if defined(WEFT_FUSES_COMPLEX)
  return (holds_pairs<T>() || ...);
#else
  return false;
#endif
}

/// Whether store_separately() is the quicker way to keep elements of these types from being fused.
/// Of complex doubles a register holds two: bringing their parts together costs more than vectors
/// save.
template <class... T>
constexpr bool may_separate(std::tuple<T...>*) noexcept {
  return may_fuse(static_cast<std::tuple<T...>*>(nullptr)) && ((sizeof(T) <= 8) && ...);
}

/// A value whose members are known one by one: no two of them are computed as one.
template <class T>
WEFT_ALWAYS_INLINE T settled(const T& value) noexcept {
#if defined(WEFT_FUSES_COMPLEX)
  if constexpr (holds_pairs<T>() && MemberArrays<T, 1>::by_member) {
    auto members = members_of(value);
    return std::apply(
        [](auto&... member) WEFT_INLINE_LAMBDA {
          const auto settle = [](auto& number) WEFT_INLINE_LAMBDA {
            if constexpr (std::is_floating_point_v<std::remove_reference_t<decltype(number)>>)
              __asm__("" : "+x"(number));
          };
          (settle(member), ...);
          return T{member...};
        },
        members);
  } else {
    return value;
  }
#else
  return value;
#endif
}

/// Writes element(from) ... element(end - 1), each of which gives one element for each of the
/// outputs `to`. First the parts of a block of them, each into an array of its own, so that no two
/// are computed as one; then they are put together.
template <class... Out, class F>
WEFT_ALWAYS_INLINE void store_separately(std::tuple<Out...>*, char* const* to, std::int64_t from,
                                         std::int64_t end, const F& element) {
  constexpr std::int64_t block = 64;
  [&]<std::size_t... O>(std::index_sequence<O...>) WEFT_INLINE_LAMBDA {
    for (std::int64_t at = from; at < end; at += block) {
      const std::int64_t count = end - at < block ? end - at : block;
      std::tuple<MemberArrays<Out, std::size_t{block}>...> parts;
      WEFT_INDEPENDENT_ITERATIONS
      WEFT_NOT_UNROLLED
      for (std::int64_t j = 0; j < count; ++j) {
        const std::tuple<Out...> values = element(at + j);
        (std::get<O>(parts).set(static_cast<std::size_t>(j), std::get<O>(values)), ...);
      }
      WEFT_INDEPENDENT_ITERATIONS
      WEFT_NOT_UNROLLED
      for (std::int64_t j = 0; j < count; ++j)
        (store_element<Out>(to[O], at + j, std::get<O>(parts).get(static_cast<std::size_t>(j))),
         ...);
    }
  }(std::index_sequence_for<Out...>());
}

#if defined(WEFT_UNFUSED_LOOP)
template <class F>
WEFT_UNFUSED_LOOP void run_unfused(const F& loops) noexcept(noexcept(loops())) {
  loops();
}
template <class F>
WEFT_UNCONTRACTED_LOOP void run_uncontracted(const F& loops) noexcept(noexcept(loops())) {
  loops();
}
#endif
/// Runs loops, which are inlined. `is_unfused`: may_fuse() says that they may not be fused, and
/// neither settled() nor store_separately() keeps them from that. `is_separate`: vectors may be
/// made of them, since what must not be fused is in arrays of its own; what the file's flags allow
/// to be contracted is not, so that bits are those of loops that are unfused.
template <bool is_unfused, bool is_separate = false, class F>
WEFT_ALWAYS_INLINE void run_loops(const F& loops) {
#if defined(WEFT_UNFUSED_LOOP)
  if constexpr (is_unfused && is_separate) {
    run_uncontracted(loops);
  } else if constexpr (is_unfused) {
    run_unfused(loops);
  } else {
    loops();
  }
#else
  loops();
#endif
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
WEFT_REQUESTED_LOOPS_END
