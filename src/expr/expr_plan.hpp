// SPDX-License-Identifier: Apache-2.0
/// @file
/// An expression planned for operands and an output of one geometry.
#pragma once

#include <weft/core/tensor_view.hpp>

#include "expr/prepared_chain.hpp"

#include <atomic>
#include <memory>
#include <vector>

namespace weft {
inline namespace v0 {

struct ExprNode;

/// What decides on a plan: the structure of an expression, and types, shapes and strides of its
/// operands and the output.
using ExprKey = std::vector<std::int64_t>;

/// An expression as a list: every node once, behind its inputs, and the operands that differ.
class ExprList {
 public:
  explicit ExprList(const ExprNode& root);

  const std::vector<const ExprNode*>& nodes() const noexcept { return nodes_; }
  /// Of operands and numbers that are operands, each memory once.
  const std::vector<const ExprNode*>& operands() const noexcept { return operands_; }
  /// What a node is in the lists.
  int place(const ExprNode& node) const;
  int operand(const ExprNode& node) const;
  /// Appends all that a plan follows from.
  void write_key(ExprKey& key) const;

 private:
  void add(const ExprNode& node);

  std::vector<const ExprNode*> nodes_, operands_;
  std::vector<int> operand_of_;  // by place; -1: none
};

/// A plan, for one run at a time.
struct ExprPlan {
  ExprPlan(const ExprList& list, const TensorView& out, ExprKey written);

  ExprKey key;
  PreparedChain chain;
  /// The output that it is for, and the operands of the expression that keeps it; none in the
  /// cache.
  ScalarType out_type;
  DimVector out_strides;
  SmallVector<const ExprNode*, inline_operands> operands;
};

/// Room for one plan that several threads may want.
class ExprPlanPlace {
 public:
  ExprPlanPlace() = default;
  ~ExprPlanPlace() { delete plan_.load(); }
  ExprPlanPlace(const ExprPlanPlace&) = delete;
  ExprPlanPlace& operator=(const ExprPlanPlace&) = delete;

  std::unique_ptr<ExprPlan> take() noexcept {
    return std::unique_ptr<ExprPlan>(plan_.exchange(nullptr));
  }
  void put(std::unique_ptr<ExprPlan> plan) noexcept { delete plan_.exchange(plan.release()); }

 private:
  std::atomic<ExprPlan*> plan_ = nullptr;
};

/// Plans of expressions that are built anew for each evaluation: up to 64.
namespace expr_cache {
/// A plan with this key, or null.
std::unique_ptr<ExprPlan> take(const ExprKey& key) noexcept;
void put(std::unique_ptr<ExprPlan> plan) noexcept;
}  // namespace expr_cache

}  // namespace v0
}  // namespace weft
