// SPDX-License-Identifier: Apache-2.0
/// @file
/// How functions that count elements go about it.
#pragma once

#include <weft/core/tensor_view.hpp>
#include <weft/iter/explain.hpp>
#include <weft/ops/counting.hpp>

namespace weft {
inline namespace v0 {

// Without weights, into an output that is there and has as many bins, with the errors of the
// function but for what elements are.

Explanation explain_bincount(const TensorView& out, const TensorView& a);
Explanation explain_histogram(const TensorView& out, const TensorView& a, BinRange range);

}  // namespace v0
}  // namespace weft
