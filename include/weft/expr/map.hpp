// SPDX-License-Identifier: Apache-2.0
/// @file
/// Functions of one's own within expressions.
#pragma once

#include <weft/expr/expr.hpp>
#include <weft/kernel/cpu_kernel.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// A function and its kernel, which refers to it.
template <class F>
struct MappedFunction {
  explicit MappedFunction(F&& f) : op(std::move(f)), kernel(typed_span_kernel(op)) {}

  F op;
  SpanKernel kernel;
};

/// f of each element of expressions, tensors and numbers, of which one at least is an expression:
///
///     const auto op = [](float x, float y) { return x > 0 ? x * y : y; };
///     weft::sum_out(out, weft::map(op, weft::expr(a), b) * 2, 1);
///
/// The arguments are broadcast, and converted to the types of f's parameters where that keeps their
/// kind, else Error(cast); the result is of the type that f returns. f is a lambda or function
/// object of one signature, as for cpu_kernel, and becomes the same loops. It is kept with the
/// expression and with plans of it, and called on several threads at once, in no order, for an
/// element maybe more than once: what it gives may depend on nothing but its arguments and what it
/// has captured. Throws Error: cast, shape, limit.
template <class F, class... Args>
  requires ExprArguments<Args...>
Expr map(F f, Args&&... args) {
  static_assert(TypedCallable<F>, "a function for map has parameters of fixed types, no template");
  if constexpr (!TypedCallable<F>) {
    return Expr(Scalar(0));
  } else if constexpr (!is_kernel<F, true>()) {
    return Expr(Scalar(0));
  } else {
    static_assert(std::tuple_size_v<typename Signature<F>::Params> == sizeof...(Args),
                  "map has an argument for each parameter of the function");
    const auto mapped = std::make_shared<const MappedFunction<F>>(std::move(f));
    return Expr::call(std::shared_ptr<const SpanKernel>(mapped, &mapped->kernel),
                      {to_expr(std::forward<Args>(args))...});
  }
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
