// SPDX-License-Identifier: Apache-2.0
#include "engine/copy/copy_plan.hpp"

#include "engine/block.hpp"
#include "engine/footprint.hpp"
#include "iter/step_cost.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace weft {
inline namespace v0 {
namespace {

/// Whether 16 rows, one every `step` bytes, compete for the eight ways of a first-level cache of
/// which one holds 4 KiB, when each takes part of two lines: these are evicted before they are
/// complete.
bool conflict(std::int64_t step) {
  constexpr std::int64_t rows = 2 * l1_ways;
  std::uint8_t taken[l1_way_bytes / cache_line_bytes] = {};
  int most = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto address = static_cast<std::uint64_t>(row * step);
    most = std::max<int>(most, ++taken[address % l1_way_bytes / cache_line_bytes]);
  }
  return most > l1_ways / 2;
}

/// Whether so much of a narrow plane and what continues it is copied that lines are gone before the
/// next element beside them is wanted. Lines that are written stay, unless they have set conflicts.
bool goes_by_runs(const CopyPlane& p, const Geometry& geometry, const Tuning& t) {
  return !p.run.empty() && 2 * geometry.numel() * p.size >= t.min_layered_bytes &&
         (p.reads_narrow() || conflict(p.to1));
}

/// Chooses how one copy goes, and plans it.
class CopyChoice {
 public:
  CopyChoice(const TensorIterator& iter, const CopyPlane& plane, const Tuning& tuning)
      : geometry_(iter.geometry()),
        to_(iter.operand(0).data + plane.to_start),
        p_(plane),
        t_(tuning),
        can_stream_(can_stream(iter, 0)),
        fits_nowhere_(worth_streaming(iter, 0, plane.dense(), tuning)),
        narrow_(plane.transposes && plane.reads_narrow()),
        near_(is_near()),
        far_(!near_ && is_far()) {}

  Strategy choose() const {
    if (goes_by_runs(p_, geometry_, t_))
      return fits_nowhere_ ? Strategy::streamed_buffered_runs : Strategy::buffered_runs;
    return near_ ? choose_near() : choose_usual();
  }

  /// Whether a strategy can carry out the copy.
  bool can(Strategy strategy) const {
    const bool along = p_.to0 == p_.size;  // the output is dense along dim 0
    switch (strategy) {
      case Strategy::at_once: return true;
      case Strategy::row_tiles: return !p_.transposes;
      case Strategy::streamed_row_tiles: return p_.dense() && can_stream_;
      case Strategy::joined_rows:
        return p_.dense() && can_stream_ && p_.extent1 > 1 && p_.to1 == p_.extent0 * p_.size &&
               p_.to1 <= t_.copy_run_bytes;
      case Strategy::transposed_tiles: return p_.transposes;
      case Strategy::streamed_transposed_tiles:
        return p_.transposes && can_stream_ && has_whole_lines();
      case Strategy::buffered_tiles: return p_.transposes && along;
      case Strategy::streamed_buffered_tiles: return p_.transposes && along && can_stream_;
      case Strategy::buffered_runs: return !p_.run.empty();
      case Strategy::streamed_buffered_runs: return !p_.run.empty() && can_stream_;
      default: return false;
    }
  }

  /// What it is estimated to take on one thread. Precondition: can(strategy).
  std::int64_t estimate_ps(Strategy strategy) const {
    const CopyPlan tiles = plan(strategy);
    const std::int64_t numel = geometry_.numel(), bytes = numel * p_.size;
    const std::int64_t vectors = bytes / priced_bytes;
    const std::int64_t rows = numel / p_.extent0;
    std::int64_t ps = t_.call_ps * (1 + numel / (tiles.tile0 * tiles.tile1));
    ps += p_.transposes              ? vectors * t_.transposed_ps
          : p_.dense() || p_.fills() ? moved_rows_ps(rows, t_) + vectors * t_.vector_ps
                                     : numel * t_.gathered_ps;
    if (tiles.buffered() || tiles.joins_rows()) ps += vectors * t_.vector_ps;
    return std::max(ps, fetch_ps(bytes * (tiles.streams() ? 2 : 3), t_));
  }

  /// Precondition: can(strategy).
  CopyPlan plan(Strategy strategy) const {
    CopyPlan plan;
    plan.strategy = strategy;
    plan.tile0 = p_.extent0;
    plan.tile1 = p_.extent1;
    switch (strategy) {
      case Strategy::buffered_runs:
      case Strategy::streamed_buffered_runs: tile_runs(plan); return plan;
      default: break;
    }
    if (near_ && !narrow_ && p_.transposes) {
      tile_near(plan);
    } else {
      tile_usual(plan);
    }
    plan.tile0 = std::max<std::int64_t>(plan.tile0, 1);
    plan.tile1 = std::max<std::int64_t>(plan.tile1, 1);
    plan.prefetches = reads_short_runs(plan);
    return plan;
  }

 private:
  void tile_runs(CopyPlan& plan) const {
    const bool reads = p_.reads_narrow();
    std::int64_t& side = reads ? plan.tile0 : plan.tile1;
    side =
        std::min(side, (reads ? t_.transposed_run_bytes : t_.transposed_run_bytes / 2) / p_.size);
    std::int64_t bytes = (reads ? p_.extent1 : p_.extent0) * p_.size;
    for (std::size_t i = 0; i + 1 < p_.run.size(); ++i)
      bytes *= geometry_.extent(p_.run[i]);
    const std::int64_t most = std::min(
        reads ? t_.transposed_run_bytes / 2 : t_.transposed_run_bytes, t_.copy_buffer_bytes / side);
    plan.run_tile = std::clamp<std::int64_t>(most / bytes, 1, geometry_.extent(p_.run.back()));
  }

  Strategy choose_usual() const {
    const bool streams = fits_nowhere_ || far_;
    if (p_.transposes) {
      const bool by_lines = streams_well() || (fits_nowhere_ && has_whole_lines());
      if (splits_lines() || (streams && narrow_ && p_.to0 == p_.size) || (far_ && !by_lines))
        return streams ? Strategy::streamed_buffered_tiles : Strategy::buffered_tiles;
      return streams && has_whole_lines() ? Strategy::streamed_transposed_tiles
                                          : Strategy::transposed_tiles;
    }
    if (!streams || !p_.dense()) return Strategy::row_tiles;
    const std::int64_t row_bytes = p_.extent0 * p_.size;
    const bool joins =
        p_.extent1 > 1 && p_.to1 == row_bytes && row_bytes < t_.min_unjoined_row_bytes;
    return joins ? Strategy::joined_rows : Strategy::streamed_row_tiles;
  }

  /// Whether rows of the output that is dense along dim 0 begin within lines and are better put
  /// together in a buffer.
  bool splits_lines() const {
    const auto address =
        reinterpret_cast<std::uintptr_t>(to_) | static_cast<std::uintptr_t>(p_.to1);
    if (p_.to0 != p_.size || address % cache_line_bytes == 0) return false;
    const std::int64_t plane_bytes = p_.extent0 * p_.extent1 * p_.size;
    if (!t_.has_roomy_l1()) return plane_bytes >= t_.min_conflict_bytes && has_set_conflicts();
    // What is read for a tile is to be few lines of a plane that comes and goes, or rows so far
    // from each other that those beside it are not read on the way.
    return geometry_.numel() * p_.size >= t_.min_conflict_bytes &&
           plane_bytes >= t_.min_conflict_bytes / 8 &&
           (plane_bytes <= t_.min_conflict_bytes || std::abs(p_.from0) >= t_.min_run_step_bytes);
  }

  /// Whether so much is transposed that lines come from and go to a last level as far away as
  /// memory, where it is better to write each once, by non-temporal stores: lines with set
  /// conflicts are fetched and evicted several times otherwise, and those of large planes at least
  /// once.
  bool is_far() const {
    const std::int64_t bytes = bytes_moved();
    if (!p_.transposes || p_.to0 != p_.size || bytes <= t_.min_layered_bytes) return false;
    if (!t_.has_far_last_level() || bytes <= (p_.size <= 2 ? 2 : 3) * t_.l2_bytes) return false;
    if (streams_well()) return true;
    const bool lines = has_whole_lines();
    if (lines && p_.size == 1) return false;  // plain stores are as good
    const std::int64_t side0 = p_.extent0 * p_.size, side1 = p_.extent1 * p_.size;
    if (std::min(side0, side1) >= t_.copy_side_bytes) return true;
    // Channels last, say: short rows that follow each other make long runs.
    return lines && p_.extent0 >= cache_line_bytes && side1 >= 4 * t_.copy_side_bytes;
  }

  /// Whether so much is transposed that it does not stay in the second level, where the first level
  /// is roomy and the last one near. What fits no cache is left to what large copies do, if that
  /// may stream whole lines without set conflicts.
  bool is_near() const {
    const std::int64_t bytes = bytes_moved();
    if (!p_.transposes || p_.to0 != p_.size || bytes <= t_.min_layered_bytes) return false;
    return t_.machine_class == MachineClass::near && bytes > 2 * t_.l2_bytes &&
           std::min(p_.extent0, p_.extent1) * p_.size >= 2 * cache_line_bytes &&
           !(fits_nowhere_ && has_whole_lines() && !conflict(p_.to1));
  }

  /// Whether tiles read runs from memory that are too short, and too far from each other, for its
  /// own prefetchers. Not measured where the last level is as far away as memory.
  bool reads_short_runs(const CopyPlan& plan) const {
    const std::int64_t bytes = bytes_moved();
    if (bytes <= t_.min_layered_bytes || !(p_.transposes || p_.dense())) return false;
    const CopyRuns runs(p_, plan.tile0, plan.tile1);
    if (runs.bytes > t_.min_run_step_bytes / 2 || std::abs(runs.step) < t_.min_run_step_bytes)
      return false;
    return !t_.has_far_last_level() && bytes > t_.last_level_bytes;
  }

  void set_tile(CopyPlan& plan, std::int64_t bytes0, std::int64_t bytes1) const {
    plan.tile0 = std::min(p_.extent0, bytes0 / p_.size);
    plan.tile1 = std::min(p_.extent1, bytes1 / p_.size);
  }

  /// Where is_near().
  Strategy choose_near() const {
    const bool conflicts = conflict(p_.to1), lines = has_whole_lines();
    if (conflicts && !lines)
      return fits_nowhere_ ? Strategy::streamed_buffered_tiles : Strategy::buffered_tiles;
    // Lines with set conflicts are fetched and evicted several times, unless they are streamed;
    // others cost as much either way until the last level runs full.
    const bool streams = lines && (conflicts || bytes_moved() > t_.l3_bytes / 2);
    return streams ? Strategy::streamed_transposed_tiles : Strategy::transposed_tiles;
  }

  void tile_near(CopyPlan& plan) const {
    const std::int64_t l3 = t_.l3_bytes;
    if (plan.buffered()) {
      set_tile(plan, t_.transposed_run_bytes, t_.transposed_run_bytes / 2);
      plan.tile1 = std::min(plan.tile1, max_copy_buffer_bytes / (plan.tile0 * p_.size));
      return;
    }
    if (plan.streams()) {
      if (p_.size == 1) return set_tile(plan, t_.copy_side_bytes, cache_line_bytes);
      if (bytes_moved() > l3 / 4 * 3)
        return set_tile(plan, 2 * cache_line_bytes, t_.copy_run_bytes);
      return set_tile(plan, t_.transposed_run_bytes / 2, t_.transposed_run_bytes);
    }
    if (p_.size >= 8 && !conflict(p_.from0))
      return set_tile(plan, t_.copy_side_bytes, t_.copy_side_bytes);
    plan.tile1 = std::min(p_.extent1, t_.copy_run_bytes / p_.size);
    const std::int64_t lines_bytes =
        bytes_moved() > l3 / 3 ? cache_line_bytes : 2 * cache_line_bytes;
    const std::int64_t line = cache_line_bytes / p_.size;
    const std::int64_t wanted = lines_bytes * t_.copy_run_bytes / (plan.tile1 * p_.size * p_.size);
    plan.tile0 = std::min(p_.extent0, std::max(line, wanted / line * line));
  }

  std::int64_t bytes_moved() const { return 2 * geometry_.numel() * p_.size; }

  /// Whether lines that are streamed need no buffer: they are whole, and are read in the order of
  /// the input.
  bool streams_well() const { return has_set_conflicts() && has_whole_lines(); }
  bool has_set_conflicts() const { return conflict(p_.to1) || conflict(p_.from0); }

  /// Whether every row of the output begins on a line.
  bool has_whole_lines() const {
    auto bits = reinterpret_cast<std::uintptr_t>(to_);
    for (int d = 1; d < geometry_.ndim(); ++d)
      bits |= static_cast<std::uintptr_t>(geometry_.stride(d, 0));
    return bits % cache_line_bytes == 0;
  }

  void tile_usual(CopyPlan& plan) const {
    if (p_.transposes && plan.streams() && !plan.buffered()) {
      // Along the input's rows: of each row of the output one line is written and not seen again.
      const bool conflicts = far_ && has_set_conflicts();
      const std::int64_t lines = conflicts && p_.size > 1 ? 2 * cache_line_bytes : cache_line_bytes;
      plan.tile0 = std::min(p_.extent0, lines / p_.size);
      plan.tile1 =
          std::min(p_.extent1, conflicts ? t_.copy_run_bytes / p_.size : t_.copy_run_bytes);
    } else if (narrow_) {
      const std::int64_t line =
          cache_line_bytes / p_.size;  // whole lines, or each tile ends within one
      plan.tile0 = std::min(p_.extent0, t_.tile_bytes / 2 / (p_.extent1 * p_.size) / line * line);
    } else if (plan.buffered()) {
      tile_buffered(plan);
    } else if (p_.transposes) {
      const std::int64_t side = std::max(2 * cache_line_bytes, t_.copy_side_bytes / p_.size);
      plan.tile0 = std::min(p_.extent0, side);
      plan.tile1 = std::min(p_.extent1, side);
    } else if (plan.joins_rows()) {
      plan.tile1 = std::min(p_.extent1, t_.copy_run_bytes / (p_.extent0 * p_.size));
    } else {
      plan.tile0 = std::min(p_.extent0, 2 * t_.copy_buffer_bytes / element_bytes_in_tile());
      plan.tile1 = std::clamp<std::int64_t>(
          2 * t_.copy_buffer_bytes / (plan.tile0 * p_.planes_between * p_.size), 1, p_.extent1);
    }
  }

  /// Bytes of a tile of rows that an element along dim 0 takes: those of its own, or two lines
  /// where rows share them, since these are to stay in the first level from row to row.
  std::int64_t element_bytes_in_tile() const {
    const auto bytes = [this](std::int64_t stride, std::int64_t beside) {
      stride = std::abs(stride);
      beside = std::abs(beside);
      const bool shared = p_.extent1 > 1 && beside < stride && beside < cache_line_bytes;
      return shared ? 2 * std::min(stride, cache_line_bytes) : p_.size;
    };
    return std::max(bytes(p_.to0, p_.to1), bytes(p_.from0, p_.from1));
  }

  void tile_buffered(CopyPlan& plan) const {
    plan.tile0 =
        std::min(p_.extent0, std::min(t_.transposed_run_bytes / p_.size, t_.max_transposed_run));
    plan.tile1 = std::min(p_.extent1, t_.copy_buffer_bytes / (plan.tile0 * p_.size));
    if (far_) {
      plan.tile0 = std::min(p_.extent0, std::max(2 * cache_line_bytes / p_.size, cache_line_bytes));
      plan.tile1 = std::min(p_.extent1, std::min(cache_line_bytes * cache_line_bytes,
                                                 t_.copy_buffer_bytes / p_.size) /
                                            plan.tile0);
    } else if (t_.has_roomy_l1()) {
      plan.tile1 =
          std::min(plan.tile1, std::max(2 * cache_line_bytes / p_.size, t_.min_transposed_side));
    }
  }

  const Geometry& geometry_;
  const char* to_;
  const CopyPlane& p_;
  const Tuning& t_;
  bool can_stream_;    // the output can be
  bool fits_nowhere_;  // worth_streaming() says so
  bool narrow_;        // transposed, and less than a line long
  bool near_;          // is_near()
  bool far_;           // is_far(), and not near
};

/// Finds the dims that continue the narrow side of a transposed plane, until it is no longer
/// narrow.
void find_run(CopyPlane& p, const Geometry& geometry) {
  const std::int64_t side0 = p.extent0 * p.size, side1 = p.extent1 * p.size;
  const bool both = (side0 < cache_line_bytes) == (side1 < cache_line_bytes);
  if (!p.transposes || p.to0 != p.size || both) return;
  const int narrow = p.reads_narrow() ? 1 : 0;
  for (std::int64_t bytes = std::min(side0, side1); bytes < cache_line_bytes;) {
    const auto goes_on = [&](int d) {
      return d != p.first && d != p.partner && geometry.extent(d) > 1 &&
             geometry.stride(d, narrow) == bytes;
    };
    int next = 0;
    while (next < geometry.ndim() && !goes_on(next))
      ++next;
    if (next == geometry.ndim()) return;
    p.run.push_back(next);
    bytes *= geometry.extent(next);
  }
}

/// The dim along which operand k is dense, forwards; ndim() if there is none.
int first_dense_dim(const Geometry& geometry, int k, std::int64_t size) {
  int d = 0;
  while (d < geometry.ndim() && (geometry.extent(d) == 1 || geometry.stride(d, k) != size))
    ++d;
  return d;
}

/// Sets the dim of the rows of a plane that does not transpose. Of those that lie in a tile
/// together with the dims inside of them, dim 1 at least, the longest: planes are large then, and
/// few lines are left half used. But where lines of the input hold elements of a dim beyond these,
/// and of none within, that one: they would be gone before it comes to the next of their elements.
/// And where planes are small all the same, the dim beyond them, of which a tile takes a part:
/// unless rows are streamed, one after the other.
void set_rows_dim(CopyPlane& p, const Geometry& geometry, const Tuning& tuning, bool streams) {
  const auto shares_lines = [&](int d) {
    return geometry.extent(d) > 1 && std::abs(geometry.stride(d, 1)) < cache_line_bytes;
  };
  p.partner = 1;
  int d = 1;
  bool shared = shares_lines(0);
  const std::int64_t most = 2 * tuning.copy_buffer_bytes;
  const std::int64_t row_bytes = geometry.extent(0) * p.size;
  std::int64_t bytes = row_bytes;
  for (; d < geometry.ndim(); ++d) {
    if (d > 1 && bytes > most / geometry.extent(d)) break;
    bytes *= geometry.extent(d);
    shared = shared || shares_lines(d);
    if (geometry.extent(d) > geometry.extent(p.partner)) p.partner = d;
  }
  const int beyond = d;
  for (; d < geometry.ndim() && !shared; ++d) {
    if (shares_lines(d)) {
      p.partner = d;
      return;
    }
  }
  const std::int64_t rows = geometry.extent(p.partner);
  if (beyond == geometry.ndim() || streams || rows * row_bytes >= tuning.copy_run_bytes) return;
  if (std::min(most / bytes, geometry.extent(beyond)) < 2 * rows) return;
  p.partner = beyond;
  p.planes_between = bytes / row_bytes;
}

/// The plane of the dims along which each side is dense, where dim 0 is none of them; `p`, unless
/// that goes by runs.
CopyPlane plane_of_run(const CopyPlane& p, const Geometry& geometry, const Tuning& tuning) {
  const int first = first_dense_dim(geometry, 0, p.size),
            partner = first_dense_dim(geometry, 1, p.size);
  if (first == geometry.ndim() || partner == geometry.ndim() || first == partner) return p;
  CopyPlane other;
  other.size = p.size;
  other.transposes = true;
  other.first = first;
  other.partner = partner;
  other.extent0 = geometry.extent(first);
  other.extent1 = geometry.extent(partner);
  other.to0 = other.from1 = p.size;
  other.from0 = geometry.stride(first, 1);
  other.to1 = geometry.stride(partner, 0);
  find_run(other, geometry);
  return goes_by_runs(other, geometry, tuning) ? other : p;
}

/// Turns a plane whose dim 0 is narrow, and dense in the output: tiles go along the rows that are
/// joined there.
void join_rows(CopyPlane& p) {
  p.first = std::exchange(p.partner, 0);
  std::swap(p.extent0, p.extent1);
  std::swap(p.to0, p.to1);
  std::swap(p.from0, p.from1);
  p.run.clear();
}

/// The plane of the dim along which the output goes on behind such a dim 0, and of the input's: of
/// whole lines of both, as far as there are some, for each element of dim 0.
CopyPlane plane_beside(const CopyPlane& p, const Geometry& geometry) {
  CopyPlane other = p;
  other.run.clear();
  other.transposes = false;
  other.first = 1;
  other.extent0 = geometry.extent(1);
  other.to0 = geometry.stride(1, 0);
  other.from0 = geometry.stride(1, 1);
  return other;
}

}  // namespace

CopyPlane copy_plane(const TensorIterator& iter, const Tuning& tuning) {
  const Geometry& geometry = iter.geometry();
  CopyPlane p;
  p.size = element_size(iter.operand(0).storage);
  if (iter.ndim() == 0) return p;
  const auto turn_round = [&p](std::int64_t extent, std::int64_t& to, std::int64_t& from) {
    p.to_start += (extent - 1) * to;
    p.from_start += (extent - 1) * from;
    to = -to;
    from = -from;
  };
  p.extent0 = geometry.extent(0);
  p.to0 = geometry.stride(0, 0);
  p.from0 = geometry.stride(0, 1);
  if (p.to0 == -p.size || (p.from0 == -p.size && p.to0 != p.size))
    turn_round(p.extent0, p.to0, p.from0);
  if (iter.ndim() == 1) return p;
  p.partner = 1;
  // Rows of one value are a store each if they are long or follow each other.
  const std::int64_t row_bytes = p.extent0 * p.size;
  const bool fills =
      p.fills() && (row_bytes >= cache_line_bytes || geometry.stride(1, 0) == row_bytes);
  const int other = p.from0 != p.size ? 1 : 0;  // operand that is not dense along dim 0
  for (int d = 1; d < geometry.ndim() && !fills; ++d) {
    if (std::abs(geometry.stride(d, other)) != p.size || geometry.extent(d) < 2) continue;
    // Small planes are as quick by rows if these are written whole, or the first level holds all.
    constexpr std::int64_t large = transposed_lanes * transposed_lanes;
    const std::int64_t plane = p.extent0 * geometry.extent(d);
    const bool by_rows = p.to0 == p.size || 2 * geometry.numel() * p.size <= tuning.l1_bytes;
    if (plane < (by_rows ? large : large / 2)) continue;
    if ((other == 1 ? p.to0 : p.from0) != p.size) break;
    p.partner = d;
    p.transposes = true;
    break;
  }
  if (!p.transposes) set_rows_dim(p, geometry, tuning, worth_streaming(iter, 0, p.dense(), tuning));
  p.extent1 = geometry.extent(p.partner);
  p.to1 = geometry.stride(p.partner, 0);
  p.from1 = geometry.stride(p.partner, 1);
  if (p.transposes && (other == 1 ? p.from1 : p.to1) < 0) turn_round(p.extent1, p.to1, p.from1);
  find_run(p, geometry);
  // The order puts a narrow dim inside of one that costs less, so that calls that compute move
  // fewer operands. A copy moves one in any order.
  const auto cost = [&](int d) {
    return 2 * step_cost(geometry.stride(d, 0)) + step_cost(geometry.stride(d, 1));
  };
  if (p.transposes && p.to0 == p.size && 2 * row_bytes <= cache_line_bytes && cost(1) < cost(0) &&
      !goes_by_runs(p, geometry, tuning)) {
    const bool goes_on = geometry.stride(1, 0) == row_bytes && geometry.extent(1) > p.extent0 &&
                         geometry.stride(0, 0) == p.to0;  // not turned round
    if (goes_on && p.partner != 1) return plane_beside(p, geometry);
    join_rows(p);
  }
  const bool dense = p.transposes || p.to0 == p.size || p.from0 == p.size;
  return dense ? p : plane_of_run(p, geometry, tuning);
}

bool CopyPlan::streams() const noexcept {
  switch (strategy) {
    case Strategy::streamed_row_tiles:
    case Strategy::streamed_transposed_tiles:
    case Strategy::streamed_buffered_tiles:
    case Strategy::streamed_buffered_runs:
    case Strategy::joined_rows: return true;
    default: return false;
  }
}

bool CopyPlan::buffered() const noexcept {
  switch (strategy) {
    case Strategy::buffered_tiles:
    case Strategy::streamed_buffered_tiles:
    case Strategy::buffered_runs:
    case Strategy::streamed_buffered_runs: return true;
    default: return false;
  }
}

bool copies_at_once(const TensorIterator& iter, const Tuning& tuning, Strategy wanted) {
  return wanted == Strategy::automatic ? iter.numel() <= tuning.few_elements
                                       : wanted == Strategy::at_once;
}

CopyPlan plan_copy(const TensorIterator& iter, const CopyPlane& plane, const Tuning& tuning,
                   Strategy wanted) {
  const CopyChoice choice(iter, plane, tuning);
  if (wanted == Strategy::automatic) return choice.plan(choice.choose());
  if (!choice.can(wanted)) fail_strategy(wanted, copy_candidates(iter, plane, tuning));
  return choice.plan(wanted);
}

Strategies copy_candidates(const TensorIterator& iter, const CopyPlane& plane,
                           const Tuning& tuning) {
  const CopyChoice choice(iter, plane, tuning);
  Strategies found;
  for (int i = 0; i < strategy_count; ++i) {
    const auto strategy = static_cast<Strategy>(i);
    if (choice.can(strategy)) found.push_back(estimated(strategy, choice.estimate_ps(strategy)));
  }
  return found;
}

}  // namespace v0
}  // namespace weft
