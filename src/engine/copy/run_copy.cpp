// SPDX-License-Identifier: Apache-2.0
#include "engine/copy/run_copy.hpp"

#include <weft/base/checked.hpp>
#include <weft/parallel/parallel.hpp>

#include "engine/block.hpp"
#include "engine/copy/copy_plan.hpp"
#include "engine/footprint.hpp"
#include "engine/grain.hpp"
#include "engine/prefetch.hpp"
#include "engine/tile_cursor.hpp"
#include "kernels/stage/stage.hpp"
#include "machine/scratch_memory.hpp"
#include "machine/tuning.hpp"
#include "parallel/loop_threads.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

/// The walk over tiles of a plane, and over all other dims.
class CopyWalk {
 public:
  CopyWalk(const TensorIterator& iter, const Tuning& tuning, Strategy wanted)
      : geometry_(iter.geometry()),
        p_(copy_plane(iter, tuning)),
        plan_(plan_copy(iter, p_, tuning, wanted)),
        origin_{iter.operand(0).data + p_.to_start, iter.operand(1).data + p_.from_start} {
    walked_.noperands = 2;
    walk_along(p_.extent0, p_.to0, p_.from0, plan_.tile0);
    const auto walk_dim = [&](int d, std::int64_t tile) {
      walk_along(geometry_.extent(d), geometry_.stride(d, 0), geometry_.stride(d, 1), tile);
    };
    const auto walk_partner = [&] {
      partner_step_ = steps_.size();
      walk_along(p_.extent1, p_.to1, p_.from1, plan_.tile1);
    };
    const bool in_order = p_.planes_between > 1;
    if (iter.ndim() > 1 && !in_order) walk_partner();
    if (plan_.run_tile != 0) walk_dim(p_.run.back(), plan_.run_tile);
    for (int d = 0; d < iter.ndim(); ++d) {
      const bool in_run =
          plan_.run_tile != 0 && std::find(p_.run.begin(), p_.run.end(), d) != p_.run.end();
      if (d == p_.partner && in_order) walk_partner();
      if (d != p_.first && d != p_.partner && !in_run) walk_dim(d, 1);
    }
  }
  CopyWalk(const CopyWalk&) = delete;
  CopyWalk& operator=(const CopyWalk&) = delete;

  std::int64_t count() const { return count_; }
  std::int64_t tile_bytes() const { return plan_.tile0 * plan_.tile1 * run_planes() * p_.size; }
  /// Planes of a tile: more than one where a run continues them.
  std::int64_t run_planes() const {
    return plan_.run_tile != 0 ? planes_of_run(plan_.run_tile) : 1;
  }
  const CopyPlane& plane() const { return p_; }
  const CopyPlan& plan() const { return plan_; }

  void run(std::int64_t begin, std::int64_t end) const {
    const bool is_buffered = plan_.buffered() || plan_.joins_rows();
    const ScratchMemory scratch(is_buffered ? max_copy_buffer_bytes : 0);
    char* const buffer = scratch.data();
    const CopyBlockFn copy =
        plan_.streams() ? stream_block_kernel(p_.size) : copy_block_kernel(p_.size);
    TileCursor cursor(walked_, steps_, 2);
    cursor.seek(begin, origin_);
    for (std::int64_t i = begin; i < end; ++i) {
      if (i != begin) cursor.next();
      const Tile tile = tile_at(cursor);
      if (plan_.prefetches && i + 1 < end) {
        TileCursor next = cursor;
        next.next();
        prefetch(tile_at(next));
      }
      if (plan_.run_tile != 0) {
        copy_run(tile, copy, buffer);
      } else if (is_buffered) {
        copy_block_kernel(p_.size)(buffer, p_.size, tile.n0 * p_.size, tile.from, p_.from0,
                                   p_.from1, tile.n0, tile.n1);
        if (plan_.joins_rows()) {
          copy(tile.to, p_.size, 0, buffer, p_.size, 0, tile.n0 * tile.n1, 1);
        } else {
          copy(tile.to, p_.to0, p_.to1, buffer, p_.size, tile.n0 * p_.size, tile.n0, tile.n1);
        }
      } else {
        copy(tile.to, p_.to0, p_.to1, tile.from, p_.from0, p_.from1, tile.n0, tile.n1);
      }
    }
    if (plan_.streams()) end_streaming();
  }

 private:
  struct Tile {
    char* to;
    const char* from;
    std::int64_t n0, n1;  // elements
    std::int64_t run;     // the same along the last dim of the run
  };
  void walk_along(std::int64_t extent, std::int64_t to, std::int64_t from, std::int64_t tile) {
    walked_.shape.push_back(extent);
    walked_.strides_bytes.push_back(to);
    walked_.strides_bytes.push_back(from);
    steps_.push_back({walked_.ndim() - 1, tile, ceil_div(extent, tile)});
    count_ *= steps_.back().tiles;
  }
  Tile tile_at(const TileCursor& at) const {
    return {at.ptrs[0], at.ptrs[1], at.extents[0],
            geometry_.ndim() > 1 ? at.extents[partner_step_] : 1,
            plan_.run_tile != 0 ? at.extents[2] : 0};
  }
  /// Planes of a tile of `run` elements along the last dim of the run.
  std::int64_t planes_of_run(std::int64_t run) const {
    for (std::size_t i = 0; i + 1 < p_.run.size(); ++i)
      run *= geometry_.extent(p_.run[i]);
    return run;
  }
  /// Bytes from the first plane of a tile to the one at `index`, of operand k.
  std::int64_t offset_in_run(std::int64_t index, int k) const {
    std::int64_t offset = 0;
    for (const int d : p_.run) {
      const bool last = d == p_.run.back();
      offset += (last ? index : index % geometry_.extent(d)) * geometry_.stride(d, k);
      if (!last) index /= geometry_.extent(d);
    }
    return offset;
  }

  /// A tile by way of a buffer of rows as long as the side that is not narrow, one for each element
  /// of the run: the transposition is between these and the run, and plane by plane they come from
  /// or go to the other side.
  void copy_run(const Tile& tile, CopyBlockFn copy, char* buffer) const {
    const CopyBlockFn load = copy_block_kernel(p_.size);
    const std::int64_t planes = planes_of_run(tile.run);
    if (p_.reads_narrow()) {
      const std::int64_t row = tile.n0 * p_.size;
      load(buffer, p_.size, row, tile.from, p_.from0, p_.size, tile.n0, tile.n1 * planes);
      for (std::int64_t i = 0; i < planes; ++i) {
        copy(tile.to + offset_in_run(i, 0), p_.to0, p_.to1, buffer + i * tile.n1 * row, p_.size,
             row, tile.n0, tile.n1);
      }
    } else {
      const std::int64_t row = tile.n1 * p_.size;
      for (std::int64_t i = 0; i < planes; ++i) {
        load(buffer + i * tile.n0 * row, row, p_.size, tile.from + offset_in_run(i, 1), p_.from0,
             p_.from1, tile.n0, tile.n1);
      }
      copy(tile.to, p_.size, p_.to1, buffer, row, p_.size, tile.n0 * planes, tile.n1);
    }
  }

  /// Prefetches what a tile reads. Inlined: see prefetch_bytes.
  WEFT_ALWAYS_INLINE void prefetch(const Tile& tile) const {
    const CopyRuns runs(p_, tile.n0, tile.n1);
    for (std::int64_t i = 0; i < runs.count; ++i)
      prefetch_bytes<2>(tile.from + i * runs.step, runs.bytes);
  }

  const Geometry& geometry_;
  CopyPlane p_;
  CopyPlan plan_;
  // The plane, the last dim of the run, all other dims but those of the run. Where there are planes
  // between (and no run), the plane's second dim stands behind theirs.
  Geometry walked_;
  TileSteps steps_;
  std::size_t partner_step_ = 1;
  std::int64_t count_ = 1;
  char* origin_[2];
};

/// How operand k is gone through: by its stride along the plane's first dim.
const char* access_name(const CopyPlane& plane, int k) {
  const std::int64_t stride = k == 0 ? plane.to0 : plane.from0;
  return stride == plane.size ? "direct, by rows"
         : plane.transposes   ? "direct, transposed"
         : stride == 0        ? "direct, rows of one value"
                              : "direct, by elements";
}

/// Why tiles of that form are taken.
std::string reason(const CopyPlane& plane, const CopyPlan& plan) {
  std::string why = plan.joins_rows()  ? "rows are shorter than some lines"
                    : plane.transposes ? "each side is dense along a dim of its own"
                    : plane.dense()    ? "both sides are dense along dim 0"
                    : plane.fills()    ? "rows are one value each"
                                       : "a side is not dense along dim 0";
  if (plan.buffered()) why += ", and lines would be written in parts";
  if (plan.streams()) why += ", and the caches do not hold it";
  return why;
}

/// Least tiles that a thread gets.
std::int64_t grain_of(const CopyWalk& walk, const RunOptions& options) {
  if (options.serial) return walk.count();
  const std::int64_t size = walk.plane().size;
  const std::int64_t elements =
      options.grain > 0 ? options.grain
                        : least_elements_a_thread(copied_byte_ns * static_cast<double>(size));
  return std::max<std::int64_t>(1, elements / (walk.tile_bytes() / size));
}

}  // namespace

void copy_planes(const Geometry& geometry, std::int64_t size, char* to, char* from) {
  const CopyBlockFn copy = copy_block_kernel(size);
  BlockDim dims[max_rank + 2];
  for (int d = 0; d < geometry.ndim(); ++d)
    dims[d] = {geometry.extent(d), geometry.stride(d, 1), geometry.stride(d, 0)};
  for (int d = geometry.ndim(); d < 2; ++d)
    dims[d] = {1, size, size};
  walk_planes(from, dims, std::max(geometry.ndim(), 2), size,
              [&](char* at, std::int64_t offset, const BlockDim& d0, const BlockDim& d1) {
                copy(to + offset, d0.step, d1.step, at, d0.stride, d1.stride, d0.extent, d1.extent);
              });
}

void run_copy(const TensorIterator& iter, const RunOptions& options, Strategy wanted) {
  if (iter.numel() == 0) return;
  const Tuning& t = tuning();
  if (copies_at_once(iter, t, wanted)) {
    copy_planes(iter.geometry(), element_size(iter.operand(0).storage), iter.operand(0).data,
                iter.operand(1).data);
    return;
  }
  const CopyWalk walk(iter, t, wanted);
  parallel_for(walk.count(), grain_of(walk, options),
               [&](std::int64_t begin, std::int64_t end) { walk.run(begin, end); });
}

Explanation explain_copy(const TensorIterator& iter, const RunOptions& options, Strategy wanted) {
  Explanation e = iter.explain();
  e.has_run = true;
  e.run.instruction_set = name(current_level());
  e.run.bytes_moved = bytes_touched(iter);
  if (iter.numel() == 0) return e;
  const Tuning& t = tuning();
  const CopyPlane plane = copy_plane(iter, t);
  const Strategies possible = copy_candidates(iter, plane, t);
  e.run.candidates.assign(possible.begin(), possible.end());
  e.run.why = "asked for";
  if (copies_at_once(iter, t, wanted)) {
    e.run.strategy = Strategy::at_once;
    if (wanted == Strategy::automatic) e.run.why = "there are few elements";
    for (int k = 0; k < 2; ++k)
      e.operands[static_cast<std::size_t>(k)].access = access_name(plane, k);
    e.run.span = e.run.tile[0] = iter.ndim() > 0 ? iter.geometry().extent(0) : 1;
    e.run.tile[1] = iter.numel() / e.run.tile[0];
    e.run.blocks = 1;
    return e;
  }
  const CopyWalk walk(iter, t, wanted);
  const CopyPlan& plan = walk.plan();
  e.run.strategy = plan.strategy;
  if (wanted == Strategy::automatic) e.run.why = reason(plane, plan);
  e.run.tile[0] = e.run.span = plan.tile0;
  e.run.tile[1] = plan.tile1 * walk.run_planes();
  e.run.blocks = walk.count();
  for (int k = 0; k < 2; ++k) {
    std::string& access = e.operands[static_cast<std::size_t>(k)].access;
    access = plan.joins_rows() ? "rows joined in a buffer"
             : plan.buffered() ? "transposed in a buffer"
                               : access_name(plane, k);
    if (k == 0 && plan.streams()) access += ", streamed";
    if (k == 1 && plan.prefetches) access += ", prefetched";
  }
  e.run.threads = loop_threads(walk.count(), grain_of(walk, options));
  return e;
}

}  // namespace v0
}  // namespace weft
