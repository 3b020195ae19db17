// SPDX-License-Identifier: Apache-2.0
/// @file
/// PyTorch's shortcut for operands of one layout, reproduced under pytorch_order.
#pragma once

#include <weft/iter/config.hpp>

#include <cstdint>
#include <optional>

namespace weft {
inline namespace v0 {

/// An order in which everything coalesces to one dim, and the strides (in elements) of outputs to
/// allocate.
struct FastLayout {
  Permutation perm;
  DimVector new_strides;
};

/// The layout that all defined operands share: row-major, channels-last (rank 4), or dense with
/// equal strides; empty if there is none, for a reduction, or for operands of different shapes.
/// bit k of `is_new` marks outputs to allocate.
std::optional<FastLayout> pytorch_fast_layout(bool reduction, bool linear,
                                              const TensorIterator& iter, std::uint32_t is_new);

}  // namespace v0
}  // namespace weft
