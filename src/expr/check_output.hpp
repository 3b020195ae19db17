// SPDX-License-Identifier: Apache-2.0
/// @file
/// What an output of an expression has to be.
#pragma once

#include <weft/expr/expr.hpp>

namespace weft {
inline namespace v0 {

/// Throws Error: undefined, cast, shape, invalid_argument (read-only), overlap (with itself).
void check_output(const Expr& e, const TensorView& out);

}  // namespace v0
}  // namespace weft
