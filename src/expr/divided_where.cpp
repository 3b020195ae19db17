// SPDX-License-Identifier: Apache-2.0
#include "expr/divided_where.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace weft {
inline namespace v0 {
namespace {

/// Makes nodes anew from divisions on.
class Rewriter {
 public:
  explicit Rewriter(const Expr& mask) : mask_(mask) {}

  Expr made_of(const std::shared_ptr<const ExprNode>& node) {
    const bool has_functions = node->kind == ExprNode::Kind::call ||
                               node->kind == ExprNode::Kind::convert ||
                               node->kind == ExprNode::Kind::map;
    if (!has_functions) return ExprNode::made(node);
    const auto found = std::ranges::find(made_, node.get(), &Made::first);
    if (found != made_.end()) return found->second;
    std::vector<Expr> inputs;
    bool is_same = true;
    for (const auto& input : node->inputs) {
      inputs.push_back(made_of(input));
      is_same = is_same && ExprNode::shared(inputs.back()) == input;
    }
    // One division of two tensors without axes is no element that a mask could leave out.
    const bool divides = divides_integers(*node) && !node->shape.empty();
    if (divides) {
      // In the type in which they meet: a divisor of the mask's shape may count for more there.
      inputs[0] = convert(inputs[0], node->common);
      inputs[1] = where(mask_, convert(inputs[1], node->common), 1);
    }
    made_.emplace_back(node.get(),
                       is_same && !divides ? ExprNode::made(node) : rebuilt(*node, inputs));
    return made_.back().second;
  }

 private:
  static Expr rebuilt(const ExprNode& node, const std::vector<Expr>& in) {
    if (node.kind == ExprNode::Kind::convert) return convert(in[0], node.dtype);
    if (node.kind == ExprNode::Kind::map) {
      const auto& of = static_cast<const ExprMap&>(node);
      const auto made = std::make_shared<ExprMap>(of.kernel, of.number_of_its_own);
      made->dtype = of.dtype;
      for (const Expr& input : in)
        made->add_input(ExprNode::shared(input));
      made->take_inputs(of.kernel->types + 1);
      return ExprNode::made(made);
    }
    if (in.size() == 1) return ExprNode::call(node.op, Expr(in[0]));
    if (in.size() == 2) return ExprNode::call(node.op, Expr(in[0]), Expr(in[1]));
    return ExprNode::call(node.op, Expr(in[0]), Expr(in[1]), Expr(in[2]));
  }

  using Made = std::pair<const ExprNode*, Expr>;  // what was made of a node

  const Expr& mask_;
  std::vector<Made> made_;
};

}  // namespace

bool divides_integers(const ExprNode& node) {
  return node.kind == ExprNode::Kind::call && std::holds_alternative<DivisionOp>(node.op) &&
         is_integer(node.common);
}

Expr divided_where(const Expr& mask, const Expr& x) {
  return Rewriter(mask).made_of(ExprNode::shared(x));
}

}  // namespace v0
}  // namespace weft
