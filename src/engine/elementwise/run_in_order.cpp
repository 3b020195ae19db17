// SPDX-License-Identifier: Apache-2.0
#include <weft/kernel/span_kernel.hpp>

#include "engine/check_kernel.hpp"
#include "engine/elementwise/operand_access.hpp"
#include "engine/elementwise/run_spans.hpp"
#include "engine/tile_cursor.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

/// Dims 0 and 1 of an iterator. In a plane, tiles of rows follow in order, since a tile that cuts
/// rows has a single row.
Geometry plane_of(const Geometry& all) {
  Geometry plane;
  plane.noperands = all.noperands;
  plane.resize(std::clamp(all.ndim(), 1, 2));
  for (int d = 0; d < plane.ndim(); ++d) {
    plane.extent(d) = d < all.ndim() ? all.extent(d) : 1;
    for (int k = 0; k < all.noperands; ++k)
      plane.stride(d, k) = d < all.ndim() ? all.stride(d, k) : 0;
  }
  return plane;
}

}  // namespace

void run_spans_in_order(const TensorIterator& iter, const SpanKernel& kernel) {
  check_elementwise(iter);
  check_kernel(iter, kernel.noutputs, kernel.ninputs, kernel.types);
  if (iter.numel() == 0) return;
  const Geometry& all = iter.geometry();
  TensorIterator plane = iter;
  plane.unsafe_set_geometry(plane_of(all));
  TilePlan plan = plan_tiles(plane, kernel, tuning(), {.serial = true}, Strategy::row_tiles);
  TileSteps planes;
  std::int64_t count = 1;
  for (int d = 0; d < all.ndim(); ++d) {
    planes.push_back({d, d < 2 ? all.extent(d) : 1, d < 2 ? 1 : all.extent(d)});
    count *= planes.back().tiles;
  }
  char* origins[max_operands];
  for (int k = 0; k < iter.ntensors(); ++k)
    origins[k] = iter.operand(k).data;
  TileCursor at(all, planes, all.noperands);
  at.seek(0, origins);
  for (std::int64_t number = 0; number < count; ++number) {
    if (number != 0) at.next();
    for (int k = 0; k < iter.ntensors(); ++k)
      plane.unsafe_replace_operand(k, at.ptrs[k]);
    // One value for a plane may be another one for the next.
    read_constants(plan.operands, plane, kernel);
    run_tiles(plane, kernel, plan, 0, plan.count);
  }
}

}  // namespace v0
}  // namespace weft
