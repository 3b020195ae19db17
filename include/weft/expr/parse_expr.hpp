// SPDX-License-Identifier: Apache-2.0
/// @file
/// Expressions from text.
#pragma once

#include <weft/base/export.hpp>
#include <weft/expr/expr.hpp>

#include <span>
#include <string>
#include <string_view>

namespace weft {
inline namespace v0 {

/// What a name in a text stands for.
struct NamedExpr {
  std::string name;
  Expr value;
};

/// Reads a formula: statements `name = expression` with `;` between them, and an expression as the
/// last one, whose value is returned.
///
///     x = a - mean(a, 1, 1); x * rsqrt(mean(x * x, 1, 1) + 1e-05)
///
/// An expression has, from what binds least to what binds most: one comparison (== != < <= > >=),
/// |, ^, &, << and >>, + and -, *, / and % (remainder), the signs -, ~ and ! (logical_not). Behind
/// these are parentheses, numbers, names of operands and of earlier statements, and calls:
/// - functions of the function table but the scaled ones by their names: exp(x), where(c, x, y);
/// - types, for conversions: f32(x);
/// - reductions of one result: sum(x), sum(x, 1), sum(x, (0, 2)), and sum(x, 1, 1) or, of all axes,
///   sum(x, (), 1) to keep what is reduced as extent 1; argmax(x), argmax(x, 1), argmax(x, 1, 1);
///   nanmean(x) and its kin (masked.hpp) likewise, and norm(x, p), norm(x, p, 1), norm(x, p, 1, 1);
///   behind these var, std, nanvar and nanstd take a correction: var(x, 1, 0, 0); dot(x, y);
/// - masked(x, mask) and masked(x, mask, initial), whole or right in a reduction.
///
/// A number without `.` and `e` is an integer; inf and nan are numbers, where no operand has that
/// name. Numbers have the type of what they meet, as in calls; what +, -, * and / make of two
/// numbers is a number, whole where both are and an i64 holds it (but for /), else of f64. The
/// memory of operands is kept as their Exprs say. Throws Error(parse), with the column, counted
/// from 1, and what was expected there; Error(limit) for text that is nested deeper than 64
/// parentheses, calls and signs; and what the functions throw.
WEFT_API Expr parse_expr(std::string_view text, std::span<const NamedExpr> operands);

}  // namespace v0
}  // namespace weft
