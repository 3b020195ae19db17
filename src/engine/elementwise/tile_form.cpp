// SPDX-License-Identifier: Apache-2.0
#include "engine/elementwise/tile_form.hpp"

#include <weft/base/checked.hpp>

#include "engine/footprint.hpp"
#include "machine/tuning.hpp"

#include <algorithm>
#include <bit>

namespace weft {
inline namespace v0 {

std::uint32_t staged_by(const TileOperands& operands, const Geometry& geometry, int dim,
                        std::int64_t elements) {
  std::uint32_t staged = 0;
  for (int k = 0; k < geometry.noperands; ++k) {
    const TileOperand& t = operands[k];
    const std::int64_t stride = geometry.stride(dim, k);
    const bool ends = t.access == Access::direct && stride != elements * t.memory_size;
    if (ends || (t.is_value() && stride != 0)) staged |= 1U << k;
  }
  return staged;
}

namespace {

/// Rows at least this long, of elements of at most `widest` bytes, are spans of their own where
/// nothing has to be staged; shorter ones are gathered. Kernels that cost more than an add lose
/// more to spans that do not fill a register.
std::int64_t min_direct_row(const Tuning& t, float cost, std::int64_t widest) {
  if (cost <= plain_cost) return widest > 8 ? t.min_row / 2 : t.min_row;
  return cost < high_cost ? t.min_costly_row : 2 * t.min_costly_row;
}

/// Bytes of the largest element that the kernel sees.
std::int64_t widest_element(const TileOperands& operands) {
  std::int64_t widest = 1;
  for (const TileOperand& t : operands)
    widest = std::max<std::int64_t>(widest, t.kernel_size);
  return widest;
}

/// True if rows have bytes among their elements and end in many single ones. A loop takes as many
/// elements at a time as bytes fill a register, however large the others are, and what is left over
/// one by one.
bool ends_bytes_singly(const TileOperands& operands, std::int64_t row) {
  const bool has_bytes = std::ranges::any_of(operands, [](const TileOperand& t) {
    return t.access == Access::direct && t.kernel_size == 1;
  });
  return has_bytes && row % register_bytes * (register_bytes / 4) >= row;
}

/// True if rows of a plan that stages nothing end in so many single elements that gathering is
/// quicker: it packs nothing, or rows do not fill a register.
bool ends_in_singles(const TileOperands& operands, const Geometry& geometry) {
  const std::int64_t row = geometry.extent(0);
  if (!ends_bytes_singly(operands, row)) return false;
  bool packs = false;
  for (int k = 0; k < geometry.noperands; ++k) {
    const TileOperand& t = operands[k];
    const std::int64_t stride = geometry.stride(1, k);
    const bool repeats = stride == 0 && !t.is_output;
    const bool dense = t.access == Access::direct && stride == row * t.memory_size;
    packs = packs || !(repeats || dense);
  }
  return row < register_bytes || !packs;
}

/// Whether gathering short rows of a plan that stages nothing packs at most inputs that repeat, and
/// seldom: once for so many tiles at least, or where all rows are one.
bool gathers_seldom(const TileOperands& operands, const Geometry& geometry, const Tuning& t) {
  const std::int64_t row = geometry.extent(0);
  std::uint32_t packed = 0;
  std::int64_t elements = row;
  int dim = 1;  // up to the first that a tile cuts, or does not reach
  for (; dim < geometry.ndim(); ++dim) {
    const std::uint32_t more = packed | staged_by(operands, geometry, dim, elements);
    if (more != packed && elements >= t.enough_gathered) break;
    packed = more;
    if (elements * geometry.extent(dim) > t.max_staged) break;
    elements *= geometry.extent(dim);
  }
  if (packed == 0) return dim < geometry.ndim() || elements >= t.min_repeats * row;
  const int first = std::countr_zero(packed);
  if (operands[static_cast<std::size_t>(first)].is_output) return false;  // they come first
  const auto all_repeat = [&](int along) {
    for (std::uint32_t left = packed; left != 0; left &= left - 1)
      if (geometry.stride(along, std::countr_zero(left)) != 0) return false;
    return true;
  };
  if (geometry.ndim() == 2) return geometry.extent(1) >= t.min_repeats && all_repeat(1);
  for (; dim < geometry.ndim(); ++dim, elements = t.max_staged) {
    const bool often = elements * geometry.extent(dim) >= t.min_repeats * t.max_staged;
    if (often && all_repeat(dim)) return true;
  }
  return false;
}

/// True if rows of a plan that stages nothing are short, or end in many single elements of one or
/// two bytes, and gathering them costs nothing but to pack inputs that repeat, seldom, or one value
/// along a short row.
bool gathers_for_free(const TileOperands& operands, const Geometry& geometry,
                      const Tuning& tuning) {
  if (geometry.ndim() == 1) return false;
  const std::int64_t widest = widest_element(operands);
  const std::int64_t row = geometry.extent(0);
  const bool in_cache = geometry.numel() * widest <= tuning.l2_bytes;
  const bool is_short =
      row * widest <= (in_cache ? tuning.short_row_bytes : tuning.short_row_bytes / 2);
  if (is_short && gathers_seldom(operands, geometry, tuning)) return true;
  const bool ends_singly = widest <= 2 && row % (register_bytes / widest) * register_bytes >= row;
  if (!ends_singly || geometry.extent(1) < tuning.min_repeats) return false;
  for (int k = 0; k < geometry.noperands; ++k) {
    const TileOperand& t = operands[k];
    const std::int64_t stride = geometry.stride(1, k);
    if (stride == 0 && !t.is_output) continue;
    if (t.access == Access::broadcast && !t.constant && row * widest <= cache_line_bytes) continue;
    if (t.access != Access::direct || stride != row * t.memory_size) return false;
  }
  return true;
}

/// True if rows of a plan that stages some operands had better stay separate: gathering would stage
/// one more.
bool keeps_rows_separate(const TileOperands& operands, const Geometry& geometry, const Tuning& t,
                         float cost) {
  if (cost > plain_cost) return false;
  const std::int64_t row = geometry.extent(0);
  if (row * widest_element(operands) < t.min_mixed_row_bytes) return false;
  // Tiles of rows end where dim 1 does.
  if (row * geometry.extent(1) < std::min(t.enough_gathered, geometry.numel())) return false;
  return staged_by(operands, geometry, 1, row) != 0 && !ends_bytes_singly(operands, row);
}

/// Operands of which a tile visits runs of bytes of its own: all but those that are one value, or
/// one for each row.
int count_walked(const TileOperands& operands) {
  int count = 0;
  for (const TileOperand& t : operands)
    count += t.is_value() ? 0 : 1;
  return count;
}

/// True if a gathered tile would read a line for each element of a transposed operand, from beyond
/// the second level; or from beyond the first, where that cannot hold the lines of a tile, and one
/// operand alone moves beside the transposed one. The operand is dense along a dim that the tile
/// does not reach or cuts, so the rest of these lines is wanted by later tiles.
bool gathers_from_far(const TileOperands& operands, const Geometry& geometry, const Totals& totals,
                      const Tuning& t) {
  if (totals.transposed_dim <= 1) return false;
  if (geometry.numel() * totals.transposed_size > t.l2_bytes) return true;
  const std::int64_t beside = geometry.numel() / geometry.extent(totals.transposed_dim);
  const std::int64_t lines = std::min(beside, t.max_staged);
  return totals.staged == 1 && count_walked(operands) == 2 && lines * cache_line_bytes > t.l1_bytes;
}

/// Whether tiles of long rows find room there, a line of a transposed operand for each element of a
/// row.
bool long_rows_fit(const TilePlan& plan, const Geometry& geometry, const Totals& totals,
                   const Tuning& t) {
  const std::int64_t rows = t.l1_run_bytes / totals.transposed_size;
  const std::int64_t row =
      std::min(t.transposed_tile_bytes / totals.staged_bytes / rows, geometry.extent(0));
  for (int k = 0; k < geometry.noperands; ++k) {
    const TileOperand& operand = plan.operands[k];
    if (operand.access != Access::staged || !operand.is_transposed()) continue;
    if (bytes_of_lines(geometry.stride(0, k), row) > t.l2_bytes) return false;
  }
  return true;
}

/// Whether so many rows of a buffer, of so many bytes, are too many for the sets of the first level
/// that they share: lines are written there in parts, and evicted before they are complete.
[[gnu::noinline]] bool have_set_conflicts(std::int64_t rows, std::int64_t bytes) {
  // Rows that are further from each other than a way is long share no more sets.
  return 2 * bytes_of_lines(bytes | l1_way_bytes, rows) > l1_ways * l1_way_bytes;
}

}  // namespace

bool goes_by_rows(const TileOperands& operands, const Geometry& geometry, const Totals& totals,
                  const Tuning& t, float cost) {
  const std::int64_t row = geometry.extent(0);
  if (geometry.ndim() == 1 || row >= t.min_staged_row) return true;
  const bool in_place = totals.staged_bytes == totals.per_row_bytes;  // or one value for each row
  if (in_place && row >= min_direct_row(t, cost, widest_element(operands)) &&
      !ends_in_singles(operands, geometry)) {
    return totals.staged != 0 || !gathers_for_free(operands, geometry, t);
  }
  return totals.staged != 0 && totals.transposed_dim == 0 &&
         keeps_rows_separate(operands, geometry, t, cost);
}

Strategy choose_form(const TileOperands& operands, const Geometry& geometry, const Totals& totals,
                     const SpanKernel& kernel, const Tuning& t) {
  if (can_step(operands, geometry, kernel) && prefers_strided(operands, geometry, kernel, t))
    return Strategy::strided_tiles;
  const std::int64_t row = geometry.extent(0);
  const bool by_rows = goes_by_rows(operands, geometry, totals, t, kernel.cost);
  // Planes of short rows that fit the first-level cache whole are gathered, several at a time.
  const bool small_planes = !by_rows && geometry.ndim() > 2 && totals.transposed_dim == 1 &&
                            row * geometry.extent(1) * totals.staged_bytes <= t.small_plane_bytes;
  const bool gathers =
      row < t.min_transposed_side &&
      !(kernel.cost <= plain_cost && gathers_from_far(operands, geometry, totals, t));
  if (totals.transposed_dim != 0 && !gathers && !small_planes) return Strategy::transposed_tiles;
  return by_rows ? Strategy::row_tiles : Strategy::gathered_tiles;
}

Strategy possible_form(const TileOperands& operands, const Geometry& geometry, const Totals& totals,
                       const SpanKernel& kernel, Strategy wanted) {
  const Strategy form = plain_form(wanted);
  switch (form) {
    case Strategy::strided_tiles:
      if (can_step(operands, geometry, kernel)) return form;
      break;
    case Strategy::transposed_tiles:
      if (totals.transposed_dim != 0) return form;
      break;
    case Strategy::gathered_tiles:
      if (geometry.ndim() > 1) return form;
      break;
    default: break;
  }
  return Strategy::row_tiles;
}

/// Tiles in the second-level cache do best, but for planes of 4-byte elements and larger where the
/// first level has room: what is touched comes from no further than a few times the second level
/// then (from there itself if one side is short), or from a near last level, if a single operand of
/// 8 bytes an element and more is transposed. With more operands than an output, a transposed one
/// and another, rows are long instead, since each is a run of bytes of every operand in place; but
/// not if lines of the transposed ones, one for each element of a row, have set conflicts.
TransposedTile transposed_tile(const TilePlan& plan, const TensorIterator& iter,
                               const Totals& totals, const Tuning& t) {
  const auto tile = [&](std::int64_t run, std::int64_t stage) {
    return TransposedTile{run, stage, stage < t.l1_bytes};
  };
  const auto wide_tile = [&](std::int64_t run) { return tile(run, run * t.max_transposed_run); };
  const TransposedTile usual{t.transposed_run_bytes, t.transposed_tile_bytes, false};
  const Geometry& geometry = iter.geometry();
  const TransposedTile long_rows{t.l1_run_bytes, t.transposed_tile_bytes, false};
  if (plan.prefetches) return long_rows;
  if (count_walked(plan.operands) > few_operands)
    return long_rows_fit(plan, geometry, totals, t) ? long_rows : usual;
  if (totals.transposed_size < word_bytes || geometry.ndim() != 2 ||
      totals.staged_bytes > totals.staged * totals.transposed_size) {
    return usual;
  }
  const std::int64_t side = std::min(geometry.extent(0), geometry.extent(1));
  if (side < t.min_transposed_side) return usual;
  const std::int64_t bytes = bytes_touched(iter);
  const bool is_short = side < 2 * t.min_transposed_side;
  const bool wide = totals.transposed_size >= wide_bytes && totals.staged == 1 && !is_short;
  const std::int64_t reach = is_short ? std::min<std::int64_t>(t.l1_tile_reach, 1)
                             : wide   ? t.wide_tile_reach
                                      : t.l1_tile_reach;
  if (bytes <= reach * t.l2_bytes) return tile(t.l1_run_bytes, t.l1_tile_bytes);
  if (!wide) return usual;
  return bytes <= t.l3_bytes / 4 * 3 ? wide_tile(t.wide_l3_run_bytes)
                                     : wide_tile(t.wide_memory_run_bytes);
}

std::int64_t row_of_transposed(const TilePlan& plan, const Totals& totals, const Tuning& t,
                               std::int64_t extent, const BufferRows& most) {
  const std::int64_t size = totals.transposed_size;
  std::int64_t line = std::max<std::int64_t>(cache_line_bytes / size, 1);  // elements
  for (const TileOperand& operand : plan.operands)
    if (operand.is_streamed())
      line = std::max<std::int64_t>(line, cache_line_bytes / operand.memory_size);
  const std::int64_t rows = size > 1 ? most.rows : 0;  // bytes are transposed by whole lines
  const bool is_short = extent * size < t.transposed_row_bytes;
  if (most.elements >= extent && (is_short || !have_set_conflicts(rows, extent * size)))
    return extent;
  const std::int64_t count = std::min(most.elements, extent - 1) / line, bytes = line * size;
  if (count == 0) return most.elements;
  std::int64_t longest = count;
  while (2 * longest > count && have_set_conflicts(rows, longest * bytes))
    --longest;
  if (2 * longest <= count) longest = count;  // lines of narrow operands leave no choice
  std::int64_t lines = ceil_div(ceil_div(extent, ceil_div(extent, longest * line)), line);
  while (lines < longest && have_set_conflicts(rows, lines * bytes))
    ++lines;
  return lines * line;
}

bool worth_prefetching(const TilePlan& plan, const Geometry& geometry, const Totals& totals,
                       const Tuning& t) {
  return std::ranges::any_of(plan.operands, &TileOperand::is_read_in_place) &&
         (count_walked(plan.operands) > few_operands || long_rows_fit(plan, geometry, totals, t));
}

bool rows_fit(const TilePlan& plan, const Geometry& geometry, const Tuning& t, int dim,
              std::int64_t rows) {
  std::int64_t bytes = 0;
  for (int k = 0; k < geometry.noperands; ++k) {
    if (plan.operands[k].access != Access::direct) continue;
    bytes += bytes_of_lines(geometry.stride(dim, k), rows);
  }
  return bytes <= t.l2_bytes;
}

}  // namespace v0
}  // namespace weft
