// SPDX-License-Identifier: Apache-2.0
#include <weft/expr/explain_expr.hpp>

#include "base/text.hpp"
#include "expr/check_output.hpp"
#include "expr/expr_node.hpp"
#include "ops/prepare_reduce.hpp"

#include <utility>

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
                              const TensorView& out, OperandViews operands) {
  const StageRecipe& recipe = plan.recipes[stage];
  const ExprStages& stages = *plan.stages;
  const TensorView& to = stages.output(stage, out);
  ExprExplanation::Pass pass;
  pass.what = text_of(*list.entries()[static_cast<std::size_t>(recipe.entry)].node);
  pass.shape.assign(to.shape());
  for (const StageRecipe::Input& input : recipe.inputs)
    pass.bytes_read += bytes_of(stages.input(input, operands));
  pass.bytes_written = bytes_of(to);
  if (const PreparedChain* const chain = stages.chain(stage)) {
    pass.functions = chain->functions();
    pass.steps = chain->steps();
    pass.run = chain->explain();
  } else if (const ComputedChain* const reduced = stages.reduced(stage)) {
    pass.functions = reduced->functions();
    pass.steps = reduced->steps();
    pass.run = reduced->explain(stages.call(stage, out, operands));
  } else {
    pass.run = stages.call(stage, out, operands).explain().run;
  }
  return pass;
}

std::string quoted(const std::string& words) { return text('"', words, '"'); }

}  // namespace

std::string ExprExplanation::to_text() const {
  std::string out;
  if (rows > 0) out = text("all passes for ", rows, " rows of axis 0 at a time\n");
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
  std::string out = text("{\"rows\": ", rows, ", \"passes\": [");
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
  check_output(expression, out);
  const ExprList list(expression.node());
  ExprPlan plan(list, out, {});
  const ExprOperandViews operands(list.operands());
  ExprExplanation explanation;
  explanation.rows = plan.blocks != nullptr ? plan.blocks->rows_of_block() : 0;
  for (std::size_t stage = 0; stage < plan.recipes.size(); ++stage)
    explanation.passes.push_back(pass_of(plan, list, stage, out, operands));
  return explanation;
}

ExprExplanation explain(const Expr& expression) {
  return explain_out(Tensor::empty(expression.shape(), expression.dtype()), expression);
}

}  // namespace v0
}  // namespace weft
