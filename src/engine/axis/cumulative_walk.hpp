// SPDX-License-Identifier: Apache-2.0
/// @file
/// The walk of a prefix operation.
#pragma once

#include <weft/kernel/cumulative_kernel.hpp>

#include "engine/axis/axis_walk.hpp"
#include "engine/elementwise/tile_plan.hpp"
#include "machine/fixed_sizes.hpp"
#include "machine/scratch_memory.hpp"

namespace weft {
inline namespace v0 {

/// Lines that are dense along the axis, by a kernel that takes them; columns that are dense next to
/// each other, row after row; and whatever is of other types or strided both ways through buffers.
class CumulativeWalk : public AxisWalk {
 public:
  CumulativeWalk(const TensorView& out, const TensorView& in, std::int64_t axis,
                 const CumulativeKernel& kernel, const Tuning& t)
      : AxisWalk(out, in, axis, kernel.out_type, kernel.in_type, cumulative_ns), kernel_(kernel) {
    const std::int64_t l1_bytes = std::min(t.l1_tile_bytes, max_stage_bytes);
    const bool takes_lines = kernel.advance_lines != nullptr && extent(0) > 1;
    const bool columns = out_.has_kernel_columns() && in_.has_kernel_columns();
    by_lines_ = takes_lines && out_.has_kernel_lines() && in_.has_kernel_lines();
    // Few columns are sooner turned into lines.
    out_.in_place = in_.in_place =
        by_lines_ || (columns && (extent(1) >= transposed_lanes || !takes_lines));
    if (by_lines_) {
      // Several at a time, as the kernel may be waiting for one and go on with another.
      set_width(std::clamp(t.min_thread_elements / extent(0), fixed::several_lines,
                           l1_bytes / 2 / kernel.accumulator_bytes));
    } else if (out_.in_place) {
      set_width(even_columns(l1_bytes / std::max(kernel.accumulator_bytes, wide_bytes)));
    } else {
      stage(takes_lines, l1_bytes);
    }
  }

  void run(std::int64_t begin, std::int64_t end) const {
    constexpr std::int64_t block_bytes = 2 * max_stage_bytes;
    const ScratchMemory scratch(3 * block_bytes + max_stage_bytes + cache_line_bytes);
    char* const given = scratch.data();
    char* const results = given + block_bytes;
    char* const others = results + block_bytes;
    char* const accumulators = others + block_bytes;
    const auto advance = by_lines_ ? kernel_.advance_lines : kernel_.advance;
    each_block(begin * blocks(), end * blocks(), [&](const TileCursor& at) {
      AxisBlock b = block(at, results);
      b.in = load(at, given, others);
      if (at.at(0) == 0) kernel_.start(kernel_.context, accumulators, b.columns);
      advance(kernel_.context, accumulators, b.out, b.out_step, b.in, b.in_step, b.rows, b.columns);
      store(at, b.out, others);
    });
  }

 private:
  /// Blocks that the first level holds, with half as many bytes of accumulators.
  void stage(bool takes_lines, std::int64_t l1_bytes) {
    using namespace fixed;
    const std::int64_t length = extent(0);
    std::int64_t fit = l1_bytes / max_size();
    // Short pieces of dims that are dense on one side each cost more than leaving the first level.
    const std::int64_t whole = fit / length;
    if (dense_second_ && whole >= line_elements && whole / extent(1) < line_elements / 2) fit *= 2;
    const std::int64_t max = std::min(fit, l1_bytes / 2 / kernel_.accumulator_bytes);
    // Of columns that do not fit whole, several next to each other.
    const auto set_at_least = [&](std::int64_t several) {
      set_columns(std::clamp(fit / length, std::min(max, several), max));
    };
    set_at_least(min_columns);
    by_lines_ = takes_lines && !reads_rows();
    if (by_lines_ && !dense_second_ && fit / length < min_columns) set_at_least(several_lines);
    const std::int64_t rows = fit / tile_columns();
    set_tile(0, rows >= length ? length : rows - rows % kernel_.step);
  }

  const CumulativeKernel& kernel_;
};

}  // namespace v0
}  // namespace weft
