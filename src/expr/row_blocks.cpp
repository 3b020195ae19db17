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
/// Finds out which operands and results have the first axes of the outputs.
class RowBlocks::Finder {
 public:
  Finder(const ExprList& list, IntSpan extents)
      : list_(list),
        extents_(extents),
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
  bool keeps_rows(const ExprNode& node) const {
    const auto& axes = static_cast<const ExprReduction&>(node).axes;
    const int rank = static_cast<int>(rank_of(node));
    return !axes.empty() && std::ranges::none_of(axes, [&](std::int64_t axis) {
      return normalize_axis(axis, rank) < static_cast<int>(extents_.size());
    });
  }

  /// Whether an input of a function of `rank` axes has rows; empty if they are not its rows.
  std::optional<bool> rows_of(std::size_t at, std::size_t rank) {
    const ExprList::Entry& entry = list_.entries()[at];
    const std::optional<bool> has_axes = has_first_axes(entry.node->shape, rank);
    if (entry.operand < 0) {
      if (has_rows_[at] && !(has_axes && *has_axes)) return std::nullopt;
      return has_rows_[at];
    }
    std::optional<bool>& known = operands_[static_cast<std::size_t>(entry.operand)];
    if (!has_axes || (known && *known != *has_axes)) return std::nullopt;
    known = has_axes;
    return known;
  }
  /// Whether a shape, seen with `rank` axes, has all of the first axes; empty if it has some.
  std::optional<bool> has_first_axes(const DimVector& shape, std::size_t rank) const {
    std::size_t there = 0, broadcast = 0;
    for (std::size_t axis = 0; axis < extents_.size() && axis < rank; ++axis) {
      const std::size_t missing = rank - shape.size();
      const std::int64_t extent = axis < missing ? 1 : shape[axis - missing];
      there += extent == extents_[axis] ? 1 : 0;
      broadcast += extent == 1 ? 1 : 0;
    }
    const bool is_aligned = shape.size() == rank;
    if (is_aligned && there == extents_.size()) return true;
    if (broadcast == std::min<std::size_t>(extents_.size(), rank)) return false;
    return std::nullopt;
  }

  const ExprList& list_;
  IntSpan extents_;
  std::vector<bool> has_rows_;
  std::vector<std::optional<bool>> operands_;
};

namespace {

/// Bytes of a row of all that is read and written.
std::int64_t bytes_of_row(OutputViews outs, OperandViews operands,
                          const std::vector<bool>& has_rows, std::int64_t rows) {
  const auto bytes = [&](const TensorView& view) {
    return view.numel() / rows * element_size(view.dtype());
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
  Sliced(const RowBlocks& of, OutputViews outs, OperandViews operands, std::int64_t line,
         std::int64_t first, std::int64_t count)
      : nouts_(outs.size()) {
    views_.reserve(outs.size() + operands.size());
    const auto add = [&](const TensorView& all) {
      TensorView view = all.slice(of.axis(), first, first + count);
      std::int64_t left = line;
      for (int axis = of.axis() - 1; axis >= 0; --axis) {
        const std::int64_t extent = of.extents_[static_cast<std::size_t>(axis)], at = left % extent;
        if (extent > 1) view = view.slice(axis, at, at + 1);
        left /= extent;
      }
      views_.push_back(view);
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
  const std::int64_t cache = cpu_info().l2_bytes;
  int rank = max_rank;
  std::int64_t bytes = 0;
  for (const TensorView* out : outs) {
    if (out->numel() == 0) return nullptr;
    rank = std::min(rank, out->rank());
    bytes += out->numel() * element_size(out->dtype());
  }
  for (const TensorView* operand : operands)
    bytes += operand->numel() * element_size(operand->dtype());
  if (bytes <= cache) return nullptr;
  // Along the first axis whose rows are small enough.
  for (int axis = 0; axis < rank; ++axis) {
    const IntSpan extents(outs[0]->shape().data(), static_cast<std::size_t>(axis) + 1);
    const std::int64_t rows = numel(extents);
    if (extents[extents.size() - 1] == 1) continue;
    std::optional<Having> having = Finder(list, extents).find(whole.recipes());
    if (!having) return nullptr;
    // A block and what passes make of it stay in the second level; all of it does not.
    const std::int64_t row_bytes = bytes_of_row(outs, operands, having->operands, rows);
    if (rows * row_bytes <= cache) return nullptr;
    if (cache / 2 < row_bytes) continue;
    std::unique_ptr<RowBlocks> blocks(new RowBlocks(whole, extents, std::move(*having)));
    blocks->block_ = std::min(cache / 2 / row_bytes, blocks->rows());
    // Threads get two each, if that leaves blocks that are worth what comes with each.
    if (const int threads = num_threads(); threads > 1) {
      const std::int64_t two_each = rows / (2 * threads);
      blocks->block_ =
          std::min(blocks->block_, std::max<std::int64_t>({two_each, cache / 8 / row_bytes, 1}));
    }
    return blocks->combines_as(whole, outs, operands) ? std::move(blocks) : nullptr;
  }
  return nullptr;
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
  for (const std::int64_t count : {block_, rows() % block_}) {
    if (count == 0) continue;
    const Sliced block(*this, outs, operands, 0, 0, count);
    auto stages = std::make_unique<ExprStages>(recipes_, block.outs(), block.operands(),
                                               RowsOfBlock{axis(), count}, having_.stages);
    for (std::size_t s = 0; s < recipes_.size(); ++s) {
      if (recipes_[s].reduces && !combine_alike(whole.call(s, outs, operands),
                                                stages->call(s, block.outs(), block.operands())))
        return false;
    }
    (count == block_ ? full_ : rest_).put(std::move(stages));
  }
  return true;
}

std::int64_t RowBlocks::lines() const noexcept { return numel(extents_) / rows(); }

void RowBlocks::run(OutputViews outs, OperandViews operands) {
  const std::int64_t blocks = lines() * blocks_of_line();
  parallel_for(blocks, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t block = begin; block < end; ++block)
      run_block(outs, operands, block);
  });
}

void RowBlocks::run_block(OutputViews outs, OperandViews operands, std::int64_t number) {
  const std::int64_t first = number % blocks_of_line() * block_;
  const std::int64_t count = std::min(block_, rows() - first);
  const Sliced block(*this, outs, operands, number / blocks_of_line(), first, count);
  IdleObjects<ExprStages>& idle = count == block_ ? full_ : rest_;
  std::unique_ptr<ExprStages> stages = idle.take();
  if (stages == nullptr)
    stages = std::make_unique<ExprStages>(recipes_, block.outs(), block.operands(),
                                          RowsOfBlock{axis(), count}, having_.stages);
  stages->run(block.outs(), block.operands());
  idle.put(std::move(stages));
}

}  // namespace v0
}  // namespace weft
