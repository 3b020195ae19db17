// SPDX-License-Identifier: Apache-2.0
/// @file
/// How sort(), searchsorted() and their kin go about it.
#pragma once

#include <weft/core/tensor_view.hpp>
#include <weft/iter/explain.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {

// Each into outputs that are there, in the order that the function has by default, with its errors.
// Of tensors without elements, the shape and no run.

/// Of sort_out(), or of argsort_out() with `positions`.
Explanation explain_sort(const TensorView& out, const TensorView& a, std::int64_t axis,
                         bool positions);
Explanation explain_topk(const TensorView& values, const TensorView& indices, const TensorView& a,
                         std::int64_t k, std::int64_t axis);
Explanation explain_partition(const TensorView& out, const TensorView& a, std::int64_t k,
                              std::int64_t axis);
Explanation explain_searchsorted(const TensorView& out, const TensorView& sorted,
                                 const TensorView& values);
Explanation explain_median(const TensorView& out, const TensorView& a, std::int64_t axis,
                           bool keepdim);

}  // namespace v0
}  // namespace weft
