// SPDX-License-Identifier: Apache-2.0
#include "engine/axis/shared_lines.hpp"

#include "base/text.hpp"
#include "engine/axis/cumulative_walk.hpp"
#include "machine/fixed_sizes.hpp"
#include "machine/scratch_memory.hpp"
#include "machine/tuning.hpp"

#include <algorithm>
#include <cstring>

namespace weft {
inline namespace v0 {
namespace {

constexpr std::int64_t block = fixed::shared_line_block;

/// The lines, their parts, and the accumulators behind each of their blocks.
class SharedLines {
 public:
  SharedLines(const AlongAxis& operands, const CumulativeKernel& kernel)
      : operands_(operands),
        kernel_(kernel),
        length_(operands.shape()[static_cast<std::size_t>(operands.axis())]),
        blocks_(length_ / block),
        lines_(numel(operands.shape()) / length_),
        kept_(lines_ * blocks_ * kernel.accumulator_bytes) {}

  void run(const RunOptions& options) const {
    plan_along_axis(operands_, kernel_.types);  // parts alone might not meet each other
    walk(first(), {.keeps = true}, options);
    walk(middle(1), {.keeps = true, .totals_only = true}, options);
    for (std::int64_t line = 0; line < lines_; ++line)
      combine(line);
    walk(middle(0), {.begins = true}, options);
    if (length_ > blocks_ * block) walk(rest(), {.begins = true}, options);
  }

  Explanation explain(const RunOptions& options) const {
    const Part part = middle(0);
    Explanation e =
        CumulativeWalk(AlongAxis(part.operands(), part.axis), kernel_, tuning(), {.begins = true})
            .explain(options);
    e.run.form = "shared-" + e.run.form;
    return e;
  }

 private:
  /// Views of a part of the lines; the last is that of accumulators.
  struct Part {
    int noutputs, ninputs;
    std::int64_t axis;
    SmallVector<TensorView, 4> views;

    CumulativeOperands operands() const {
      const auto list = [&](int from, int to) {
        return std::span(views.data() + from, static_cast<std::size_t>(to - from));
      };
      return {list(0, noutputs), list(noutputs, noutputs + ninputs),
              list(noutputs + ninputs, static_cast<int>(views.size()))};
    }
  };

  /// Accumulators as bytes, from that behind block `from` on: for each line one, or one for each of
  /// so many blocks.
  TensorView accumulators(std::int64_t from, std::int64_t blocks) const {
    const std::int64_t bytes = kernel_.accumulator_bytes;
    DimVector shape, strides;
    std::int64_t stride = blocks_ * bytes;
    const IntSpan all = operands_.shape();
    for (int d = static_cast<int>(all.size()) - 1; d >= 0; --d) {
      const std::int64_t extent = d == operands_.axis() ? 1 : all[static_cast<std::size_t>(d)];
      shape.push_back(extent);
      strides.push_back(stride);
      stride *= extent;
      if (d != operands_.axis() || blocks == 0) continue;
      shape.push_back(blocks);
      strides.push_back(bytes);
    }
    std::reverse(shape.begin(), shape.end());
    std::reverse(strides.begin(), strides.end());
    return TensorView::trusted(kept_.data() + from * bytes, ScalarType::u8, shape, strides);
  }

  Part part(std::int64_t begin, std::int64_t end, bool with_starts) const {
    Part p{operands_.noutputs(), operands_.ninputs(), operands_.axis(), {}};
    const int moving = p.noutputs + p.ninputs;
    for (int k = 0; k < moving; ++k)
      p.views.push_back(operands_[k].slice(p.axis, begin, end));
    for (int k = moving; with_starts && k < operands_.size(); ++k)
      p.views.push_back(operands_[k].slice(p.axis, 0, 1));
    return p;
  }
  Part first() const {
    Part p = part(0, block, true);
    p.views.push_back(accumulators(0, 0));
    return p;
  }
  Part rest() const {
    Part p = part(blocks_ * block, length_, false);
    p.views.push_back(accumulators(blocks_ - 1, 0));
    return p;
  }
  /// All blocks between, one next to the other. Accumulators are those behind each, or, `behind`
  /// being 0, behind the one before.
  Part middle(std::int64_t behind) const {
    Part p = part(block, blocks_ * block, false);
    for (TensorView& view : p.views) {
      DimVector shape, strides;
      for (int d = 0; d < view.rank(); ++d) {
        const std::int64_t stride = view.strides()[static_cast<std::size_t>(d)];
        const bool cut = d == operands_.axis();
        if (cut) {
          shape.push_back(blocks_ - 1);
          strides.push_back(block * stride);
        }
        shape.push_back(cut ? block : view.shape()[static_cast<std::size_t>(d)]);
        strides.push_back(stride);
      }
      view = view.as_strided(shape, strides);
    }
    ++p.axis;
    p.views.push_back(accumulators(behind, blocks_ - 1));
    return p;
  }

  void walk(const Part& part, KeptAccumulators what, const RunOptions& options) const {
    const AlongAxis operands(part.operands(), part.axis);
    const CumulativeWalk walk(operands, kernel_, tuning(), what);
    walk.share(options, [&](std::int64_t begin, std::int64_t end) { walk.run(begin, end); });
  }

  /// Makes of each block's total that of all up to its end.
  void combine(std::int64_t line) const {
    alignas(cache_line_bytes) char total[cache_line_bytes];
    const std::int64_t bytes = kernel_.accumulator_bytes;
    char* at = kept_.data() + line * blocks_ * bytes;
    std::memcpy(total, at, static_cast<std::size_t>(bytes));
    for (std::int64_t b = 1; b < blocks_; ++b) {
      at += bytes;
      alignas(cache_line_bytes) char next[cache_line_bytes];
      std::memcpy(next, at, static_cast<std::size_t>(bytes));
      kernel_.combine(kernel_.context, total, next, 1);
      std::memcpy(at, total, static_cast<std::size_t>(bytes));
    }
  }

  const AlongAxis& operands_;
  const CumulativeKernel& kernel_;
  std::int64_t length_, blocks_, lines_;
  ScratchMemory kept_;
};

}  // namespace

bool shares_lines(const AlongAxis& operands, const CumulativeKernel& kernel) {
  if (kernel.combine == nullptr || operands.shape().empty()) return false;
  if (operands.shape().size() >= std::size_t{max_rank}) return false;
  const std::int64_t length = operands.shape()[static_cast<std::size_t>(operands.axis())];
  if (length < fixed::min_shared_line) return false;
  const std::int64_t elements = numel(operands.shape());
  return elements > 0 && elements <= fixed::max_shared_lines * length;
}

void run_shared_lines(const AlongAxis& operands, const CumulativeKernel& kernel,
                      const RunOptions& options) {
  SharedLines(operands, kernel).run(options);
}

Explanation explain_shared_lines(const AlongAxis& operands, const CumulativeKernel& kernel,
                                 const RunOptions& options) {
  return SharedLines(operands, kernel).explain(options);
}

}  // namespace v0
}  // namespace weft
