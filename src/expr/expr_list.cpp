// SPDX-License-Identifier: Apache-2.0
#include "expr/expr_list.hpp"

#include "expr/expr_node.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
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
  const Entry& entry = entries_.emplace_back(node, inputs);
  auto at = static_cast<std::size_t>(after + 1);
  while (!entries_[at].gives_the_same_as(entry))  // the last one does
    ++at;
  if (at + 1 < entries_.size()) entries_.pop_back();
  if (shared) seen_.emplace_back(&node, static_cast<int>(at));
  return static_cast<int>(at);
}

int ExprList::add_operand(const ExprNode& node) {
  const int k = operands_.add(node);
  if (static_cast<std::size_t>(k) < entry_of_.size()) return entry_of_[k];
  entries_.emplace_back(node, Inputs()).operand = k;
  entry_of_.push_back(static_cast<int>(entries_.size()) - 1);
  return entry_of_.back();
}

}  // namespace v0
}  // namespace weft
