// SPDX-License-Identifier: Apache-2.0
/// @file
/// Counting elements, or adding up their weights, by the bins that they fall into.
#pragma once

#include <weft/base/function_ref.hpp>
#include <weft/core/tensor.hpp>
#include <weft/iter/explain.hpp>

#include "kernels/indexing/counting.hpp"
#include "ops/byte_counts.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// Most bins there are: their numbers, and that of none, are of i32.
inline constexpr std::int64_t max_bins = 0x7FFF'FFFF;

/// From elements to bins.
struct Binning {
  /// Writes the bin of each of n dense keys, `count` of what falls into none.
  using Find = FunctionRef<void(std::int32_t* bins, const char* keys, std::int64_t n)>;

  std::int64_t count;  ///< at most max_bins
  ScalarType key;      ///< what elements are converted to: i32 or f64
  const Find* find;    ///< null: keys are bins
};

/// result[bin] = how many elements of `a`, or the sum of their weights, if there are any; 0 beyond
/// the last bin. `result` has one axis, and is of i64, or f64 with weights.
void count_in_bins(const TensorView& result, const TensorView& a, const TensorView& weights,
                   const Binning& binning);

/// Whether elements are so short, and so many, that their values are counted first. Where there are
/// no weights.
bool counts_values(const TensorView& a);
/// The same as count_in_bins(), from the counts of `a`'s values.
void add_up_values(const TensorView& result, const ByteCounts& counts, ScalarType type,
                   const Binning& binning);
/// The least and the largest element that is there, of integers; none below 0 if there are none.
IntegerRange integer_range(const ByteCounts& counts, ScalarType type);

/// How it goes about it, for bins that are as many as `result` has elements.
Explanation explain_count_in_bins(const TensorView& result, const TensorView& a, ScalarType key);

/// The least and the largest element of integers.
IntegerRange integer_range(const TensorView& a);

}  // namespace v0
}  // namespace weft
