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

/// Expressions whose passes all keep the first axes are the same for their rows along the last of
/// these as for each block of them: carried out for one block after the other, they read their
/// operands from memory once, and what passes read again is in the second level. Blocks have one
/// element of the axes before that one.
class RowBlocks {
 public:
  /// Null where passes are better carried out one after the other: there is one only, axis 0 is
  /// reduced, or rows are too large, results would be combined in another order, or all fits the
  /// cache anyway. `whole` are all rows.
  static std::unique_ptr<RowBlocks> make(const ExprList& list, const ExprStages& whole,
                                         OutputViews outs, OperandViews operands);

  /// Whether no block writes what a later one reads: an operand that meets an output is row for
  /// row the same.
  bool may_write(OutputViews outs, OperandViews operands) const;
  /// Precondition: may_write(). Throws Error(division).
  void run(OutputViews outs, OperandViews operands);
  std::int64_t rows_of_block() const noexcept { return block_; }
  /// The axis that blocks have several rows of.
  int axis() const noexcept { return static_cast<int>(extents_.size()) - 1; }

 private:
  /// Which operands, and results of passes, have these first axes.
  struct Having {
    std::vector<bool> operands, stages;
  };
  class Finder;

  RowBlocks(const ExprStages& whole, IntSpan extents, Having having)
      : recipes_(whole.recipes()), having_(std::move(having)) {
    extents_.assign(extents);
  }
  /// Operands and outputs for the rows of a block.
  class Sliced;

  std::int64_t rows() const noexcept { return extents_.back(); }
  std::int64_t blocks_of_line() const noexcept { return (rows() + block_ - 1) / block_; }
  /// Rows along the axis for each element of those before it.
  std::int64_t lines() const noexcept;

  void run_block(OutputViews outs, OperandViews operands, std::int64_t block);
  /// Leaves the stages that it makes for later runs.
  bool combines_as(const ExprStages& whole, OutputViews outs, OperandViews operands);

  std::span<const StageRecipe> recipes_;
  DimVector extents_;  // of the first axes
  std::int64_t block_ = 1;
  Having having_;
  IdleObjects<ExprStages> full_, rest_;
};

}  // namespace v0
}  // namespace weft
