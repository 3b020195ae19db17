// SPDX-License-Identifier: Apache-2.0
/// @file
/// What decides on the plan of expressions.
#pragma once

#include <weft/base/limits.hpp>
#include <weft/base/small_vector.hpp>

#include <array>
#include <cstdint>
#include <span>

namespace weft {
inline namespace v0 {

struct ExprNode;

/// Words that are compared: the structure of expressions, and types, shapes and strides of their
/// operands and the outputs.
class ExprKey {
 public:
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
  SmallVector<std::int64_t, 48> words_;  // of ten functions, with room
};

/// The operands of expressions that differ, each memory once: tensors, and numbers that are no f64.
class ExprOperandList {
 public:
  using Nodes = SmallVector<const ExprNode*, inline_operands>;

  /// Which one a node is.
  int add(const ExprNode& node);
  const Nodes& nodes() const noexcept { return nodes_; }

 private:
  Nodes nodes_;
};

/// What a node computes of its inputs: kind, function and type, in 28 bits.
std::int64_t what_is(const ExprNode& node);
/// What else says so: a number's bits; a function's own number; a reduction's axes, kernel and
/// correction. Zeros for operands.
std::array<std::int64_t, 3> details_of(const ExprNode& node);

/// Appends to a key the structure of some expressions, each node behind its inputs, and how their
/// operands lie in memory. It is the structure as it was built: ExprList finds what is computed
/// twice, when there is no plan yet.
class ExprStructure {
 public:
  ExprStructure(std::span<const ExprNode* const> roots, ExprKey& key);

  /// In the order that ExprList has them in.
  const ExprOperandList::Nodes& operands() const noexcept { return operands_.nodes(); }

 private:
  /// `shared`: whether another one may read the node, too.
  void add(const ExprNode& node, bool shared);

  ExprKey& key_;
  ExprOperandList operands_;
  SmallVector<const ExprNode*, 8> seen_;  // shared nodes
};

}  // namespace v0
}  // namespace weft
