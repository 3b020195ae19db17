// SPDX-License-Identifier: Apache-2.0
/// @file
/// Expressions of which a mask selects the elements that count.
#pragma once

#include <weft/expr/expr.hpp>

#include <optional>
#include <utility>

namespace weft {
inline namespace v0 {

/// The elements of `x` where a mask, an expression or tensor of bools that broadcasts to the shape
/// of `x`, is true.
///
/// Evaluated into an output that is there, it writes these and stores nothing to the others, not
/// even their old value: threads whose masks have no element in common may write to one tensor.
/// Values are computed in boxes of 16 KiB, and not at all where the mask has no element in a box;
/// integers that it leaves out are not divided by zero.
///
///     evaluate_out(a, masked(sqrt(expr(a)), expr(a) > 0));
///
/// Reduced, elements that it leaves out are not there: `mean` and `var` divide by the number of
/// those that are. The bits are those of the reduction of where(mask, x, neutral element); of
/// `mean`, `var` and `std` those of what they are made of (docs/masks.md). `amax` and `amin` have
/// no neutral element: they need `initial`, a number that takes part as if it was an element, cast
/// to the type of x as a number of the language is. `sum` and `prod` add it to, or multiply it by,
/// what they are without it: that is rounded before, products of f32 to f64. One that would change
/// the type of the result, as a fraction among integers, is an Error(cast); any with another
/// reduction is an Error(invalid_argument). `argmax` and `argmin` count all elements, and are -1
/// where none is selected. Reductions of two results take no mask.
///
/// It is a whole expression, or right in a reduction: functions of it are an
/// Error(invalid_argument). Throws Error: dtype (a mask that is not bool), shape. Evaluating it
/// throws Error(invalid_argument) for an output that would have to be allocated.
WEFT_API Expr masked(Expr x, Expr mask, const std::optional<Scalar>& initial = std::nullopt);
template <class X, class Mask>
  requires ExprArguments<X, Mask>
Expr masked(X&& x, Mask&& mask, const std::optional<Scalar>& initial = std::nullopt) {
  return masked(Expr(to_expr(std::forward<X>(x))), Expr(to_expr(std::forward<Mask>(mask))),
                initial);
}

// For each NAME of nanmean, nanvar, nanstd, nanprod, nanmin, nanmax:
//     Expr NAME(Expr a, IntSpan axes = {}, const ReduceOptions& options = {});
//     void NAME_out(const Output& out, (the same));
/// Reductions of what is not NaN, with the axes, options, types and shapes of the reductions
/// without `nan`, which they are of integers and bools. Where nothing but NaN was, nanprod is 1,
/// and the others are NaN; nanmin and nanmax over an axis without elements are an Error(shape), as
/// amin is. nanvar, nanstd, nanmin and nanmax of complex numbers are an Error(dtype).
/// Means and extremes go over what they reduce once, and take about as long as those of all
/// elements; sums of floats are added by fours in f32, and these in f64. Variances go over it
/// twice, about the mean as it is rounded; deviations and their squares are of the result's type,
/// of halves f32: those of f32 are infinite above 1.8e19, unless `dtype` is f64. (nansum is a
/// function of the table; nanargmax and nanargmin are argmax(masked(a, ~isnan(a))), or functions of
/// ops/masked_positions.hpp.)
#define WEFT_FOR_EACH_NAN_REDUCTION(F) F(nanmean) F(nanvar) F(nanstd) F(nanprod) F(nanmin) F(nanmax)
#define WEFT_DEFINE(NAME)                                                           \
  WEFT_API Expr NAME(Expr a, IntSpan axes = {}, const ReduceOptions& options = {}); \
  inline void NAME##_out(const Output& out, const Expr& a, IntSpan axes = {},       \
                         const ReduceOptions& options = {}) {                       \
    reduce_into(out, #NAME, static_cast<ReductionMaker>(NAME), a, axes, options);   \
  }
WEFT_FOR_EACH_NAN_REDUCTION(WEFT_DEFINE)
#undef WEFT_DEFINE

}  // namespace v0
}  // namespace weft
