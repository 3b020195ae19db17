// SPDX-License-Identifier: Apache-2.0
#include "engine/reduce/reduce_plan.hpp"

#include <weft/base/checked.hpp>
#include <weft/parallel/parallel.hpp>

#include "base/text.hpp"
#include "engine/check_kernel.hpp"
#include "engine/elementwise/tile_plan.hpp"
#include "engine/grain.hpp"
#include "machine/fixed_sizes.hpp"

#include <algorithm>
#include <bit>

namespace weft {
inline namespace v0 {
namespace {

bool stands_still(const TensorIterator& iter, int dim) {
  const Geometry& geometry = iter.geometry();
  const bool first = geometry.stride(dim, 0) == 0;
  for (int k = 1; k < iter.noutputs(); ++k) {
    if ((geometry.stride(dim, k) == 0) != first && geometry.extent(dim) != 1) {
      fail(ErrorCode::shape, text("outputs 0 and ", k, " differ in whether they reduce dim ", dim,
                                  " of extent ", geometry.extent(dim)));
    }
  }
  return first;
}

void classify(const TensorIterator& iter, const ReductionKernel& kernel, ReducePlan& plan) {
  for (int k = 0; k < iter.ntensors(); ++k) {
    plan.operands.emplace_back(TypeChange(iter.operand(k), kernel.types[k]));
  }
}

/// Cuts a side into tiles of its inner dims, up to `capacity` elements and `most_dims` dims; of the
/// first `inside` dims up to `most_inside` elements, and of what follows the rest all the same.
void tile(ReduceSide& side, const Geometry& geometry, std::int64_t capacity, int most_dims,
          int inside = 0, std::int64_t most_inside = 0) {
  bool open = true;
  for (int i = 0; i < static_cast<int>(side.dims.size()); ++i) {
    const std::int64_t extent = geometry.extent(side.dims[static_cast<std::size_t>(i)]);
    const std::int64_t most = i < inside ? most_inside : capacity;
    std::int64_t t = 1;
    if (i == inside && inside > 0) open = true;
    if (open && i < most_dims) {
      t = std::clamp<std::int64_t>(most / side.tile_elements, 1, std::max<std::int64_t>(extent, 1));
      open = t == extent && side.tile_elements * t * 2 <= most;
      side.ntile = i + 1;
    }
    side.steps.push_back({side.dims[static_cast<std::size_t>(i)], t, ceil_div(extent, t)});
    side.tile_elements *= t;
    side.count *= side.steps.back().tiles;
  }
}

/// Tiles of kept elements, `inside` dims of which are one row in the inputs. Where output 0 is
/// dense along a dim other than the first, and results are too many to be put together first, tiles
/// are so narrow that they hold whole cache lines of it: of the rows no more is left than lies
/// inside of that dim, if that is enough, or it comes next after them.
void tile_kept(ReducePlan& plan, const TensorIterator& iter, std::int64_t capacity, int inside,
               std::int64_t least_inside) {
  const Geometry& geometry = iter.geometry();
  ReduceSide& side = plan.kept;
  const std::int64_t size = plan.operands[0].memory_size;
  const auto dense_along = [&](std::size_t i) {
    return geometry.stride(side.dims[i], 0) == size && geometry.extent(side.dims[i]) > 1;
  };
  const auto first = static_cast<std::size_t>(plan.first_kept());
  std::size_t along = first;
  while (along < side.dims.size() && !dense_along(along))
    ++along;
  if (along == first || along == side.dims.size()) return tile(side, geometry, capacity, max_rank);
  std::int64_t bytes = 0;  // of all outputs
  for (int k = 0; k < iter.noutputs(); ++k)
    bytes += side.elements * plan.operands[static_cast<std::size_t>(k)].memory_size;
  if (bytes <= fixed::transposed_results_bytes) {
    plan.transposes_results = bytes > fixed::small_results_bytes;
    return tile(side, geometry, capacity, max_rank);
  }
  const std::size_t at = std::min(along, static_cast<std::size_t>(std::max(inside, 1)));
  std::int64_t left = 1;
  for (std::size_t i = 0; i < at; ++i)
    left *= geometry.extent(side.dims[i]);
  // Rows that are cut short cost more than results that are written along another dim.
  if (static_cast<int>(at) < inside && left < least_inside)
    return tile(side, geometry, capacity, max_rank);
  plan.inner_dims = std::min(plan.inner_dims, static_cast<int>(at));
  for (std::size_t i = along; i > at; --i) {
    std::swap(side.dims[i], side.dims[i - 1]);
    std::swap(side.places[i], side.places[i - 1]);
  }
  tile(side, geometry, capacity, max_rank, static_cast<int>(at),
       std::max(least_inside, capacity / fixed::results_row));
}

/// True if the block, its dims from entry `first` on, is dense in the operand's memory.
bool dense(const Geometry& geometry, int k, std::int64_t size, const ReduceSide& side,
           int first = 0) {
  std::int64_t step = size;
  for (int i = first; i < side.ntile; ++i) {
    const int d = side.dims[static_cast<std::size_t>(i)];
    if (side.steps[static_cast<std::size_t>(i)].tile > 1 && geometry.stride(d, k) != step)
      return false;
    step *= geometry.extent(d);
  }
  return true;
}

/// Whether all inputs are dense along dim 0.
bool dense_inside(const ReducePlan& plan, const TensorIterator& iter) {
  for (int k = iter.noutputs(); k < iter.ntensors(); ++k) {
    const ReduceOperand& r = plan.operands[static_cast<std::size_t>(k)];
    if (iter.geometry().stride(0, k) != r.memory_size) return false;
  }
  return true;
}

bool converts(const ReducePlan& plan, int noutputs) {
  for (std::size_t k = static_cast<std::size_t>(noutputs); k < plan.operands.size(); ++k) {
    if (plan.operands[k].converts()) return true;
  }
  return false;
}

/// Kept elements of one stride in all inputs, in front of all reduced dims. They may be several
/// dims, where an output does not let them be one; what is made of them must not depend on that.
struct InnerColumns {
  std::int64_t count = 1;
  int dims = 0;
  bool dense = true;  // the stride is one element
};

/// Reduced dims in front of all others along which the inputs stand still: those that they repeat.
int repeated_dims(const TensorIterator& iter, const ReducePlan& plan) {
  int dims = 0;
  for (; dims < static_cast<int>(plan.reduced.dims.size()); ++dims) {
    if (plan.reduced.dims[static_cast<std::size_t>(dims)] != dims) break;
    for (int k = iter.noutputs(); k < iter.ntensors(); ++k)
      if (iter.geometry().stride(dims, k) != 0) return dims;
  }
  return dims;
}

InnerColumns inner_columns(const TensorIterator& iter, const ReducePlan& plan) {
  InnerColumns inner;
  const Geometry& geometry = iter.geometry();
  const int first = plan.reduced.elements > 0 ? repeated_dims(iter, plan) : 0;
  for (std::size_t i = 0; i < plan.kept.dims.size(); ++i) {
    const int d = plan.kept.dims[i];
    if (d != first + static_cast<int>(i)) break;
    for (int k = iter.noutputs(); k < iter.ntensors(); ++k) {
      const std::int64_t size = plan.operands[static_cast<std::size_t>(k)].memory_size;
      if (geometry.stride(d, k) != inner.count * geometry.stride(first, k)) return inner;
      inner.dense = inner.dense && geometry.stride(first, k) == size;
    }
    inner.count *= geometry.extent(d);
    ++inner.dims;
  }
  return inner;
}

/// Rows that are taken as one where columns are narrow and row follows row in memory: a power of
/// two, or 1 if it is not worth it.
std::int64_t fold_of(const TensorIterator& iter, const ReductionKernel& kernel,
                     const ReducePlan& plan, const InnerColumns& inner) {
  const Geometry& geometry = iter.geometry();
  if (kernel.indexed || plan.reduced.dims.empty() || plan.reduced.dims[0] != inner.dims) return 1;
  const std::int64_t rows = geometry.extent(inner.dims);
  if (inner.count >= fixed::narrow_columns || rows <= fixed::min_folded / inner.count) return 1;
  for (int k = iter.noutputs(); k < iter.ntensors(); ++k) {
    const std::int64_t size = plan.operands[static_cast<std::size_t>(k)].memory_size;
    if (geometry.stride(inner.dims, k) != inner.count * size) return 1;
  }
  const auto most = static_cast<std::uint64_t>(
      std::min(fixed::folded_columns / inner.count, rows / fixed::min_fold_rows));
  const auto fold = static_cast<std::int64_t>(std::bit_floor(std::max<std::uint64_t>(most, 1)));
  return 4 * fold * inner.count < 3 * fixed::folded_columns ? 2 * fold : fold;
}

/// Makes columns of the elements along dim 0, if that is reduced, as are dims beyond the next one:
/// rows of so few elements would be combined over and over. Not of those that the kernel likes to
/// read twice.
void choose_strands(const TensorIterator& iter, const ReductionKernel& kernel, ReducePlan& plan) {
  const Geometry& geometry = iter.geometry();
  const auto bytes = static_cast<std::uint64_t>(kernel.accumulator_bytes);
  if (bytes > max_element_bytes || !std::has_single_bit(bytes)) return;
  if (kernel.indexed || kernel.done != nullptr || kernel.span_elements < fixed::long_span) return;
  if (plan.reduced.dims.size() < 2 || plan.reduced.dims[0] != 0 || plan.reduced.dims[1] == 1)
    return;
  const std::int64_t n = geometry.extent(0);
  if (n > fixed::max_lanes || plan.reduced.elements / n < fixed::min_lane_rows ||
      !dense_inside(plan, iter))
    return;
  ReduceSide kept, reduced;
  kept.dims.push_back(0);
  kept.places.push_back(0);
  const auto append = [&](ReduceSide& to, const ReduceSide& from, std::size_t first) {
    for (std::size_t i = first; i < from.dims.size(); ++i) {
      to.dims.push_back(from.dims[i]);
      to.places.push_back(from.places[i]);
    }
  };
  append(kept, plan.kept, 0);
  append(reduced, plan.reduced, 1);
  kept.elements = plan.kept.elements;
  reduced.elements = plan.reduced.elements / n;
  std::swap(plan.kept, kept);
  std::swap(plan.reduced, reduced);
  plan.strands = n;
  if (inner_columns(iter, plan).count >= fixed::min_lane_width) return;
  plan.strands = 1;
  std::swap(plan.kept, kept);
  std::swap(plan.reduced, reduced);
}

void choose_form(const TensorIterator& iter, const ReductionKernel& kernel, ReducePlan& plan) {
  plan.form = ReduceForm::gathered_spans;
  if (iter.ndim() == 0 || iter.numel() == 0) return;
  if (!converts(plan, iter.noutputs())) choose_strands(iter, kernel, plan);
  const bool kept_inside = !plan.kept.dims.empty() && plan.kept.dims[0] == 0;
  const InnerColumns inner = inner_columns(iter, plan);
  if (inner.dims > 0 && inner.dense && !converts(plan, iter.noutputs())) {
    plan.fold = fold_of(iter, kernel, plan, inner);
    plan.inner_dims = inner.dims;
    if (plan.fold > 1) {
      plan.form = ReduceForm::folded;
      return;
    }
    if (inner.count >= fixed::min_reduced_columns) {
      plan.form = ReduceForm::columns;
      return;
    }
  }
  const bool rows = !kept_inside && dense_inside(plan, iter);
  const bool short_rows = rows && kernel.short_rows && plan.reduced.dims.size() == 1 &&
                          !converts(plan, iter.noutputs());
  if (reduces_by_columns(plan.kept.elements, plan.reduced.elements, kept_inside, inner.count,
                         short_rows)) {
    plan.form = ReduceForm::gathered_columns;
  } else if (rows && (iter.geometry().extent(0) >= fixed::short_reduction ||
                      plan.reduced.dims.size() == 1)) {
    plan.form = ReduceForm::spans;
  }
}

void stage_inputs(ReducePlan& plan, const TensorIterator& iter, bool all) {
  for (int k = iter.noutputs(); k < iter.ntensors(); ++k) {
    ReduceOperand& r = plan.operands[static_cast<std::size_t>(k)];
    r.pack = all;
    r.staged = all || r.converts();
  }
}

/// Kept elements of which a whole combining tree stays in L1: it holds one row of accumulators per
/// doubling of the number of blocks.
std::int64_t widest(std::int64_t blocks, std::int64_t accumulator_bytes, std::int64_t most) {
  const int levels = std::bit_width(static_cast<std::uint64_t>(blocks)) + 1;
  const std::int64_t width = fixed::tree_bytes / (accumulator_bytes * levels);
  return std::clamp<std::int64_t>(
      width >= fixed::column_unit ? width / fixed::column_unit * fixed::column_unit : width,
      fixed::min_reduced_columns, most);
}

/// Of `columns`, tiles of at most `most` that are about equally wide: threads share them.
std::int64_t even_share(std::int64_t columns, std::int64_t most) {
  if (columns <= most) return most;
  const std::int64_t share = ceil_div(columns, ceil_div(columns, most));
  return std::min(most, ceil_div(share, fixed::column_unit) * fixed::column_unit);
}

/// Rows of a block in columns: many, to combine seldom, but leaving several blocks for threads to
/// share unless these are small. Few where it is asked after each block whether to go on, and where
/// accumulators are no wider than elements, so that not many of these are added one after the
/// other.
std::int64_t rows_of_block(const TensorIterator& iter, const ReductionKernel& kernel,
                           const ReducePlan& plan, std::int64_t columns) {
  std::int64_t size = 1;
  for (int k = iter.noutputs(); k < iter.ntensors(); ++k)
    size = std::max<std::int64_t>(size, plan.operands[static_cast<std::size_t>(k)].kernel_size);
  const bool wide = kernel.accumulator_bytes > size;
  if (!wide || kernel.done != nullptr || plan.reduced.dims.empty()) return fixed::block_rows;
  const std::int64_t rows = iter.geometry().extent(plan.reduced.dims[0]) / plan.fold;
  const std::int64_t wanted = std::max(rows / fixed::min_blocks, fixed::small_block / columns);
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(
      std::clamp<std::int64_t>(wanted, fixed::block_rows, fixed::max_block_rows))));
}

void tile_columns(ReducePlan& plan, const TensorIterator& iter, std::int64_t capacity,
                  const ReductionKernel& kernel) {
  const Geometry& geometry = iter.geometry();
  const std::int64_t bytes = kernel.accumulator_bytes;
  switch (plan.form) {
    case ReduceForm::folded:
      tile(plan.reduced, geometry,
           rows_of_block(iter, kernel, plan, fixed::folded_columns) * plan.fold, 1);
      tile(plan.kept, geometry, fixed::folded_columns, plan.inner_dims);
      break;
    case ReduceForm::columns: {
      const std::int64_t columns = inner_columns(iter, plan).count;
      tile(plan.reduced, geometry, rows_of_block(iter, kernel, plan, columns), 1);
      const std::int64_t most =
          even_share(columns, widest(plan.reduced.count, bytes, fixed::max_columns));
      tile_kept(plan, iter, std::max(plan.strands, most), plan.inner_dims,
                std::max<std::int64_t>(plan.strands, fixed::column_unit));
      break;
    }
    default: {
      const std::int64_t rows = std::clamp<std::int64_t>(plan.reduced.elements, 1,
                                                         std::min(fixed::block_rows, capacity / 8));
      tile(plan.reduced, geometry, rows, max_rank);
      const std::int64_t width = widest(plan.reduced.count, bytes, fixed::gathered_columns);
      tile(plan.kept, geometry, std::min(width, capacity / rows), max_rank);
    }
  }
  stage_inputs(plan, iter, plan.form == ReduceForm::gathered_columns);
}

/// Kept dims that are a single one in all inputs: they may be several where an output does not let
/// them be one.
int regular_rows(const TensorIterator& iter, const ReducePlan& plan) {
  const Geometry& geometry = iter.geometry();
  const auto follows = [&](int outer, int inner) {
    for (int k = iter.noutputs(); k < iter.ntensors(); ++k) {
      if (geometry.stride(outer, k) != geometry.extent(inner) * geometry.stride(inner, k))
        return false;
    }
    return true;
  };
  const auto& dims = plan.kept.dims;
  std::size_t count = std::min<std::size_t>(1, dims.size());
  while (count < dims.size() && follows(dims[count], dims[count - 1]))
    ++count;
  return static_cast<int>(count);
}

/// `threads` that will share the tiles: they are larger for one.
void tile_spans(ReducePlan& plan, const TensorIterator& iter, const ReductionKernel& kernel,
                int threads) {
  const Geometry& geometry = iter.geometry();
  std::int64_t largest = 1;
  for (int k = iter.noutputs(); k < iter.ntensors(); ++k)
    largest =
        std::max<std::int64_t>(largest, plan.operands[static_cast<std::size_t>(k)].kernel_size);
  const bool staged = plan.form == ReduceForm::gathered_spans || converts(plan, iter.noutputs());
  const std::int64_t n = iter.ndim() > 0 ? geometry.extent(0) : 1;
  const auto share = static_cast<std::int64_t>(
      std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(n / fixed::min_spans, 1))));
  plan.span = staged ? std::min(fixed::staged_span, fixed::staged_span_bytes / largest)
                     : std::min(std::max(fixed::min_span, share),
                                std::min(kernel.span_elements, fixed::span_bytes / largest));
  // Whether to go on is asked after each block.
  if (kernel.done != nullptr) plan.span = std::min(plan.span, fixed::staged_span);
  if (plan.form == ReduceForm::gathered_spans) {
    tile(plan.reduced, geometry, plan.span, max_rank);
    bool packs = false;
    for (int k = iter.noutputs(); k < iter.ntensors(); ++k)
      packs = packs || !dense(geometry, k, plan.operands[static_cast<std::size_t>(k)].memory_size,
                              plan.reduced);
    const std::int64_t spans = std::max<std::int64_t>(1, plan.span / plan.reduced.tile_elements);
    tile(plan.kept, geometry, packs ? spans : 1, max_rank);
    stage_inputs(plan, iter, packs);
    return;
  }
  std::int64_t rows =
      (threads == 1 ? fixed::kept_tile_of_one_thread : fixed::kept_tile) / std::min(n, plan.span);
  if (n > plan.span) {
    plan.pieces =
        kernel.done != nullptr ? 1 : std::max<std::int64_t>(1, fixed::block_of_spans / plan.span);
    tile(plan.reduced, geometry, plan.pieces * plan.span, 1);
    rows = 1;
  } else if (plan.reduced.dims.size() > 1 && plan.reduced.dims[1] == 1) {
    plan.pieces = std::clamp<std::int64_t>(fixed::block_of_spans / n, 1, fixed::max_pieces);
    tile(plan.reduced, geometry, n * plan.pieces, 2);
    rows = std::max<std::int64_t>(1, rows / plan.pieces);
  } else {
    tile(plan.reduced, geometry, n, 1);
  }
  plan.inner_dims = regular_rows(iter, plan);
  const std::int64_t most =
      n < fixed::short_reduction ? 4 * fixed::max_kept_rows : fixed::max_kept_rows;
  rows = std::min(rows, widest(plan.reduced.count, kernel.accumulator_bytes, most));
  tile_kept(plan, iter, rows, 1, 1);
  stage_inputs(plan, iter, false);
}

/// Whether rows that the kernel reduces into outputs by itself are all there is.
bool goes_straight(const TensorIterator& iter, const ReductionKernel& kernel,
                   const ReducePlan& plan) {
  if (kernel.reduce_short_rows == nullptr || plan.form != ReduceForm::spans) return false;
  if (iter.ndim() != 2 || plan.kept.dims.size() != 1 || plan.kept.dims[0] != 1) return false;
  const Geometry& geometry = iter.geometry();
  const std::int64_t n = geometry.extent(0);
  return n < fixed::short_reduction && !plan.operands[0].staged && !plan.operands[1].staged &&
         geometry.stride(1, 1) == n * plan.operands[1].memory_size;
}

/// Groups of blocks where there are too few kept tiles for the threads.
void share_blocks(ReducePlan& plan, const TensorIterator& iter, const RunOptions& options) {
  plan.grain = plan.kept.count;
  plan.group = static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(1, plan.reduced.count))));
  if (options.serial || (iter.numel() <= fixed::few_for_threads && options.grain == 0)) return;
  constexpr float cost = 1;  // of taking in an element, in adds
  const std::int64_t grain = estimate_grain(iter, cost, options, plan.stages_inputs ? 1 : 0);
  const std::int64_t per_tile =
      std::max<std::int64_t>(1, plan.kept.tile_elements * plan.reduced.elements);
  plan.grain = std::max<std::int64_t>(1, grain / per_tile);
  if (iter.numel() <= grain || plan.reduced.count < 2) return;
  const int threads = num_threads();
  if (threads == 1 || ceil_div(plan.kept.count, plan.grain) >= 2 * threads) return;
  // Any power of two gives the same tree. Halve until shares are even, or too little is in each.
  // More of them would cost: what one thread has made and another combines goes from cache to
  // cache.
  const std::int64_t block = plan.kept.tile_elements * plan.reduced.tile_elements;
  const std::int64_t blocks = plan.kept.count * plan.reduced.count;
  const auto uneven = [&] {
    const std::int64_t items = plan.kept.count * ceil_div(plan.reduced.count, plan.group);
    const std::int64_t longest = ceil_div(items, threads) * plan.group * threads;
    return longest > blocks + blocks / 8;
  };
  while (plan.group > 1 && plan.group * block > grain && uneven())
    plan.group /= 2;
  plan.groups = ceil_div(plan.reduced.count, plan.group);
}

}  // namespace

bool reduces_by_columns(std::int64_t kept, std::int64_t reduced, bool kept_inside,
                        std::int64_t columns, bool short_rows) noexcept {
  if (kept == 1) return false;
  if (kept_inside) return columns >= fixed::min_reduced_columns || reduced < fixed::short_reduction;
  return reduced < fixed::short_reduction && kept >= fixed::min_reduced_columns / 2 && !short_rows;
}

ReducePlan plan_reduction(const TensorIterator& iter, const ReductionKernel& kernel,
                          const RunOptions& options) {
  check_kernel(iter, kernel.noutputs, kernel.ninputs, kernel.types);
  ReducePlan plan;
  for (int d = 0; d < iter.ndim(); ++d) {
    ReduceSide& side = stands_still(iter, d) ? plan.reduced : plan.kept;
    side.dims.push_back(static_cast<std::uint8_t>(d));
    side.places.push_back(side.elements);
    side.elements *= iter.geometry().extent(d);
  }
  classify(iter, kernel, plan);
  std::int64_t input_bytes = 1;
  for (int k = iter.noutputs(); k < iter.ntensors(); ++k) {
    const ReduceOperand& r = plan.operands[static_cast<std::size_t>(k)];
    input_bytes += r.buffer_bytes();
  }
  const std::int64_t capacity = std::max(fixed::min_staged, max_stage_bytes / input_bytes);
  choose_form(iter, kernel, plan);
  if (plan.by_columns()) {
    tile_columns(plan, iter, capacity, kernel);
  } else {
    tile_spans(plan, iter, kernel, options.serial ? 1 : num_threads());
  }
  for (int k = 0; k < iter.ntensors(); ++k) {
    ReduceOperand& r = plan.operands[static_cast<std::size_t>(k)];
    if (k < iter.noutputs()) {
      r.pack = !dense(iter.geometry(), k, r.memory_size, plan.kept, plan.first_kept());
      r.staged = r.converts() || r.pack;
    } else {
      plan.stages_inputs = plan.stages_inputs || r.staged;
    }
  }
  plan.straight = goes_straight(iter, kernel, plan);
  share_blocks(plan, iter, options);
  return plan;
}

}  // namespace v0
}  // namespace weft
