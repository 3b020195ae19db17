// SPDX-License-Identifier: Apache-2.0
#include "expr/expr_plan.hpp"

#include <weft/base/error.hpp>

#include "base/text.hpp"
#include "expr/expr_node.hpp"

#include <utility>

namespace weft {
inline namespace v0 {

ExprOperandViews::ExprOperandViews(std::span<const ExprNode* const> operands) {
  for (const ExprNode* operand : operands)
    views_.push_back(&operand->view());
}

ExprPlan::ExprPlan(const ExprList& list, OutputViews outs, ExprKey written)
    : key(std::move(written)) {
  SmallVector<ScalarType, 2> types;
  for (const TensorView* out : outs) {
    types.push_back(out->dtype());
    outputs.push_back({out->dtype(), {}});
    outputs.back().strides.assign(out->strides());
  }
  recipes = recipes_of(list, types);
  for (const ExprList::Entry& entry : list.entries()) {
    if (entry.node->kind == ExprNode::Kind::map)
      kernels.emplace_back(static_cast<const ExprMap*>(entry.node)->kernel);
    if (entry.node->kind == ExprNode::Kind::reduce)
      kernels.emplace_back(static_cast<const ExprReduction*>(entry.node)->kernel);
  }
  for (const StageRecipe& recipe : recipes) {
    const std::size_t count =
        recipe.inputs.size() + recipe.mask_inputs.size() + recipe.results.size();
    if (count > max_operands) {
      const ExprNode& root = *list.entries()[static_cast<std::size_t>(list.roots()[0])].node;
      fail(ErrorCode::limit, text(text_of(root), ": ", count,
                                  " tensors in one pass, expected at most ", max_operands));
    }
  }
  const ExprOperandViews views(list.operands());
  stages = std::make_unique<ExprStages>(recipes, outs, views);
  // Nothing is to be written before one of them is refused.
  if (recipes.size() > 1) stages->check(outs, views);
  blocks = RowBlocks::make(list, *stages, outs, views);
}

void ExprPlan::run(OutputViews outs) {
  const ExprOperandViews views({operands.data(), operands.size()});
  const bool by_rows = blocks != nullptr && blocks->may_write(outs, views);
  by_rows ? blocks->run(outs, views) : stages->run(outs, views);
}

}  // namespace v0
}  // namespace weft
