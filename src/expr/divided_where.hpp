// SPDX-License-Identifier: Apache-2.0
/// @file
/// Division of the integers alone that a mask selects.
#pragma once

#include "expr/expr_node.hpp"

namespace weft {
inline namespace v0 {

/// Whether a node divides integers, which may not be divided by 0.
bool divides_integers(const ExprNode& node);

/// x, with 1 for divisors where integers are divided that a mask leaves out; x itself if it divides
/// none. What is reduced in x is divided as it is.
Expr divided_where(const Expr& mask, const Expr& x);

}  // namespace v0
}  // namespace weft
