// SPDX-License-Identifier: Apache-2.0
/// @file
/// The walk of softmax.
#pragma once

#include "engine/axis/axis_walk.hpp"
#include "engine/axis/softmax_totals.hpp"
#include "machine/fixed_sizes.hpp"
#include "machine/scratch_memory.hpp"
#include "machine/tuning.hpp"

#include <array>

namespace weft {
inline namespace v0 {

/// Lines or columns are worked on whole, in place or in a buffer, while a cache holds them; longer
/// ones are gone through twice, block by block. Terms are by the largest elements so far; they stay
/// in the output or, of columns, in a buffer if that is staged, or are computed again.
class SoftmaxWalk : public AxisWalk {
 public:
  SoftmaxWalk(const AlongAxis& operands, const SoftmaxKernel& kernel, const Tuning& t)
      : AxisWalk(operands, std::array{kernel.type, kernel.type}.data(), softmax_ns),
        kernel_(kernel) {
    // The way of working shows in the last bits: it depends neither on how many columns a piece has
    // nor on the machine.
    const bool dense_lines = out().lines_dense && in().lines_dense;
    const bool dense_columns = out().has_kernel_columns() && in().has_kernel_columns();
    // Of lines in place, short ones, if there are several, are sooner turned into columns; of
    // staged ones, those are taken of which there are too few to make columns of them.
    const bool lines =
        extent(0) > 1 && (extent(1) < fixed::several_lines ||
                          (dense_lines && (converts() || extent(0) >= kernel.min_line)));
    const bool in_place = lines && dense_lines && !converts();
    if (!in_place && !(dense_columns && extent(1) >= fixed::line_elements) && plan_buffer()) return;
    const bool wide = extent(1) * in().kernel_size >= fixed::softmax_min_row_bytes;
    staged_form_ = AxisForm::staged;
    in_place || (lines && !(dense_columns && wide)) ? plan_lines() : plan_columns(dense_columns, t);
  }

  void run(std::int64_t begin, std::int64_t end) const {
    if (whole_) return run_whole(begin, end);
    if (!by_lines_) return run_blocks<ColumnTotals>(begin, end);
    kernel_.type == ScalarType::f32 ? run_blocks<LineTotals<float>>(begin, end)
                                    : run_blocks<LineTotals<double>>(begin, end);
  }

 private:
  AxisOperand& out() { return operands_[0]; }
  AxisOperand& in() { return operands_[1]; }
  const AxisOperand& out() const { return operands_[0]; }
  const AxisOperand& in() const { return operands_[1]; }
  bool converts() const { return out().converts() || in().converts(); }

  // ---- The plan ---------------------------------------------------------------------------------

  void plan_lines() {
    const std::int64_t length = extent(0);
    by_lines_ = true;
    for (AxisOperand* o : {&out(), &in()})
      o->in_place = o->has_kernel_lines();
    whole_ = all_in_place() && length >= kernel_.min_line && length <= fixed::few_along_axis;
    keeps_ = kernel_.scale_line != nullptr && out().in_place;
    set_width(1);
    if (whole_) return set_width(std::min(fixed::few_along_axis / length, max_softmax_lines));
    const std::int64_t staged =
        fixed::softmax_line_buffers_bytes /
        (out().memory_size + out().kernel_size + in().memory_size + in().kernel_size);
    set_tile(0, all_in_place() ? fixed::softmax_line_block_bytes / in().kernel_size
                               : staged - staged % fixed::line_elements);
  }

  /// Whole lines or columns in a buffer; false if that does not hold them, or if it reads memory
  /// badly.
  bool plan_buffer() {
    const std::int64_t fit = fixed::softmax_whole_bytes / max_size(), length = extent(0);
    if (length > fit) return false;
    set_columns(fit / length);
    // Of rows, columns that fit a few at a time would read cache lines again and again.
    const std::int64_t width = tile(1), column_bytes = std::abs(in().column_bytes);
    if (std::abs(in().axis_bytes) > column_bytes && width < extent(1) &&
        (width < fixed::softmax_min_width || width * column_bytes < fixed::softmax_min_width_bytes))
      return false;
    whole_ = true;
    by_lines_ = length >= kernel_.min_line && !reads_rows();
    return true;
  }

  void plan_columns(bool dense, const Tuning& t) {
    using fixed::min_columns;
    const bool one_dim = dense || (extent(1) >= min_columns && !dense_second_);
    for (AxisOperand* o : {&out(), &in()})
      o->in_place = one_dim && o->has_kernel_columns();
    const std::int64_t column_bytes = extent(0) * in().kernel_size;
    const std::int64_t plane_bytes = column_bytes * std::min(extent(1), max_softmax_columns);
    whole_ = dense && (extent(0) <= few_softmax_rows || plane_bytes <= fixed::softmax_plane_bytes);
    keeps_ = kernel_.scale != nullptr && !whole_ &&
             (out().in_place || column_bytes <= fixed::softmax_kept_column_bytes);
    if (!whole_) set_tile(0, softmax_block_rows);
    const auto columns_of_bytes = [&](std::int64_t bytes) {
      const std::int64_t columns = bytes / column_bytes;
      return std::clamp(columns - columns % min_columns, min_columns, max_softmax_columns);
    };
    std::int64_t max = max_softmax_columns;
    if (whole_) {
      max = std::max(max / 4, columns_of_bytes(t.l1_tile_bytes));
    } else if (keeps_ && !out().in_place) {
      max = columns_of_bytes(fixed::softmax_kept_column_bytes * min_columns);
    }
    one_dim ? set_width(std::min(max, even_columns(max_softmax_columns))) : set_columns(max);
  }

  // ---- Running ----------------------------------------------------------------------------------

  /// The block at hand, but for the input.
  SoftmaxBlock block(const TileCursor& at, char* dense) const {
    return {target(at, 0, dense), step_bytes(at, 0), nullptr,
            step_bytes(at, 1),    at.extents[0],     at.extents[1] * at.extents[2]};
  }

  void run_whole(std::int64_t begin, std::int64_t end) const {
    const ScratchMemory scratch(2 * fixed::softmax_whole_bytes);
    char* const dense = scratch.data();
    char* const others = dense + fixed::softmax_whole_bytes;
    each_block(begin, end, [&](const TileCursor& at) {
      SoftmaxBlock b = block(at, dense);
      b.in = load(at, 1, dense, others);
      softmax_whole(kernel_, by_lines_, b);
      store(at, 0, b.out, others);
    });
  }

  template <class Totals>
  void run_blocks(std::int64_t begin, std::int64_t end) const {
    const std::int64_t rows = tile(0), row_bytes = tile_columns() * in().kernel_size;
    const bool buffers_all = keeps_ && !out().in_place;  // blocks have parts of the buffer each
    const std::int64_t others_at = whole_lines(buffers_all      ? blocks() * rows * row_bytes
                                               : all_in_place() ? 0
                                                                : rows * row_bytes);
    const std::int64_t maxima_at =
        others_at + whole_lines(all_in_place() ? 0 : rows * tile_columns() * max_size());
    const ScratchMemory scratch(maxima_at + (keeps_ ? blocks() * row_bytes : 0));
    char* const others = scratch.data() + others_at;
    const auto buffer = [&](const TileCursor& at) {
      return scratch.data() + (buffers_all ? at.at(0) * rows * row_bytes : 0);
    };
    const auto maxima = [&](const TileCursor& at) {
      return scratch.data() + maxima_at + at.at(0) * row_bytes;
    };
    for (std::int64_t piece = begin; piece < end; ++piece) {
      const std::int64_t first = piece * blocks(), last = first + blocks();
      Totals totals(kernel_, tile_columns());
      std::int64_t columns = 0;
      each_block(first, last, [&](const TileCursor& at) {
        SoftmaxBlock b = block(at, buffer(at));
        b.in = load(at, 1, buffer(at), others);
        columns = b.columns;
        totals.take_in(b, keeps_);
        if (keeps_) std::memcpy(maxima(at), totals.largest(), columns * in().kernel_size);
      });
      totals.settle(columns);
      each_block(first, last, [&](const TileCursor& at) {
        SoftmaxBlock b = block(at, buffer(at));
        if (!keeps_) b.in = load(at, 1, buffer(at), others);
        keeps_ ? totals.scale(b, maxima(at)) : totals.finish(b);
        store(at, 0, b.out, others);
      });
    }
  }

  const SoftmaxKernel& kernel_;
  bool whole_ = false;  // a piece is a block
  bool keeps_ = false;  // terms, from the first time that columns are gone through
};

}  // namespace v0
}  // namespace weft
