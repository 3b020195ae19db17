// SPDX-License-Identifier: Apache-2.0
#include "expr/expr_key.hpp"

#include "expr/expr_node.hpp"

#include <bit>

namespace weft {
inline namespace v0 {
namespace {

/// Stands for a shared node that was written before.
constexpr std::int64_t written_before = std::int64_t{1} << 28;

bool same_memory(const TensorView& a, const TensorView& b) {
  return a.data() == b.data() && a.dtype() == b.dtype() && same_list(a.shape(), b.shape()) &&
         same_list(a.strides(), b.strides());
}

void write_geometry(ExprKey& key, const TensorView& view) {
  key.add(static_cast<std::int64_t>(view.dtype()) << 32 | view.rank());
  key.add_all(view.shape());
  key.add_all(view.strides());
}

std::int64_t word_of(std::int64_t what, std::size_t count) {
  return what | static_cast<std::int64_t>(count) << 32;
}

}  // namespace

int ExprOperandList::add(const ExprNode& node) {
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    if (nodes_[k] == &node || same_memory(nodes_[k]->view(), node.view()))
      return static_cast<int>(k);
  }
  nodes_.push_back(&node);
  return static_cast<int>(nodes_.size()) - 1;
}

std::int64_t what_is(const ExprNode& node) {
  const std::int64_t kind = static_cast<std::int64_t>(node.is_operand) << 27 |
                            static_cast<std::int64_t>(node.kind) << 24 |
                            static_cast<std::int64_t>(node.dtype);
  if (node.kind == ExprNode::Kind::reduce) {
    const auto& reduction = static_cast<const ExprReduction&>(node);
    return kind | static_cast<std::int64_t>(reduction.kernel != nullptr) << 17 |
           static_cast<std::int64_t>(reduction.options.keepdim) << 16 |
           static_cast<std::int64_t>(reduction.reduction) << 8;
  }
  return kind | static_cast<std::int64_t>(node.op.index()) << 16 |
         std::visit([](auto op) { return static_cast<std::int64_t>(op); }, node.op) << 8;
}

std::array<std::int64_t, 3> details_of(const ExprNode& node) {
  if (node.kind == ExprNode::Kind::number && !node.is_operand)
    return {std::bit_cast<std::int64_t>(static_cast<const ExprNumber&>(node).value)};
  if (node.kind == ExprNode::Kind::map)
    return {static_cast<const ExprMap&>(node).number_of_its_own};
  if (node.kind != ExprNode::Kind::reduce) return {};
  const auto& reduction = static_cast<const ExprReduction&>(node);
  const int rank = static_cast<int>(reduction.reduced_shape.size());
  std::int64_t axes = 0;
  for (const std::int64_t axis : reduction.axes)
    axes |= std::int64_t{1} << normalize_axis(axis, rank);
  if (reduction.kernel != nullptr) {
    return {axes, reduction.number.number, std::bit_cast<std::int64_t>(reduction.number.parameter)};
  }
  return {axes, 0, std::bit_cast<std::int64_t>(reduction.options.correction)};
}

ExprStructure::ExprStructure(std::span<const ExprNode* const> roots, ExprKey& key) : key_(key) {
  for (const ExprNode* root : roots)
    add(*root, roots.size() > 1);
  for (const ExprNode* operand : operands())
    write_geometry(key_, operand->view());
}

void ExprStructure::add(const ExprNode& node, bool shared) {
  if (node.is_operand) {
    key_.add(word_of(what_is(node), static_cast<std::size_t>(operands_.add(node))));
    return;
  }
  shared = shared && !node.inputs.empty();
  if (shared) {
    // From the end: what is asked for was added last, more often than not.
    for (std::size_t i = seen_.size(); i-- > 0;) {
      if (seen_[i] != &node) continue;
      key_.add(word_of(written_before, i));
      return;
    }
  }
  for (const auto& input : node.inputs)
    add(*input, input.use_count() > 1);
  key_.add(word_of(what_is(node), node.inputs.size()));
  switch (node.kind) {
    case ExprNode::Kind::number:
    case ExprNode::Kind::map: key_.add(details_of(node)[0]); break;
    case ExprNode::Kind::reduce: key_.add_all(details_of(node)); break;
    case ExprNode::Kind::operand:
    case ExprNode::Kind::call:
    case ExprNode::Kind::convert:
    case ExprNode::Kind::second:
    case ExprNode::Kind::masked: break;
  }
  if (shared) seen_.push_back(&node);
}

}  // namespace v0
}  // namespace weft
