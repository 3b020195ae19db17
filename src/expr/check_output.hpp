// SPDX-License-Identifier: Apache-2.0
/// @file
/// What outputs of expressions have to be.
#pragma once

#include <weft/expr/expr.hpp>

namespace weft {
inline namespace v0 {

/// Throws Error(invalid_argument) if they are not as many, or none.
void check_outputs(std::size_t outputs, std::size_t expressions);
/// Of output k, which is e. Throws Error: undefined, cast, shape, invalid_argument (read-only),
/// overlap (with itself).
void check_output(const Expr& e, const TensorView& out, std::size_t k = 0);

}  // namespace v0
}  // namespace weft
