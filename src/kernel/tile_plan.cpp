// SPDX-License-Identifier: Apache-2.0
#include "kernel/tile_plan.hpp"

#include <weft/base/checked.hpp>
#include <weft/core/promotion.hpp>

#include "base/text.hpp"
#include "iter/operand_name.hpp"

#include <algorithm>
#include <cstdlib>

namespace weft::inline v0 {
namespace {

/// Rows at least this long are spans of their own where nothing has to be staged; shorter ones are
/// gathered.
constexpr std::int64_t least_direct_row = 16;
/// The same where some operand is staged: then gathering costs little more.
constexpr std::int64_t least_staged_row = 128;
/// Elements along dim 0 of a tile through operands of different orders: one or more whole cache
/// lines either way.
constexpr std::int64_t transpose_tile = 64;

void classify(const TensorIterator& iter, const SpanKernel& kernel, TilePlan& plan) {
  for (int k = 0; k < iter.ntensors(); ++k) {
    const Operand& op = iter.operand(k);
    const ScalarType type = kernel.types[k];
    const std::int64_t stride = iter.geometry().stride(0, k);
    TileOperand t;
    t.is_output = op.is_output;
    t.memory_size = static_cast<std::int32_t>(element_size(op.storage));
    t.kernel_size = static_cast<std::int32_t>(element_size(type));
    const bool convert = op.storage != type || op.dtype != type;
    const bool may_broadcast = (kernel.broadcastable >> k & 1) != 0;
    if (!convert && stride == t.memory_size) {
      t.access = Access::direct;
    } else if (!convert && stride == 0 && may_broadcast) {
      t.access = Access::broadcast;
    } else {
      t.access = Access::staged;
      t.one_per_row = stride == 0 && may_broadcast;
    }
    if (convert) {
      const bool via = op.dtype != op.storage && op.dtype != type;
      t.via_size = via ? static_cast<std::int32_t>(element_size(op.dtype)) : 0;
      const ScalarType start = op.is_output ? type : op.storage;
      const ScalarType end = op.is_output ? op.storage : type;
      t.first = convert_kernel(via ? op.dtype : end, start);
      if (via) t.second = convert_kernel(end, op.dtype);
    }
    plan.operands.push_back(t);
  }
}

/// The dim along which the first staged operand that runs across dim 0 is densest; 0 if there is
/// none.
int crossing_dim(const TensorIterator& iter, TilePlan& plan) {
  int found = 0;
  for (int k = 0; k < iter.ntensors(); ++k) {
    TileOperand& t = plan.operands[static_cast<std::size_t>(k)];
    const std::int64_t inner = std::abs(iter.geometry().stride(0, k));
    if (t.access != Access::staged || inner <= t.memory_size) continue;
    for (int d = 1; d < iter.ndim(); ++d) {
      if (std::abs(iter.geometry().stride(d, k)) != t.memory_size || iter.geometry().extent(d) < 2)
        continue;
      t.transposed = true;
      if (found == 0) found = d;
      break;
    }
  }
  return found;
}

/// Buffer bytes an element of the tile needs, over all staged operands.
std::int64_t element_bytes(TilePlan& plan) {
  std::int64_t bytes = 0;
  for (const TileOperand& t : plan.operands) {
    if (t.access != Access::staged) continue;
    bytes += t.kernel_size + t.via_size + (t.first != nullptr ? t.memory_size : 0);
  }
  return bytes;
}

void set_tile(TilePlan& plan, const TensorIterator& iter, int dim, std::int64_t extent) {
  plan.tile[static_cast<std::size_t>(dim)] =
      std::clamp<std::int64_t>(extent, 1, iter.geometry().extent(dim));
  plan.tile_dims.push_back(static_cast<std::uint8_t>(dim));
}

/// Rows: spans along dim 0, staged for several rows at a time.
void tile_rows(TilePlan& plan, const TensorIterator& iter, std::int64_t length, int partner,
               std::int64_t capacity) {
  set_tile(plan, iter, 0, length);
  if (iter.ndim() > 1) set_tile(plan, iter, partner, capacity / plan.tile[0]);
}

/// Gathering: as many of the inner dims as fit become one span.
void tile_gathered(TilePlan& plan, const TensorIterator& iter, std::int64_t capacity) {
  plan.collapsed = true;
  std::int64_t elements = 1;
  for (int d = 0; d < iter.ndim(); ++d) {
    const std::int64_t extent = iter.geometry().extent(d);
    set_tile(plan, iter, d, capacity / elements);
    if (plan.tile[static_cast<std::size_t>(d)] < extent) break;
    elements *= extent;
    if (2 * elements > capacity) break;
  }
  // Within a gathered tile an operand is direct if it is dense over all of it, broadcast if it
  // stands still.
  for (int k = 0; k < iter.ntensors(); ++k) {
    TileOperand& t = plan.operands[static_cast<std::size_t>(k)];
    bool dense = true;
    bool still = true;
    std::int64_t step = t.memory_size;
    for (const std::uint8_t d : plan.tile_dims) {
      const std::int64_t stride = iter.geometry().stride(d, k);
      dense = dense && stride == step;
      still = still && stride == 0;
      step *= iter.geometry().extent(d);
    }
    if (t.access == Access::direct && !dense) t.access = Access::staged;
    if (t.access == Access::broadcast && !still) t.access = Access::staged;
    t.one_per_row = t.one_per_row && still;
  }
}

}  // namespace

void check_kernel(const TensorIterator& iter, const SpanKernel& kernel) {
  if (kernel.noutputs != iter.noutputs() || kernel.ninputs != iter.ninputs()) {
    fail(ErrorCode::invalid_argument,
         text("kernel of ", kernel.noutputs, " outputs and ", kernel.ninputs,
              " inputs on an iterator of ", iter.noutputs(), " and ", iter.ninputs()));
  }
  for (int k = 0; k < iter.ntensors(); ++k) {
    const ScalarType type = kernel.types[k];
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

std::int64_t estimate_grain(const TensorIterator& iter, const SpanKernel& kernel,
                            const RunOptions& options, int staged) {
  if (options.grain > 0) return options.grain;
  std::int64_t bytes = 0;
  for (int k = 0; k < iter.ntensors(); ++k)
    bytes += element_size(iter.operand(k).storage);
  // Nanoseconds an element: arithmetic, bytes through the second-level cache, and packing or
  // conversion.
  const double ns =
      0.05 * static_cast<double>(kernel.cost) + 0.008 * static_cast<double>(bytes) + 0.3 * staged;
  constexpr double least_ns = 20'000;  // a few times what it takes to wake a thread and wait for it
  return std::max<std::int64_t>(1024, static_cast<std::int64_t>(least_ns / ns));
}

TilePlan plan_tiles(const TensorIterator& iter, const SpanKernel& kernel,
                    const RunOptions& options) {
  TilePlan plan;
  classify(iter, kernel, plan);
  plan.tile.resize(static_cast<std::size_t>(iter.ndim()), 1);
  const int crossing = crossing_dim(iter, plan);
  const std::int64_t row = iter.geometry().extent(0);
  const std::int64_t staged = std::ranges::count_if(
      plan.operands, [](const TileOperand& t) { return t.access == Access::staged; });
  // Capacity for the operands staged so far; gathering may stage more, so count them all before.
  const auto capacity = [&] {
    return std::min(max_tile_elements,
                    stage_bytes / std::max<std::int64_t>(1, element_bytes(plan)));
  };
  if (crossing != 0 && row >= least_direct_row) {
    // Very many wide operands leave room for less than a whole tile.
    tile_rows(plan, iter, std::min(transpose_tile, capacity()), crossing, capacity());
  } else if (iter.ndim() == 1 || (staged == 0 && row >= least_direct_row) ||
             row >= least_staged_row) {
    tile_rows(plan, iter, staged == 0 ? row : capacity(), 1, capacity());
  } else {
    std::int64_t all = 0;
    for (const TileOperand& t : plan.operands)
      all += t.kernel_size + t.via_size + t.memory_size;
    tile_gathered(plan, iter, std::min(max_tile_elements, stage_bytes / all));
  }
  for (std::size_t k = 0; k < plan.operands.size(); ++k) {
    TileOperand& t = plan.operands[k];
    // A block is dense row by row if dim 0 is; a gathered one must be dense as a whole.
    t.pack = iter.geometry().stride(0, static_cast<int>(k)) != t.memory_size;
    if (plan.collapsed && !t.pack) {
      std::int64_t step = t.memory_size;
      for (const std::uint8_t d : plan.tile_dims) {
        t.pack = t.pack || iter.geometry().stride(d, static_cast<int>(k)) != step;
        step *= iter.geometry().extent(d);
      }
    }
  }
  plan.stage_element_bytes = element_bytes(plan);
  plan.count = 1;
  for (int d = 0; d < iter.ndim(); ++d) {
    const auto i = static_cast<std::size_t>(d);
    plan.tiles.push_back(ceil_div(iter.geometry().extent(d), plan.tile[i]));
    plan.count *= plan.tiles[i];
    plan.tile_elements *= plan.tile[i];
  }
  const auto all_staged = static_cast<int>(std::ranges::count_if(
      plan.operands, [](const TileOperand& t) { return t.access == Access::staged; }));
  plan.grain = std::max<std::int64_t>(
      1, estimate_grain(iter, kernel, options, all_staged) / plan.tile_elements);
  return plan;
}

}  // namespace weft::inline v0
