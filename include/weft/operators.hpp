// SPDX-License-Identifier: Apache-2.0
/// @file
/// Operators of tensors: `a * b + 2` is an expression (weft/expr/expr.hpp), which is carried out in
/// one pass when it becomes a Tensor.
///
///     using namespace weft::operators;
///     weft::Tensor c = a * b + 2;
///
/// In a namespace of their own, so that == and < of tensors mean what a file says that they mean.
#pragma once

#include <weft/expr/expr.hpp>

namespace weft {
inline namespace v0 {
namespace operators {

/// Tensors and numbers, of which at least one is a tensor. Where one is an expression, the
/// operators of expressions are meant.
template <class A, class B>
concept TensorArguments = ExprArgument<std::remove_cvref_t<A>> &&
                          ExprArgument<std::remove_cvref_t<B>> && !ExprArguments<A, B> &&
                          (std::derived_from<std::remove_cvref_t<A>, TensorView> ||
                           std::derived_from<std::remove_cvref_t<B>, TensorView>);

#define WEFT_DEFINE(SIGN, NAME)                                            \
  template <class A, class B>                                              \
    requires TensorArguments<A, B>                                         \
  Expr operator SIGN(A&& a, B&& b) {                                       \
    return NAME(to_expr(std::forward<A>(a)), to_expr(std::forward<B>(b))); \
  }
WEFT_FOR_EACH_OPERATOR(WEFT_DEFINE)
#undef WEFT_DEFINE
#define WEFT_DEFINE(SIGN, NAME)                                    \
  template <class A>                                               \
    requires std::derived_from<std::remove_cvref_t<A>, TensorView> \
  Expr operator SIGN(A&& a) {                                      \
    return NAME(to_expr(std::forward<A>(a)));                      \
  }
WEFT_DEFINE(-, neg)
WEFT_DEFINE(~, bitwise_not)
WEFT_DEFINE(!, logical_not)
#undef WEFT_DEFINE

// a += b writes a + b into the elements of `a`, a tensor or a view, at once and in one pass. `b` is
// a tensor, a number or an expression, and broadcasts to a's shape. Throws as evaluate_out() does:
// Error(shape) for a result of another shape, Error(cast) for one of another kind (integers += 0.5,
// integers /= 2), Error(overlap) where b reads a's memory in another layout; then nothing is
// written, unless integers are divided by 0.
#define WEFT_DEFINE(SIGN, NAME)                                                      \
  template <class A, class B>                                                        \
    requires std::derived_from<std::remove_cvref_t<A>, TensorView> &&                \
             (!std::is_const_v<std::remove_reference_t<A>>) && ExprArgument<B>       \
  A operator SIGN##=(A&& a, const B& b) {                                            \
    const TensorView& out = a; /* not to be replaced by a tensor of another shape */ \
    evaluate_out(out, NAME(Expr(out), to_expr(b)));                                  \
    return std::forward<A>(a);                                                       \
  }
WEFT_FOR_EACH_ARITHMETIC_OPERATOR(WEFT_DEFINE)
#undef WEFT_DEFINE

}  // namespace operators
}  // namespace v0
}  // namespace weft
