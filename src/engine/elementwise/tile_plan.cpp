// SPDX-License-Identifier: Apache-2.0
#include "engine/elementwise/tile_plan.hpp"

#include <weft/base/checked.hpp>
#include <weft/core/cast.hpp>
#include <weft/core/promotion.hpp>
#include <weft/machine/cpu_info.hpp>

#include "base/text.hpp"
#include "engine/elementwise/operand_access.hpp"
#include "engine/footprint.hpp"
#include "engine/grain.hpp"
#include "iter/operand_name.hpp"

#include <algorithm>
#include <cstdlib>

namespace weft {
inline namespace v0 {
namespace {

/// Rows at least this long, of elements of at most `widest` bytes, are spans of their own where nothing
/// has to be staged; shorter ones are gathered. Kernels that cost more than an add lose more to spans
/// that do not fill a register: from two and a half registers of 64 bytes on no more than to gathering.
constexpr std::int64_t least_direct_row(float cost, std::int64_t widest) {
  if (cost <= 1) return widest > 8 ? 4 : 8;
  if (cost <= 2) return 160 / widest;
  return cost < 3 ? 32 : 64;
}
/// The same where some operand is staged: then gathering costs little more.
constexpr std::int64_t least_staged_row = 128;
/// The same in bytes, of kernels of at most such a cost, where gathering would stage one operand more.
constexpr std::int64_t least_mixed_row_bytes = 64;
constexpr float most_mixed_cost = 1;
/// Bytes of the least register that the end of a loop takes: what is left then comes one by one.
constexpr std::int64_t register_bytes = 16;
/// Bytes of buffers for a plane of two dims, in different order, up to which gathering planes is as fast
/// as a tile for each.
constexpr std::int64_t small_plane_bytes = 8 << 10;
/// A gathered tile of so many elements does not grow at the price of staging one more operand.
constexpr std::int64_t enough_gathered = 512;
/// Most elements of a tile that nothing is staged for: enough to make the walk cost nothing, few
/// enough to share the work.
constexpr std::int64_t max_direct_elements = 16 << 10;
constexpr std::int64_t cache_line = 64;
/// Extents of planes whose tiles are streamed where operands run across each other and the last level is far.
/// Of smaller planes a tile takes one side whole and walks the other straight on, which plain stores do as
/// well; and to a near last level, streaming pieces of rows was slower, unless reading does not wait for it
/// (least_prefetched_side). Gathered rows are too short.
constexpr std::int64_t least_streamed_side = 256;
/// The same of planes whose tiles ask for what the next one needs, beyond a last level that is near. Along shorter
/// sides memory is read in long stretches as it is.
constexpr std::int64_t least_prefetched_side = 64;
/// Rows at least this long are packed in pieces; of shorter ones several make a tile.
constexpr std::int64_t least_row_in_pieces = 512;

void add_step(TilePlan& plan, const TensorIterator& iter, int dim, std::int64_t tile) {
  const std::int64_t extent = iter.geometry().extent(dim);
  tile = std::clamp<std::int64_t>(tile, 1, extent);
  const std::int64_t tiles = tile == extent ? 1 : ceil_div(extent, tile);
  plan.steps.push_back({dim, tile, tiles});
  plan.count *= tiles;
  plan.tile_elements *= tile;
}

/// All dims outside the tile. Of gathered rows first those along which a pattern repeats, so that it is
/// packed once for all of them.
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
      const TileOperand& t = plan.operands[static_cast<std::size_t>(k)];
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

/// Settles how spans of each operand are had, now that rows are laid down: in place if it is dense over
/// all of a row, as one value if it stands still.
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
  // Whole pieces, so that each tile begins on a line where the first one does.
  add_step(plan, iter, second,
           rows <= plan.piece_rows ? plan.piece_rows : rows / plan.piece_rows * plan.piece_rows);
}

/// True if rows over the dims so far and `dim` would make an operand staged that is not yet, or one for
/// every element that is so for every row.
bool would_stage(const TilePlan& plan, const Geometry& geometry, int dim, std::int64_t elements) {
  for (int k = 0; k < geometry.noperands; ++k) {
    const TileOperand& t = plan.operands[static_cast<std::size_t>(k)];
    const std::int64_t stride = geometry.stride(dim, k);
    if (t.access == Access::direct && stride != elements * t.memory_size) return true;
    if ((t.access == Access::broadcast || t.one_per_row) && stride != 0) return true;
  }
  return false;
}

/// True if a streamed output does not go on along `dim` where rows over the dims so far end.
bool ends_stream(const TilePlan& plan, const Geometry& geometry, int dim, std::int64_t elements) {
  for (int k = 0; k < geometry.noperands; ++k) {
    const TileOperand& t = plan.operands[static_cast<std::size_t>(k)];
    if (t.access == Access::streamed && geometry.stride(dim, k) != elements * t.memory_size)
      return true;
  }
  return false;
}

/// Bytes of a tile through operands of different orders: of each row of the one that runs across dim 0, and
/// of all buffers.
struct CrossingTile {
  std::int64_t run_bytes;
  std::int64_t stage_bytes;
  bool in_first_level;
};

/// Tiles in the second-level cache do best, but for planes of 4-byte elements and larger where the first level
/// has room: what is touched comes from no further than a few times the second level then (from there itself
/// if one side is short), or from a near last level, if a single operand of 8 bytes an element and more runs
/// across.
CrossingTile crossing_tile(const TensorIterator& iter, const Totals& totals, bool prefetches) {
  constexpr CrossingTile usual{512, large_stage_bytes, false};
  constexpr CrossingTile first_level{128, 16 << 10, true};
  constexpr CrossingTile last_level{128, 32 << 10, true};
  constexpr CrossingTile memory{256, 64 << 10, false};
  constexpr CrossingTile prefetched{128, large_stage_bytes, false};
  constexpr std::int64_t least_size = 4;
  constexpr std::int64_t least_extent = 16;
  constexpr std::int64_t short_extent = 32;
  const Geometry& geometry = iter.geometry();
  if (prefetches) return prefetched;
  if (totals.crossing_size < least_size || geometry.ndim() != 2 ||
      totals.staged_bytes > totals.staged * totals.crossing_size) {
    return usual;
  }
  const std::int64_t side = std::min(geometry.extent(0), geometry.extent(1));
  if (side < least_extent) return usual;
  const std::int64_t bytes = bytes_touched(iter);
  const CpuInfo& cpu = cpu_info();
  // A first level without room for more pays where the second holds everything.
  if (!has_roomy_l1()) return bytes <= cpu.l2_bytes ? first_level : usual;
  if (bytes <= (side < short_extent ? 1 : 6) * cpu.l2_bytes) return first_level;
  const bool wide = totals.crossing_size >= 8 && totals.staged == 1 && side >= short_extent;
  if (!wide || cpu.has_far_last_level()) return usual;
  if (bytes <= 12 * cpu.l2_bytes) return first_level;
  return bytes <= cpu.l3_bytes / 4 * 3 ? last_level : memory;
}

/// Whether `rows` rows of a tile, along dim `across` of all operands that are used in place, find room in the
/// second-level cache together: of rows a multiple of a power of two apart, it holds as many as that goes
/// into it.
bool rows_fit(const TilePlan& plan, const Geometry& geometry, int across, std::int64_t rows) {
  std::int64_t bytes = 0;
  for (int k = 0; k < geometry.noperands; ++k) {
    if (plan.operands[static_cast<std::size_t>(k)].access != Access::direct) continue;
    const auto stride = static_cast<std::uint64_t>(geometry.stride(across, k));
    bytes += rows * static_cast<std::int64_t>(stride & (0 - stride));
  }
  return bytes <= cpu_info().l2_bytes;
}

/// Parts of `extent`, of `length` each unless what is left over would be a small part of that: then a
/// little more.
std::int64_t part_of(std::int64_t extent, std::int64_t length) {
  const std::int64_t parts = extent / length;
  const bool leaves_little = parts > 0 && 8 * (extent % length) <= length;
  return std::min(extent, leaves_little ? ceil_div(extent, parts) : length);
}

/// Parts of `extent` of at most `most` elements of `size` bytes: about equally long, of whole lines.
std::int64_t whole_lines(std::int64_t extent, std::int64_t most, std::int64_t size) {
  const std::int64_t in_line = std::max<std::int64_t>(cache_line / size, 1);
  if (most < in_line) return most;
  const std::int64_t part = ceil_div(extent, ceil_div(extent, most));
  return std::min(most / in_line, ceil_div(part, in_line)) * in_line;
}

/// Elements of a row of a tile that is streamed, or prefetched, of at most `most` elements: 512 bytes of the widest
/// output. Where the caches are asked for what is next, a KiB, or so much less that the runs across, each shorter
/// than a row but read once, not written as well, do not get too short: one costs about a third of a row.
std::int64_t long_run(const TilePlan& plan, std::int64_t most) {
  std::int64_t widest = 1;
  for (const TileOperand& t : plan.operands)
    if (t.is_output) widest = std::max<std::int64_t>(widest, t.memory_size);
  if (!plan.prefetches) return 512 / widest;
  std::int64_t run = 1024 / widest;
  while (run * run > 6 * most)
    run /= 2;
  return run;
}

/// The dim along which all operands that run across dim 0 go on where they end along the crossing one, or 0.
int run_of_crossing(const TilePlan& plan, const Geometry& geometry, int crossing) {
  if (plan.streams || plan.prefetches) return 0;
  int run = 0;
  for (int k = 0; k < geometry.noperands; ++k) {
    const TileOperand& t = plan.operands[static_cast<std::size_t>(k)];
    if (t.access != Access::staged || !t.transposed) continue;
    const int next = run_of(geometry, k, crossing, t.memory_size);
    if (next == 0 || (run != 0 && next != run)) return 0;
    run = next;
  }
  return run;
}

/// Such operands: what a line and more of them holds, and as much along dim 0 as the buffers do then.
void tile_runs(TilePlan& plan, const TensorIterator& iter, const Totals& totals, int run) {
  constexpr std::int64_t run_bytes = 256, side_bytes = 512;
  const Geometry& geometry = iter.geometry();
  const std::int64_t width = geometry.extent(totals.crossing);
  const std::int64_t most = large_stage_bytes / totals.staged_bytes;  // elements
  const std::int64_t wanted = run_bytes / (width * totals.crossing_size);
  const std::int64_t planes =
      std::clamp<std::int64_t>(std::min(wanted, most / width), 1, geometry.extent(run));
  add_step(plan, iter, 0, std::min(most / (width * planes), side_bytes / totals.crossing_size));
  settle_rows(plan, geometry);
  add_step(plan, iter, totals.crossing, width);
  add_step(plan, iter, run, planes);
}

/// Operands of different orders: nearly squares, so that each uses up the lines and pages it touches.
/// Of the one that runs across dim 0 several lines of a row are taken at a time, and along dim 0 what
/// the buffers hold.
void tile_crossing(TilePlan& plan, const TensorIterator& iter, const Totals& totals) {
  if (const int run = run_of_crossing(plan, iter.geometry(), totals.crossing); run != 0)
    return tile_runs(plan, iter, totals, run);
  const std::int64_t least_along = std::min<std::int64_t>(1024 / totals.crossing_size, 256);
  const Geometry& geometry = iter.geometry();
  const CrossingTile tile = crossing_tile(iter, totals, plan.prefetches);
  const bool near = tile.in_first_level;
  const std::int64_t most = tile.stage_bytes / totals.staged_bytes;
  const std::int64_t width = geometry.extent(totals.crossing);
  constexpr std::int64_t wide = 256;
  std::int64_t usual =
      std::clamp<std::int64_t>(tile.run_bytes / totals.crossing_size, near ? 16 : 32, wide);
  if (usual == wide && !rows_fit(plan, geometry, totals.crossing, usual)) usual = wide / 2;
  const std::int64_t across = near ? part_of(width, usual) : std::min(width, usual);
  // A side that is one tile across as a whole: then dim 0 is walked straight on, and tiles need not
  // be larger than what makes for long runs.
  const bool whole = across == width;
  std::int64_t capacity =
      whole
          ? std::min(most, std::max(short_stage_bytes / totals.staged_bytes, across * least_along))
          : most;
  std::int64_t along = std::max<std::int64_t>(capacity / across, 1);
  if (plan.streams || plan.prefetches) along = std::min(along, long_run(plan, most));
  add_step(plan, iter, 0, along > cache_line ? along / cache_line * cache_line : along);
  // Where dim 0 is short, what follows it makes longer rows, if that stages nothing else or there is too
  // little in a tile otherwise.
  bool stages_more = false;
  for (int d = 1; d < totals.crossing && plan.steps.back().tiles == 1; ++d) {
    if (ends_stream(plan, geometry, d, plan.tile_elements)) break;
    if (!stages_more && would_stage(plan, geometry, d, plan.tile_elements)) {
      if (plan.tile_elements * across >= enough_gathered) break;
      stages_more = true;
      capacity = std::min(capacity, large_stage_bytes / totals.all_bytes);
      along = capacity / across;
    }
    const std::int64_t more = along / plan.tile_elements;
    if (more < 2) break;
    add_step(plan, iter, d, more);
    ++plan.row_rank;
  }
  if (plan.prefetches)
    capacity = whole_lines(width, capacity / plan.tile_elements, totals.crossing_size) *
               plan.tile_elements;
  tile_rows(plan, iter, totals.crossing, capacity);
}

/// Bytes of the largest element that the kernel sees.
std::int64_t widest_element(const TilePlan& plan) {
  std::int64_t widest = 1;
  for (const TileOperand& t : plan.operands)
    widest = std::max<std::int64_t>(widest, t.kernel_size);
  return widest;
}

/// True if rows have bytes among their elements and end in many single ones. A loop takes as many elements at a
/// time as bytes fill a register, however large the others are, and what is left over one by one.
bool ends_bytes_singly(const TilePlan& plan, std::int64_t row) {
  constexpr std::int64_t few = 4;  // of so many elements, one alone does no harm
  const bool has_bytes = std::any_of(
      plan.operands.begin(), plan.operands.end(),
      [](const TileOperand& t) { return t.access == Access::direct && t.kernel_size == 1; });
  return has_bytes && row % register_bytes * few >= row;
}

/// True if rows of a plan that stages nothing end in so many single elements that gathering is quicker, gaps or
/// not.
bool ends_in_singles(const TilePlan& plan, const Geometry& geometry) {
  constexpr std::int64_t most_packed = 4;  // bytes an element, of rows longer than a register
  const std::int64_t row = geometry.extent(0);
  if (!ends_bytes_singly(plan, row)) return false;
  std::int64_t packed = 0;
  for (int k = 0; k < geometry.noperands; ++k) {
    const TileOperand& t = plan.operands[static_cast<std::size_t>(k)];
    const std::int64_t stride = geometry.stride(1, k);
    const bool repeats = stride == 0 && !t.is_output;
    const bool dense = t.access == Access::direct && stride == row * t.memory_size;
    if (!repeats && !dense) packed += t.kernel_size;
  }
  return row < register_bytes || packed <= most_packed;
}

/// Whether what repeats along dim 1 is packed seldom, if dims 0 and 1 are gathered: in each of so many tiles at
/// least that differ in nothing but where they lie along dim 1, or along a dim in which all of it repeats.
bool packs_seldom(const TilePlan& plan, const Geometry& geometry) {
  constexpr std::int64_t least_uses = 8;
  if (geometry.ndim() == 2) return true;
  const std::int64_t elements = geometry.extent(0) * geometry.extent(1);
  if (elements >= least_uses * max_staged_elements) return true;
  if (elements < enough_gathered) return false;  // more dims would be gathered
  for (int d = 2; d < geometry.ndim(); ++d) {
    bool all = geometry.extent(d) >= least_uses;
    for (int k = 0; k < geometry.noperands; ++k) {
      const bool repeats =
          !plan.operands[static_cast<std::size_t>(k)].is_output && geometry.stride(1, k) == 0;
      all = all && (!repeats || geometry.stride(d, k) == 0);
    }
    if (all) return true;
  }
  return false;
}

/// True if rows of a plan that stages nothing are short, or end in many single elements of one or two bytes,
/// and gathering them costs nothing but to pack what repeats, seldom: if every operand is dense over dims 0
/// and 1, or repeats the same row or value along dim 1, or one value along a short row.
bool gathers_for_free(const TilePlan& plan, const Geometry& geometry) {
  constexpr std::int64_t least_rows = 8;
  constexpr std::int64_t few = 16;            // of so many elements, one alone does no harm
  constexpr std::int64_t most_repeated = 64;  // bytes of a row of one value: a store
  constexpr std::int64_t short_row = 128;     // bytes of a row in the second-level cache
  constexpr std::int64_t shortest_row =
      64;  // the same beyond, where memory is what limits longer ones
  if (geometry.ndim() == 1 || geometry.extent(1) < least_rows) return false;
  const std::int64_t widest = widest_element(plan);
  const std::int64_t row = geometry.extent(0);
  const bool in_cache = geometry.numel() * widest <= cpu_info().l2_bytes;
  const bool is_short =
      row * widest <= (in_cache ? short_row : shortest_row) && packs_seldom(plan, geometry);
  const bool ends_singly = widest <= 2 && row % (register_bytes / widest) * few >= row;
  if (!is_short && !ends_singly) return false;
  for (int k = 0; k < geometry.noperands; ++k) {
    const TileOperand& t = plan.operands[static_cast<std::size_t>(k)];
    const std::int64_t stride = geometry.stride(1, k);
    if (stride == 0 && !t.is_output) continue;
    if (ends_singly && t.access == Access::broadcast && !t.constant &&
        row * widest <= most_repeated) {
      continue;
    }
    if (t.access != Access::direct || stride != geometry.extent(0) * t.memory_size) return false;
  }
  return true;
}

/// True if rows of a plan that stages some operands had better stay apart: gathering would stage one more.
bool keeps_rows_apart(const TilePlan& plan, const Geometry& geometry, float cost) {
  if (cost > most_mixed_cost) return false;
  const std::int64_t row = geometry.extent(0);
  if (row * widest_element(plan) < least_mixed_row_bytes) return false;
  // Tiles of rows end where dim 1 does.
  if (row * geometry.extent(1) < std::min(enough_gathered, geometry.numel())) return false;
  return would_stage(plan, geometry, 1, row) && !ends_bytes_singly(plan, row);
}

/// Whether rows along dim 0 are spans of their own, rather than gathered.
bool goes_by_rows(const TilePlan& plan, const Geometry& geometry, const Totals& totals,
                  float cost) {
  const std::int64_t row = geometry.extent(0);
  if (plan.is_strided || geometry.ndim() == 1 || row >= least_staged_row) return true;
  const bool in_place = totals.staged_bytes == totals.per_row_bytes;  // or one value for each row
  if (in_place && row >= least_direct_row(cost, widest_element(plan)) &&
      !ends_in_singles(plan, geometry)) {
    return totals.staged != 0 || !gathers_for_free(plan, geometry);
  }
  return totals.staged != 0 && totals.crossing == 0 && keeps_rows_apart(plan, geometry, cost);
}

/// Gathering: as many of the inner dims as fit become one span. Nothing is streamed: rows are short.
/// `capacity` holds for what is staged already, `capacity_all` if all operands are.
void tile_gathered(TilePlan& plan, const TensorIterator& iter, std::int64_t capacity,
                   std::int64_t capacity_all) {
  const Geometry& geometry = iter.geometry();
  std::int64_t elements = 1;
  for (int d = 0; d < geometry.ndim(); ++d) {
    const std::int64_t extent = geometry.extent(d);
    if (would_stage(plan, geometry, d, elements)) {
      capacity = capacity_all;
      if (d > 0 && (elements >= enough_gathered || 2 * elements > capacity)) break;
    }
    add_step(plan, iter, d, elements * extent <= capacity ? extent : capacity / elements);
    if (plan.steps.back().tiles > 1) break;
    elements *= extent;
    if (2 * elements > capacity) break;
  }
  plan.row_rank = static_cast<int>(plan.steps.size());
  settle_rows(plan, geometry);
}

/// Outputs that run across dim 0 are written past the caches as well.
void stream_blocks(TilePlan& plan, const TensorIterator& iter) {
  for (int k = 0; k < iter.noutputs(); ++k) {
    TileOperand& t = plan.operands[static_cast<std::size_t>(k)];
    if (t.access != Access::staged || !t.transposed || iter.operand(k).is_read_write) continue;
    t.move = stream_block_kernel(t.memory_size);
    t.streams = true;
    plan.streams = true;
  }
}

}  // namespace

void convert_value(char* to, ScalarType type, const Operand& op) {
  alignas(16) char value[16];
  cast_elements(value, op.dtype, 0, op.data, op.storage, 0, 1);
  cast_elements(to, type, 0, value, op.dtype, 0, 1);
}

void check_elementwise(const TensorIterator& iter) {
  if (iter.is_reduction()) {
    fail(ErrorCode::invalid_argument,
         "output 0: a kernel of single elements on an iterator of a reduction, expected one that "
         "writes each "
         "element of the output once; cpu_reduce() reduces");
  }
}

void check_counts(const TensorIterator& iter, int noutputs, int ninputs) {
  if (noutputs != iter.noutputs() || ninputs != iter.ninputs()) {
    fail(ErrorCode::invalid_argument,
         text("kernel of ", noutputs, " outputs and ", ninputs, " inputs on an iterator of ",
              iter.noutputs(), " and ", iter.ninputs()));
  }
}

void check_kernel(const TensorIterator& iter, int noutputs, int ninputs, const ScalarType* types) {
  check_counts(iter, noutputs, ninputs);
  for (int k = 0; k < iter.ntensors(); ++k) {
    const ScalarType type = types[k];
    const ScalarType dtype = iter.operand(k).dtype;
    if (type == dtype) continue;
    const ScalarType from = k < iter.noutputs() ? type : dtype;
    const ScalarType to = k < iter.noutputs() ? dtype : type;
    if (can_cast(from, to)) continue;
    fail(ErrorCode::cast,
         text(operand_name(static_cast<std::size_t>(k), static_cast<std::size_t>(iter.noutputs())),
              ": the kernel works on ", name(type), ", the operand is ", name(dtype), "; ",
              name(from), " can't be cast to ", name(to)));
  }
}

TilePlan plan_tiles(const TensorIterator& iter, const SpanKernel& kernel,
                    const RunOptions& options) {
  TilePlan plan;
  const Geometry& geometry = iter.geometry();
  Totals totals = classify(iter, kernel, plan);
  const std::int64_t row = geometry.extent(0);
  step_in_place(plan, geometry, kernel, totals);
  // Planes that fit the first-level cache whole are gathered, several at a time.
  const bool small_planes = geometry.ndim() > 2 && totals.crossing == 1 &&
                            row * geometry.extent(1) * totals.staged_bytes <= small_plane_bytes;
  const bool crossing = totals.crossing != 0 && row >= 16 && !small_planes;
  const bool by_rows = goes_by_rows(plan, geometry, totals, kernel.cost);
  const std::int64_t side = crossing ? std::min(row, geometry.extent(totals.crossing)) : 0;
  plan.prefetches = side >= least_prefetched_side && !cpu_info().has_far_last_level() &&
                    bytes_touched(iter) > cpu_info().last_level_share();
  const bool streams_tiles =
      plan.prefetches || (side >= least_streamed_side && cpu_info().has_far_last_level());
  if ((crossing && !streams_tiles) || !by_rows) stop_streaming(plan, totals);
  if (!crossing && row >= least_row_in_pieces) pack_in_pieces(plan, geometry, totals);
  // Rows of tiles that cut them, or go along another dim than the next, do not follow each other in memory.
  if (!crossing) stream_several_rows(plan, iter, kernel, totals);
  const auto capacity = [](std::int64_t bytes) {
    return bytes == 0 ? max_direct_elements : std::min(max_staged_elements, stage_bytes / bytes);
  };
  const auto most_of = [&](std::int64_t bytes) {
    return capacity(bytes * stage_bytes / short_stage_bytes);
  };
  if (crossing) {
    tile_crossing(plan, iter, totals);
  } else if (by_rows) {
    // What is had once a row hardly counts, but its buffers are to fit as well.
    std::int64_t most = most_of(totals.staged_bytes - totals.per_row_bytes);
    if (totals.per_row_bytes != 0) {
      const std::int64_t rows = std::max<std::int64_t>(short_stage_bytes / totals.per_row_bytes, 1);
      most = std::min(most, rows * row);
    }
    add_step(plan, iter, 0, most);
    tile_rows(plan, iter, 1, most);
  } else {
    tile_gathered(plan, iter, most_of(totals.staged_bytes), capacity(totals.all_bytes));
  }
  add_outer_steps(plan, iter);
  if (plan.prefetches) stream_blocks(plan, iter);
  stream_by_lines(plan, iter, kernel);
  int staged = 0;
  for (const TileOperand& t : plan.operands) {
    if (t.access == Access::spaced) ++staged;
    if (t.access != Access::staged) continue;
    plan.staged_bytes += buffer_bytes(t) * buffered_elements(plan, t);
    ++staged;
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
