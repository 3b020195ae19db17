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
    detail[0] = std::bit_cast<std::int64_t>(static_cast<const ExprNumber&>(node).value);
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

void ExprKey::add(std::int64_t word) {
  words_.push_back(word);
  hash_ = (hash_ ^ static_cast<std::uint64_t>(word)) * 0xff51afd7ed558ccd;
  hash_ ^= hash_ >> 32;
}

ExprList::ExprList(std::span<const ExprNode* const> roots) {
  for (const ExprNode* root : roots)
    roots_.push_back(add(*root, roots.size() > 1));
}

int ExprList::add(const ExprNode& node, bool shared) {
  if (node.is_operand) return add_operand(node);
  shared = shared && !node.inputs.empty();
  if (shared) {
    // From the end: what is asked for was added last, more often than not.
    for (std::size_t i = seen_.size(); i-- > 0;)
      if (seen_[i].first == &node) return seen_[i].second;
  }
  Inputs inputs;
  int after = -1;  // all inputs, so what gives the same is behind this entry
  for (const auto& input : node.inputs) {
    inputs.push_back(add(*input, input.use_count() > 1));
    after = std::max(after, inputs.back());
  }
  Entry& entry = entries_.emplace_back(node, kind_of(node), inputs);
  write_details(node, entry.detail);
  auto at = static_cast<std::size_t>(after + 1);
  while (!entries_[at].gives_the_same_as(entry))  // the last one does
    ++at;
  if (at + 1 < entries_.size()) entries_.pop_back();
  if (shared) seen_.emplace_back(&node, static_cast<int>(at));
  return static_cast<int>(at);
}

int ExprList::add_operand(const ExprNode& node) {
  for (std::size_t k = 0; k < operands_.size(); ++k) {
    if (operands_[k] == &node || same_memory(operands_[k]->view(), node.view()))
      return entry_of_[k];
  }
  Entry& entry = entries_.emplace_back(node, kind_of(node), Inputs());
  entry.operand = static_cast<int>(operands_.size());
  operands_.push_back(&node);
  entry_of_.push_back(static_cast<int>(entries_.size()) - 1);
  return entry_of_.back();
}

void ExprList::write_key(ExprKey& key) const {
  // What an entry is has 27 bits; above them, two inputs and one of the last places have room.
  constexpr std::int64_t last_place = 0xffff;
  for (const Entry& entry : entries_) {
    const auto has_room = [](int at) { return at + 1 < last_place; };
    if (entry.inputs.size() <= 2 && std::ranges::all_of(entry.inputs, has_room)) {
      std::uint64_t word = static_cast<std::uint64_t>(entry.what);
      for (std::size_t k = 0; k < entry.inputs.size(); ++k)
        word |= static_cast<std::uint64_t>(entry.inputs[k] + 1) << (32 + 16 * k);
      key.add(static_cast<std::int64_t>(word));
    } else {
      key.add(entry.what | last_place << 32);
      key.add(static_cast<std::int64_t>(entry.inputs.size()));
      key.add_all(entry.inputs);
    }
    switch (entry.node->kind) {
      case ExprNode::Kind::operand: key.add(entry.operand); break;
      case ExprNode::Kind::number:
      case ExprNode::Kind::map:
        key.add(entry.node->is_operand ? entry.operand : entry.detail[0]);
        break;
      case ExprNode::Kind::reduce: key.add_all(entry.detail); break;
      case ExprNode::Kind::call:
      case ExprNode::Kind::convert:
      case ExprNode::Kind::second:
      case ExprNode::Kind::masked: break;
    }
  }
  // A single one is the last entry.
  if (roots_.size() > 1) key.add_all(roots_);
  for (const ExprNode* operand : operands_)
    write_geometry(key, operand->view());
}

}  // namespace v0
}  // namespace weft
