// SPDX-License-Identifier: Apache-2.0
/// @file
/// How functions that move elements go about it.
#pragma once

#include <weft/core/tensor_view.hpp>
#include <weft/iter/explain.hpp>
#include <weft/ops/arrange.hpp>
#include <weft/ops/inputs.hpp>

#include <cstdint>
#include <span>

namespace weft {
inline namespace v0 {

// Each into an output that is there, with the errors of the function. Where several copies make up
// the result, the largest of them, with the bytes that all of them move. Of results without
// elements, the shape and no run.

Explanation explain_concat(const TensorView& out, const Inputs& inputs, std::int64_t axis);
Explanation explain_stack(const TensorView& out, const Inputs& inputs, std::int64_t axis);
Explanation explain_flip(const TensorView& out, const TensorView& a, IntSpan axes);
Explanation explain_roll(const TensorView& out, const TensorView& a, IntSpan shifts, IntSpan axes);
Explanation explain_tile(const TensorView& out, const TensorView& a, IntSpan repeats);
Explanation explain_repeat(const TensorView& out, const TensorView& a, std::int64_t count,
                           std::int64_t axis);
Explanation explain_pad(const TensorView& out, const TensorView& a,
                        std::span<const AxisPadding> widths, PadMode mode, const Scalar& value);
/// The copy, after which the other triangle is cleared.
Explanation explain_triangle(const TensorView& out, const TensorView& a, bool upper,
                             std::int64_t k);
/// The last subtraction.
Explanation explain_diff(const TensorView& out, const TensorView& a, std::int64_t axis,
                         std::int64_t order);

}  // namespace v0
}  // namespace weft
