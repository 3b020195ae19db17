// SPDX-License-Identifier: Apache-2.0
#include "engine/reduce/reduce_plan.hpp"

#include <weft/base/checked.hpp>
#include <weft/parallel/parallel.hpp>

#include "engine/check_kernel.hpp"
#include "engine/grain.hpp"
#include "engine/reduce/combining_tree.hpp"
#include "engine/reduce/reduce_form.hpp"
#include "machine/fixed_sizes.hpp"
#include "machine/tuning.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace weft {
inline namespace v0 {
namespace {

// ---- Tiles --------------------------------------------------------------------------------------

/// How large tiles of a side may be.
struct TileBounds {
  std::int64_t elements;
  int dims = max_rank;
  /// The first of these dims have fewer elements together, and those after them the rest.
  int inner_dims = 0;
  std::int64_t inner_elements = 0;
};

/// A side cut into tiles of its inner dims.
ReduceSide cut(const ReduceSide& whole, const Geometry& geometry, const TileBounds& bounds) {
  ReduceSide side;
  side.places = whole.places;
  side.elements = whole.elements;
  bool open = true;
  for (int i = 0; i < whole.ndim(); ++i) {
    const int dim = whole.steps[i].dim;
    const std::int64_t extent = geometry.extent(dim);
    const std::int64_t max = i < bounds.inner_dims ? bounds.inner_elements : bounds.elements;
    open = open || i == bounds.inner_dims;
    std::int64_t tile = 1;
    if (open && i < bounds.dims) {
      tile =
          std::clamp<std::int64_t>(max / side.tile_elements, 1, std::max<std::int64_t>(extent, 1));
      open = tile == extent && side.tile_elements * tile * 2 <= max;
      side.ntile = i + 1;
    }
    const std::int64_t tiles = tile == extent ? 1 : ceil_div(extent, tile);
    side.steps.push_back({dim, tile, tiles});
    side.tile_elements *= tile;
    side.count *= tiles;
  }
  return side;
}

/// Whether tiles of a side, their dims from step `first` on, are dense in operand k's memory.
bool is_dense(const ReduceSide& side, const Geometry& geometry, int k, std::int64_t size,
              int first = 0) {
  for (int i = first; i < side.ntile; ++i) {
    const TileStep& step = side.steps[i];
    if (step.tile > 1 && geometry.stride(step.dim, k) != size) return false;
    size *= step.tile;
  }
  return true;
}

/// Whether tiles of a side are one stride after the other in operand k's memory.
bool is_one_stride(const ReduceSide& side, const Geometry& geometry, int k) {
  const TileStep* inner = nullptr;
  for (int i = 0; i < side.ntile; ++i) {
    const TileStep& step = side.steps[i];
    if (step.tile == 1) continue;
    if (inner != nullptr &&
        geometry.stride(step.dim, k) != inner->tile * geometry.stride(inner->dim, k)) {
      return false;
    }
    inner = &step;
  }
  return true;
}

/// Whether tiles of a side are one value in operand k's memory.
bool is_one_value(const ReduceSide& side, const Geometry& geometry, int k) {
  for (int i = 0; i < side.ntile; ++i) {
    const TileStep& step = side.steps[i];
    if (step.tile > 1 && geometry.stride(step.dim, k) != 0) return false;
  }
  return side.tile_elements > 1;
}

// ---- Blocks of reduced elements -----------------------------------------------------------------

ReduceBlocks column_blocks(const ReduceInputs& in, const ReduceDims& dims) {
  std::int64_t rows = fixed::block_rows;
  if (dims.reduced.ndim() > 0) {
    const std::int64_t columns =
        dims.fold > 1 ? fixed::folded_columns : in.elements_of(dims.kept, dims.row_dims);
    const std::int64_t all = in.geometry.extent(dims.reduced.steps[0].dim) / dims.fold;
    rows = rows_of_block(in.kernel, in.max_size, all, columns);
  }
  return {cut(dims.reduced, in.geometry, {rows * dims.fold, 1})};
}

std::int64_t span_of(const ReduceInputs& in, const ReduceDims& dims, std::int64_t n) {
  const bool staged = dims.form == ReduceForm::gathered_spans || in.casts;
  return elements_of_span(in.kernel, in.max_size, n, staged);
}

ReduceBlocks span_blocks(const ReduceInputs& in, const ReduceDims& dims) {
  const ReduceSide& side = dims.reduced;
  const std::int64_t n = in.geometry.extent(0), span = span_of(in, dims, n);
  const bool is_cut = n > span, run_on = !is_cut && side.ndim() > 1 && side.steps[1].dim == 1;
  std::int64_t spans = 1;
  if (is_cut && in.kernel.done == nullptr)
    spans = std::max<std::int64_t>(1, fixed::block_elements / span);
  if (run_on)
    spans = std::clamp<std::int64_t>(fixed::block_elements / n, 1, fixed::max_block_spans);
  return {cut(side, in.geometry, {std::min(n, span) * spans, run_on ? 2 : 1}), span, spans};
}

ReduceBlocks cut_blocks(const ReduceInputs& in, const ReduceDims& dims) {
  if (dims.form == ReduceForm::spans) return span_blocks(in, dims);
  if (dims.form == ReduceForm::columns || dims.form == ReduceForm::folded)
    return column_blocks(in, dims);
  if (dims.form == ReduceForm::gathered_spans) {
    const std::int64_t span = span_of(in, dims, 1);
    ReduceSide reduced = cut(dims.reduced, in.geometry, {span});
    const bool is_packed =
        !in.all([&](int k, std::int64_t size) { return is_dense(reduced, in.geometry, k, size); });
    return {std::move(reduced), span, 1, is_packed};
  }
  const std::int64_t elements = in.gathered_elements(dims.kept, dims.row_dims > 0);
  if (dims.row_dims == 0) {
    const std::int64_t max_rows =
        std::min(fixed::block_rows, elements / fixed::min_reduced_columns);
    return {cut(dims.reduced, in.geometry, {max_rows}), 0, 1, true};
  }
  // What is read in place is best read in long rows: few of them, so that buffers for the others
  // hold these.
  const std::int64_t columns = in.elements_of(dims.kept, dims.row_dims);
  const bool is_transposed = !in.all([&](int k, std::int64_t size) {
    return in.is_row_along(dims.kept.steps[0].dim, k) || dims.reduced.ndim() == 0 ||
           in.geometry.stride(dims.reduced.steps[0].dim, k) != size;
  });
  const std::int64_t rows = std::clamp(
      floor_power(elements / columns),
      is_transposed ? fixed::short_reduction : fixed::min_gathered_rows, fixed::block_rows);
  return {cut(dims.reduced, in.geometry, {rows, 1}), 0, 1, true};
}

// ---- Tiles of kept elements ---------------------------------------------------------------------

/// Kept elements, at most, of which a whole combining tree stays in cache.
std::int64_t tree_width(const ReductionKernel& kernel, const Tuning& t, const ReduceSide& reduced,
                        std::int64_t max) {
  const std::int64_t width = t.tree_bytes / CombiningTree::bytes_needed(kernel, 1, reduced.count);
  return std::clamp(width >= cache_line_bytes ? width - width % cache_line_bytes : width,
                    fixed::min_reduced_columns, max);
}

/// How large tiles are at best. In `columns` and `spans`, the first inner_dims are rows in the
/// inputs, of which no less than inner_elements should be left.
TileBounds kept_bounds(const ReduceInputs& in, const ReduceDims& dims, const ReduceBlocks& blocks,
                       const Tuning& t, const RunOptions& options) {
  const auto width = [&](std::int64_t max) {
    return tree_width(in.kernel, t, blocks.reduced, max);
  };
  switch (dims.form) {
    case ReduceForm::spans: {
      const std::int64_t n = in.geometry.extent(0);
      if (n > blocks.span) return {1, max_rank, 1, 1};
      // Larger for one thread, which takes all of them.
      const std::int64_t times = options.serial || num_threads() == 1 ? 8 : 1;
      const std::int64_t rows = times * t.reduced_tile_elements / (n * blocks.spans);
      const bool is_short = n < fixed::short_reduction;
      return {std::min(rows, width(t.max_reduced_rows * (is_short ? 4 : 1))), max_rank, 1, 1};
    }
    case ReduceForm::gathered_spans:
      return {blocks.pack ? blocks.span / blocks.reduced.tile_elements : 1};
    case ReduceForm::columns: {
      // About equally wide: threads share them.
      const std::int64_t columns = in.elements_of(dims.kept, dims.row_dims);
      const std::int64_t max = width(t.max_reduced_rows);
      const std::int64_t share = whole_lines(ceil_div(columns, ceil_div(columns, max)));
      return {std::max(dims.deferred, columns <= max ? max : std::min(max, share)), max_rank,
              dims.row_dims, std::max(dims.deferred, cache_line_bytes)};
    }
    case ReduceForm::folded: return {fixed::folded_columns, dims.row_dims};
    case ReduceForm::gathered_columns: break;
  }
  const bool in_place = dims.row_dims > 0;
  const std::int64_t most =
      std::min(width(2 * t.max_reduced_rows),
               in.gathered_elements(dims.kept, in_place) / blocks.reduced.tile_elements);
  if (!in_place) return {most};
  const std::int64_t columns = in.elements_of(dims.kept, dims.row_dims);
  return {std::min(most, whole_lines(ceil_div(columns, ceil_div(columns, most)))), dims.row_dims};
}

/// Kept elements of a tile, at most, so that a block of it fits a window: in the second level,
/// since going from block to block costs as much as the first level saves. Rows of columns, and
/// the runs of a transposed operand, are short in a small one.
std::int64_t window_tile(const ReduceInputs& in, const ReduceDims& dims,
                         const ReduceBlocks& blocks) {
  // Accumulators, of which a tree and its parts have three and more, are in the same memory.
  std::int64_t block = 3 * in.kernel.accumulator_bytes;
  for (int k = in.iter.noutputs(); k < in.iter.ntensors(); ++k)
    block += blocks.reduced.tile_elements * in.operands[k].memory_size;
  const std::int64_t most = fixed::span_bytes / 2 / block;
  // Folded rows follow each other: there is nothing between them, and so they are whole.
  const std::int64_t least =
      dims.form == ReduceForm::folded ? in.elements_of(dims.kept, dims.row_dims) : dims.deferred;
  return std::max(least, dims.by_columns() ? whole_lines(most) : most);
}

/// The kept dims in the order that tiles take them, and how these are cut.
struct KeptOrder {
  ReduceSide side;
  TileBounds bounds;
  int inner_dims;  // as in ReduceTiles
  bool collects = false;
};

/// Where output 0 is dense along a dim other than the first, and results are too many to be put
/// together first, tiles are so narrow that they hold whole cache lines of it: of the rows no more
/// is left than lies inside of that dim, if that is enough, or it comes next after them.
void suit_output(const ReduceInputs& in, const ReduceDims& dims, const Tuning& t,
                 const TileBounds& best, KeptOrder& order) {
  const Geometry& geometry = in.geometry;
  ReduceSide& kept = order.side;
  const auto is_dense_along = [&](const TileStep& step) {
    return geometry.stride(step.dim, 0) == in.operands[0].memory_size &&
           geometry.extent(step.dim) > 1;
  };
  int dense = dims.first_kept();
  while (dense < kept.ndim() && !is_dense_along(kept.steps[dense]))
    ++dense;
  if (best.inner_dims == 0 || dense == dims.first_kept() || dense == kept.ndim()) return;
  std::int64_t bytes = 0;  // of all outputs
  for (int k = 0; k < in.iter.noutputs(); ++k)
    bytes += kept.elements * in.operands[k].memory_size;
  order.collects = bytes > t.min_collected_bytes && bytes <= t.max_collected_bytes;
  if (bytes <= t.max_collected_bytes) return;
  const int inner = std::min(dense, best.inner_dims);
  // Rows that are cut short cost more than lines of which little is written at a time.
  if (inner < best.inner_dims && in.elements_of(kept, inner) < best.inner_elements) return;
  const auto move_inside = [&](auto& list) {
    for (int i = dense; i > inner; --i)
      std::swap(list[i], list[i - 1]);
  };
  move_inside(kept.steps);
  move_inside(kept.places);
  order.bounds.inner_dims = inner;
  order.bounds.inner_elements =
      std::max(best.inner_elements, best.elements / t.min_transposed_side);
  order.inner_dims = std::min(order.inner_dims, inner);
}

/// Rows one stride after the other are one call of the kernel. Where the first dims make few of
/// them, those that make most come first.
void lengthen_runs(const ReduceInputs& in, KeptOrder& order) {
  ReduceSide& side = order.side;
  const std::int64_t run = in.elements_of(side, order.inner_dims);
  if (run >= fixed::short_run) return;
  int first = 0, ndims = order.inner_dims;
  std::int64_t longest = run;
  for (int i = 1; i < side.ndim(); ++i) {
    ReduceSide rest;
    rest.steps.append(side.steps.begin() + i, side.steps.end());
    const int joined = in.joined_dims(rest);
    const std::int64_t elements = in.elements_of(rest, joined);
    if (elements < 2 * longest) continue;
    first = i;
    ndims = joined;
    longest = elements;
  }
  if (first == 0) return;
  const auto move_inside = [&](auto& list) {
    std::rotate(list.begin(), list.begin() + first, list.begin() + first + ndims);
  };
  move_inside(side.steps);
  move_inside(side.places);
  order.collects = false;  // results are put together in the order that dims had
  order.inner_dims = order.bounds.inner_dims = ndims;
  order.bounds.inner_elements = std::max<std::int64_t>(1, order.bounds.elements / run);
}

/// Tiles of what is computed end where its rows do.
void keep_rows_whole(const ReduceInputs& in, KeptOrder& order) {
  if (order.side.ndim() == 0) return;
  const auto dim = static_cast<std::size_t>(order.side.steps[0].dim);
  const std::int64_t row = in.computed->elements[dim];
  std::int64_t& most =
      order.bounds.inner_dims > 0 ? order.bounds.inner_elements : order.bounds.elements;
  if (row > 1 && most > row && most < in.geometry.shape[dim]) most -= most % row;
}

ReduceTiles tile_kept(const ReduceInputs& in, const ReduceDims& dims, const ReduceBlocks& blocks,
                      const Tuning& t, const RunOptions& options) {
  TileBounds best = kept_bounds(in, dims, blocks, t, options);
  if (in.computed != nullptr)
    best.elements = std::min(best.elements, window_tile(in, dims, blocks));
  const bool spans = dims.form == ReduceForm::spans;
  KeptOrder order{
      dims.kept, {best.elements, best.dims}, spans ? in.joined_dims(dims.kept) : dims.row_dims};
  suit_output(in, dims, t, best, order);
  if (spans) lengthen_runs(in, order);
  if (in.computed != nullptr) keep_rows_whole(in, order);
  return {cut(order.side, in.geometry, order.bounds), order.inner_dims, order.collects};
}

// ---- Threads ------------------------------------------------------------------------------------

/// Groups of blocks where there are too few kept tiles for the threads.
ReduceShares share_blocks(const ReduceInputs& in, const ReduceSide& kept,
                          const ReduceBlocks& blocks, const Tuning& t, const RunOptions& options) {
  const std::int64_t tiles = kept.count, count = blocks.reduced.count, numel = in.iter.numel();
  auto group = static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(1, count))));
  const bool is_small = numel <= 4 * t.min_thread_elements && options.grain == 0;
  if (options.serial || is_small) return {group, 1, tiles};
  const int staged = blocks.pack || in.casts ? 1 : 0;
  const std::int64_t elements = estimate_grain(in.iter, plain_cost, options, staged);
  const std::int64_t tile = kept.tile_elements * blocks.reduced.elements;
  const std::int64_t grain = std::max<std::int64_t>(1, elements / std::max<std::int64_t>(1, tile));
  const int threads = num_threads();
  if (numel <= elements || count < 2 || threads == 1 || ceil_div(tiles, grain) >= 2 * threads)
    return {group, 1, grain};
  // Any power of two gives the same tree. Halve until shares are even, or too little is in each.
  // More of them would cost: what one thread has made and another combines goes from cache to
  // cache.
  const std::int64_t block = kept.tile_elements * blocks.reduced.tile_elements;
  const auto uneven = [&] {
    const std::int64_t longest = ceil_div(tiles * ceil_div(count, group), threads) * group;
    return longest * threads > tiles * count + tiles * count / 8;
  };
  while (group > 1 && group * block > elements && uneven())
    group /= 2;
  return {group, ceil_div(count, group), grain};
}

/// Inputs that are one value in each row that the kernel sees.
std::uint32_t values_of(const ReduceInputs& in, const ReducePlan& plan) {
  const ReduceDims& dims = plan.dims;
  if (in.iter.numel() == 0) return 0;  // nothing can be read
  if (plan.blocks.pack) {
    std::uint32_t values = 0;
    for (int k = 0; k < in.kernel.ninputs && in.kernel.take_values != nullptr; ++k)
      if (is_one_value(plan.row_side(), in.geometry, in.kernel.noutputs + k)) values |= 1U << k;
    return values;
  }
  switch (dims.form) {
    case ReduceForm::spans: return in.values_along(0);
    case ReduceForm::columns:
    case ReduceForm::folded: return in.values_along(dims.kept.steps[0].dim);
    default: return 0;
  }
}

/// One block, its dims in the order that they have in the inputs.
ReduceWindow window_of(const ReduceInputs& in, const ReducePlan& plan) {
  const int k = in.iter.noutputs();
  SmallVector<TileStep, 2 * inline_rank> steps;
  for (const ReduceSide* side : {&plan.tiles.kept, &plan.blocks.reduced})
    steps.append(side->steps.begin(), side->steps.begin() + side->ntile);
  std::ranges::sort(steps, {},
                    [&](const TileStep& step) { return in.geometry.stride(step.dim, k); });
  ReduceWindow window;
  window.strides.resize(static_cast<std::size_t>(in.geometry.ndim()), 0);
  window.elements = 1;
  for (const TileStep& step : steps) {
    window.strides[static_cast<std::size_t>(step.dim)] = window.elements;
    window.elements *= step.tile;
  }
  for (int i = k; i < in.iter.ntensors(); ++i)
    window.bytes += whole_lines(window.elements * in.operands[i].memory_size);
  return window;
}

/// Whether an input of gathered blocks is rows where it is.
bool is_in_place(const ReduceInputs& in, const ReducePlan& plan, int k) {
  const TypeChange& change = in.operands[k];
  const bool is_value = (plan.values >> (k - in.kernel.noutputs) & 1) != 0;
  return !change.converts() &&
         (is_value || is_dense(plan.row_side(), in.geometry, k, change.memory_size)) &&
         is_one_stride(plan.rows_side(), in.geometry, k);
}

/// Whether columns that the kernel reduces into outputs by itself are all there is.
bool are_short_columns(const ReduceInputs& in, const ReducePlan& plan) {
  const ReduceSide& reduced = plan.blocks.reduced;
  const auto first = plan.operands.begin();
  const bool columns =
      plan.dims.form == ReduceForm::columns || plan.dims.form == ReduceForm::gathered_columns;
  return in.kernel.reduce_short_columns != nullptr && columns && plan.dims.deferred == 1 &&
         in.iter.numel() > 0 && reduced.count == 1 && reduced.elements <= max_short_columns &&
         std::none_of(first, first + in.iter.noutputs(),
                      [](const ReduceOperand& output) { return output.is_staged(); });
}
/// The same of rows.
bool are_short_rows(const ReduceInputs& in, const ReducePlan& plan) {
  const TileSteps& kept = plan.dims.kept.steps;
  if (in.kernel.reduce_short_rows == nullptr || in.computed != nullptr ||
      plan.dims.form != ReduceForm::spans || in.iter.ndim() != 2 || kept.size() != 1 ||
      kept[0].dim != 1) {
    return false;
  }
  const std::int64_t n = in.geometry.extent(0);
  return n < fixed::short_reduction && !plan.operands[0].is_staged() && !in.casts &&
         in.geometry.stride(1, 1) == n * plan.operands[1].memory_size;
}

ReduceInputs checked_inputs(const TensorIterator& iter, const ReductionKernel& kernel,
                            const RunOptions& options, const ComputedRows* computed) {
  check_grain(options);
  check_kernel(iter, kernel.noutputs, kernel.ninputs, kernel.types);
  return ReduceInputs(iter, kernel, computed);
}

}  // namespace

ReducePlan::ReducePlan(const ReduceInputs& in, const RunOptions& options)
    : dims(choose_form(in)),
      blocks(cut_blocks(in, dims)),
      tiles(tile_kept(in, dims, blocks, tuning(), options)),
      shares(share_blocks(in, tiles.kept, blocks, tuning(), options)),
      values(values_of(in, *this)) {
  for (int k = 0; k < in.iter.ntensors(); ++k) {
    const TypeChange& change = in.operands[k];
    const bool is_output = k < in.iter.noutputs();
    operands.emplace_back(
        change, is_output ? !tiles.collects && !is_dense(tiles.kept, in.geometry, k,
                                                         change.memory_size, dims.first_kept())
                          : blocks.pack && !is_in_place(in, *this, k));
  }
  straight = are_short_rows(in, *this) || are_short_columns(in, *this);
  if (in.computed != nullptr) window = window_of(in, *this);
}

bool ReducePlan::suits(const ReductionKernel& rows, const Geometry& geometry) const {
  const bool reduces_form = dims.form == ReduceForm::spans
                                ? rows.reduce_spans != nullptr
                                : dims.form == ReduceForm::columns && dims.deferred == 1 &&
                                      rows.reduce_columns != nullptr;
  return reduces_form && geometry.numel() > 0 &&
         std::none_of(operands.begin() + rows.noutputs, operands.end(),
                      [](const ReduceOperand& input) { return input.is_staged(); });
}
ReducePlan ReducePlan::with_operands_of(const ReductionKernel& rows) const {
  ReducePlan plan = *this;
  plan.operands.assign({operands.begin(), static_cast<std::size_t>(rows.noutputs)});
  for (int k = 0; k < rows.ninputs; ++k)
    plan.operands.emplace_back(TypeChange(rows.types[rows.noutputs + k]), false);
  // Rows need not be one stride after the other in all of them.
  plan.tiles.inner_dims = 1;
  plan.window = {};
  plan.values = 0;
  plan.straight = false;
  return plan;
}

ReducePlan::ReducePlan(const TensorIterator& iter, const ReductionKernel& kernel,
                       const RunOptions& options, const ComputedRows* computed)
    : ReducePlan(checked_inputs(iter, kernel, options, computed), options) {}

}  // namespace v0
}  // namespace weft
