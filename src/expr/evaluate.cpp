// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/core/promotion.hpp>
#include <weft/expr/expr.hpp>
#include <weft/iter/overlap.hpp>

#include "base/text.hpp"
#include "expr/check_output.hpp"
#include "expr/expr_node.hpp"

#include <span>
#include <utility>

namespace weft {
inline namespace v0 {
namespace {

/// An element that is written must not be read for another one afterwards.
void check_overlap(const ExprPlan& plan, const TensorView& out) {
  const StageRecipe& last = plan.recipes.back();
  for (const StageRecipe::Input& input : last.inputs) {
    if (input.operand < 0) continue;
    const TensorView& operand = plan.operands[static_cast<std::size_t>(input.operand)]->view();
    const Overlap meets = overlap(out, operand);
    if (meets == Overlap::none) continue;
    if (!last.reduces && meets == Overlap::full && same_list(operand.shape(), out.shape()))
      continue;
    fail(ErrorCode::overlap,
         text("output 0: it shares memory with operand ", name(operand.dtype()),
              to_string(operand.shape()),
              last.reduces ? ", which is reduced into it" : ", which is laid out in another way"));
  }
}

/// A plan for this output: from the cache, or a new one.
std::unique_ptr<ExprPlan> plan_for(const Expr& e, const TensorView& out) {
  const ExprList list(e.node());
  ExprKey key;
  key.reserve(8 * list.entries().size());
  key.push_back(static_cast<std::int64_t>(out.dtype()));
  key.insert(key.end(), out.strides().begin(), out.strides().end());
  list.write_key(key);
  std::unique_ptr<ExprPlan> plan = expr_cache::take(key);
  if (plan == nullptr) plan = std::make_unique<ExprPlan>(list, out, std::move(key));
  plan->operands.assign(list.operands());
  return plan;
}

void evaluate_into(const TensorView& out, const Expr& e) {
  check_output(e, out);
  const ExprNode& root = e.node();
  std::unique_ptr<ExprPlan> plan = root.kept.take();
  if (plan == nullptr || plan->out_type != out.dtype() ||
      !same_list(plan->out_strides, out.strides())) {
    if (plan != nullptr) expr_cache::put(std::move(plan));
    plan = plan_for(e, out);
  }
  check_overlap(*plan, out);
  if (out.numel() > 0) plan->run(out);
  // An expression that goes away now leaves its plan to the next one of its kind.
  root.kept.put(std::move(plan));
}

}  // namespace

void check_output(const Expr& e, const TensorView& out) {
  if (!out.defined()) fail(ErrorCode::undefined, "output 0: undefined tensor");
  if (!can_cast(e.dtype(), out.dtype())) {
    fail(ErrorCode::cast, text("output 0: result type ", name(e.dtype()),
                               " can't be cast to the output's ", name(out.dtype())));
  }
  if (!same_list(out.shape(), e.shape())) {
    fail(ErrorCode::shape, text("output 0: expected shape ", to_string(e.shape()), " of ", e.text(),
                                ", got ", to_string(out.shape())));
  }
  if (out.read_only()) fail(ErrorCode::invalid_argument, "output 0: it is read-only");
  if (!out.is_contiguous() && internal_overlap(out) != Overlap::none)
    fail(ErrorCode::overlap, "output 0: elements of it share memory");
}

ExprNode::~ExprNode() {
  if (std::unique_ptr<ExprPlan> plan = kept.take()) expr_cache::put(std::move(plan));
}

void evaluate_out(const Output& out, const Expr& expression) {
  Tensor* const tensor = out.tensor();
  if (tensor == nullptr ||
      (out.view().defined() && same_list(out.view().shape(), expression.shape())))
    return evaluate_into(out.view(), expression);
  const ScalarType type = out.view().defined() ? out.view().dtype() : expression.dtype();
  Tensor made = Tensor::empty(expression.shape(), type);
  evaluate_into(made, expression);
  *tensor = std::move(made);
}

Tensor evaluate(const Expr& expression) {
  Tensor out;
  evaluate_out(out, expression);
  return out;
}

}  // namespace v0
}  // namespace weft
