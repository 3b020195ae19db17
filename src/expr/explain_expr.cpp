// SPDX-License-Identifier: Apache-2.0
#include <weft/expr/explain_expr.hpp>

#include "base/text.hpp"
#include "expr/check_output.hpp"
#include "expr/expr_node.hpp"
#include "ops/prepare_reduce.hpp"

#include <utility>
#include <vector>

namespace weft {
inline namespace v0 {
namespace {

/// Bytes of the elements that a view has, each counted once.
std::int64_t bytes_of(const TensorView& view) {
  std::int64_t bytes = element_size(view.dtype());
  for (std::size_t axis = 0; axis < view.shape().size(); ++axis)
    if (view.strides()[axis] != 0 || view.shape()[axis] == 0) bytes *= view.shape()[axis];
  return bytes;
}

ExprExplanation::Pass pass_of(const ExprPlan& plan, const ExprList& list, std::size_t stage,
                              OutputViews outs, OperandViews operands) {
  const StageRecipe& recipe = plan.recipes[stage];
  const ExprStages& stages = *plan.stages;
  ExprExplanation::Pass pass;
  for (std::size_t r = 0; r < recipe.results.size(); ++r) {
    const TensorView& to = stages.output(stage, r, outs);
    pass.bytes_written += bytes_of(to);
    pass.shape.assign(to.shape());
    const int entry = recipe.results[r].entry;
    if (entry < 0) continue;  // nobody asks for it
    if (!pass.what.empty()) pass.what += ", ";
    pass.what += text_of(*list.entries()[static_cast<std::size_t>(entry)].node);
  }
  for (const StageRecipe::Input& input : recipe.inputs)
    pass.bytes_read += bytes_of(stages.input(input, operands));
  if (const PreparedChain* const chain = stages.chain(stage)) {
    pass.functions = chain->functions();
    pass.steps = chain->steps();
    pass.run = chain->explain();
  } else if (const MaskedChain* const masked = stages.masked(stage)) {
    for (const StageRecipe::Input& input : recipe.mask_inputs)
      pass.bytes_read += bytes_of(stages.input(input, operands));
    pass.functions = masked->values().functions();
    pass.steps = masked->values().steps();
    pass.run = masked->explain();
  } else if (const ComputedChain* const reduced = stages.reduced(stage)) {
    pass.functions = reduced->functions();
    pass.steps = reduced->steps();
    pass.run = reduced->explain(stages.call(stage, outs, operands));
  } else {
    pass.run = stages.call(stage, outs, operands).explain().run;
  }
  return pass;
}

std::string quoted(const std::string& words) { return text('"', words, '"'); }

}  // namespace

std::string ExprExplanation::to_text() const {
  std::string out;
  if (rows > 0) out = text("all passes for ", rows, " rows of axis ", rows_axis, " at a time\n");
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const Pass& pass = passes[i];
    out += text("pass ", i + 1, " of ", passes.size(), ": ", pass.what, " -> ",
                to_string(pass.shape), "\n  ");
    if (pass.functions > 0)
      out += text(pass.functions, pass.functions == 1 ? " function in " : " functions in ",
                  pass.steps, pass.steps == 1 ? " step, " : " steps, ");
    out += text(pass.bytes_read, " bytes read, ", pass.bytes_written, " written\n  ",
                pass.run.to_text(), "\n");
  }
  return out;
}

std::string ExprExplanation::to_json() const {
  std::string out = text("{\"rows\": ", rows, ", \"rows_axis\": ", rows_axis, ", \"passes\": [");
  for (const Pass& pass : passes) {
    if (&pass != passes.data()) out += ", ";
    out += text("{\"what\": ", quoted(pass.what), ", \"shape\": ", to_string(pass.shape),
                ", \"functions\": ", pass.functions, ", \"steps\": ", pass.steps,
                ", \"bytes_read\": ", pass.bytes_read, ", \"bytes_written\": ", pass.bytes_written,
                ", \"run\": ", pass.run.to_json(), "}");
  }
  return out + "]}";
}

ExprExplanation explain_out(const TensorView& out, const Expr& expression) {
  return explain_out(std::span(&out, 1), std::span(&expression, 1));
}

ExprExplanation explain_out(std::span<const TensorView> outs, std::span<const Expr> expressions) {
  check_outputs(outs.size(), expressions.size());
  std::vector<const ExprNode*> roots;
  std::vector<const TensorView*> views;
  for (std::size_t k = 0; k < outs.size(); ++k) {
    check_output(expressions[k], outs[k], k);
    roots.push_back(&expressions[k].node());
    views.push_back(&outs[k]);
  }
  const ExprList list(roots);
  ExprPlan plan(list, views, {});
  const ExprOperandViews operands(list.operands());
  ExprExplanation explanation;
  if (plan.blocks != nullptr) {
    explanation.rows = plan.blocks->rows_of_block();
    explanation.rows_axis = plan.blocks->axis();
  }
  for (std::size_t stage = 0; stage < plan.recipes.size(); ++stage)
    explanation.passes.push_back(pass_of(plan, list, stage, views, operands));
  return explanation;
}

ExprExplanation explain(const Expr& expression) { return explain(std::span(&expression, 1)); }

ExprExplanation explain(std::span<const Expr> expressions) {
  std::vector<Tensor> made;
  for (const Expr& expression : expressions)
    made.push_back(Tensor::empty(expression.shape(), expression.dtype()));
  return explain_out(std::vector<TensorView>(made.begin(), made.end()), expressions);
}

}  // namespace v0
}  // namespace weft
