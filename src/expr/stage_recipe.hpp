// SPDX-License-Identifier: Apache-2.0
/// @file
/// The passes over memory that an expression takes.
#pragma once

#include <weft/kernel/reduction_kernel.hpp>
#include <weft/ops/reduce.hpp>

#include "expr/chain.hpp"
#include "expr/expr_list.hpp"

#include <vector>

namespace weft {
inline namespace v0 {

/// One pass: a chain, or a reduction, of a chain or of operands as they are. What it is, whatever
/// the layout of operands and however many rows are carried out at a time.
struct StageRecipe {
  /// What of an expression is an input: an operand, or the result of an earlier pass.
  struct Input {
    int operand = -1, stage = -1;
  };

  int entry = -1;  ///< of the list: what it computes
  std::vector<Input> inputs;
  Chain chain;      ///< without steps: the inputs as they are
  DimVector shape;  ///< of what the chain makes
  bool reduces = false;
  Reduction op{};
  const ReductionKernel* kernel = nullptr;  ///< a struct's, instead of op
  DimVector axes;
  ReduceOptions options;
  ScalarType result_type{};  ///< the output's of the last one
  DimVector result_shape;

  bool is_chain() const noexcept { return !chain.steps.empty(); }
};

/// The recipes of a list, in the order in which they are carried out. The last one is the output's,
/// and the others have results that it or another one reads: reductions, and parts of an expression
/// that have few elements, so that they are not computed again for each of many.
std::vector<StageRecipe> recipes_of(const ExprList& list, ScalarType out_type);

}  // namespace v0
}  // namespace weft
