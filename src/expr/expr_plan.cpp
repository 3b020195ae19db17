// SPDX-License-Identifier: Apache-2.0
#include "expr/expr_plan.hpp"

#include "base/text.hpp"
#include "expr/expr_node.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace weft {
inline namespace v0 {
namespace {

bool same_memory(const TensorView& a, const TensorView& b) {
  return a.data() == b.data() && a.dtype() == b.dtype() && same_list(a.shape(), b.shape()) &&
         same_list(a.strides(), b.strides());
}

void write_geometry(ExprKey& key, const TensorView& view) {
  key.push_back(static_cast<std::int64_t>(view.dtype()));
  key.push_back(view.rank());
  key.insert(key.end(), view.shape().begin(), view.shape().end());
  key.insert(key.end(), view.strides().begin(), view.strides().end());
}

/// The chain of a list, whose result is of the output's type.
class ChainWriter {
 public:
  ChainWriter(const ExprList& list, const TensorView& out) : list_(list) {
    std::vector<ScalarType> types;
    for (const ExprNode* operand : list.operands())
      types.push_back(operand->dtype);
    FormulaBuilder builder(types);
    for (const ExprNode* node : list.nodes())
      terms_.push_back(write(builder, *node));
    builder.set_result(builder.convert(terms_.back(), out.dtype()));
    std::vector<int> inputs;
    for (std::size_t i = 0; i < types.size(); ++i) {
      inputs.push_back(static_cast<int>(chain_.terms.size()));
      chain_.terms.push_back({Chain::Kind::input, types[i], static_cast<int>(i)});
    }
    const Formula& formula = builder.formula();
    std::vector<int> of_chain(formula.terms.size(), -1);
    for (std::size_t t = 0; t < formula.terms.size(); ++t)
      if (formula.terms[t].kind == Formula::TermKind::input)
        of_chain[t] = inputs[static_cast<std::size_t>(formula.terms[t].input)];
    chain_.ninputs = static_cast<int>(types.size());
    chain_.outputs = {chain_.append(formula, of_chain)};
  }
  Chain take() { return std::move(chain_); }

 private:
  /// An input of a call, in the type in which its inputs meet.
  FormulaTerm operand(FormulaBuilder& builder, const ExprNode& node, ScalarType type) {
    if (node.kind == ExprNode::Kind::number && list_.operand(node) < 0)
      return builder.number(node.number.to<double>(), type);
    return builder.convert(terms_[static_cast<std::size_t>(list_.place(node))], type);
  }

  FormulaTerm write(FormulaBuilder& builder, const ExprNode& node) {
    const int operand_number = list_.operand(node);
    if (operand_number >= 0) return builder.input(operand_number);
    if (node.kind == ExprNode::Kind::number)
      return builder.number(node.number.to<double>(), node.dtype);
    if (node.kind == ExprNode::Kind::convert) return operand(builder, *node.inputs[0], node.dtype);
    const bool chosen = node.function().result == ResultRule::chosen;
    SmallVector<FormulaTerm, 3> in;
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      in.push_back(
          operand(builder, *node.inputs[i], chosen && i == 0 ? ScalarType::boolean : node.common));
    return std::visit(
        [&](auto op) {
          if constexpr (std::is_same_v<decltype(op), UnaryOp>) {
            return builder.apply(op, in[0]);
          } else if constexpr (std::is_same_v<decltype(op), TernaryOp>) {
            return builder.apply(op, in[0], in[1], in[2]);
          } else {
            return builder.apply(op, in[0], in[1]);
          }
        },
        node.op);
  }

  const ExprList& list_;
  std::vector<FormulaTerm> terms_;
  Chain chain_;
};

std::vector<TensorView> views_of(const ExprList& list) {
  std::vector<TensorView> views;
  for (const ExprNode* operand : list.operands())
    views.push_back(operand->view());
  return views;
}

}  // namespace

// ---- Lists --------------------------------------------------------------------------------------

ExprList::ExprList(const ExprNode& root) { add(root); }

int ExprList::place(const ExprNode& node) const {
  // From the end: what is asked for was added last, more often than not.
  for (std::size_t i = nodes_.size(); i-- > 0;)
    if (nodes_[i] == &node) return static_cast<int>(i);
  return -1;
}

int ExprList::operand(const ExprNode& node) const {
  const int at = place(node);
  return at < 0 ? -1 : operand_of_[static_cast<std::size_t>(at)];
}

void ExprList::add(const ExprNode& node) {
  if (place(node) >= 0) return;
  for (const auto& input : node.inputs)
    add(*input);
  int operand = -1;
  if (node.is_operand) {
    const auto same = std::ranges::find_if(
        operands_, [&](const ExprNode* other) { return same_memory(other->view(), node.view()); });
    operand = static_cast<int>(same - operands_.begin());
    if (same == operands_.end()) operands_.push_back(&node);
  }
  nodes_.push_back(&node);
  operand_of_.push_back(operand);
}

void ExprList::write_key(ExprKey& key) const {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const ExprNode& node = *nodes_[i];
    key.push_back(static_cast<std::int64_t>(node.kind) << 32 |
                  static_cast<std::int64_t>(node.op.index()) << 16 |
                  std::visit([](auto op) { return static_cast<std::int64_t>(op); }, node.op) << 8 |
                  static_cast<std::int64_t>(node.dtype));
    if (operand_of_[i] >= 0) {
      key.push_back(operand_of_[i]);
    } else if (node.kind == ExprNode::Kind::number) {
      key.push_back(std::bit_cast<std::int64_t>(node.number.to<double>()));
    }
    for (const auto& input : node.inputs)
      key.push_back(place(*input));
  }
  for (const ExprNode* operand : operands_)
    write_geometry(key, operand->view());
}

// ---- Plans --------------------------------------------------------------------------------------

ExprPlan::ExprPlan(const ExprList& list, const TensorView& out, ExprKey written)
    : key(std::move(written)),
      chain(ChainWriter(list, out).take(), {&out, 1}, views_of(list)),
      out_type(out.dtype()) {
  out_strides.assign(out.strides());
}

}  // namespace v0
}  // namespace weft
