// SPDX-License-Identifier: Apache-2.0
/// @file
/// Expressions as a list.
#pragma once

#include <weft/base/limits.hpp>
#include <weft/base/small_vector.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

namespace weft {
inline namespace v0 {

struct ExprNode;

/// What decides on a plan: the structure of expressions, and types, shapes and strides of their
/// operands and the outputs.
class ExprKey {
 public:
  void add(std::int64_t word);
  template <class Words>
  void add_all(const Words& words) {
    for (const auto word : words)
      add(word);
  }
  std::uint64_t hash() const noexcept { return hash_; }
  bool operator==(const ExprKey&) const = default;

 private:
  std::uint64_t hash_ = 0x9e3779b97f4a7c15;
  SmallVector<std::int64_t, 48> words_;  // of ten functions, with room
};

/// Expressions as one list: what they compute, each result once, behind its inputs; and the
/// operands that differ.
class ExprList {
 public:
  using Inputs = SmallVector<int, 3>;
  struct Entry {
    Entry(const ExprNode& of, std::int64_t what_it_is, const Inputs& from)
        : node(&of), what(what_it_is), inputs(from) {}

    const ExprNode* node;
    std::int64_t what;            ///< kind, function and type
    std::int64_t detail[3] = {};  ///< a number's bits; a reduction's axes, kernel and correction
    Inputs inputs;                ///< in the list
    int operand = -1;             ///< which one it is; -1: none

    bool gives_the_same_as(const Entry& other) const noexcept {
      return what == other.what && operand == other.operand && detail[0] == other.detail[0] &&
             detail[1] == other.detail[1] && detail[2] == other.detail[2] && inputs == other.inputs;
    }
  };

  // Most expressions have fewer, and allocate nothing here.
  using Entries = SmallVector<Entry, 24>;
  using Operands = SmallVector<const ExprNode*, inline_operands>;

  explicit ExprList(std::span<const ExprNode* const> roots);

  const Entries& entries() const noexcept { return entries_; }
  /// The entries that the expressions themselves are, in their order.
  const SmallVector<int, 2>& roots() const noexcept { return roots_; }
  /// Of operands and numbers that are operands, each memory once.
  const Operands& operands() const noexcept { return operands_; }
  /// Appends all that a plan follows from.
  void write_key(ExprKey& key) const;

 private:
  /// `shared`: whether another one may read the node, too.
  int add(const ExprNode& node, bool shared);
  int add_operand(const ExprNode& node);

  Entries entries_;
  SmallVector<int, 2> roots_;
  SmallVector<std::pair<const ExprNode*, int>, 8> seen_;  // shared nodes, and their entries
  Operands operands_;
  SmallVector<int, inline_operands> entry_of_;  // each operand's
};

}  // namespace v0
}  // namespace weft
