// SPDX-License-Identifier: Apache-2.0
/// @file
/// Expressions: formulas over tensors that are carried out in one pass.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/scalar.hpp>
#include <weft/core/tensor.hpp>
#include <weft/ops/argument.hpp>
#include <weft/ops/function_table.hpp>
#include <weft/ops/reduce.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft {
inline namespace v0 {

struct ExprNode;
struct ReductionKernel;
struct SpanKernel;

/// How many functions deep an expression may be: each takes part of a thread's stack while it is
/// planned, printed or destroyed. One that is deeper is an Error(limit).
inline constexpr int max_expr_depth = 200;

/// A formula that is not carried out yet: an operand, a function of other expressions, or a
/// reduction of one. It knows
/// its element type and shape, by the rules of the functions (promotion.hpp, broadcasting). A value
/// that is cheap to copy; what it consists of is shared and does not change.
class WEFT_API Expr {
 public:
  /// The type and the shape of the result.
  ScalarType dtype() const noexcept;
  IntSpan shape() const noexcept;
  /// For people: "add(mul(f32[3, 4], f32[4]), 2)"; what is much longer than a line is cut short.
  std::string text() const;

  // ---- Views of an operand, for operands alone: Error(invalid_argument) for other expressions

  Expr permute(IntSpan order) const;
  Expr transpose(std::int64_t axis0, std::int64_t axis1) const;
  Expr expand(IntSpan shape) const;
  Expr slice(std::int64_t axis, std::int64_t start, std::int64_t stop, std::int64_t step = 1) const;
  Expr select(std::int64_t axis, std::int64_t i) const;
  Expr flip(std::int64_t axis) const;
  Expr unsqueeze(std::int64_t axis) const;

  // ---- Making them: what the functions below are made of

  explicit Expr(Tensor operand);
  explicit Expr(const TensorView& operand);
  explicit Expr(const TensorView&& temporary) = delete;
  explicit Expr(const Scalar& number);
  static Expr call(UnaryOp op, Expr a);
  static Expr call(BinaryOp op, Expr a, Expr b);
  static Expr call(CompareOp op, Expr a, Expr b);
  static Expr call(DivisionOp op, Expr a, Expr b);
  static Expr call(TernaryOp op, Expr a, Expr b, Expr c);
  static Expr call(Reduction op, Expr a, IntSpan axes, const ReduceOptions& options);
  /// Of a reduction that has two results.
  static std::pair<Expr, Expr> call_pair(Reduction op, Expr a, IntSpan axes,
                                         const ReduceOptions& options);
  /// A kernel of one output, which is kept: see map.hpp.
  static Expr call(std::shared_ptr<const SpanKernel> kernel, std::initializer_list<Expr> inputs);
  /// A reduction kernel of one output, which is kept: see reduce_with.hpp.
  static Expr call(std::shared_ptr<const ReductionKernel> kernel,
                   std::initializer_list<Expr> inputs, IntSpan axes, bool keepdim);
  static Expr convert(const Expr& a, ScalarType type);

  /// evaluate(*this): Tensor c = a * b + 2. To nothing but a Tensor: a view would not keep it.
  template <std::same_as<Tensor> T>
  operator T() const;  // NOLINT(google-explicit-constructor)

  const ExprNode& node() const noexcept { return *node_; }

 private:
  explicit Expr(std::shared_ptr<const ExprNode> node) noexcept : node_(std::move(node)) {}
  friend struct ExprNode;

  std::shared_ptr<const ExprNode> node_;
};

/// Starts an expression. It keeps the memory of a Tensor; that of a view has to live as long as the
/// expression does, and a temporary view is refused: say expr(a).transpose(0, 1). Throws
/// Error(undefined).
inline Expr expr(Tensor operand) { return Expr(std::move(operand)); }
inline Expr expr(const TensorView& operand) { return Expr(operand); }
Expr expr(const TensorView&& temporary) = delete;

/// x in another type, as cast() says.
inline Expr convert(const Expr& x, ScalarType type) { return Expr::convert(x, type); }

/// Carries out an expression: reads every operand once, block by block, and writes the result; what
/// passes from function to function stays in the first-level cache. Its numbers are those of the
/// functions called one by one. What stands in it twice is computed once.
///
/// `out` may be an operand in the same layout; any other overlap is an error. A result of another
/// type is converted if that keeps its kind. A plan is kept with the expression and, for
/// expressions that are built anew, in a cache of up to 64 plans, by structure, types, shapes and
/// strides.
/// Allocates the plan the first time, and the result of evaluate(). Throws Error: shape, cast,
/// overlap, division (integers by 0), limit (more than 32 tensors in a pass, say).
WEFT_API void evaluate_out(const Output& out, const Expr& expression);
WEFT_API Tensor evaluate(const Expr& expression);

/// Several expressions at once, with the results that each has alone: what stands in more than one
/// is computed once, and those of one shape that no reduction makes are written in one pass. Each
/// output may be an operand in the same layout, as in
///     evaluate_out({m, p}, {expr(m) * 0.9 + g, expr(p) - (expr(m) * 0.9 + g) * rate});
/// unless a later pass reads it; that, and outputs that share memory, are Error(overlap). Another
/// number of outputs than of expressions is Error(invalid_argument). The first expression keeps the
/// plan, for the same others.
WEFT_API void evaluate_out(std::span<const Output> outs, std::span<const Expr> expressions);
inline void evaluate_out(std::initializer_list<Output> outs,
                         std::initializer_list<Expr> expressions) {
  evaluate_out(std::span(outs.begin(), outs.size()),
               std::span(expressions.begin(), expressions.size()));
}
WEFT_API std::vector<Tensor> evaluate(std::span<const Expr> expressions);
inline std::vector<Tensor> evaluate(std::initializer_list<Expr> expressions) {
  return evaluate(std::span(expressions.begin(), expressions.size()));
}

template <std::same_as<Tensor> T>
Expr::operator T() const {
  return evaluate(*this);
}

// ---- Functions: those of the function table, of expressions, tensors and numbers ----------------

template <class T>
concept ExprArgument = std::same_as<T, Expr> || std::derived_from<T, TensorView> ||
                       std::same_as<T, Scalar> || Number<T>;
/// Arguments of which at least one is an expression.
template <class... T>
concept ExprArguments = (ExprArgument<std::remove_cvref_t<T>> && ...) &&
                        (std::same_as<std::remove_cvref_t<T>, Expr> || ...);

template <class T>
Expr to_expr(T&& argument) {
  using Plain = std::remove_cvref_t<T>;
  if constexpr (std::same_as<Plain, Expr>) {
    return std::forward<T>(argument);
  } else if constexpr (std::derived_from<Plain, Tensor>) {
    return Expr(Tensor(std::forward<T>(argument)));
  } else if constexpr (std::derived_from<Plain, TensorView>) {
    static_assert(std::is_lvalue_reference_v<T>,
                  "a temporary view does not keep its memory: expr(a).transpose(0, 1) does");
    const TensorView& view = argument;
    return Expr(view);
  } else {
    return Expr(Scalar(argument));
  }
}

// For each line F(NAME, ...) of function_table.hpp but the scaled ones: Expr NAME(a), NAME(a, b) or
// NAME(a, b, c).
#define WEFT_DEFINE(NAME, ...) \
  inline Expr NAME(Expr a) { return Expr::call(UnaryOp::NAME, std::move(a)); }
WEFT_FOR_EACH_UNARY(WEFT_DEFINE)
#undef WEFT_DEFINE

#define WEFT_DEFINE_BINARY(OP, NAME)                                                       \
  template <class A, class B>                                                              \
    requires ExprArguments<A, B>                                                           \
  Expr NAME(A&& a, B&& b) {                                                                \
    return Expr::call(OP::NAME, to_expr(std::forward<A>(a)), to_expr(std::forward<B>(b))); \
  }
#define WEFT_DEFINE(NAME, ...) WEFT_DEFINE_BINARY(BinaryOp, NAME)
WEFT_FOR_EACH_BINARY(WEFT_DEFINE)
#undef WEFT_DEFINE
#define WEFT_DEFINE(NAME, ...) WEFT_DEFINE_BINARY(CompareOp, NAME)
WEFT_FOR_EACH_COMPARISON(WEFT_DEFINE)
#undef WEFT_DEFINE
#define WEFT_DEFINE(NAME, ...) WEFT_DEFINE_BINARY(DivisionOp, NAME)
WEFT_FOR_EACH_DIVISION(WEFT_DEFINE)
#undef WEFT_DEFINE
#undef WEFT_DEFINE_BINARY

#define WEFT_DEFINE(NAME, ...)                                                                   \
  template <class A, class B, class C>                                                           \
    requires ExprArguments<A, B, C>                                                              \
  Expr NAME(A&& a, B&& b, C&& c) {                                                               \
    return Expr::call(TernaryOp::NAME, to_expr(std::forward<A>(a)), to_expr(std::forward<B>(b)), \
                      to_expr(std::forward<C>(c)));                                              \
  }
WEFT_FOR_EACH_TERNARY(WEFT_DEFINE)
#undef WEFT_DEFINE

// ---- Reductions ---------------------------------------------------------------------------------

/// Carries out a reduction as the call does: `out` has the shape of the result, or that with the
/// reduced axes as extent 1, whether or not `options` keep them. Throws and allocates as
/// evaluate_out() and the reduction do. What the NAME_out() of one result below are made of, but
/// for argmax, argmin and norm: those, and pairs, take the very shape.
WEFT_API void reduce_into(const Output& out, Reduction op, const Expr& a, IntSpan axes,
                          const ReduceOptions& options);
/// The same of a reduction that is made of others, which errors call `name`.
using ReductionMaker = Expr (*)(Expr a, IntSpan axes, const ReduceOptions& options);
WEFT_API void reduce_into(const Output& out, const char* name, ReductionMaker make, const Expr& a,
                          IntSpan axes, const ReduceOptions& options);

// For each line F(NAME, ...) of reduction_table.hpp of one result:
//     Expr NAME(Expr a, IntSpan axes = {}, const ReduceOptions& options = {});
//     void NAME_out(const Output& out, (the same));
// What is reduced is computed as it is needed, a block of at most 256 KiB a thread at a time. The
// result has the bits of the call on what evaluate(a) returns. An output of NAME_out may not share
// memory with what is reduced. Throw as the calls do.
#define WEFT_DEFINE(NAME, ...)                                                     \
  inline Expr NAME(Expr a, IntSpan axes = {}, const ReduceOptions& options = {}) { \
    return Expr::call(Reduction::NAME, std::move(a), axes, options);               \
  }                                                                                \
  inline void NAME##_out(const Output& out, const Expr& a, IntSpan axes = {},      \
                         const ReduceOptions& options = {}) {                      \
    reduce_into(out, Reduction::NAME, a, axes, options);                           \
  }
WEFT_FOR_EACH_REDUCTION(WEFT_DEFINE)
#undef WEFT_DEFINE

// The same with one axis, or none for row-major order over all elements.
#define WEFT_DEFINE(NAME, ...)                                                             \
  inline Expr NAME(Expr a, std::optional<std::int64_t> axis = {}, bool keepdim = false) {  \
    const IntSpan axes = axis ? IntSpan(*axis) : IntSpan();                                \
    return Expr::call(Reduction::NAME, std::move(a), axes, {.keepdim = keepdim});          \
  }                                                                                        \
  inline void NAME##_out(const Output& out, Expr a, std::optional<std::int64_t> axis = {}, \
                         bool keepdim = false) {                                           \
    evaluate_out(out, NAME(std::move(a), axis, keepdim));                                  \
  }
WEFT_FOR_EACH_ARG_REDUCTION(WEFT_DEFINE)
#undef WEFT_DEFINE

// The same of two results: several outputs of one pass if both are evaluated together.
#define WEFT_DEFINE(NAME, ...)                                                                 \
  inline std::pair<Expr, Expr> NAME(Expr a, IntSpan axes = {},                                 \
                                    const ReduceOptions& options = {}) {                       \
    return Expr::call_pair(Reduction::NAME, std::move(a), axes, options);                      \
  }                                                                                            \
  inline void NAME##_out(const Output& first, const Output& second, Expr a, IntSpan axes = {}, \
                         const ReduceOptions& options = {}) {                                  \
    const std::pair<Expr, Expr> both = NAME(std::move(a), axes, options);                      \
    evaluate_out({first, second}, {both.first, both.second});                                  \
  }
WEFT_FOR_EACH_PAIR_REDUCTION(WEFT_DEFINE)
#undef WEFT_DEFINE

/// The p-norm over axes, none meaning all, and the dot product of two arguments of one axis and one
/// extent: as of tensors (ops/reduce.hpp), those of two types converted first. What they read is
/// computed block by block, and an output of another type is converted to, as in evaluate_out().
/// Throw Error: dtype, shape, axis.
WEFT_API Expr norm(Expr a, double p = 2, IntSpan axes = {}, const ReduceOptions& options = {});
inline void norm_out(const Output& out, Expr a, double p = 2, IntSpan axes = {},
                     const ReduceOptions& options = {}) {
  evaluate_out(out, norm(std::move(a), p, axes, options));
}
WEFT_API Expr dot_of(Expr a, Expr b);  // what the next ones are made of
template <class A, class B>
  requires ExprArguments<A, B>
Expr dot(A&& a, B&& b) {
  return dot_of(to_expr(std::forward<A>(a)), to_expr(std::forward<B>(b)));
}
template <class A, class B>
  requires ExprArguments<A, B>
void dot_out(const Output& out, A&& a, B&& b) {
  evaluate_out(out, dot(std::forward<A>(a), std::forward<B>(b)));
}

// ---- Operators ----------------------------------------------------------------------------------

#define WEFT_FOR_EACH_ARITHMETIC_OPERATOR(F) \
  F(+, add)                                  \
  F(-, sub)                                  \
  F(*, mul)                                  \
  F(/, div)                                  \
  F(%, remainder)                            \
  F(&, bitwise_and)                          \
  F(|, bitwise_or)                           \
  F(^, bitwise_xor)                          \
  F(<<, lshift)                              \
  F(>>, rshift)
#define WEFT_FOR_EACH_OPERATOR(F)      \
  WEFT_FOR_EACH_ARITHMETIC_OPERATOR(F) \
  F(==, eq)                            \
  F(!=, ne)                            \
  F(<, lt)                             \
  F(<=, le)                            \
  F(>, gt)                             \
  F(>=, ge)

#define WEFT_DEFINE(SIGN, NAME)                          \
  template <class A, class B>                            \
    requires ExprArguments<A, B>                         \
  Expr operator SIGN(A&& a, B&& b) {                     \
    return NAME(std::forward<A>(a), std::forward<B>(b)); \
  }
WEFT_FOR_EACH_OPERATOR(WEFT_DEFINE)
#undef WEFT_DEFINE
inline Expr operator-(Expr a) { return neg(std::move(a)); }
inline Expr operator~(Expr a) { return bitwise_not(std::move(a)); }
inline Expr operator!(Expr a) { return logical_not(std::move(a)); }

// a += b makes `a` the expression a + b. Nothing is carried out.
#define WEFT_DEFINE(SIGN, NAME)             \
  template <class B>                        \
    requires ExprArguments<Expr, B>         \
  Expr& operator SIGN##=(Expr& a, B&& b) {  \
    return a = NAME(a, std::forward<B>(b)); \
  }
WEFT_FOR_EACH_ARITHMETIC_OPERATOR(WEFT_DEFINE)
#undef WEFT_DEFINE

}  // namespace v0
}  // namespace weft
