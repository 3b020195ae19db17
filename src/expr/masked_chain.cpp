// SPDX-License-Identifier: Apache-2.0
#include "expr/masked_chain.hpp"

#include <weft/core/shape.hpp>
#include <weft/machine/level.hpp>
#include <weft/parallel/parallel.hpp>

#include "kernels/indexing/masked_store.hpp"
#include "machine/scratch_memory.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

/// Bytes of the values of a box: they and the operands' part of it stay in the first-level cache.
constexpr std::int64_t box_bytes = 16 << 10;
/// Elements along the last axis and along another one that an operand goes along first.
constexpr std::int64_t side = 64;
/// The minimum of elements for a thread.
constexpr std::int64_t min_elements = 16 << 10;

/// The axis along which elements of a view are next to each other; -1: none is.
int innermost_axis(const TensorView& view, IntSpan shape) {
  const auto first = shape.size() - view.shape().size();
  int best = -1;
  std::int64_t least = 0;
  for (std::size_t a = 0; a < view.shape().size(); ++a) {
    const std::int64_t stride = std::abs(view.strides()[a]);
    if (view.shape()[a] < 2 || stride == 0 || (best >= 0 && stride >= least)) continue;
    best = static_cast<int>(first + a);
    least = stride;
  }
  return best;
}

}  // namespace

MaskedChain::MaskedChain(const Chain& values, std::span<const TensorView> value_inputs,
                         const Chain& mask, std::span<const TensorView> mask_inputs, IntSpan shape,
                         const TensorView& out)
    : values_(values, shape, value_inputs),
      mask_(mask, shape, mask_inputs),
      element_size_(element_size(out.dtype())) {
  shape_.assign(shape);
  std::vector<TensorView> inputs(value_inputs.begin(), value_inputs.end());
  inputs.insert(inputs.end(), mask_inputs.begin(), mask_inputs.end());
  cut(out, inputs);
}

std::int64_t MaskedChain::grain() const noexcept {
  return std::max<std::int64_t>(min_elements / box_elements_, 1);
}

/// Boxes are long along the last axis, unless an operand has its elements along another one: then
/// they have as much of both.
void MaskedChain::cut(const TensorView& out, std::span<const TensorView> inputs) {
  const auto rank = static_cast<int>(shape_.size());
  int other = innermost_axis(out, shape_);
  for (const TensorView& input : inputs) {
    if (other >= 0 && other != rank - 1) break;
    other = innermost_axis(input, shape_);
  }
  box_.assign(DimVector(shape_.size(), 1));
  const auto extend = [&](int axis, std::int64_t most) {
    const auto a = static_cast<std::size_t>(axis);
    const std::int64_t room = std::max<std::int64_t>(box_bytes / element_size_ / box_elements_, 1);
    const std::int64_t extent = std::max<std::int64_t>(std::min({shape_[a], room, most}), box_[a]);
    box_elements_ = box_elements_ / box_[a] * extent;
    box_[a] = extent;
  };
  if (other >= 0 && other != rank - 1) {
    extend(rank - 1, side);
    extend(other, side);
  }
  for (int axis = rank - 1; axis >= 0; --axis)
    if (axis == rank - 1 ||
        box_[static_cast<std::size_t>(axis) + 1] == shape_[static_cast<std::size_t>(axis) + 1])
      extend(axis, shape_[static_cast<std::size_t>(axis)]);
  for (std::size_t a = 0; a < shape_.size(); ++a)
    boxes_ *= (shape_[a] + box_[a] - 1) / box_[a];
}

MaskedChain::Box MaskedChain::box(std::int64_t number) const {
  Box box{DimVector(shape_.size(), 0), box_};
  for (std::size_t a = shape_.size(); a-- > 0;) {
    const std::int64_t count = (shape_[a] + box_[a] - 1) / box_[a];
    box.begin[a] = number % count * box_[a];
    box.extents[a] = std::min(box_[a], shape_[a] - box.begin[a]);
    number /= count;
  }
  return box;
}

/// Row after row of the box.
void MaskedChain::write(const TensorView& out, const Box& box, const char* values,
                        const char* mask) const {
  const MaskedStoreFn store = masked_store_kernel(element_size_);
  const std::size_t rank = shape_.size();
  char* to = static_cast<char*>(out.data());
  for (std::size_t a = 0; a < rank; ++a)
    to += box.begin[a] * out.strides()[a] * element_size_;
  if (rank == 0) return store(to, element_size_, values, mask, 1);
  const std::int64_t row = box.extents[rank - 1];
  const std::int64_t step = out.strides()[rank - 1] * element_size_;
  const std::int64_t rows = numel(box.extents) / row;
  DimVector at(rank, 0);
  for (std::int64_t r = 0; r < rows; ++r) {
    store(to, step, values + r * row * element_size_, mask + r * row, row);
    for (std::size_t a = rank - 1; a-- > 0;) {
      const std::int64_t stride = out.strides()[a] * element_size_;
      to += stride;
      if (++at[a] < box.extents[a]) break;
      to -= at[a] * stride;
      at[a] = 0;
    }
  }
}

void MaskedChain::run(const TensorView& out, const void* const* value_inputs,
                      const void* const* mask_inputs, bool serial) {
  const std::int64_t mask_room = (box_elements_ + cache_line_bytes - 1) & ~(cache_line_bytes - 1);
  const auto run_boxes = [&](std::int64_t begin, std::int64_t end) {
    const ScratchMemory memory(mask_room + box_elements_ * element_size_);
    char* const computed_mask = memory.data();
    char* const values = computed_mask + mask_room;
    for (std::int64_t number = begin; number < end; ++number) {
      const Box box = this->box(number);
      const char* mask = mask_.in_place(box.begin, box.extents, mask_inputs);
      if (mask == nullptr) {
        mask_.compute(box.begin, box.extents, computed_mask, mask_inputs);
        mask = computed_mask;
      }
      if (!selects_any(mask, numel(box.extents))) continue;
      values_.compute(box.begin, box.extents, values, value_inputs);
      write(out, box, values, mask);
    }
  };
  if (serial) return run_boxes(0, boxes_);
  parallel_for(boxes_, grain(), run_boxes);
}

Explanation::Run MaskedChain::explain() const {
  Explanation::Run run;
  run.instruction_set = weft::name(current_level());
  run.form = "masked-boxes";
  run.threads = static_cast<int>(
      std::clamp<std::int64_t>(boxes_ / grain(), 1, static_cast<std::int64_t>(num_threads())));
  run.span = run.tile[0] = box_elements_;
  run.tile[1] = 1;
  run.blocks = boxes_;
  run.bytes_moved = values_.input_bytes() + mask_.input_bytes() + numel(shape_) * element_size_;
  return run;
}

}  // namespace v0
}  // namespace weft
