// SPDX-License-Identifier: Apache-2.0
/// @file
/// How sort() and argsort() go about it.
#pragma once

#include <weft/core/tensor_view.hpp>
#include <weft/iter/explain.hpp>

#include <cstdint>

namespace weft {
inline namespace v0 {

/// Of sort_out(), or of argsort_out() with `positions`, into an output that is there, ascending.
/// Errors as theirs. Of tensors without elements, the shape and no run.
Explanation explain_sort(const TensorView& out, const TensorView& a, std::int64_t axis,
                         bool positions);

}  // namespace v0
}  // namespace weft
