// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of what counting needs of the indexing family: the range of integers, and bins of one
/// width.
#pragma once

#include <weft/core/scalar_type.hpp>
#include <weft/machine/dispatch.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {

/// The least and the largest of integers; of none, as it begins.
struct IntegerRange {
  std::int64_t least = 0;
  std::int64_t largest = -1;
};
/// Widens a range, which holds 0 at least, by n dense integers.
using WidenRangeFn = void (*)(IntegerRange& range, const char* from, std::int64_t n);
/// For integers of i32 or i64.
WEFT_DECLARE_KERNEL(widen_range_kernel, WidenRangeFn(ScalarType type));

/// Bins of one width. Edge i of `count` + 1 is low + i * step below `turn`, and from there on high
/// - (count - i) * step, product and sum rounded each: linspace(low, high, count + 1).
struct EqualBins {
  double low, high, step, turn, count;
  double bins_per_unit;  ///< so exact that (x - low) times it is off by less than one bin
};
/// to[i] = the bin of from[i], of n dense elements; `count` of those outside and of NaN. `to` has
/// room for whole registers.
WEFT_DECLARE_KERNEL(find_equal_bins, void(std::int32_t* to, const char* from, std::int64_t n,
                                          const EqualBins& bins));

}  // namespace v0
}  // namespace weft
