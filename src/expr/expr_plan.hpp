// SPDX-License-Identifier: Apache-2.0
/// @file
/// Expressions planned for operands and outputs of one geometry.
#pragma once

#include "expr/expr_list.hpp"
#include "expr/expr_stages.hpp"
#include "expr/row_blocks.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace weft {
inline namespace v0 {

struct ExprNode;

/// A plan, for one run at a time.
struct ExprPlan {
  ExprPlan(const ExprList& list, OutputViews outs, ExprKey written);
  ExprPlan(const ExprPlan&) = delete;
  ExprPlan& operator=(const ExprPlan&) = delete;

  /// Operands are those of `operands`. Throws Error(division).
  void run(OutputViews outs);

  ExprKey key;
  std::vector<std::shared_ptr<const void>> kernels;  ///< the user's, that recipes refer to
  std::vector<StageRecipe> recipes;
  /// All passes one after the other; or block by block of rows, where that is better.
  std::unique_ptr<ExprStages> stages;
  std::unique_ptr<RowBlocks> blocks;
  struct OutputGeometry {
    ScalarType type;
    DimVector strides;
  };
  std::vector<OutputGeometry> outputs;
  /// What the first expression, which keeps the plan, was evaluated with: operands, the other
  /// expressions, and which outputs shared memory with which operands. None in the cache.
  using Meetings = SmallVector<std::int64_t, 4>;
  SmallVector<const ExprNode*, inline_operands> operands;
  std::vector<std::weak_ptr<const ExprNode>> others;
  Meetings meetings;
};

/// The operands' views.
class ExprOperandViews {
 public:
  explicit ExprOperandViews(std::span<const ExprNode* const> operands);
  operator OperandViews() const noexcept { return {views_.data(), views_.size()}; }

 private:
  SmallVector<const TensorView*, inline_operands> views_;
};

/// Room for one plan that several threads may want.
class ExprPlanPlace {
 public:
  ExprPlanPlace() = default;
  ~ExprPlanPlace() { delete plan_.load(); }
  ExprPlanPlace(const ExprPlanPlace&) = delete;
  ExprPlanPlace& operator=(const ExprPlanPlace&) = delete;

  std::unique_ptr<ExprPlan> take() noexcept {
    // Most nodes never have one, and reading is cheaper than exchanging.
    if (plan_.load(std::memory_order_relaxed) == nullptr) return nullptr;
    return std::unique_ptr<ExprPlan>(plan_.exchange(nullptr));
  }
  void put(std::unique_ptr<ExprPlan> plan) noexcept { delete plan_.exchange(plan.release()); }

 private:
  std::atomic<ExprPlan*> plan_ = nullptr;
};

/// Plans of expressions that are built anew for each evaluation: up to 64, with up to 256 KiB of
/// results between passes each. release_kept_memory() empties it.
namespace expr_cache {
/// A plan with this key, or null.
std::unique_ptr<ExprPlan> take(const ExprKey& key) noexcept;
void put(std::unique_ptr<ExprPlan> plan) noexcept;
}  // namespace expr_cache

}  // namespace v0
}  // namespace weft
