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
inline Expr operator-(const Tensor& a) { return neg(Expr(a)); }
inline Expr operator~(const Tensor& a) { return bitwise_not(Expr(a)); }

}  // namespace operators
}  // namespace v0
}  // namespace weft
