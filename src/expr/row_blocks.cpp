// SPDX-License-Identifier: Apache-2.0
#include "expr/row_blocks.hpp"

#include <weft/iter/overlap.hpp>
#include <weft/machine/cpu_info.hpp>
#include <weft/parallel/parallel.hpp>

#include "engine/reduce/reduce_plan.hpp"
#include "expr/expr_node.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace weft {
inline namespace v0 {
/// Finds out which operands and results have the rows of the outputs as their axis 0.
class RowBlocks::Finder {
 public:
  explicit Finder(const ExprList& list)
      : list_(list),
        rows_(list.entries()[static_cast<std::size_t>(list.roots()[0])].node->shape[0]),
        has_rows_(list.entries().size(), false),
        operands_(list.operands().size()) {}

  /// Empty if rows depend on each other, or an axis of rows is another one elsewhere.
  std::optional<Having> find(std::span<const StageRecipe> recipes) {
    for (std::size_t at = 0; at < list_.entries().size(); ++at)
      if (!visit(at)) return std::nullopt;
    for (const int root : list_.roots())
      if (!has_rows_[static_cast<std::size_t>(root)]) return std::nullopt;
    Having found;
    for (const std::optional<bool>& operand : operands_)
      found.operands.push_back(operand.value_or(false));
    for (const StageRecipe& recipe : recipes)
      found.stages.push_back(has_rows_[static_cast<std::size_t>(recipe.results[0].entry)]);
    return found;
  }

 private:
  bool visit(std::size_t at) {
    const ExprList::Entry& entry = list_.entries()[at];
    const ExprNode& node = *entry.node;
    if (entry.operand >= 0 || node.kind == ExprNode::Kind::number) return true;
    bool any = false;
    for (const int input : entry.inputs) {
      const std::optional<bool> rows = rows_of(static_cast<std::size_t>(input), rank_of(node));
      if (!rows) return false;
      any = any || *rows;
    }
    has_rows_[at] = any;
    return node.kind != ExprNode::Kind::reduce || (any && keeps_rows(node));
  }
  static std::size_t rank_of(const ExprNode& node) {
    return node.kind == ExprNode::Kind::reduce
               ? static_cast<const ExprReduction&>(node).reduced_shape.size()
               : node.shape.size();
  }
  static bool keeps_rows(const ExprNode& node) {
    const auto& axes = static_cast<const ExprReduction&>(node).axes;
    const int rank = static_cast<int>(rank_of(node));
    return !axes.empty() && std::ranges::none_of(axes, [&](std::int64_t axis) {
      return normalize_axis(axis, rank) == 0;
    });
  }

  /// Whether an input of a function of `rank` axes has rows; empty if they are not its rows.
  std::optional<bool> rows_of(std::size_t at, std::size_t rank) {
    const ExprList::Entry& entry = list_.entries()[at];
    const DimVector& shape = entry.node->shape;
    const bool first_axis = rank > 0 && shape.size() == rank && shape[0] == rows_;
    if (entry.operand < 0) {
      if (has_rows_[at] && !first_axis) return std::nullopt;
      return has_rows_[at];
    }
    std::optional<bool>& known = operands_[static_cast<std::size_t>(entry.operand)];
    if (known && *known != first_axis) return std::nullopt;
    known = first_axis;
    return known;
  }

  const ExprList& list_;
  std::int64_t rows_;
  std::vector<bool> has_rows_;
  std::vector<std::optional<bool>> operands_;
};

namespace {

/// Bytes of a row of all that is read and written.
std::int64_t bytes_of_row(OutputViews outs, OperandViews operands,
                          const std::vector<bool>& has_rows) {
  const auto bytes = [](const TensorView& view) {
    return view.numel() / view.shape()[0] * element_size(view.dtype());
  };
  std::int64_t sum = 0;
  for (const TensorView* out : outs)
    sum += bytes(*out);
  for (std::size_t k = 0; k < operands.size(); ++k)
    if (has_rows[k]) sum += bytes(*operands[k]);
  return std::max<std::int64_t>(sum, 1);
}

/// Whether two calls of a reduction combine the elements of a result in the same order.
bool combine_alike(const ReduceCall& a, const ReduceCall& b) {
  if (a.kernel != b.kernel || a.source.defined() != b.source.defined()) return false;
  return a.source.defined() || combine_alike(a.iter, b.iter, *a.kernel);
}

}  // namespace

/// The rows of a block of operands and outputs.
class RowBlocks::Sliced {
 public:
  Sliced(const RowBlocks& of, OutputViews outs, OperandViews operands, std::int64_t first,
         std::int64_t count)
      : nouts_(outs.size()) {
    views_.reserve(outs.size() + operands.size());
    const auto add = [&](const TensorView& all) {
      views_.push_back(all.slice(0, first, first + count));
      pointers_.push_back(&views_.back());
    };
    for (const TensorView* out : outs)
      add(*out);
    for (std::size_t k = 0; k < operands.size(); ++k) {
      if (of.having_.operands[k])
        add(*operands[k]);
      else
        pointers_.push_back(operands[k]);
    }
  }
  OutputViews outs() const noexcept { return {pointers_.data(), nouts_}; }
  OperandViews operands() const noexcept {
    return {pointers_.data() + nouts_, pointers_.size() - nouts_};
  }

 private:
  std::size_t nouts_;
  std::vector<TensorView> views_;
  SmallVector<const TensorView*, inline_operands> pointers_;
};

std::unique_ptr<RowBlocks> RowBlocks::make(const ExprList& list, const ExprStages& whole,
                                           OutputViews outs, OperandViews operands) {
  if (whole.recipes().size() < 2) return nullptr;
  for (const TensorView* out : outs)
    if (out->rank() == 0 || out->numel() == 0) return nullptr;
  std::optional<Having> having = Finder(list).find(whole.recipes());
  if (!having) return nullptr;
  const std::int64_t rows = outs[0]->shape()[0];
  const std::int64_t row_bytes = bytes_of_row(outs, operands, having->operands);
  std::unique_ptr<RowBlocks> blocks(new RowBlocks(whole, rows, std::move(*having)));
  // A block and what passes make of it stay in the second level; all of it does not.
  const std::int64_t cache = cpu_info().l2_bytes;
  blocks->block_ = cache / 2 / row_bytes;
  // Threads get two each, if that leaves blocks that are worth what comes with each.
  if (const int threads = num_threads(); threads > 1) {
    const std::int64_t two_each = rows / (2 * threads);
    blocks->block_ =
        std::min(blocks->block_, std::max<std::int64_t>({two_each, cache / 8 / row_bytes, 1}));
  }
  if (blocks->block_ < 1 || rows * row_bytes <= cache) return nullptr;
  return blocks->combines_as(whole, outs, operands) ? std::move(blocks) : nullptr;
}

bool RowBlocks::may_write(OutputViews outs, OperandViews operands) const {
  for (const TensorView* out : outs) {
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const Overlap meets = overlap(*out, *operands[k]);
      if (meets == Overlap::none) continue;
      if (meets != Overlap::full || !having_.operands[k] ||
          !same_list(operands[k]->shape(), out->shape()))
        return false;
    }
  }
  return true;
}

bool RowBlocks::combines_as(const ExprStages& whole, OutputViews outs, OperandViews operands) {
  for (const std::int64_t count : {block_, rows_ % block_}) {
    if (count == 0) continue;
    const Sliced block(*this, outs, operands, 0, count);
    auto stages = std::make_unique<ExprStages>(recipes_, block.outs(), block.operands(), count,
                                               having_.stages);
    for (std::size_t s = 0; s < recipes_.size(); ++s) {
      if (recipes_[s].reduces && !combine_alike(whole.call(s, outs, operands),
                                                stages->call(s, block.outs(), block.operands())))
        return false;
    }
    (count == block_ ? full_ : rest_).put(std::move(stages));
  }
  return true;
}

void RowBlocks::run(OutputViews outs, OperandViews operands) {
  parallel_for((rows_ + block_ - 1) / block_, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t block = begin; block < end; ++block)
      run_block(outs, operands, block * block_);
  });
}

void RowBlocks::run_block(OutputViews outs, OperandViews operands, std::int64_t first) {
  const std::int64_t count = std::min(block_, rows_ - first);
  const Sliced block(*this, outs, operands, first, count);
  IdleObjects<ExprStages>& idle = count == block_ ? full_ : rest_;
  std::unique_ptr<ExprStages> stages = idle.take();
  if (stages == nullptr)
    stages = std::make_unique<ExprStages>(recipes_, block.outs(), block.operands(), count,
                                          having_.stages);
  stages->run(block.outs(), block.operands());
  idle.put(std::move(stages));
}

}  // namespace v0
}  // namespace weft
