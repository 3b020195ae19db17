// SPDX-License-Identifier: Apache-2.0
#include "kernel/reduce_plan.hpp"

#include <weft/base/checked.hpp>
#include <weft/parallel/parallel.hpp>

#include "base/text.hpp"
#include "kernel/tile_plan.hpp"

#include <algorithm>
#include <bit>

namespace weft::inline v0 {
namespace {

constexpr std::int64_t span_elements = 2048;  // of one block along reduced dims
constexpr std::int64_t most_columns = 512;
constexpr std::int64_t least_columns = 8;
constexpr std::int64_t kept_elements = 64;  // of a tile whose elements are reduced span by span
constexpr std::int64_t tree_bytes = 20 << 10;
/// Fewer reduced elements than this are gathered into columns rather than run as spans of their
/// own.
constexpr std::int64_t short_reduction = 16;

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
    const Operand& op = iter.operand(k);
    const ScalarType type = kernel.types[k];
    ReduceOperand r;
    r.memory_size = static_cast<std::int32_t>(element_size(op.storage));
    r.kernel_size = static_cast<std::int32_t>(element_size(type));
    if (op.storage != type || op.dtype != type) {
      const bool via = op.dtype != op.storage && op.dtype != type;
      const ScalarType start = op.is_output ? type : op.storage;
      const ScalarType end = op.is_output ? op.storage : type;
      r.via_size = via ? static_cast<std::int32_t>(element_size(op.dtype)) : 0;
      r.first = convert_kernel(via ? op.dtype : end, start);
      if (via) r.second = convert_kernel(end, op.dtype);
    }
    plan.operands.push_back(r);
  }
}

/// Cuts a side into tiles of its inner dims, up to `capacity` elements and `most_dims` dims.
void tile(ReduceSide& side, const Geometry& geometry, std::int64_t capacity, int most_dims) {
  bool open = true;
  for (std::size_t i = 0; i < side.dims.size(); ++i) {
    const std::int64_t extent = geometry.extent(side.dims[i]);
    std::int64_t t = 1;
    if (open && static_cast<int>(i) < most_dims) {
      t = std::clamp<std::int64_t>(capacity / side.tile_elements, 1,
                                   std::max<std::int64_t>(extent, 1));
      ++side.ntile;
      open = t == extent && side.tile_elements * t * 2 <= capacity;
    }
    side.tile.push_back(t);
    side.tiles.push_back(ceil_div(extent, t));
    side.tile_elements *= t;
    side.count *= side.tiles.back();
  }
}

/// True if the block, its dims in this order, is dense in the input's memory.
bool dense(const Geometry& geometry, int k, std::int64_t size, const ReduceSide& side) {
  std::int64_t step = size;
  for (int i = 0; i < side.ntile; ++i) {
    const int d = side.dims[static_cast<std::size_t>(i)];
    if (side.tile[static_cast<std::size_t>(i)] > 1 && geometry.stride(d, k) != step) return false;
    step *= geometry.extent(d);
  }
  return true;
}

/// Whether to reduce by columns (kept elements next to each other) rather than spans.
bool prefers_columns(const ReducePlan& plan, const Geometry& geometry) {
  if (plan.kept.dims.empty()) return false;
  const bool kept_inside = plan.kept.dims[0] == 0;
  return reduces_by_columns(plan.kept.elements, plan.reduced.elements, kept_inside,
                            kept_inside ? geometry.extent(0) : 0);
}

/// Whether all inputs hold columns along dim 0, densely and in the kernel's type.
bool columns_in_place(const ReducePlan& plan, const TensorIterator& iter) {
  const Geometry& geometry = iter.geometry();
  if (plan.kept.dims[0] != 0 || geometry.extent(0) < least_columns) return false;
  for (int k = iter.noutputs(); k < iter.ntensors(); ++k) {
    const ReduceOperand& r = plan.operands[static_cast<std::size_t>(k)];
    if (r.first != nullptr || geometry.stride(0, k) != r.memory_size) return false;
  }
  return true;
}

/// Chooses the tiles of both sides and what of the inputs is staged.
void tile_columns(ReducePlan& plan, const TensorIterator& iter, std::int64_t capacity,
                  std::int64_t accumulator_bytes) {
  // The combining tree holds one row of accumulators per doubling of the number of blocks; all of
  // it stays in L1.
  const int levels = std::bit_width(static_cast<std::uint64_t>(plan.reduced.elements / 8 + 1)) + 1;
  const std::int64_t width =
      std::clamp<std::int64_t>(tree_bytes / (accumulator_bytes * levels), 8, most_columns);
  const bool in_place = columns_in_place(plan, iter);
  if (in_place) {
    tile(plan.kept, iter.geometry(), width, 1);
    tile(plan.reduced, iter.geometry(), block_rows, 1);
  } else {
    const std::int64_t rows =
        std::clamp<std::int64_t>(plan.reduced.elements, 1, std::min(block_rows, capacity / 8));
    tile(plan.kept, iter.geometry(), std::min(width, capacity / rows), max_rank);
    tile(plan.reduced, iter.geometry(), rows, max_rank);
  }
  for (int k = iter.noutputs(); k < iter.ntensors(); ++k) {
    ReduceOperand& r = plan.operands[static_cast<std::size_t>(k)];
    r.pack = r.staged = !in_place;
  }
}

void tile_spans(ReducePlan& plan, const TensorIterator& iter, std::int64_t capacity) {
  tile(plan.kept, iter.geometry(), kept_elements, 1);
  tile(plan.reduced, iter.geometry(), std::min(span_elements, capacity), max_rank);
  for (int k = iter.noutputs(); k < iter.ntensors(); ++k) {
    ReduceOperand& r = plan.operands[static_cast<std::size_t>(k)];
    r.pack = !dense(iter.geometry(), k, r.memory_size, plan.reduced);
    r.staged = r.first != nullptr || r.pack;
  }
}

/// Groups of blocks where there are too few kept tiles for the threads.
void share_blocks(ReducePlan& plan, const TensorIterator& iter, const RunOptions& options) {
  constexpr std::int64_t surely_small = 4096;
  plan.grain = plan.kept.count;
  plan.group = static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(1, plan.reduced.count))));
  if (options.serial || (iter.numel() <= surely_small && options.grain == 0)) return;
  constexpr float cost = 1;  // of taking in an element, in adds
  const std::int64_t grain = estimate_grain(iter, cost, options, plan.stages_inputs ? 1 : 0);
  const std::int64_t per_tile =
      std::max<std::int64_t>(1, plan.kept.tile_elements * plan.reduced.elements);
  plan.grain = std::max<std::int64_t>(1, grain / per_tile);
  if (iter.numel() <= grain || plan.reduced.count < 2) return;
  const int threads = num_threads();
  if (threads == 1 || ceil_div(plan.kept.count, plan.grain) >= 2 * threads) return;
  // Any power of two gives the same tree. Halve until there is work for everyone, or too little in
  // each.
  const std::int64_t block = plan.kept.tile_elements * plan.reduced.tile_elements;
  while (plan.group > 1 && plan.group * block > grain &&
         plan.kept.count * ceil_div(plan.reduced.count, plan.group) < 4 * threads) {
    plan.group /= 2;
  }
  plan.groups = ceil_div(plan.reduced.count, plan.group);
}

}  // namespace

bool reduces_by_columns(std::int64_t kept, std::int64_t reduced, bool kept_inside,
                        std::int64_t columns) noexcept {
  if (kept == 1) return false;
  if (kept_inside) return columns >= least_columns || reduced < short_reduction;
  return reduced < short_reduction && kept >= least_columns / 2;
}

ReducePlan plan_reduction(const TensorIterator& iter, const ReductionKernel& kernel,
                          const RunOptions& options) {
  check_kernel(iter, kernel.noutputs, kernel.ninputs, kernel.types);
  ReducePlan plan;
  for (int d = 0; d < iter.ndim(); ++d) {
    ReduceSide& side = stands_still(iter, d) ? plan.reduced : plan.kept;
    side.dims.push_back(static_cast<std::uint8_t>(d));
    side.elements *= iter.geometry().extent(d);
  }
  classify(iter, kernel, plan);
  std::int64_t input_bytes = 1;
  for (int k = iter.noutputs(); k < iter.ntensors(); ++k) {
    const ReduceOperand& r = plan.operands[static_cast<std::size_t>(k)];
    input_bytes += r.kernel_size + r.via_size + r.memory_size;
  }
  const std::int64_t capacity = std::max<std::int64_t>(16, stage_bytes / input_bytes);
  plan.columns = prefers_columns(plan, iter.geometry());
  if (plan.columns) {
    tile_columns(plan, iter, capacity, kernel.accumulator_bytes);
  } else {
    tile_spans(plan, iter, capacity);
  }
  for (int k = 0; k < iter.ntensors(); ++k) {
    ReduceOperand& r = plan.operands[static_cast<std::size_t>(k)];
    if (k < iter.noutputs()) {
      r.pack = !dense(iter.geometry(), k, r.memory_size, plan.kept);
      r.staged = r.first != nullptr || r.pack;
    } else {
      plan.stages_inputs = plan.stages_inputs || r.staged;
    }
  }
  share_blocks(plan, iter, options);
  return plan;
}

}  // namespace weft::inline v0
