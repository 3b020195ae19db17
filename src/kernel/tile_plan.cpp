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
constexpr std::int64_t cache_line = 64;

/// Sums over the operands that choosing a tile needs.
struct Totals {
  int staged = 0;                 // operands that cannot be used row by row as they stand
  std::int64_t staged_bytes = 0;  // buffer bytes an element, of these
  std::int64_t all_bytes = 0;     // the same if every operand were staged
  int crossing = 0;               // dim along which the first staged operand that runs across dim 0
                                  // is dense; 0 if there is none
};

std::int64_t buffer_bytes(const TileOperand& t) {
  return t.kernel_size + t.via_size + (t.first != nullptr ? t.memory_size : 0);
}

/// The dim other than 0 along which an operand is dense, or 0.
int dense_dim(const Geometry& geometry, int k, std::int64_t size) {
  for (int d = 1; d < geometry.ndim(); ++d) {
    if (std::abs(geometry.stride(d, k)) == size && geometry.extent(d) > 1) return d;
  }
  return 0;
}

void set_conversion(TileOperand& t, const Operand& op, ScalarType type) {
  const bool via = op.dtype != op.storage && op.dtype != type;
  t.via_size = via ? static_cast<std::int32_t>(element_size(op.dtype)) : 0;
  const ScalarType start = op.is_output ? type : op.storage;
  const ScalarType end = op.is_output ? op.storage : type;
  t.first = convert_kernel(via ? op.dtype : end, start);
  if (via) t.second = convert_kernel(end, op.dtype);
}

/// What each operand is along dim 0.
Totals classify(const TensorIterator& iter, const SpanKernel& kernel, TilePlan& plan) {
  Totals totals;
  const Geometry& geometry = iter.geometry();
  for (int k = 0; k < geometry.noperands; ++k) {
    const Operand& op = iter.operand(k);
    const ScalarType type = kernel.types[k];
    const std::int64_t stride = geometry.stride(0, k);
    TileOperand& t = plan.operands.emplace_back();
    t.is_output = op.is_output;
    t.memory_size = static_cast<std::int32_t>(element_size(op.storage));
    t.kernel_size = static_cast<std::int32_t>(element_size(type));
    const bool convert = op.storage != type || op.dtype != type;
    if (convert) set_conversion(t, op, type);
    totals.all_bytes += t.kernel_size + t.via_size + t.memory_size;
    const bool may_broadcast = (kernel.broadcastable >> k & 1) != 0;
    if (!convert && stride == t.memory_size) {
      t.access = Access::direct;
    } else if (!convert && stride == 0 && may_broadcast) {
      t.access = Access::broadcast;
    } else {
      t.access = Access::staged;
      t.one_per_row = stride == 0 && may_broadcast;
      ++totals.staged;
      totals.staged_bytes += buffer_bytes(t);
      // Below a cache line from element to element, walking along dim 0 uses lines up as well.
      if (std::abs(stride) >= cache_line) {
        const int dim = dense_dim(geometry, k, t.memory_size);
        t.transposed = dim != 0;
        if (totals.crossing == 0) totals.crossing = dim;
      }
    }
  }
  return totals;
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
  const Geometry& geometry = iter.geometry();
  std::int64_t elements = 1;
  for (int d = 0; d < geometry.ndim(); ++d) {
    const std::int64_t extent = geometry.extent(d);
    set_tile(plan, iter, d, elements * extent <= capacity ? extent : capacity / elements);
    if (plan.tile[static_cast<std::size_t>(d)] < extent) break;
    elements *= extent;
    if (2 * elements > capacity) break;
  }
  const auto ntile = static_cast<int>(plan.tile_dims.size());
  // Within a gathered tile an operand is direct if it is dense over all of it, broadcast if it
  // stands still.
  for (int k = 0; k < geometry.noperands; ++k) {
    TileOperand& t = plan.operands[static_cast<std::size_t>(k)];
    bool dense = true;
    bool still = true;
    std::int64_t step = t.memory_size;
    for (int d = 0; d < ntile; ++d) {
      const std::int64_t stride = geometry.stride(d, k);
      dense = dense && stride == step;
      still = still && stride == 0;
      step *= geometry.extent(d);
    }
    if ((t.access == Access::direct && !dense) || (t.access == Access::broadcast && !still)) {
      t.access = Access::staged;
    }
    t.pack = !dense;
    t.one_per_row = t.one_per_row && still;
  }
}

}  // namespace

void check_kernel(const TensorIterator& iter, int noutputs, int ninputs, const ScalarType* types) {
  if (noutputs != iter.noutputs() || ninputs != iter.ninputs()) {
    fail(ErrorCode::invalid_argument,
         text("kernel of ", noutputs, " outputs and ", ninputs, " inputs on an iterator of ",
              iter.noutputs(), " and ", iter.ninputs()));
  }
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

std::int64_t estimate_grain(const TensorIterator& iter, float cost, const RunOptions& options,
                            int staged) {
  if (options.grain > 0) return options.grain;
  std::int64_t bytes = 0;
  for (int k = 0; k < iter.ntensors(); ++k)
    bytes += element_size(iter.operand(k).storage);
  // Nanoseconds an element: arithmetic, bytes through the second-level cache, and packing or
  // conversion.
  const double ns =
      0.05 * static_cast<double>(cost) + 0.008 * static_cast<double>(bytes) + 0.3 * staged;
  constexpr double least_ns = 20'000;  // a few times what it takes to wake a thread and wait for it
  return std::max<std::int64_t>(1024, static_cast<std::int64_t>(least_ns / ns));
}

TilePlan plan_tiles(const TensorIterator& iter, const SpanKernel& kernel,
                    const RunOptions& options) {
  TilePlan plan;
  const Geometry& geometry = iter.geometry();
  const Totals totals = classify(iter, kernel, plan);
  plan.tile.resize(static_cast<std::size_t>(geometry.ndim()), 1);
  const std::int64_t row = geometry.extent(0);
  // Capacity for the operands staged so far; gathering may stage more, so it counts them all.
  const auto capacity = [](std::int64_t bytes) {
    return bytes == 0 ? max_tile_elements : std::min(max_tile_elements, stage_bytes / bytes);
  };
  const bool crossing = totals.crossing != 0 && row >= least_direct_row;
  if (crossing || geometry.ndim() == 1 || (totals.staged == 0 && row >= least_direct_row) ||
      row >= least_staged_row) {
    const std::int64_t most = capacity(totals.staged_bytes);
    // Very many wide operands leave room for less than a whole tile.
    const std::int64_t length = crossing             ? std::min(transpose_tile, most)
                                : totals.staged == 0 ? row
                                                     : most;
    tile_rows(plan, iter, length, crossing ? totals.crossing : 1, most);
    for (int k = 0; k < geometry.noperands; ++k) {
      TileOperand& t = plan.operands[static_cast<std::size_t>(k)];
      t.pack = geometry.stride(0, k) != t.memory_size;
    }
  } else {
    tile_gathered(plan, iter, capacity(totals.all_bytes));
  }
  int staged = 0;
  for (const TileOperand& t : plan.operands) {
    if (t.access != Access::staged) continue;
    plan.stage_element_bytes += buffer_bytes(t);
    ++staged;
  }
  plan.count = 1;
  for (int d = 0; d < geometry.ndim(); ++d) {
    const std::int64_t tile = plan.tile[static_cast<std::size_t>(d)];
    const std::int64_t extent = geometry.extent(d);
    plan.tiles.push_back(tile == extent ? 1 : ceil_div(extent, tile));
    plan.count *= plan.tiles.back();
    plan.tile_elements *= tile;
  }
  plan.grain = plan.count;
  if (plan.count > 1) {
    const std::int64_t elements = estimate_grain(iter, kernel.cost, options, staged);
    plan.grain = std::max<std::int64_t>(1, elements / plan.tile_elements);
  }
  return plan;
}

}  // namespace weft::inline v0
