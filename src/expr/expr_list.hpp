// SPDX-License-Identifier: Apache-2.0
/// @file
/// Expressions as a list.
#pragma once

#include <weft/base/small_vector.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace weft {
inline namespace v0 {

struct ExprNode;

/// What decides on a plan: the structure of expressions, and types, shapes and strides of their
/// operands and the outputs.
using ExprKey = std::vector<std::int64_t>;

/// Expressions as one list: what they compute, each result once, behind its inputs; and the
/// operands that differ.
class ExprList {
 public:
  struct Entry {
    const ExprNode* node;
    std::int64_t what;           ///< kind, function and type
    std::int64_t detail[2];      ///< of a number its bits, of a reduction axes and correction
    SmallVector<int, 3> inputs;  ///< in the list
    int operand = -1;            ///< which one it is; -1: none

    bool gives_the_same_as(const Entry& other) const noexcept {
      return what == other.what && detail[0] == other.detail[0] && detail[1] == other.detail[1] &&
             operand == other.operand &&
             std::equal(inputs.begin(), inputs.end(), other.inputs.begin(), other.inputs.end());
    }
  };

  explicit ExprList(std::span<const ExprNode* const> roots);

  const std::vector<Entry>& entries() const noexcept { return entries_; }
  /// The entries that the expressions themselves are, in their order.
  const SmallVector<int, 2>& roots() const noexcept { return roots_; }
  /// Of operands and numbers that are operands, each memory once.
  const std::vector<const ExprNode*>& operands() const noexcept { return operands_; }
  /// Appends all that a plan follows from.
  void write_key(ExprKey& key) const;

 private:
  int add(const ExprNode& node);
  int add_operand(const ExprNode& node);

  std::vector<Entry> entries_;
  SmallVector<int, 2> roots_;
  std::vector<std::pair<const ExprNode*, int>> seen_;  // nodes that have inputs, and their entries
  std::vector<const ExprNode*> operands_;
};

}  // namespace v0
}  // namespace weft
