// SPDX-License-Identifier: Apache-2.0
#include "engine/copy/copy_plan.hpp"

#include <weft/machine/cpu_info.hpp>

#include "engine/footprint.hpp"

#include <algorithm>
#include <cstdlib>

namespace weft {
inline namespace v0 {
namespace {

/// Bytes along each side of a tile that is transposed, and least elements: its lines and pages stay
/// in reach while the other side is walked.
constexpr std::int64_t transposed_tile_bytes = 1024;
constexpr std::int64_t least_transposed_tile = 128;
/// Bytes of a line, and most elements across the lines that are written past the caches.
constexpr std::int64_t line_bytes = 64;
constexpr std::int64_t most_streamed_rows = 4096;
/// The same of crowded rows where the last level is far away: two lines of each row that is written, and as
/// much of each row that is read as a page holds. Bytes.
constexpr std::int64_t far_lines_bytes = 128;
constexpr std::int64_t far_run_bytes = 4096;
/// The same of other rows: elements each way of a tile that goes through the buffer.
constexpr std::int64_t far_tile = 64;
/// The same where the last level is near and the first roomy: bytes along rows that are written and along
/// those that are read, of tiles of streamed lines (single bytes: near_streamed_bytes), and of tiles that go
/// through the buffer.
constexpr std::int64_t near_streamed[] = {256, 512};
constexpr std::int64_t near_streamed_bytes[] = {1024, 64};
constexpr std::int64_t near_buffered[] = {512, 256};
constexpr std::int64_t near_buffer_bytes = 64 << 10;
static_assert(near_buffer_bytes <= copy_buffer_bytes);
/// The same of other tiles there: so much of each row that is read, and two lines of each row that is written,
/// one where much of it all may have left the last level; more lines where rows are shorter.
constexpr std::int64_t near_run_bytes = 4096;
constexpr std::int64_t near_lines_bytes = 128;
/// Bytes of a tile of rows.
constexpr std::int64_t row_tile_bytes = 64 << 10;
/// Rows of fewer bytes are brought together in a buffer of so many before they are written past the caches: a line
/// that two of them share would be read first, and every store behind it would wait.
constexpr std::int64_t least_streamed_row = 320;
constexpr std::int64_t joined_bytes = 4 << 10;

/// Bytes of a row of a tile that is transposed in a buffer, and of the buffer.
constexpr std::int64_t buffered_row_bytes = 512;
constexpr std::int64_t buffer_bytes = 32 << 10;
static_assert(buffer_bytes <= copy_buffer_bytes);
/// The same where the first-level cache is roomy: two lines of each row that is read, so that the buffer
/// stays there. It is quicker then wherever lines would be written in two parts.
constexpr std::int64_t buffered_line_bytes = 128;
constexpr std::int64_t least_buffered_lines = 16;

/// Whether 16 rows, `step` bytes apart, compete for the eight ways of a first-level cache of which one
/// holds 4 KiB, when each takes part of two lines: these are evicted before they are complete.
bool crowds(std::int64_t step) {
  constexpr std::int64_t way_bytes = 4096;
  constexpr int rows = 16;
  std::uint8_t taken[way_bytes / line_bytes] = {};
  int most = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto address = static_cast<std::uint64_t>(row * step);
    most = std::max<int>(most, ++taken[address % way_bytes / line_bytes]);
  }
  return most > 4;
}

/// Narrow planes are taken across as a whole, in tiles of so many bytes: few enough for the first-level cache, so
/// that each line is fetched once.
constexpr std::int64_t narrow_tile_bytes = 12 << 10;
/// The same of those that a run continues, in a buffer: bytes along what is read and along what is written.
constexpr std::int64_t run_read_bytes = 256, run_written_bytes = 512;
constexpr std::int64_t run_buffer_bytes = 32 << 10;
static_assert(run_buffer_bytes <= copy_buffer_bytes);

/// Whether so much of a narrow plane and what continues it is copied that lines are gone before the next element
/// beside them is wanted. Lines that are written stay, unless they crowd each other.
bool goes_by_runs(const CopyPlane& p, const Geometry& geometry) {
  constexpr std::int64_t least_bytes = 1 << 20;
  return !p.run.empty() && 2 * geometry.numel() * p.size >= least_bytes &&
         (p.reads_narrow() || crowds(p.to1));
}

/// Decides on the road of one copy.
class RoadChoice {
 public:
  RoadChoice(const TensorIterator& iter, const CopyPlane& plane)
      : geometry_(iter.geometry()), to_(iter.operand(0).data + plane.to_start), p_(plane) {
    narrow_ = p_.transposes && p_.reads_narrow();
    const bool fits_nowhere = worth_streaming(iter, 0, p_.dense());
    if (goes_by_runs(p_, geometry_)) {
      choose_run_road(fits_nowhere);
      return;
    }
    if (is_near(fits_nowhere)) {
      choose_near_road(fits_nowhere);
    } else {
      choose_usual_road(fits_nowhere);
    }
    road_.prefetches = reads_short_runs();
  }

  const CopyRoad& road() const { return road_; }

 private:
  void choose_run_road(bool fits_nowhere) {
    const bool reads = p_.reads_narrow();
    road_.tile0 = p_.extent0;
    road_.tile1 = p_.extent1;
    std::int64_t& side = reads ? road_.tile0 : road_.tile1;
    side = std::min(side, (reads ? run_written_bytes : run_read_bytes) / p_.size);
    std::int64_t bytes = (reads ? p_.extent1 : p_.extent0) * p_.size;
    for (std::size_t i = 0; i + 1 < p_.run.size(); ++i)
      bytes *= geometry_.extent(p_.run[i]);
    const std::int64_t most =
        std::min(reads ? run_read_bytes : run_written_bytes, run_buffer_bytes / side);
    road_.run_tile = std::clamp<std::int64_t>(most / bytes, 1, geometry_.extent(p_.run.back()));
    road_.buffered = true;
    road_.streams = fits_nowhere;
  }

  void choose_usual_road(bool fits_nowhere) {
    far_ = is_far();
    road_.streams = fits_nowhere || far_;
    const bool by_lines = streams_well() || (fits_nowhere && has_whole_lines());
    road_.buffered =
        p_.transposes &&
        (is_crowded() || (road_.streams && narrow_ && p_.to0 == p_.size) || (far_ && !by_lines));
    road_.streams =
        road_.streams && (p_.dense() || road_.buffered || (p_.transposes && has_whole_lines()));
    const std::int64_t row_bytes = p_.extent0 * p_.size;
    road_.joins_rows = road_.streams && p_.dense() && p_.extent1 > 1 && p_.to1 == row_bytes &&
                       row_bytes < least_streamed_row;
    choose_tile();
  }

  /// Whether rows of the output that is dense along dim 0 begin within lines and are better put together
  /// in a buffer.
  bool is_crowded() const {
    const auto address =
        reinterpret_cast<std::uintptr_t>(to_) | static_cast<std::uintptr_t>(p_.to1);
    if (p_.to0 != p_.size || address % line_bytes == 0) return false;
    constexpr std::int64_t least_bytes = 128 << 10;  // less stays in the caches as it is
    const std::int64_t plane_bytes = p_.extent0 * p_.extent1 * p_.size;
    if (!has_roomy_l1()) return plane_bytes >= least_bytes && has_crowded_rows();
    // What is read for a tile is to be few lines of a plane that comes and goes, or rows so far apart
    // that those beside it are not read on the way.
    constexpr std::int64_t least_plane_bytes = 16 << 10;
    constexpr std::int64_t least_apart = 1 << 10;
    return geometry_.numel() * p_.size >= least_bytes && plane_bytes >= least_plane_bytes &&
           (plane_bytes <= least_bytes || std::abs(p_.from0) >= least_apart);
  }

  /// Whether so much is transposed that lines come from and go to a last level as far away as memory, where it
  /// is better to write each once, past the caches: lines that crowd each other are fetched and evicted
  /// several times otherwise, and those of large planes at least once.
  bool is_far() const {
    constexpr std::int64_t surely_near = 1 << 20;  // bytes; spares small calls the rest
    constexpr std::int64_t least_side_bytes = 1 << 10;
    const std::int64_t bytes = 2 * geometry_.numel() * p_.size;
    if (!p_.transposes || p_.to0 != p_.size || bytes <= surely_near) return false;
    const CpuInfo& cpu = cpu_info();
    const std::int64_t least = (p_.size <= 2 ? 2 : 3) * cpu.l2_bytes;
    if (!cpu.has_far_last_level() || bytes <= least) return false;
    if (streams_well()) return true;
    const bool lines = has_whole_lines();
    if (lines && p_.size == 1) return false;  // plain stores are as good
    const std::int64_t along = p_.extent0 * p_.size, across = p_.extent1 * p_.size;
    if (std::min(along, across) >= least_side_bytes) return true;
    // Channels last, say: short rows that follow each other make long runs.
    return lines && p_.extent0 >= far_tile && across >= 4 * least_side_bytes;
  }

  /// Whether so much is transposed that it does not stay in the second level, where the first level is roomy
  /// and the last one near. What fits no cache is left to the road of large copies, if that may stream whole
  /// lines that crowd nothing.
  bool is_near(bool fits_nowhere) const {
    constexpr std::int64_t surely_small = 1 << 20;  // bytes; spares small calls the rest
    constexpr std::int64_t least_side_bytes = 128;
    const std::int64_t bytes = 2 * geometry_.numel() * p_.size;
    if (!p_.transposes || p_.to0 != p_.size || bytes <= surely_small) return false;
    const CpuInfo& cpu = cpu_info();
    return has_roomy_l1() && !cpu.has_far_last_level() && bytes > 2 * cpu.l2_bytes &&
           std::min(p_.extent0, p_.extent1) * p_.size >= least_side_bytes &&
           !(fits_nowhere && has_whole_lines() && !crowds(p_.to1));
  }

  /// Whether tiles read runs from memory that are too short, and too far apart, for its own prefetchers. Not
  /// measured where the last level is as far away as memory.
  bool reads_short_runs() const {
    constexpr std::int64_t surely_near = 1 << 20;  // bytes; spares small calls the rest
    constexpr std::int64_t most_bytes = 512, least_apart = 1 << 10;
    const std::int64_t bytes = 2 * geometry_.numel() * p_.size;
    if (bytes <= surely_near || !(p_.transposes || p_.dense())) return false;
    const CopyRuns runs(p_, road_.tile0, road_.tile1);
    if (runs.bytes > most_bytes || std::abs(runs.apart) < least_apart) return false;
    return !cpu_info().has_far_last_level() && bytes > cpu_info().last_level_share();
  }

  void set_tile(std::int64_t bytes0, std::int64_t bytes1) {
    road_.tile0 = std::min(p_.extent0, bytes0 / p_.size);
    road_.tile1 = std::min(p_.extent1, bytes1 / p_.size);
  }

  /// Chooses among stores and tiles where is_near().
  void choose_near_road(bool fits_nowhere) {
    const std::int64_t bytes = 2 * geometry_.numel() * p_.size;
    const std::int64_t l3 = cpu_info().l3_bytes;
    const bool crowded = crowds(p_.to1), lines = has_whole_lines();
    if (crowded && !lines) {
      road_.buffered = true;
      road_.streams = fits_nowhere;
      set_tile(near_buffered[0], near_buffered[1]);
      road_.tile1 = std::min(road_.tile1, near_buffer_bytes / (road_.tile0 * p_.size));
      return;
    }
    // Lines that crowd each other are fetched and evicted several times, unless they are streamed; others
    // cost as much either way until the last level runs full.
    if (lines && (crowded || bytes > l3 / 2)) {
      road_.streams = true;
      if (p_.size == 1) return set_tile(near_streamed_bytes[0], near_streamed_bytes[1]);
      if (bytes > l3 / 4 * 3) return set_tile(far_lines_bytes, far_run_bytes);
      return set_tile(near_streamed[0], near_streamed[1]);
    }
    if (p_.size >= 8 && !crowds(p_.from0))
      return set_tile(transposed_tile_bytes, transposed_tile_bytes);
    road_.tile1 = std::min(p_.extent1, near_run_bytes / p_.size);
    const std::int64_t lines_bytes = bytes > l3 / 3 ? near_lines_bytes / 2 : near_lines_bytes;
    const std::int64_t line = line_bytes / p_.size;
    const std::int64_t wanted = lines_bytes * near_run_bytes / (road_.tile1 * p_.size * p_.size);
    road_.tile0 = std::min(p_.extent0, std::max(line, wanted / line * line));
  }

  /// Whether lines that are streamed need no buffer: they are whole, and are read in the order of the input.
  bool streams_well() const { return has_crowded_rows() && has_whole_lines(); }
  bool has_crowded_rows() const { return crowds(p_.to1) || crowds(p_.from0); }

  /// Whether every row of the output begins on a line.
  bool has_whole_lines() const {
    auto bits = reinterpret_cast<std::uintptr_t>(to_);
    for (int d = 1; d < geometry_.ndim(); ++d)
      bits |= static_cast<std::uintptr_t>(geometry_.stride(d, 0));
    return bits % line_bytes == 0;
  }

  void choose_tile() {
    if (p_.transposes && road_.streams && !road_.buffered) {
      // Along the input's rows: of each row of the output one line is written and not seen again.
      const bool crowded = far_ && has_crowded_rows();
      const std::int64_t lines = crowded && p_.size > 1 ? far_lines_bytes : line_bytes;
      road_.tile0 = std::min(p_.extent0, lines / p_.size);
      road_.tile1 = std::min(p_.extent1, crowded ? far_run_bytes / p_.size : most_streamed_rows);
    } else if (narrow_) {
      const std::int64_t line = line_bytes / p_.size;  // whole lines, or each tile ends within one
      road_.tile0 = std::min(p_.extent0, narrow_tile_bytes / (p_.extent1 * p_.size) / line * line);
      road_.tile1 = p_.extent1;
    } else if (road_.buffered) {
      road_.tile0 = std::min(p_.extent0, std::min<std::int64_t>(buffered_row_bytes / p_.size, 256));
      road_.tile1 = std::min(p_.extent1, buffer_bytes / (road_.tile0 * p_.size));
      if (far_) {
        road_.tile0 =
            std::min(p_.extent0, std::max<std::int64_t>(far_lines_bytes / p_.size, far_tile));
        road_.tile1 = std::min(p_.extent1,
                               std::min(far_tile * far_tile, buffer_bytes / p_.size) / road_.tile0);
      } else if (has_roomy_l1()) {
        road_.tile1 =
            std::min(road_.tile1, std::max(buffered_line_bytes / p_.size, least_buffered_lines));
      }
    } else if (p_.transposes) {
      const std::int64_t side = std::max(least_transposed_tile, transposed_tile_bytes / p_.size);
      road_.tile0 = std::min(p_.extent0, side);
      road_.tile1 = std::min(p_.extent1, side);
    } else if (road_.joins_rows) {
      road_.tile0 = p_.extent0;
      road_.tile1 = std::min(p_.extent1, joined_bytes / (p_.extent0 * p_.size));
    } else {
      road_.tile0 = std::min(p_.extent0, row_tile_bytes / p_.size);
      road_.tile1 =
          std::clamp<std::int64_t>(row_tile_bytes / (road_.tile0 * p_.size), 1, p_.extent1);
    }
  }

  const Geometry& geometry_;
  const char* to_;
  const CopyPlane& p_;
  CopyRoad road_;
  bool far_ = false;     // transposed, and too much for any cache that is near
  bool narrow_ = false;  // transposed, and less than a line across
};

/// Finds the dims that continue the narrow side of a transposed plane, until it is no longer narrow.
void find_run(CopyPlane& p, const Geometry& geometry) {
  const std::int64_t along = p.extent0 * p.size, across = p.extent1 * p.size;
  const bool both = (along < CopyPlane::narrow_bytes) == (across < CopyPlane::narrow_bytes);
  if (!p.transposes || p.to0 != p.size || both) return;
  const int narrow = p.reads_narrow() ? 1 : 0;
  for (std::int64_t bytes = std::min(along, across); bytes < CopyPlane::narrow_bytes;) {
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
int dense_dim(const Geometry& geometry, int k, std::int64_t size) {
  int d = 0;
  while (d < geometry.ndim() && (geometry.extent(d) == 1 || geometry.stride(d, k) != size))
    ++d;
  return d;
}

/// The plane of the dims along which each side is dense, where dim 0 is none of them; `p`, unless that goes by runs.
CopyPlane plane_of_run(const CopyPlane& p, const Geometry& geometry) {
  const int first = dense_dim(geometry, 0, p.size), partner = dense_dim(geometry, 1, p.size);
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
  return goes_by_runs(other, geometry) ? other : p;
}

}  // namespace

CopyPlane copy_plane(const TensorIterator& iter) {
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
  constexpr std::int64_t least_filled = 64;  // bytes of rows of one value that are not turned
  const bool fills = p.fills() && p.extent0 * p.size >= least_filled;
  const int crossing = p.from0 != p.size ? 1 : 0;  // operand that runs across dim 0
  for (int d = 1; d < geometry.ndim() && !fills; ++d) {
    if (std::abs(geometry.stride(d, crossing)) != p.size || geometry.extent(d) < 2) continue;
    if ((crossing == 1 ? p.to0 : p.from0) != p.size) break;
    p.partner = d;
    p.transposes = true;
    break;
  }
  p.extent1 = geometry.extent(p.partner);
  p.to1 = geometry.stride(p.partner, 0);
  p.from1 = geometry.stride(p.partner, 1);
  if (p.transposes && (crossing == 1 ? p.from1 : p.to1) < 0) turn_round(p.extent1, p.to1, p.from1);
  find_run(p, geometry);
  const bool dense = p.transposes || p.to0 == p.size || p.from0 == p.size;
  return dense ? p : plane_of_run(p, geometry);
}

CopyRoad copy_road(const TensorIterator& iter, const CopyPlane& plane) {
  return iter.ndim() == 0 ? CopyRoad() : RoadChoice(iter, plane).road();
}

}  // namespace v0
}  // namespace weft
