// SPDX-License-Identifier: Apache-2.0
/// @file
/// Places of values in what is sorted.
#pragma once

#include <weft/base/export.hpp>
#include <weft/ops/argument.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {

/// Where a value goes among elements that equal it.
enum class SearchSide : std::uint8_t {
  left,   ///< before them: behind all elements that are less
  right,  ///< behind them
};

/// For each value, how many elements of `sorted` come before it: where it would have to be put in
/// so that the order stays. The result is of i64 and has the shape of `values`.
///
/// `sorted` has one axis, or the axes of `values`: then each line along its last axis is for the
/// values of the same line, and the last axes alone may differ in length. It ascends, NaNs last;
/// if it does not, results are any number from 0 to its length. NaN equals NaN here and comes
/// behind all else; 0.0 equals -0.0.
///
/// Both are of one type, real, and may be strided in any way. An output has to be of i64, is
/// allocated if it is an undefined Tensor, replaced if it is one of another shape, and may share
/// memory with neither. Beside the result nothing is allocated up to rank 8 but scratch memory,
/// which is kept. Threads share the values, and results do not depend on them. Throws Error before
/// anything is written: dtype (another type than that of `sorted`, complex types, an output), rank,
/// shape, overlap, undefined.
WEFT_API Tensor searchsorted(const TensorView& sorted, const TensorView& values,
                             SearchSide side = SearchSide::left);
WEFT_API void searchsorted_out(const Output& out, const TensorView& sorted,
                               const TensorView& values, SearchSide side = SearchSide::left);

}  // namespace v0
}  // namespace weft
