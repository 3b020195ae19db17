// SPDX-License-Identifier: Apache-2.0
#include "expr/computed_chain.hpp"

#include <weft/base/error.hpp>
#include <weft/core/shape.hpp>

#include "base/text.hpp"
#include "expr/computed_dim.hpp"
#include "expr/prepared_chain.hpp"

#include <algorithm>
#include <utility>

namespace weft {
inline namespace v0 {
namespace {

/// The axes that a dim of the reduction's iterator was made of, innermost first, and the rows of
/// them that a block has.
struct BlockDimAxes {
  SmallVector<int, inline_rank> axes;
  std::int64_t begin, count;  // elements of the block along the dim
  std::int64_t stride;        // from one to the next in the tensor, in elements
  std::int64_t to_stride;     // in the block's memory
};

}  // namespace

/// The chain prepared for boxes of several shapes. One thread runs it at a time.
class BlockChains {
 public:
  explicit BlockChains(const ComputedChain& of)
      : of_(of), dense_(contiguous_strides(of.walked_->shape)) {
    const std::size_t rank = of.walked_->shape.size();
    begin_.resize(rank, 0);
    extents_.resize(rank, 1);
    strides_.resize(rank, 0);
  }

  /// Both return whether an integer was divided by 0.
  bool compute(IntSpan begin, IntSpan extents, char* to, const void* const* inputs) {
    inputs_ = inputs;
    to_ = &to;
    begin_.assign(begin);
    extents_.assign(extents);
    strides_ = contiguous_strides(extents_);
    compute_box(0);
    return std::exchange(by_zero_, false);
  }
  bool compute(const TensorIterator& iter, const ComputedBlock& block, const void* const* inputs) {
    inputs_ = inputs;
    to_ = block.to;
    find_axes(iter, block);
    compute_dim(0, 0);
    return std::exchange(by_zero_, false);
  }

 private:
  /// A box's chain.
  struct Prepared {
    Prepared(const ComputedChain& of, const DimVector& box, const DimVector& to_strides,
             void* const* to, std::span<const TensorView> inputs)
        : extents(box),
          strides(to_strides),
          chain(of.chain_, outputs(of, box, to_strides, to), inputs, true) {
      if (!chain.direct_calls().empty()) chain.run_by_direct_calls();
    }
    static std::vector<TensorView> outputs(const ComputedChain& of, const DimVector& box,
                                           const DimVector& to_strides, void* const* to) {
      std::vector<TensorView> views;
      for (std::size_t k = 0; k < of.noutputs(); ++k)
        views.push_back(TensorView::trusted(to[k], of.output_type(k), box, to_strides));
      return views;
    }

    DimVector extents, strides;
    PreparedChain chain;
  };

  void find_axes(const TensorIterator& iter, const ComputedBlock& block) {
    dims_.clear();
    for (int d = 0; d < iter.ndim(); ++d) {
      const ComputedDim of(iter, d);
      BlockDimAxes dim{{}, block.begin[d], block.extents[d], of.stride, block.strides[d]};
      for (int a = static_cast<int>(of_.walked_->shape.size()); a-- > 0;) {
        const auto axis = static_cast<std::size_t>(a);
        if (of_.walked_->shape[axis] > 1 && of.has(dense_[axis])) dim.axes.push_back(a);
      }
      dims_.push_back(dim);
    }
  }

  /// Dims from one on, into memory `to` elements from the block's; those before it are set.
  void compute_dim(std::size_t d, std::int64_t to) {
    if (d == dims_.size()) return compute_box(to);
    const BlockDimAxes& dim = dims_[d];
    for (const int a : dim.axes)
      strides_[static_cast<std::size_t>(a)] =
          dense_[static_cast<std::size_t>(a)] / dim.stride * dim.to_stride;
    compute_range(d, static_cast<int>(dim.axes.size()), dim.begin, dim.count, to);
  }

  /// `count` elements from `begin` on, counted along the first `naxes` axes of a dim, as boxes:
  /// what is left of a row, whole rows, and the beginning of one; rows likewise.
  void compute_range(std::size_t d, int naxes, std::int64_t begin, std::int64_t count,
                     std::int64_t to) {
    const BlockDimAxes& dim = dims_[d];
    if (naxes == 0) return compute_dim(d + 1, to);
    const auto axis = static_cast<std::size_t>(dim.axes[naxes - 1]);
    const std::int64_t row = dense_[axis] / dim.stride;
    const auto part = [&](std::int64_t at, std::int64_t rows, std::int64_t first,
                          std::int64_t elements) {
      begin_[axis] = at;
      extents_[axis] = rows;
      compute_range(d, naxes - 1, first, elements, to);
      to += rows * elements * dim.to_stride;
      count -= rows * elements;
      begin += rows * elements;
    };
    if (begin % row != 0 || count < row)
      part(begin / row, 1, begin % row, std::min(count, row - begin % row));
    if (count >= row) part(begin / row, count / row, 0, row);
    if (count > 0) part(begin / row, 1, 0, count);
  }

  void compute_box(std::int64_t to) {
    const std::size_t ninputs = of_.walked_->strides.size();
    const void* at[max_operands];
    for (std::size_t i = 0; i < ninputs; ++i) {
      std::int64_t offset = 0;
      for (std::size_t a = 0; a < begin_.size(); ++a)
        offset += begin_[a] * of_.walked_->strides[i][a];
      at[i] = static_cast<const char*>(inputs_[i]) + offset;
    }
    void* outputs[max_operands];
    for (std::size_t k = 0; k < of_.noutputs(); ++k)
      outputs[k] = to_[k] + to * element_size(of_.output_type(k));
    if (prepared(outputs, at).chain.divides_by_zero(outputs, at)) by_zero_ = true;
  }

  Prepared& prepared(void* const* to, const void* const* inputs) {
    const auto found = std::ranges::find_if(prepared_, [&](const auto& one) {
      return std::ranges::equal(one->extents, extents_) &&
             std::ranges::equal(one->strides, strides_);
    });
    if (found != prepared_.end()) return **found;
    std::vector<TensorView> views;
    for (std::size_t i = 0; i < of_.walked_->strides.size(); ++i) {
      DimVector elements = of_.walked_->strides[i];
      for (std::int64_t& stride : elements)
        stride /= element_size(of_.types_[i]);
      views.push_back(TensorView::trusted(inputs[i], of_.types_[i], extents_, elements));
    }
    auto made = std::make_unique<Prepared>(of_, extents_, strides_, to, views);
    if (prepared_.size() < max_prepared) return *prepared_.emplace_back(std::move(made));
    next_ = (next_ + 1) % max_prepared;
    prepared_[next_] = std::move(made);
    return *prepared_[next_];
  }

  /// Tiles of a walk have one shape but for the last ones along a dim, and each is a few boxes.
  static constexpr std::size_t max_prepared = 16;

  const ComputedChain& of_;
  const void* const* inputs_ = nullptr;
  DimVector dense_;  // the strides of the tensor, in elements
  SmallVector<BlockDimAxes, inline_rank> dims_;
  char* const* to_ = nullptr;            // the block's memory, by output
  DimVector begin_, extents_, strides_;  // by axis, of the box at hand; strides in elements
  bool by_zero_ = false;
  std::vector<std::unique_ptr<Prepared>> prepared_;
  std::size_t next_ = 0;
};

ComputedChain::ComputedChain(Chain chain, IntSpan shape, std::span<const TensorView> inputs)
    : chain_(std::move(chain)) {
  if (inputs.size() + noutputs() > max_operands) {
    fail(ErrorCode::limit,
         text("an expression with ", inputs.size(), " operands in one pass, expected at most ",
              max_operands - static_cast<int>(noutputs())));
  }
  axes_.shape.assign(shape);
  for (const TensorView& input : inputs) {
    const TensorView all = input.expand(shape);
    DimVector strides(all.strides().begin(), all.strides().end());
    for (std::size_t a = 0; a < strides.size(); ++a)
      strides[a] = shape[a] == 1 ? 0 : strides[a] * element_size(input.dtype());
    axes_.strides.push_back(std::move(strides));
    types_.push_back(input.dtype());
  }
}

ComputedChain::~ComputedChain() = default;

TensorView ComputedChain::output(std::size_t k) const {
  // No address is read; one that is aligned and not null, so that it is a tensor.
  alignas(64) static constexpr char nowhere[64] = {};
  return TensorView::trusted(nowhere, output_type(k), axes_.shape, contiguous_strides(axes_.shape));
}

Explanation::Run ComputedChain::explain(const ReduceCall& call) const {
  Explanation::Run run =
      call.explain_computed(rows_, fused_ != nullptr ? &fused_->kernel() : nullptr).run;
  // What is computed is in no memory: the inputs are.
  for (std::size_t k = 0; k < noutputs(); ++k)
    run.bytes_moved -= numel(axes_.shape) * element_size(output_type(k));
  run.bytes_moved += input_bytes();
  return run;
}

std::int64_t ComputedChain::input_bytes() const {
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < axes_.strides.size(); ++i) {
    std::int64_t elements = 1;
    for (std::size_t a = 0; a < axes_.shape.size(); ++a)
      if (axes_.strides[i][a] != 0 || axes_.shape[a] == 0) elements *= axes_.shape[a];
    bytes += elements * element_size(types_[i]);
  }
  return bytes;
}

const char* ComputedChain::in_place(IntSpan begin, IntSpan extents,
                                    const void* const* inputs) const {
  if (chain_.steps.size() != 1 || chain_.steps[0].kernel != nullptr || types_.size() != 1 ||
      types_[0] != output_type(0))
    return nullptr;
  std::int64_t dense = element_size(types_[0]), offset = 0;
  for (std::size_t a = extents.size(); a-- > 0;) {
    if (extents[a] > 1 && axes_.strides[0][a] != dense) return nullptr;
    dense *= extents[a];
    offset += begin[a] * axes_.strides[0][a];
  }
  return static_cast<const char*>(inputs[0]) + offset;
}

bool ComputedChain::compute(IntSpan begin, IntSpan extents, char* to, const void* const* inputs) {
  std::unique_ptr<BlockChains> chains = idle_.take();
  if (chains == nullptr) chains = std::make_unique<BlockChains>(*this);
  const bool by_zero = chains->compute(begin, extents, to, inputs);
  idle_.put(std::move(chains));
  return by_zero;
}

/// A block may end anywhere along a dim of the reduction, and is up to three boxes of each axis
/// that the dim was made of but the innermost. Axes that all inputs go through as if they were one
/// are one.
[[gnu::cold]] void ComputedChain::join_axes(const TensorIterator& iter) {
  const DimVector dense = contiguous_strides(axes_.shape);
  const auto dim_of = [&](std::size_t axis) {
    int d = iter.ndim() - 1;
    while (d >= 0 && !ComputedDim(iter, d).has(dense[axis]))
      --d;
    return d;
  };
  joined_ = {{}, std::vector<DimVector>(axes_.strides.size())};
  int last_dim = -1;
  for (std::size_t axis = 0; axis < axes_.shape.size(); ++axis) {
    const std::int64_t extent = axes_.shape[axis];
    if (extent == 1) continue;
    const int dim = dim_of(axis);
    bool is_one = dim >= 0 && dim == last_dim;
    for (std::size_t i = 0; i < axes_.strides.size() && is_one; ++i)
      is_one = joined_.strides[i].back() == axes_.strides[i][axis] * extent;
    if (!is_one) joined_.shape.push_back(1);
    joined_.shape.back() *= extent;
    if (dim >= 0) rows_.elements[static_cast<std::size_t>(dim)] = joined_.shape.back();
    for (std::size_t i = 0; i < axes_.strides.size(); ++i) {
      if (!is_one) joined_.strides[i].push_back(0);
      joined_.strides[i].back() = axes_.strides[i][axis];
    }
    last_dim = dim;
  }
  walked_ = &joined_;
}

std::unique_ptr<KeptReduction> ComputedChain::prepare(ReduceCall&& call, bool serial) {
  rows_.elements.clear();
  rows_.elements.resize(static_cast<std::size_t>(call.iter.ndim()), 0);
  if (numel(axes_.shape) != 0) join_axes(call.iter);
  fused_ = noutputs() == 1 ? ReducedChain::make(chain_, axes_.shape, axes_.strides, call) : nullptr;
  const ReductionKernel* rows = fused_ != nullptr ? &fused_->kernel() : nullptr;
  return KeptReduction::make(std::move(call), serial, &rows_, rows);
}

void ComputedChain::reduce(KeptReduction& reduction, const void* const* inputs) {
  const auto compute = [&](const ComputedBlock& block) {
    std::unique_ptr<BlockChains> chains = idle_.take();
    if (chains == nullptr) chains = std::make_unique<BlockChains>(*this);
    const bool by_zero = chains->compute(reduction.call().iter, block, inputs);
    idle_.put(std::move(chains));
    if (by_zero) PreparedChain::fail_by_zero(division());
  };
  const ComputeBlock block = compute;
  fused_ != nullptr ? fused_->run(reduction, block, inputs) : reduction.run(&block);
}

}  // namespace v0
}  // namespace weft
