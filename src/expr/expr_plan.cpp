// SPDX-License-Identifier: Apache-2.0
#include "expr/expr_plan.hpp"

#include "expr/expr_node.hpp"

#include <utility>

namespace weft {
inline namespace v0 {

ExprOperandViews::ExprOperandViews(std::span<const ExprNode* const> operands) {
  for (const ExprNode* operand : operands)
    views_.push_back(&operand->view());
}

ExprPlan::ExprPlan(const ExprList& list, const TensorView& out, ExprKey written)
    : key(std::move(written)), recipes(recipes_of(list, out.dtype())), out_type(out.dtype()) {
  out_strides.assign(out.strides());
  for (const ExprList::Entry& entry : list.entries()) {
    if (entry.node->kind == ExprNode::Kind::map)
      kernels.emplace_back(static_cast<const ExprMap*>(entry.node)->kernel);
    if (entry.node->kind == ExprNode::Kind::reduce)
      kernels.emplace_back(static_cast<const ExprReduction*>(entry.node)->kernel);
  }
  const ExprOperandViews views(list.operands());
  stages = std::make_unique<ExprStages>(recipes, out, views);
  blocks = RowBlocks::make(list, *stages, out, views);
}

void ExprPlan::run(const TensorView& out) {
  const ExprOperandViews views({operands.data(), operands.size()});
  const bool by_rows = blocks != nullptr && blocks->may_write(out, views);
  by_rows ? blocks->run(out, views) : stages->run(out, views);
}

}  // namespace v0
}  // namespace weft
