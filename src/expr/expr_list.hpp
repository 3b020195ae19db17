// SPDX-License-Identifier: Apache-2.0
/// @file
/// Expressions as a list.
#pragma once

#include <weft/base/limits.hpp>
#include <weft/base/small_vector.hpp>

#include "expr/expr_key.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <utility>

namespace weft {
inline namespace v0 {

struct ExprNode;

/// Expressions as one list: what they compute, each result once, behind its inputs; and the
/// operands that differ.
class ExprList {
 public:
  using Inputs = SmallVector<int, 3>;
  struct Entry {
    Entry(const ExprNode& of, const Inputs& from)
        : node(&of), what(what_is(of)), details(details_of(of)), inputs(from) {}

    const ExprNode* node;
    std::int64_t what;
    std::array<std::int64_t, 3> details;
    Inputs inputs;     ///< in the list
    int operand = -1;  ///< which one it is; -1: none

    bool gives_the_same_as(const Entry& other) const noexcept {
      return what == other.what && operand == other.operand && details == other.details &&
             inputs == other.inputs;
    }
  };

  using Entries = SmallVector<Entry, 24>;

  explicit ExprList(std::span<const ExprNode* const> roots);

  const Entries& entries() const noexcept { return entries_; }
  /// The entries that the expressions themselves are, in their order.
  const SmallVector<int, 2>& roots() const noexcept { return roots_; }
  /// Of operands and numbers that are operands, each memory once.
  const ExprOperandList::Nodes& operands() const noexcept { return operands_.nodes(); }

 private:
  /// `shared`: whether another one may read the node, too.
  int add(const ExprNode& node, bool shared);
  int add_operand(const ExprNode& node);

  Entries entries_;
  SmallVector<int, 2> roots_;
  SmallVector<std::pair<const ExprNode*, int>, 8> seen_;  // shared nodes, and their entries
  ExprOperandList operands_;
  SmallVector<int, inline_operands> entry_of_;  // each operand's
};

}  // namespace v0
}  // namespace weft
