// SPDX-License-Identifier: Apache-2.0
/// @file
/// What an expression consists of.
#pragma once

#include <weft/core/shape.hpp>
#include <weft/expr/expr.hpp>
#include <weft/expr/formula.hpp>
#include <weft/kernel/reduction_kernel.hpp>

#include "expr/expr_plan.hpp"

#include <atomic>
#include <memory>
#include <string>

namespace weft {
inline namespace v0 {

/// One operand, number, function, conversion or reduction of an expression, or the second result of
/// a reduction; or a value with the mask that selects elements of it.
struct ExprNode {
  enum class Kind : std::uint8_t { operand, number, call, convert, reduce, second, map, masked };
  using Inputs = SmallVector<std::shared_ptr<const ExprNode>, 3>;

  explicit ExprNode(Kind of_kind) : kind(of_kind) {}
  /// Leaves its plan to the cache.
  ~ExprNode();
  ExprNode(const ExprNode&) = delete;
  ExprNode& operator=(const ExprNode&) = delete;

  /// Makes a node with its type and shape. Throws Error: shape, dtype.
  template <class... Exprs>
  static Expr call(FormulaFunction op, Exprs&&... inputs) {
    auto node = std::make_shared<ExprNode>(Kind::call);
    node->op = op;
    (node->add_input(std::move(inputs.node_)), ...);
    node->infer(node);
    return Expr(std::move(node));
  }
  static Expr made(std::shared_ptr<const ExprNode> node) { return Expr(std::move(node)); }
  static const std::shared_ptr<const ExprNode>& shared(const Expr& e) { return e.node_; }

  /// Takes another input's shape into its own. Throws Error(shape).
  void broadcast_with(const ExprNode& input);
  /// Takes the inputs' shapes into its own, those of a function of the user's, which has these
  /// types. Throws Error: shape, cast.
  void take_inputs(const ScalarType* types);
  /// Throws Error(limit).
  void add_input(std::shared_ptr<const ExprNode> input);
  const FunctionInfo& function() const;
  /// Of an operand, and of a number that is one.
  const TensorView& view() const noexcept;
  /// Of a number.
  const Scalar& scalar() const noexcept;

  Kind kind;
  bool is_operand = false;  ///< it is an ExprOperand
  ScalarType dtype = ScalarType::f32;
  ScalarType common = ScalarType::f32;  ///< of a call: in which its inputs meet
  FormulaFunction op{};
  DimVector shape;
  Inputs inputs;
  int depth = 0;  ///< of functions and conversions

  /// The plan of the last evaluation, if this node was evaluated; none while one runs.
  mutable ExprPlanPlace kept;

 private:
  void infer(const std::shared_ptr<const ExprNode>& self);
};

/// A number that formulas may have in them: they are f64.
struct ExprNumber : ExprNode {
  explicit ExprNumber(const Scalar& of)
      : ExprNode(Kind::number), number(of), value(of.to<double>()) {}

  Scalar number;
  double value;
};

/// An operand; or a number that is no f64.
struct ExprOperand : ExprNode {
  explicit ExprOperand(Kind of_kind) : ExprNode(of_kind) { is_operand = true; }

  Scalar number{0.0};
  Tensor elements;  // without an owner where a view or the number is meant
};

/// A number that no other node with a function of the user's has: plans of one are none of another.
std::int64_t next_own_number() noexcept;
/// Which kernel a reduction has: of two that are the same in this one can stand for the other.
struct KernelNumber {
  std::int64_t number = 0;
  double parameter = 0;  ///< of the kernel
};

/// A reduction: by a function of the table, of its only input, or by a kernel.
struct ExprReduction : ExprNode {
  explicit ExprReduction(Reduction of) : ExprNode(Kind::reduce), reduction(of) {}
  ExprReduction(const char* named, std::shared_ptr<const ReductionKernel> of,
                const KernelNumber& its_number)
      : ExprNode(Kind::reduce), label(named), kernel(std::move(of)), number(its_number) {}

  Reduction reduction{};
  const char* label = nullptr;
  std::shared_ptr<const ReductionKernel> kernel;  // null: the function
  KernelNumber number;
  /// Whether it has two results: this node is the first, and another one of the kind `second` the
  /// other.
  bool has_second() const noexcept { return kernel == nullptr && is_pair(reduction); }

  DimVector axes;           // empty: all
  DimVector reduced_shape;  // to which inputs broadcast
  ReduceOptions options;
};

/// The mean, amax or amin of what is not NaN, and the variance, of floating elements: by kernels
/// that leave NaN out; the root of that with `root`. NaN of nothing.
Expr number_reduction(const char* name, Reduction op, Expr a, IntSpan axes,
                      const ReduceOptions& options);
Expr number_variance(const char* name, const Expr& a, IntSpan axes, const ReduceOptions& options,
                     bool root);

/// A reduction by a kernel of one output.
Expr reduced_by(const char* label, std::shared_ptr<const ReductionKernel> kernel,
                const KernelNumber& number, std::initializer_list<Expr> inputs, IntSpan axes,
                bool keepdim);

/// A reduction of the elements that a mask selects: `a` is of the kind `masked`.
Expr masked_reduction(Reduction op, const Expr& a, IntSpan axes, const ReduceOptions& options);
/// Throws Error(invalid_argument) for an expression of that kind that has an initial number: it is
/// written, not reduced.
void check_masked_output(const Expr& e);

/// A function of the user's.
struct ExprMap : ExprNode {
  /// Kernels of the same number are the same.
  explicit ExprMap(std::shared_ptr<const SpanKernel> of, std::int64_t own = next_own_number())
      : ExprNode(Kind::map), kernel(std::move(of)), number_of_its_own(own) {}

  std::shared_ptr<const SpanKernel> kernel;
  std::int64_t number_of_its_own;
};

/// As Expr::text().
std::string text_of(const ExprNode& node);

inline const TensorView& ExprNode::view() const noexcept {
  return static_cast<const ExprOperand*>(this)->elements;
}
inline const Scalar& ExprNode::scalar() const noexcept {
  return is_operand ? static_cast<const ExprOperand*>(this)->number
                    : static_cast<const ExprNumber*>(this)->number;
}

}  // namespace v0
}  // namespace weft
