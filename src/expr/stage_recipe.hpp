// SPDX-License-Identifier: Apache-2.0
/// @file
/// The passes over memory that expressions take.
#pragma once

#include <weft/kernel/reduction_kernel.hpp>
#include <weft/ops/reduce.hpp>

#include "expr/chain.hpp"
#include "expr/expr_list.hpp"

#include <span>
#include <vector>

namespace weft {
inline namespace v0 {

/// One pass: a chain, or a reduction, of a chain or of operands as they are. What it is, whatever
/// the layout of operands and however many rows are carried out at a time.
struct StageRecipe {
  /// What of an expression is an input: an operand, or a result of an earlier pass.
  struct Input {
    int operand = -1, stage = -1, result = 0;
  };
  struct Result {
    int entry;  ///< of the list: what it is
    ScalarType type;
    DimVector shape;
    int output = -1;  ///< which output of the expressions it is; -1: later passes read it
  };

  std::vector<Input> inputs;
  Chain chain;  ///< without steps: the inputs as they are
  /// With steps: a mask that selects which elements of the only result are written.
  Chain mask;
  std::vector<Input> mask_inputs;
  DimVector shape;  ///< of what the chain makes
  bool reduces = false;
  Reduction op{};
  const ReductionKernel* kernel = nullptr;  ///< a struct's, instead of op
  DimVector axes;
  ReduceOptions options;
  std::vector<Result> results;  ///< of a chain its outputs

  bool is_chain() const noexcept { return !chain.steps.empty(); }
  bool is_masked() const noexcept { return !mask.steps.empty(); }
};

/// The recipes of a list, in the order in which they are carried out: reductions, and parts of an
/// expression that have few elements, so that they are not computed again for each of many; and
/// behind them one for all outputs of a shape that elementwise functions make. The results of
/// reductions that nobody reads are outputs.
std::vector<StageRecipe> recipes_of(const ExprList& list, std::span<const ScalarType> out_types);

}  // namespace v0
}  // namespace weft
