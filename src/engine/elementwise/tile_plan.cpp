// SPDX-License-Identifier: Apache-2.0
#include "engine/elementwise/tile_plan.hpp"

#include <weft/base/checked.hpp>

#include "engine/elementwise/following_rows.hpp"
#include "engine/elementwise/operand_access.hpp"
#include "engine/elementwise/tile_form.hpp"
#include "engine/footprint.hpp"
#include "engine/grain.hpp"
#include "machine/tuning.hpp"

#include <algorithm>
#include <cstdlib>

namespace weft {
inline namespace v0 {
namespace {

/// What a strategy that is wanted says of non-temporal stores.
Streaming streaming_of(Strategy wanted) {
  if (wanted == Strategy::automatic) return Streaming::if_worth;
  return plain_form(wanted) != wanted ? Streaming::always : Streaming::never;
}
/// Of a form that can be streamed.
Strategy streamed_form(Strategy form) {
  return form == Strategy::row_tiles ? Strategy::streamed_row_tiles
                                     : Strategy::streamed_transposed_tiles;
}

void add_step(TilePlan& plan, const TensorIterator& iter, int dim, std::int64_t tile) {
  const std::int64_t extent = iter.geometry().extent(dim);
  tile = std::clamp<std::int64_t>(tile, 1, extent);
  const std::int64_t tiles = tile == extent ? 1 : ceil_div(extent, tile);
  plan.steps.push_back({dim, tile, tiles});
  plan.count *= tiles;
  plan.tile_elements *= tile;
}

/// All dims outside the tile. Of gathered rows first those along which a pattern repeats, so that
/// it is packed once for all of them.
void add_outer_steps(TilePlan& plan, const TensorIterator& iter) {
  const Geometry& geometry = iter.geometry();
  plan.tile_rank = static_cast<int>(plan.steps.size());
  const auto row_rank = static_cast<std::size_t>(plan.row_rank);
  const auto is_step = [&](int dim) {
    for (std::size_t s = row_rank; s < static_cast<std::size_t>(plan.tile_rank); ++s)
      if (plan.steps[s].dim == dim) return true;
    return false;
  };
  const auto repeats = [&](int dim) {
    for (int k = 0; k < geometry.noperands; ++k) {
      const TileOperand& t = plan.operands[k];
      if (t.access == Access::staged && !t.is_output && geometry.stride(dim, k) == 0) return true;
    }
    return false;
  };
  for (const bool first : {true, false}) {
    for (int d = plan.row_rank; d < iter.ndim(); ++d) {
      if (!is_step(d) && first == (plan.row_rank > 1 && repeats(d))) add_step(plan, iter, d, 1);
    }
  }
}

/// Settles how spans of each operand are had, now that rows are laid down: in place if it is dense
/// over all of a row, as one value if it stands still.
void settle_rows(TilePlan& plan, const Geometry& geometry) {
  plan.row_elements = plan.tile_elements;
  for (std::size_t k = 0; k < plan.operands.size(); ++k) {
    TileOperand& t = plan.operands[k];
    const RowLayout layout =
        row_layout(geometry, static_cast<int>(k), t.memory_size, plan.row_rank);
    if ((t.access == Access::direct && !layout.dense) ||
        (t.access == Access::broadcast && !layout.still)) {
      stage(t);
    }
    t.pack = !layout.dense;
    t.one_per_row = t.one_per_row && layout.still;
  }
}

/// Tiles of as many of the rows laid down so far as fit.
void tile_rows(TilePlan& plan, const TensorIterator& iter, int second, std::int64_t capacity) {
  settle_rows(plan, iter.geometry());
  if (iter.ndim() == plan.row_rank) return;
  const std::int64_t rows = capacity / plan.row_elements;
  // Whole chunks, so that each tile begins on a line where the first one does.
  add_step(plan, iter, second,
           rows <= plan.chunk_rows ? plan.chunk_rows : rows / plan.chunk_rows * plan.chunk_rows);
}

/// True if a streamed output does not go on along `dim` where rows over the dims so far end.
bool ends_stream(const TilePlan& plan, const Geometry& geometry, int dim, std::int64_t elements) {
  for (int k = 0; k < geometry.noperands; ++k) {
    const TileOperand& t = plan.operands[k];
    if (t.access == Access::streamed && geometry.stride(dim, k) != elements * t.memory_size)
      return true;
  }
  return false;
}

/// Parts of `extent`, of `length` each unless what is left over would be a small part of that: then
/// a little more.
std::int64_t part_of(std::int64_t extent, std::int64_t length) {
  const std::int64_t parts = extent / length;
  const bool leaves_little = parts > 0 && 8 * (extent % length) <= length;
  return std::min(extent, leaves_little ? ceil_div(extent, parts) : length);
}

/// Parts of `extent` of at most `most` elements of `size` bytes: about equally long, of whole
/// lines.
std::int64_t parts_of_whole_lines(std::int64_t extent, std::int64_t most, std::int64_t size) {
  const std::int64_t in_line = std::max<std::int64_t>(cache_line_bytes / size, 1);
  if (most < in_line) return most;
  const std::int64_t part = ceil_div(extent, ceil_div(extent, most));
  return std::min(most / in_line, ceil_div(part, in_line)) * in_line;
}

/// Elements of a row of a tile that is streamed, or prefetched, of at most `most` elements and so
/// many rows: 512 bytes of the widest output, more in few rows if no input is read in place beside
/// them. Where the caches are asked for what is next, a KiB, or so much less that the runs of the
/// transposed operand, each shorter than a row but read once, not written as well, do not get too
/// short: one costs about a third of a row.
std::int64_t long_run(const TilePlan& plan, const Tuning& tuning, std::int64_t most,
                      std::int64_t rows) {
  std::int64_t widest = 1;
  for (const TileOperand& t : plan.operands)
    if (t.is_output) widest = std::max<std::int64_t>(widest, t.memory_size);
  if (!plan.prefetches) {
    const std::int64_t run = tuning.transposed_row_bytes / 2 / widest;
    const bool is_narrow = rows <= tuning.min_transposed_side;
    return is_narrow && std::ranges::none_of(plan.operands, &TileOperand::is_read_in_place)
               ? std::max(run, tuning.max_staged / rows)
               : run;
  }
  std::int64_t run = tuning.transposed_row_bytes / widest;
  while (run * run > 6 * most)
    run /= 2;
  return run;
}

/// The dim along which all transposed operands go on where they end along `transposed_dim`, or 0.
int run_of_transposed(const TilePlan& plan, const Geometry& geometry, const Tuning& tuning,
                      int transposed_dim) {
  if (plan.streams() || plan.prefetches) return 0;
  int run = 0;
  for (int k = 0; k < geometry.noperands; ++k) {
    const TileOperand& t = plan.operands[k];
    if (t.access != Access::staged || !t.is_transposed()) continue;
    const int next = continuing_dim(geometry, tuning, k, transposed_dim, t.memory_size);
    if (next == 0 || (run != 0 && next != run)) return 0;
    run = next;
  }
  return run;
}

/// Such operands: what a line and more of them holds, and as much along dim 0 as the buffers do
/// then.
void tile_runs(TilePlan& plan, const TensorIterator& iter, const Totals& totals, const Tuning& t,
               int run) {
  const Geometry& geometry = iter.geometry();
  const std::int64_t width = geometry.extent(totals.transposed_dim);
  const std::int64_t most = t.transposed_tile_bytes / totals.staged_bytes;  // elements
  const std::int64_t wanted = t.transposed_run_bytes / 2 / (width * totals.transposed_size);
  const std::int64_t planes =
      std::clamp<std::int64_t>(std::min(wanted, most / width), 1, geometry.extent(run));
  add_step(plan, iter, 0,
           std::min(most / (width * planes), t.transposed_run_bytes / totals.transposed_size));
  settle_rows(plan, geometry);
  add_step(plan, iter, totals.transposed_dim, width);
  add_step(plan, iter, run, planes);
}

/// Operands of different orders: nearly squares, so that each uses up the lines and pages it
/// touches. Of the transposed one several lines of a row are taken at a time, and along
/// dim 0 what the buffers hold.
void tile_transposed(TilePlan& plan, const TensorIterator& iter, const Totals& totals,
                     const Tuning& t) {
  if (const int run = run_of_transposed(plan, iter.geometry(), t, totals.transposed_dim); run != 0)
    return tile_runs(plan, iter, totals, t, run);
  const std::int64_t min_row =
      std::min(t.transposed_row_bytes / totals.transposed_size, t.max_transposed_run);
  const Geometry& geometry = iter.geometry();
  const TransposedTile tile = transposed_tile(plan, iter, totals, t);
  const bool near = tile.in_first_level;
  const std::int64_t most =
      std::min(tile.stage_bytes, tuning_maximum::transposed_tile_bytes) / totals.staged_bytes;
  const std::int64_t width = geometry.extent(totals.transposed_dim);
  const std::int64_t wide = t.max_transposed_run;
  std::int64_t usual = std::clamp(tile.run_bytes / totals.transposed_size,
                                  std::min(t.min_transposed_side * (near ? 1 : 2), wide), wide);
  if (usual == wide && !rows_fit(plan, geometry, t, totals.transposed_dim, usual)) usual = wide / 2;
  const std::int64_t rows = near ? part_of(width, usual) : std::min(width, usual);
  // A side that is in one tile as a whole: then dim 0 is walked straight on, and tiles need not
  // be larger than what makes for long runs.
  const bool whole = rows == width;
  std::int64_t capacity =
      whole ? std::min(most, std::max(t.tile_bytes / 2 / totals.staged_bytes, rows * min_row))
            : most;
  std::int64_t along = std::max<std::int64_t>(capacity / rows, 1);
  if (plan.streams() || plan.prefetches) along = std::min(along, long_run(plan, t, most, rows));
  const std::int64_t count = std::min(width, capacity / along);  // of rows
  const std::int64_t row = row_of_transposed(plan, totals, t, geometry.extent(0), {along, count});
  add_step(plan, iter, 0, row);
  if (plan.steps.back().tiles > 1) capacity = count * row;
  // Where dim 0 is short, what follows it makes longer rows, if that stages nothing else or there
  // is too little in a tile otherwise.
  bool stages_more = false;
  for (int d = 1; d < totals.transposed_dim && plan.steps.back().tiles == 1; ++d) {
    if (ends_stream(plan, geometry, d, plan.tile_elements)) break;
    if (!stages_more && staged_by(plan.operands, geometry, d, plan.tile_elements) != 0) {
      if (plan.tile_elements * rows >= t.enough_gathered) break;
      stages_more = true;
      capacity = std::min(capacity, t.transposed_tile_bytes / totals.all_bytes);
      along = capacity / rows;
    }
    const std::int64_t more = along / plan.tile_elements;
    if (more < 2) break;
    add_step(plan, iter, d, more);
    ++plan.row_rank;
  }
  if (plan.prefetches)
    capacity = parts_of_whole_lines(width, capacity / plan.tile_elements, totals.transposed_size) *
               plan.tile_elements;
  tile_rows(plan, iter, totals.transposed_dim, capacity);
}

/// The dim along which tiles of at most `most` elements have their rows: dim 1, or a much longer
/// one where that is too short for a tile and has no rows that follow, if what lies between two
/// visits to a place stays in the second level; in the first, where an operand is strided along dim
/// 0, so that rows may share all their lines.
int dim_of_tile(const TilePlan& plan, const Geometry& geometry, const Tuning& t,
                std::int64_t most) {
  if (has_following_rows(geometry, t)) return 1;
  std::int64_t element_bytes = 0, reach = t.l2_bytes;
  for (int k = 0; k < geometry.noperands; ++k) {
    const TileOperand& operand = plan.operands[k];
    element_bytes += operand.memory_size;
    if (std::abs(geometry.stride(0, k)) > operand.memory_size) reach = t.l1_bytes;
  }
  int best = 1;
  std::int64_t visits = 1;
  for (int d = 2; d < geometry.ndim(); ++d) {
    if (2 * geometry.extent(best) * geometry.extent(0) > most) break;
    visits *= geometry.extent(d - 1);
    const std::int64_t tile = std::min(most, geometry.extent(d) * geometry.extent(0));
    if (visits > reach / (tile * element_bytes)) break;
    if (geometry.extent(d) >= 2 * geometry.extent(best)) best = d;
  }
  return best;
}

/// Tiles of rows along dim 0.
void tile_along_rows(TilePlan& plan, const TensorIterator& iter, const Totals& totals,
                     const Tuning& t, std::int64_t most) {
  // What is had once a row hardly counts, but its buffers are to fit as well.
  if (totals.per_row_bytes != 0) {
    const std::int64_t rows = std::max<std::int64_t>(t.tile_bytes / 2 / totals.per_row_bytes, 1);
    most = std::min(most, rows * iter.geometry().extent(0));
  }
  add_step(plan, iter, 0, most);
  // Rows that are streamed together follow each other along dim 1.
  const int along = plan.chunk_rows > 1 ? 1 : dim_of_tile(plan, iter.geometry(), t, most);
  tile_rows(plan, iter, along, most);
}

/// Whether an input is the same all along a dim beyond `dim`: what is packed of it serves for all
/// tiles along that, if these follow each other.
bool repeats_beyond(const TilePlan& plan, const Geometry& geometry, int dim) {
  for (int k = 0; k < geometry.noperands; ++k) {
    const TileOperand& t = plan.operands[k];
    if (t.is_output || t.access == Access::broadcast) continue;
    for (int d = dim + 1; d < geometry.ndim(); ++d)
      if (geometry.stride(d, k) == 0) return true;
  }
  return false;
}

/// Gathering: as many of the inner dims as fit become one span. Nothing is streamed: rows are
/// short. `capacity` holds for what is staged already, `capacity_all` if all operands are.
void tile_gathered(TilePlan& plan, const TensorIterator& iter, const Tuning& t,
                   std::int64_t capacity, std::int64_t capacity_all) {
  const Geometry& geometry = iter.geometry();
  std::int64_t elements = 1;
  for (int d = 0; d < geometry.ndim(); ++d) {
    const std::int64_t extent = geometry.extent(d);
    if (staged_by(plan.operands, geometry, d, elements) != 0) {
      capacity = capacity_all;
      if (d > 0 && (elements >= t.enough_gathered || 2 * elements > capacity)) break;
    }
    const bool whole = elements * extent <= capacity;
    // Tiles along a dim that is cut come before those along a dim in which something repeats.
    if (!whole && elements >= t.enough_gathered && repeats_beyond(plan, geometry, d)) break;
    add_step(plan, iter, d, whole ? extent : capacity / elements);
    if (plan.steps.back().tiles > 1) break;
    elements *= extent;
    if (2 * elements > capacity) break;
  }
  plan.row_rank = static_cast<int>(plan.steps.size());
  settle_rows(plan, geometry);
}

/// Transposed outputs are written by non-temporal stores as well.
void stream_blocks(TilePlan& plan, const TensorIterator& iter) {
  for (int k = 0; k < iter.noutputs(); ++k) {
    TileOperand& t = plan.operands[k];
    if (t.access != Access::staged || !t.is_transposed() || iter.operand(k).is_read_write) continue;
    t.move = stream_block_kernel(t.memory_size);
    t.streams_blocks = true;
  }
}

/// Several rows are one chunk if it holds them, since a call of a chain takes as long as a hundred
/// elements. An operand that is packed chunk by chunk allows one row alone.
void fill_chunks(TilePlan& plan) {
  const auto by_chunk = [](const TileOperand& t) { return t.access == Access::chunked; };
  if (plan.in_chunks() && plan.chunk_rows == 1 && std::ranges::none_of(plan.operands, by_chunk))
    plan.chunk_rows = std::max(plan.chunk / plan.row_elements, std::int64_t{1});
}

}  // namespace

TilePlan plan_tiles(const TensorIterator& iter, const SpanKernel& kernel, const Tuning& tuning,
                    const RunOptions& options, Strategy wanted) {
  TilePlan plan;
  const Geometry& geometry = iter.geometry();
  const Streaming streaming = streaming_of(wanted);
  plan.operands = classify(iter, kernel, tuning, streaming);
  plan.chunk = tuning.max_chunk;
  for (const TileOperand& t : plan.operands)
    if (t.access == Access::streamed) plan.chunk = std::min<std::int64_t>(plan.chunk, t.chunk);
  Totals totals = totals_of(plan.operands);
  const Strategy form = wanted == Strategy::automatic
                            ? choose_form(plan.operands, geometry, totals, kernel, tuning)
                            : possible_form(plan.operands, geometry, totals, kernel, wanted);
  const std::int64_t row = geometry.extent(0);
  bool streams_blocks = false;
  switch (form) {
    case Strategy::strided_tiles:
      for (TileOperand& t : plan.operands)
        t.access = Access::strided;
      break;
    case Strategy::transposed_tiles: {
      const std::int64_t width = geometry.extent(totals.transposed_dim);
      const bool far = tuning.has_far_last_level();
      const bool is_long = row >= tuning.min_prefetched_side;
      const std::int64_t least = far ? tuning.min_prefetched_side : tuning.min_transposed_side;
      plan.prefetches = is_long && width >= least &&
                        bytes_touched(iter) > tuning.last_level_bytes &&
                        (!far || worth_prefetching(plan, geometry, totals, tuning));
      streams_blocks = plan.prefetches && !far;
      // To a near last level: what is prefetched, and what is narrow, so that a tile has all of it
      // and the memory's prefetchers see long runs. To a far one: what is not prefetched.
      const bool is_streamed =
          far ? !plan.prefetches && std::min(row, width) >= tuning.min_streamed_side
              : plan.prefetches || (is_long && width < least);
      const bool streams =
          is_streamed && goes_by_rows(plan.operands, geometry, totals, tuning, kernel.cost);
      if (!streams && streaming == Streaming::if_worth) stop_streaming(plan.operands);
      break;
    }
    case Strategy::row_tiles:
      if (row >= tuning.min_chunked_row)
        plan.chunk = pack_in_chunks(plan.operands, geometry, tuning, plan.chunk);
      // Rows of tiles that cut them, or go along another dim than the next, do not follow each
      // other in memory.
      stream_several_rows(plan, iter, kernel, tuning);
      break;
    default: stop_streaming(plan.operands); break;  // rows are short
  }
  totals = totals_of(plan.operands);
  switch (form) {
    case Strategy::transposed_tiles: tile_transposed(plan, iter, totals, tuning); break;
    case Strategy::gathered_tiles:
      tile_gathered(plan, iter, tuning,
                    elements_of_tile(tuning.tile_bytes / 2, totals.staged_bytes, tuning),
                    elements_of_tile(tuning.tile_bytes, totals.all_bytes, tuning));
      break;
    default: tile_along_rows(plan, iter, totals, tuning, elements_of_rows(totals, tuning)); break;
  }
  add_outer_steps(plan, iter);
  if (form == Strategy::transposed_tiles &&
      (streaming == Streaming::if_worth ? streams_blocks : streaming == Streaming::always)) {
    stream_blocks(plan, iter);
  }
  stream_in_place(plan, iter, kernel, tuning);
  fill_chunks(plan);
  plan.strategy = plan.streams() ? streamed_form(form) : form;
  int staged = 0;
  for (const TileOperand& t : plan.operands) {
    if (t.access == Access::chunked || t.access == Access::staged) ++staged;
  }
  plan.grain = plan.count;
  if (plan.count > 1) {
    const std::int64_t elements = estimate_grain(iter, kernel.cost, options, staged);
    plan.grain = std::max<std::int64_t>(1, elements / plan.tile_elements);
  }
  return plan;
}

}  // namespace v0
}  // namespace weft
