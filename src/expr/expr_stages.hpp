// SPDX-License-Identifier: Apache-2.0
/// @file
/// The passes of expressions, ready to run.
#pragma once

#include <weft/core/tensor.hpp>

#include "expr/computed_chain.hpp"
#include "expr/masked_chain.hpp"
#include "expr/prepared_chain.hpp"
#include "expr/stage_recipe.hpp"

#include <memory>
#include <span>
#include <vector>

namespace weft {
inline namespace v0 {

/// Operands of expressions, in the order of their list; and outputs, one for each expression.
using OperandViews = std::span<const TensorView* const>;
using OutputViews = std::span<const TensorView* const>;

/// How many rows of an axis, and one element of each before it.
struct RowsOfBlock {
  int axis = 0;
  std::int64_t count = 0;  ///< 0: all rows of all axes
};

/// Recipes prepared for operands and outputs of one geometry. One thread runs them at a time.
class ExprStages {
 public:
  /// Refers to the recipes. `rows`, if they are not all: the passes are for those rows, if they
  /// have them, by `has_rows`; and all is part of what a thread does.
  ExprStages(std::span<const StageRecipe> recipes, OutputViews outs, OperandViews operands,
             const RowsOfBlock& rows = {}, const std::vector<bool>& has_rows = {});

  /// Plans what run() plans anew, for its errors. Throws Error.
  void check(OutputViews outs, OperandViews operands) const;
  /// Throws Error(division).
  void run(OutputViews outs, OperandViews operands);

  /// Of the results that passes leave for later ones.
  std::int64_t result_bytes() const noexcept;

  // ---- For those who explain, or compare

  std::span<const StageRecipe> recipes() const noexcept { return recipes_; }
  const TensorView& input(const StageRecipe::Input& input, OperandViews operands) const;
  /// Where a pass writes a result to.
  const TensorView& output(std::size_t stage, std::size_t result, OutputViews outs) const;
  const PreparedChain* chain(std::size_t stage) const { return stages_[stage].chain.get(); }
  const ComputedChain* reduced(std::size_t stage) const { return stages_[stage].reduced.get(); }
  const MaskedChain* masked(std::size_t stage) const { return stages_[stage].masked.get(); }
  /// The call of a pass that reduces.
  ReduceCall call(std::size_t stage, OutputViews outs, OperandViews operands) const;

 private:
  struct Stage {
    std::unique_ptr<PreparedChain> chain;    // of a pass that does not reduce
    std::unique_ptr<ComputedChain> reduced;  // of one that reduces a chain
    std::unique_ptr<KeptReduction> reducing;
    std::unique_ptr<MaskedChain> masked;  // of one that writes what a mask selects
    std::vector<Tensor> results;          // undefined: it is an output
  };

  std::unique_ptr<PreparedChain> chain_of(std::size_t stage, OutputViews outs,
                                          std::span<const TensorView> inputs) const;
  ReduceCall struct_call(std::size_t stage, const TensorView& to, OperandViews operands) const;

  std::span<const StageRecipe> recipes_;
  std::vector<Stage> stages_;
  bool serial_;
};

}  // namespace v0
}  // namespace weft
