// SPDX-License-Identifier: Apache-2.0
/// @file
/// Loops whose bits do not depend on which products a compiler fuses (WEFT_FUSES_COMPLEX).
#pragma once

#include <weft/core/cast.hpp>
#include <weft/machine/level.hpp>

#include <tuple>

WEFT_REQUESTED_LOOPS_BEGIN
namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Whether some of these types are complex, where compilers fuse what is made of such numbers.
template <class... T>
constexpr bool may_fuse(std::tuple<T...>*) noexcept {
#if defined(WEFT_FUSES_COMPLEX)
  return (is_complex_type<T> || ...);
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
