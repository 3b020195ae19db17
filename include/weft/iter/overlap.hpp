// SPDX-License-Identifier: Apache-2.0
/// @file
/// Do two strided operands, or two elements of one, share a byte? An exact answer within a work
/// limit.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/tensor_view.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {

/// What to do when operands share memory in a way that would change the result.
enum class OverlapPolicy : std::uint8_t {
  error,   ///< throw Error(overlap)
  copy,    ///< read the input from a copy made by build(): the result is as if nothing overlapped
  ignore,  ///< the caller knows better
};

enum class Overlap : std::uint8_t {
  none,      ///< no byte in common
  full,      ///< the very same elements in the same places: an in-place operation
  partial,   ///< some byte in common
  too_hard,  ///< not decided within the work limit
};

/// Steps of the search spent on one question before it gives up; about a millisecond.
inline constexpr std::int64_t default_overlap_work = 100'000;

/// Whether two different elements of one view share a byte: none, partial or too_hard.
WEFT_API Overlap internal_overlap(const TensorView& view,
                                  std::int64_t work_limit = default_overlap_work);

/// Whether two views share a byte. `full` means equal addresses at every index of the shape to
/// which both broadcast, with elements of equal size. Method: the shared byte is a solution of
/// sum(stride_k * x_k) = distance with 0 <= x_k < extent_k, found or excluded by depth-first search
/// over the larger strides first, pruned by the range and the greatest common divisor of those left
/// (bounded linear Diophantine problem; cf. NumPy's shares_memory). Ranges that do not meet, and
/// elements that alternate as channels of pixels do, cost a few comparisons.
WEFT_API Overlap overlap(const TensorView& a, const TensorView& b,
                         std::int64_t work_limit = default_overlap_work);

}  // namespace v0
}  // namespace weft
