// SPDX-License-Identifier: Apache-2.0
#include "engine/axis/cumulative_walk.hpp"

#include "machine/fixed_sizes.hpp"
#include "machine/scratch_memory.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace weft {
inline namespace v0 {
namespace {

using Types = std::array<ScalarType, max_operands>;
Types types_of(const AlongAxis& operands, const CumulativeKernel& kernel, KeptAccumulators kept) {
  Types types;
  std::copy_n(kernel.types, types.size(), types.begin());
  if (kept.are_there()) types[static_cast<std::size_t>(operands.size() - 1)] = ScalarType::u8;
  return types;
}

}  // namespace

CumulativeWalk::CumulativeWalk(const AlongAxis& operands, const CumulativeKernel& kernel,
                               const Tuning& t, KeptAccumulators kept)
    : AxisWalk(operands, types_of(operands, kernel, kept).data(), cumulative_ns),
      kernel_(kernel),
      kept_(kept),
      moving_(kernel.noutputs + kernel.ninputs) {
  const std::int64_t l1_bytes = std::min(t.l1_tile_bytes, tuning_maximum::tile_bytes);
  const bool takes_lines = kernel.advance_lines != nullptr && extent(0) > 1;
  by_lines_ = takes_lines && all(&AxisOperand::has_kernel_lines);
  // Few columns are sooner turned into lines.
  const bool columns = !by_lines_ && all(&AxisOperand::has_kernel_columns) &&
                       (extent(1) >= transposed_lanes || !takes_lines);
  if (by_lines_) {
    // Several at a time, as the kernel may be waiting for one and go on with another.
    set_width(std::clamp(t.min_thread_elements / extent(0), fixed::several_lines,
                         l1_bytes / 2 / kernel.accumulator_bytes));
  } else if (columns) {
    set_width(even_columns(l1_bytes / std::max(kernel.accumulator_bytes, wide_bytes)));
  } else {
    stage(takes_lines, l1_bytes);
  }
  const bool one_dim = tile(2) == 1;
  for (int k = 0; k < moving_; ++k) {
    AxisOperand& o = operands_[k];
    o.in_place = one_dim && (by_lines_ ? o.has_kernel_lines() : o.has_kernel_columns());
    if (!o.in_place) staged_elements_ = tile(0) * tile_columns();
  }
}

bool CumulativeWalk::all(bool (AxisOperand::*has)() const noexcept) const {
  return std::all_of(operands_.begin(), operands_.begin() + moving_,
                     [has](const AxisOperand& o) { return (o.*has)(); });
}

/// Blocks that the first level holds, with half as many bytes of accumulators.
void CumulativeWalk::stage(bool takes_lines, std::int64_t l1_bytes) {
  using namespace fixed;
  const std::int64_t length = extent(0);
  std::int64_t fit = std::max<std::int64_t>(2 * l1_bytes / (moving_ * max_size()), kernel_.step);
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

/// Between a block's accumulators and where they are kept.
template <bool keeps>
void CumulativeWalk::move_kept(const TileCursor& at, char* accumulators) const {
  const int k = size() - 1;
  const auto bytes = static_cast<std::size_t>(kernel_.accumulator_bytes);
  for (std::int64_t i = 0; i < at.extents[2]; ++i) {
    char* kept = at.ptrs[k] + i * walked_.stride(2, k);
    for (std::int64_t j = 0; j < at.extents[1]; ++j) {
      std::memcpy(keeps ? kept : accumulators, keeps ? accumulators : kept, bytes);
      accumulators += bytes;
      kept += walked_.stride(1, k);
    }
  }
}

void CumulativeWalk::start(const TileCursor& at, char* accumulators, char* buffers,
                           std::int64_t buffer_bytes, char* others) const {
  if (kept_.begins) return move_kept<false>(at, accumulators);
  const std::int64_t columns = at.extents[1] * at.extents[2];
  const int nstarts = size() - moving_ - (kept_.are_there() ? 1 : 0);
  if (nstarts == 0) return kernel_.start(kernel_.context, accumulators, nullptr, columns);
  const char* starts[max_operands];
  for (int s = 0; s < nstarts; ++s)
    starts[s] = load(at, moving_ + s, 1, buffers + s * buffer_bytes, others);
  kernel_.start(kernel_.context, accumulators, starts, columns);
}

void CumulativeWalk::run(std::int64_t begin, std::int64_t end) const {
  const int nbuffers = std::max(staged_elements_ == 0 ? 0 : moving_, kernel_.nstarts);
  const std::int64_t buffer_bytes =
      whole_lines(std::max(staged_elements_, nbuffers == 0 ? 0 : tile_columns()) * max_size());
  const std::int64_t accumulators_at = (1 + nbuffers) * buffer_bytes;
  const ScratchMemory scratch(accumulators_at + tile_columns() * kernel_.accumulator_bytes);
  char* const others = scratch.data();
  char* const buffers = others + buffer_bytes;
  char* const accumulators = others + accumulators_at;
  const auto advance = by_lines_ ? kernel_.advance_lines : kernel_.advance;
  char* data[max_operands];
  std::int64_t steps[max_operands];
  each_block(begin * blocks(), end * blocks(), [&](const TileCursor& at) {
    if (at.at(0) == 0) start(at, accumulators, buffers, buffer_bytes, others);
    for (int k = 0; k < moving_; ++k) {
      char* const dense = buffers + k * buffer_bytes;
      data[k] = is_output(k) ? target(at, k, dense) : load(at, k, dense, others);
      steps[k] = step_bytes(at, k);
    }
    advance(kernel_.context, accumulators,
            {data, steps, at.extents[0], at.extents[1] * at.extents[2], kept_.totals_only});
    if (kept_.keeps && at.at(0) == blocks() - 1) move_kept<true>(at, accumulators);
    for (int k = 0; k < kernel_.noutputs && !kept_.totals_only; ++k)
      store(at, k, data[k], others);
  });
}

}  // namespace v0
}  // namespace weft
