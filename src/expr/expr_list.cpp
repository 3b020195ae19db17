// SPDX-License-Identifier: Apache-2.0
#include "expr/expr_list.hpp"

#include "expr/expr_node.hpp"

#include <algorithm>
#include <bit>

namespace weft {
inline namespace v0 {
namespace {

bool same_memory(const TensorView& a, const TensorView& b) {
  return a.data() == b.data() && a.dtype() == b.dtype() && same_list(a.shape(), b.shape()) &&
         same_list(a.strides(), b.strides());
}

std::int64_t kind_of(const ExprNode& node) {
  std::int64_t kind =
      static_cast<std::int64_t>(node.kind) << 24 | static_cast<std::int64_t>(node.dtype);
  if (node.kind == ExprNode::Kind::reduce) {
    const auto& reduction = static_cast<const ExprReduction&>(node);
    return kind | static_cast<std::int64_t>(reduction.kernel != nullptr) << 17 |
           static_cast<std::int64_t>(reduction.options.keepdim) << 16 |
           static_cast<std::int64_t>(reduction.reduction) << 8;
  }
  return kind | static_cast<std::int64_t>(node.op.index()) << 16 |
         std::visit([](auto op) { return static_cast<std::int64_t>(op); }, node.op) << 8;
}
/// Sets what a node has besides.
void write_details(const ExprNode& node, std::int64_t* detail) {
  if (node.kind == ExprNode::Kind::number && !node.is_operand) {
    detail[0] = std::bit_cast<std::int64_t>(node.number.to<double>());
  } else if (node.kind == ExprNode::Kind::map) {
    detail[0] = static_cast<const ExprMap&>(node).number_of_its_own;
  } else if (node.kind == ExprNode::Kind::reduce) {
    const auto& reduction = static_cast<const ExprReduction&>(node);
    const int rank = static_cast<int>(reduction.reduced_shape.size());
    for (const std::int64_t axis : reduction.axes)
      detail[0] |= std::int64_t{1} << normalize_axis(axis, rank);
    const bool has_kernel = reduction.kernel != nullptr;
    detail[1] = has_kernel ? reduction.number.number : 0;
    detail[2] = std::bit_cast<std::int64_t>(has_kernel ? reduction.number.parameter
                                                       : reduction.options.correction);
  }
}

void write_geometry(ExprKey& key, const TensorView& view) {
  key.add(static_cast<std::int64_t>(view.dtype()) << 32 | view.rank());
  key.add_all(view.shape());
  key.add_all(view.strides());
}

}  // namespace

ExprList::ExprList(std::span<const ExprNode* const> roots) {
  // Most expressions have fewer.
  constexpr std::size_t usual_entries = 24;
  entries_.reserve(usual_entries);
  for (const ExprNode* root : roots)
    roots_.push_back(add(*root, roots.size() > 1));
}

int ExprList::add(const ExprNode& node, bool shared) {
  shared = shared && !node.inputs.empty();
  if (shared) {
    // From the end: what is asked for was added last, more often than not.
    for (std::size_t i = seen_.size(); i-- > 0;)
      if (seen_[i].first == &node) return seen_[i].second;
  }
  Entry entry{&node, kind_of(node), {}, {}};
  write_details(node, entry.detail);
  int after = -1;  // all inputs, so what gives the same is behind this entry
  for (const auto& input : node.inputs) {
    const int at = add(*input, input.use_count() > 1);
    entry.inputs.push_back(at);
    after = std::max(after, at);
  }
  if (node.is_operand) entry.operand = add_operand(node);
  const auto same =
      std::find_if(entries_.begin() + after + 1, entries_.end(),
                   [&](const Entry& other) { return other.gives_the_same_as(entry); });
  const auto at = static_cast<int>(same - entries_.begin());
  if (same == entries_.end()) entries_.push_back(std::move(entry));
  if (shared) seen_.emplace_back(&node, at);
  return at;
}

int ExprList::add_operand(const ExprNode& node) {
  const auto same = std::ranges::find_if(
      operands_, [&](const ExprNode* other) { return same_memory(other->view(), node.view()); });
  const auto at = static_cast<int>(same - operands_.begin());
  if (same == operands_.end()) operands_.push_back(&node);
  return at;
}

void ExprList::write_key(ExprKey& key) const {
  for (const Entry& entry : entries_) {
    key.add(entry.what);
    key.add(entry.operand >= 0 ? entry.operand : entry.detail[0]);
    if (entry.node->kind == ExprNode::Kind::reduce) {
      key.add(entry.detail[1]);
      key.add(entry.detail[2]);
    }
    key.add_all(entry.inputs);
  }
  // A single one is the last entry.
  if (roots_.size() > 1) key.add_all(roots_);
  for (const ExprNode* operand : operands_)
    write_geometry(key, operand->view());
}

}  // namespace v0
}  // namespace weft
