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
class ExprKey {
 public:
  void reserve(std::size_t words) { words_.reserve(words); }
  void add(std::int64_t word) {
    words_.push_back(word);
    hash_ = (hash_ ^ static_cast<std::uint64_t>(word)) * 0xff51afd7ed558ccd;
    hash_ ^= hash_ >> 32;
  }
  template <class Words>
  void add_all(const Words& words) {
    for (const auto word : words)
      add(word);
  }
  std::uint64_t hash() const noexcept { return hash_; }
  bool operator==(const ExprKey&) const = default;

 private:
  std::uint64_t hash_ = 0x9e3779b97f4a7c15;
  std::vector<std::int64_t> words_;
};

/// Expressions as one list: what they compute, each result once, behind its inputs; and the
/// operands that differ.
class ExprList {
 public:
  struct Entry {
    const ExprNode* node;
    std::int64_t what;           ///< kind, function and type
    std::int64_t detail[3];      ///< a number's bits; a reduction's axes, kernel and correction
    SmallVector<int, 3> inputs;  ///< in the list
    int operand = -1;            ///< which one it is; -1: none

    bool gives_the_same_as(const Entry& other) const noexcept {
      return what == other.what && detail[0] == other.detail[0] && detail[1] == other.detail[1] &&
             detail[2] == other.detail[2] && operand == other.operand &&
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
  /// `shared`: whether another one may read the node, too.
  int add(const ExprNode& node, bool shared);
  int add_operand(const ExprNode& node);

  std::vector<Entry> entries_;
  SmallVector<int, 2> roots_;
  std::vector<std::pair<const ExprNode*, int>> seen_;  // shared nodes, and their entries
  std::vector<const ExprNode*> operands_;
};

}  // namespace v0
}  // namespace weft
