// SPDX-License-Identifier: Apache-2.0
#include <weft/base/error.hpp>
#include <weft/base/function_ref.hpp>
#include <weft/core/promotion.hpp>
#include <weft/expr/expr.hpp>
#include <weft/iter/overlap.hpp>

#include "base/text.hpp"
#include "expr/check_output.hpp"
#include "expr/expr_node.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace weft {
inline namespace v0 {
namespace {

/// What is written must not be read afterwards: not for another element, nor by a later pass.
void check_operands(const ExprPlan& plan, std::size_t writer, const TensorView& out, int k) {
  const bool reduces = plan.recipes[writer].reduces;
  for (std::size_t s = writer; s < plan.recipes.size(); ++s) {
    const auto check = [&](const StageRecipe::Input& input) {
      if (input.operand < 0) return;
      const TensorView& operand = plan.operands[static_cast<std::size_t>(input.operand)]->view();
      const Overlap meets = overlap(out, operand);
      if (meets == Overlap::none) return;
      if (s == writer && !reduces && meets == Overlap::full &&
          same_list(operand.shape(), out.shape()))
        return;
      fail(ErrorCode::overlap, text("output ", k, ": it shares memory with operand ",
                                    name(operand.dtype()), to_string(operand.shape()),
                                    s != writer ? ", which is read after it is written"
                                    : reduces   ? ", which is reduced into it"
                                                : ", which is laid out in another way"));
    };
    std::ranges::for_each(plan.recipes[s].inputs, check);
    std::ranges::for_each(plan.recipes[s].mask_inputs, check);
  }
}

void check_overlap(const ExprPlan& plan, OutputViews outs) {
  for (std::size_t s = 0; s < plan.recipes.size(); ++s) {
    for (const StageRecipe::Result& result : plan.recipes[s].results)
      if (result.output >= 0)
        check_operands(plan, s, *outs[static_cast<std::size_t>(result.output)], result.output);
  }
  for (std::size_t k = 1; k < outs.size(); ++k) {
    for (std::size_t j = 0; j < k; ++j) {
      if (overlap(*outs[k], *outs[j]) != Overlap::none)
        fail(ErrorCode::overlap, text("output ", k, ": it shares memory with output ", j));
    }
  }
}

/// Which outputs share memory with which operands, as words: of several outputs, one may be written
/// before another one is read.
ExprPlan::Meetings meetings_of(OutputViews outs, std::span<const ExprNode* const> operands) {
  ExprPlan::Meetings words;
  if (outs.size() == 1) return words;
  for (const TensorView* out : outs) {
    std::int64_t bits = 1;
    for (const ExprNode* operand : operands) {
      bits = bits << 1 | static_cast<std::int64_t>(overlap(*out, operand->view()) != Overlap::none);
      if (bits >> 61 != 0) words.push_back(std::exchange(bits, 1));
    }
    words.push_back(bits);
  }
  return words;
}

void write_outputs(ExprKey& key, OutputViews outs) {
  key.add(static_cast<std::int64_t>(outs.size()));
  for (const TensorView* out : outs) {
    key.add(static_cast<std::int64_t>(out->dtype()) << 32 | out->rank());
    key.add_all(out->strides());
  }
}

/// A plan for these outputs: from the cache, or a new one.
std::unique_ptr<ExprPlan> plan_for(std::span<const Expr> expressions, OutputViews outs) {
  SmallVector<const ExprNode*, 4> roots;
  for (const Expr& e : expressions)
    roots.push_back(&e.node());
  ExprKey key;
  write_outputs(key, outs);
  const ExprStructure structure(roots, key);
  const auto meetings = meetings_of(outs, structure.operands());
  key.add_all(meetings);
  std::unique_ptr<ExprPlan> plan = expr_cache::take(key);
  if (plan == nullptr) plan = std::make_unique<ExprPlan>(ExprList(roots), outs, std::move(key));
  plan->operands.assign(structure.operands());
  plan->meetings = meetings;
  for (const Expr& e : expressions.subspan(1))
    plan->others.emplace_back(ExprNode::shared(e));
  return plan;
}

/// Whether a plan that the first of some expressions keeps is for all of them, and these outputs.
bool is_for(const ExprPlan& plan, std::span<const Expr> expressions, OutputViews outs) {
  if (plan.outputs.size() != outs.size()) return false;
  for (std::size_t k = 0; k < outs.size(); ++k) {
    const ExprPlan::OutputGeometry& planned = plan.outputs[k];
    if (planned.type != outs[k]->dtype() || !same_list(planned.strides, outs[k]->strides()))
      return false;
    if (k == 0) continue;
    const auto& node = ExprNode::shared(expressions[k]);
    const std::weak_ptr<const ExprNode>& other = plan.others[k - 1];
    if (other.owner_before(node) || node.owner_before(other)) return false;
  }
  return outs.size() == 1 ||
         same_list(plan.meetings, meetings_of(outs, {plan.operands.data(), plan.operands.size()}));
}

void run(ExprPlan& plan, OutputViews outs) {
  check_overlap(plan, outs);
  if (std::ranges::any_of(outs, [](const TensorView* out) { return out->numel() > 0; }))
    plan.run(outs);
}

/// The first expression keeps the plan.
void evaluate_into(OutputViews outs, std::span<const Expr> expressions) {
  for (std::size_t k = 0; k < outs.size(); ++k)
    check_output(expressions[k], *outs[k], k);
  const ExprNode& first = expressions[0].node();
  std::unique_ptr<ExprPlan> plan = first.kept.take();
  if (plan == nullptr || !is_for(*plan, expressions, outs)) {
    if (plan != nullptr) expr_cache::put(std::move(plan));
    plan = plan_for(expressions, outs);
  }
  run(*plan, outs);
  // An expression that goes away now leaves its plan to the next one of its kind.
  first.kept.put(std::move(plan));
}
void evaluate_into(const TensorView& out, const Expr& e) {
  const TensorView* const outs[] = {&out};
  evaluate_into(outs, {&e, 1});
}

/// Whether an output is a Tensor that is to be allocated or replaced.
bool is_replaced(const Output& out, const Expr& e) {
  return out.tensor() != nullptr &&
         !(out.view().defined() && same_list(out.view().shape(), e.shape()));
}
Tensor replacement(const Output& out, const Expr& e) {
  if (e.node().kind == ExprNode::Kind::masked) {
    fail(ErrorCode::invalid_argument,
         text(e.text(), ": expected an output of shape ", to_string(e.shape()),
              " that is there: what the mask leaves out stays as it is"));
  }
  return Tensor::empty(e.shape(), out.view().defined() ? out.view().dtype() : e.dtype());
}

/// With the reduced axes as extent 1 or without them, as the output has them.
void write_reduced(const Output& out, const char* name, const ReduceOptions& options,
                   FunctionRef<Expr(const ReduceOptions&)> make) {
  Expr reduced = make(options);
  const TensorView& view = out.view();
  if (view.defined() && !same_list(view.shape(), reduced.shape())) {
    ReduceOptions other = options;
    other.keepdim = !options.keepdim;
    Expr fitting = make(other);
    if (same_list(view.shape(), fitting.shape())) {
      reduced = std::move(fitting);
    } else if (out.tensor() == nullptr) {  // a tensor would be replaced
      const bool differ = !same_list(reduced.shape(), fitting.shape());
      fail(ErrorCode::shape, text(name, ": output 0: expected shape ", to_string(reduced.shape()),
                                  differ ? text(" or ", to_string(fitting.shape())) : std::string(),
                                  ", got ", to_string(view.shape())));
    }
  }
  evaluate_out(out, reduced);
}

}  // namespace

void check_outputs(std::size_t outputs, std::size_t expressions) {
  if (outputs != expressions || outputs == 0) {
    fail(ErrorCode::invalid_argument, text("evaluate: expected an output for each of ", expressions,
                                           " expressions, got ", outputs));
  }
}

void check_output(const Expr& e, const TensorView& out, std::size_t k) {
  const auto refuse = [&](ErrorCode code, const auto&... why) {
    fail(code, text(e.text(), ": output ", k, ": ", why...));
  };
  if (e.node().kind == ExprNode::Kind::masked) check_masked_output(e);
  if (!out.defined()) refuse(ErrorCode::undefined, "undefined tensor");
  if (!can_cast(e.dtype(), out.dtype())) {
    refuse(ErrorCode::cast, "result type ", name(e.dtype()), " can't be cast to the output's ",
           name(out.dtype()));
  }
  if (!same_list(out.shape(), e.shape())) {
    refuse(ErrorCode::shape, "expected shape ", to_string(e.shape()), ", got ",
           to_string(out.shape()));
  }
  if (out.read_only()) refuse(ErrorCode::invalid_argument, "it is read-only");
  if (!out.is_contiguous() && internal_overlap(out) != Overlap::none)
    refuse(ErrorCode::overlap, "elements of it share memory");
}

ExprNode::~ExprNode() {
  if (std::unique_ptr<ExprPlan> plan = kept.take()) expr_cache::put(std::move(plan));
}

void evaluate_out(const Output& out, const Expr& expression) {
  if (!is_replaced(out, expression)) return evaluate_into(out.view(), expression);
  Tensor made = replacement(out, expression);
  evaluate_into(made, expression);
  *out.tensor() = std::move(made);
}

void evaluate_out(std::span<const Output> outs, std::span<const Expr> expressions) {
  check_outputs(outs.size(), expressions.size());
  std::vector<Tensor> made(outs.size());
  SmallVector<const TensorView*, 4> views;
  for (std::size_t k = 1; k < outs.size(); ++k) {
    const auto same = [&](const Output& other) { return other.tensor() == outs[k].tensor(); };
    if (outs[k].tensor() != nullptr &&
        std::any_of(outs.begin(), outs.begin() + static_cast<std::ptrdiff_t>(k), same))
      fail(ErrorCode::overlap, text("output ", k, ": its tensor is another output as well"));
  }
  for (std::size_t k = 0; k < outs.size(); ++k) {
    if (is_replaced(outs[k], expressions[k])) made[k] = replacement(outs[k], expressions[k]);
    views.push_back(made[k].defined() ? &made[k] : &outs[k].view());
  }
  evaluate_into({views.data(), views.size()}, expressions);
  for (std::size_t k = 0; k < outs.size(); ++k)
    if (made[k].defined()) *outs[k].tensor() = std::move(made[k]);
}

void reduce_into(const Output& out, Reduction op, const Expr& a, IntSpan axes,
                 const ReduceOptions& options) {
  write_reduced(out, info(op).name, options,
                [&](const ReduceOptions& all) { return Expr::call(op, a, axes, all); });
}
void reduce_into(const Output& out, const char* name, ReductionMaker make, const Expr& a,
                 IntSpan axes, const ReduceOptions& options) {
  write_reduced(out, name, options, [&](const ReduceOptions& all) { return make(a, axes, all); });
}

Tensor evaluate(const Expr& expression) {
  Tensor out;
  evaluate_out(out, expression);
  return out;
}

std::vector<Tensor> evaluate(std::span<const Expr> expressions) {
  std::vector<Tensor> results(expressions.size());
  std::vector<Output> outs(results.begin(), results.end());
  if (!results.empty()) evaluate_out(outs, expressions);
  return results;
}

}  // namespace v0
}  // namespace weft
