// SPDX-License-Identifier: Apache-2.0
/// @file
/// Kernels of reductions that are written as users write them.
#pragma once

#include <weft/kernel/reduce.hpp>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// The kernel of a reduction without state, and what its context points to.
template <class Op>
struct Stateless {
  static constexpr Op op{};
  // Without loops for inputs that stand still, which are rare: a seventh of the family's text.
  static constexpr ReductionKernel value = ReductionLoops<Op, false>::template kernel<false>(op);
};

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
