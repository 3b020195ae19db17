// SPDX-License-Identifier: Apache-2.0
/// @file
/// Loops whose bits do not depend on which products a compiler fuses (WEFT_FUSES_COMPLEX).
#pragma once

#include <weft/core/cast.hpp>
#include <weft/core/scalar_type.hpp>
#include <weft/kernel/detail/member_arrays.hpp>
#include <weft/kernel/detail/span_element.hpp>
#include <weft/machine/level.hpp>

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

#if defined(WEFT_UNFUSED_LOOP)
template <class F>
WEFT_UNFUSED_LOOP void run_unfused(const F& loops) noexcept(noexcept(loops())) {
  loops();
}
#endif
/// Runs loops, which are inlined. `is_unfused`: may_fuse() says that they may not be fused.
template <bool is_unfused, class F>
WEFT_ALWAYS_INLINE void run_loops(const F& loops) {
#if defined(WEFT_UNFUSED_LOOP)
  if constexpr (is_unfused) {
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
