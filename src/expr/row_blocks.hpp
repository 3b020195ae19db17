// SPDX-License-Identifier: Apache-2.0
/// @file
/// Several passes block by block of rows.
#pragma once

#include "expr/expr_list.hpp"
#include "expr/expr_stages.hpp"
#include "expr/idle_objects.hpp"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace weft {
inline namespace v0 {

/// Expressions whose passes all keep axis 0 are the same for their rows along that axis as for each
/// block of them: carried out for one block after the other, they read their operands from memory
/// once, and what passes read again is in the second level.
class RowBlocks {
 public:
  /// Null where passes are better carried out one after the other: there is one only, axis 0 is
  /// reduced, results would be combined in another order, or all fits the cache anyway. `whole` are
  /// all rows.
  static std::unique_ptr<RowBlocks> make(const ExprList& list, const ExprStages& whole,
                                         OutputViews outs, OperandViews operands);

  /// Whether no block writes what a later one reads: an operand that meets an output is row for
  /// row the same.
  bool may_write(OutputViews outs, OperandViews operands) const;
  /// Precondition: may_write(). Throws Error(division).
  void run(OutputViews outs, OperandViews operands);
  std::int64_t rows_of_block() const noexcept { return block_; }

 private:
  /// Which operands, and results of passes, have the rows as their axis 0.
  struct Having {
    std::vector<bool> operands, stages;
  };
  class Finder;

  RowBlocks(const ExprStages& whole, std::int64_t rows, Having having)
      : recipes_(whole.recipes()), rows_(rows), having_(std::move(having)) {}
  /// Operands and outputs for the rows of a block.
  class Sliced;

  void run_block(OutputViews outs, OperandViews operands, std::int64_t first);
  /// Leaves the stages that it makes for later runs.
  bool combines_as(const ExprStages& whole, OutputViews outs, OperandViews operands);

  std::span<const StageRecipe> recipes_;
  std::int64_t rows_, block_ = 1;
  Having having_;
  IdleObjects<ExprStages> full_, rest_;
};

}  // namespace v0
}  // namespace weft
