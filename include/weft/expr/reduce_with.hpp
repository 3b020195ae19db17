// SPDX-License-Identifier: Apache-2.0
/// @file
/// Reductions of one's own within expressions.
#pragma once

#include <weft/expr/expr.hpp>
#include <weft/kernel/reduce.hpp>

#include <memory>
#include <utility>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// The loops of a struct, or of a masked one.
template <class Op>
struct LoopsOfStruct {
  using Type = ReductionLoops<Op, false>;
};
template <class Op>
struct LoopsOfStruct<Masked<Op>> {
  using Type = ReductionLoops<Op, false, true>;
};

/// A struct, or a masked one, and its kernel, which refers to it.
template <class Op>
struct ReducingStruct {
  explicit ReducingStruct(Op&& struct_op)
      : op(std::move(struct_op)), kernel(reduction_kernel(op)) {}

  Op op;
  ReductionKernel kernel;
};

/// Expressions, tensors and numbers, of which one at least is an expression, reduced by a struct as
/// cpu_reduce() takes it (kernel/reduce.hpp), with one result:
///
///     struct Distance {  // of all of two rows
///       double identity() const { return 0; }
///       double accumulate(double acc, float x, float y) const { return acc + (x - y) * (x - y); }
///       double combine(double a, double b) const { return a + b; }
///       float project(double acc) const { return float(acc); }
///     };
///     weft::evaluate_out(out, weft::sqrt(weft::reduce(Distance(), 1, weft::expr(a) * 2, b)));
///
/// The arguments are broadcast, and converted to the types that accumulate takes where that keeps
/// their kind, else Error(cast). They are reduced over `axes`, none meaning all; with `keepdim`
/// these stay with extent 1. What is computed is so block by block, as it is reduced. The result
/// has the bits of cpu_reduce on tensors of the broadcast shape. masked(op) takes a mask as its
/// last argument: bools that broadcast with the others and say which elements are there. The struct
/// is kept with the expression and with plans of it, and called on several threads at once. Throws
/// Error: cast, shape, axis, limit.
template <bool keepdim = false, class Op, class... Args>
  requires ExprArguments<Args...>
Expr reduce(Op op, IntSpan axes, Args&&... args) {
  if constexpr (!is_reduction<Op>()) {
    return Expr(Scalar(0));
  } else {
    using Loops = typename LoopsOfStruct<Op>::Type;
    static_assert(Loops::nout == 1, "a struct for reduce has one result");
    static_assert(Loops::nin == sizeof...(Args),
                  "reduce has an argument for each that accumulate takes, and one for a mask");
    const auto made = std::make_shared<const ReducingStruct<Op>>(std::move(op));
    return Expr::call(std::shared_ptr<const ReductionKernel>(made, &made->kernel),
                      {to_expr(std::forward<Args>(args))...}, axes, keepdim);
  }
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
