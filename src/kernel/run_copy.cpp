// SPDX-License-Identifier: Apache-2.0
#include "kernel/run_copy.hpp"

#include <weft/base/checked.hpp>
#include <weft/kernel/cpu_info.hpp>
#include <weft/parallel/parallel.hpp>

#include "kernel/block.hpp"
#include "kernel/footprint.hpp"
#include "kernels/stage/stage.hpp"

#include <algorithm>
#include <cstdlib>

namespace weft::inline v0 {
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
/// The same where the last level is near and the first roomy. Bytes along rows that are written and that are
/// read, of tiles of streamed lines, of those of bytes, and of tiles that go through the buffer.
constexpr std::int64_t near_streamed[] = {256, 512};
constexpr std::int64_t near_streamed_bytes[] = {1024, 64};
constexpr std::int64_t near_buffered[] = {512, 256};
constexpr std::int64_t near_buffer_bytes = 64 << 10;
/// Of other tiles: as many bytes along the rows that are read, and two lines along those that are written,
/// one line if less of it all stays in the last level; more of them where rows are shorter.
constexpr std::int64_t near_run_bytes = 4096;
constexpr std::int64_t near_lines_bytes = 128;
/// Bytes of a tile of rows, and least bytes that are worth a thread of their own.
constexpr std::int64_t row_tile_bytes = 64 << 10;
constexpr std::int64_t grain_bytes = 512 << 10;

/// Bytes of a row of a tile that is transposed in a buffer, and of the buffer.
constexpr std::int64_t buffered_row_bytes = 512;
constexpr std::int64_t buffer_bytes = 32 << 10;
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

/// Planes less than this across, channels say, are taken across as a whole, in tiles of so many bytes:
/// few enough for the first-level cache, so that each line is fetched once.
constexpr std::int64_t narrow_bytes = 64;
constexpr std::int64_t narrow_tile_bytes = 12 << 10;

/// The walk over tiles of a plane, and over all other dims.
class CopyWalk {
 public:
  explicit CopyWalk(const TensorIterator& iter)
      : geometry_(iter.geometry()),
        to_(iter.operand(0).data),
        from_(iter.operand(1).data),
        size_(element_size(iter.operand(0).storage)) {
    if (iter.ndim() == 0) return;
    extent0_ = geometry_.extent(0);
    t0_ = geometry_.stride(0, 0);
    f0_ = geometry_.stride(0, 1);
    if (iter.ndim() > 1) choose_plane();
    narrow_ = transposes_ && extent1_ * size_ < narrow_bytes;
    const bool fits_nowhere = worth_streaming(iter, 0);
    if (is_near(fits_nowhere)) {
      choose_near_road(fits_nowhere);
    } else {
      far_ = is_far();
      streams_ = fits_nowhere || far_;
      const bool by_lines = streams_well() || (fits_nowhere && has_whole_lines());
      buffered_ = transposes_ &&
                  (is_crowded() || (streams_ && narrow_ && t0_ == size_) || (far_ && !by_lines));
      streams_ = streams_ && (dense() || buffered_ || (transposes_ && has_whole_lines()));
      choose_tile();
    }
    tiles0_ = ceil_div(extent0_, tile0_);
    tiles1_ = ceil_div(extent1_, tile1_);
    count_ = tiles0_ * tiles1_ * (iter.numel() / (extent0_ * extent1_));
  }

  std::int64_t count() const { return count_; }
  std::int64_t tile_bytes() const { return tile0_ * tile1_ * size_; }
  std::int64_t tile(int side) const { return side == 0 ? tile0_ : tile1_; }
  bool transposes() const { return transposes_; }
  bool dense() const { return t0_ == size_ && f0_ == size_; }
  bool streams() const { return streams_; }
  bool buffered() const { return buffered_; }

  void run(std::int64_t begin, std::int64_t end) const {
    alignas(64) char buffer[std::max(buffer_bytes, near_buffer_bytes)];
    const CopyBlockFn copy = streams_ ? stream_block_kernel(size_) : copy_block_kernel(size_);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t in_plane = count_ == 1 ? 0 : i % (tiles0_ * tiles1_);
      const std::int64_t at0 = in_plane % tiles0_ * tile0_;
      const std::int64_t at1 = in_plane / tiles0_ * tile1_;
      char* to = to_ + at0 * t0_ + at1 * t1_;
      const char* from = from_ + at0 * f0_ + at1 * f1_;
      std::int64_t rest = count_ == 1 ? 0 : i / (tiles0_ * tiles1_);
      for (int d = 1; rest != 0; ++d) {
        if (d == partner_) continue;
        const std::int64_t index = rest % geometry_.extent(d);
        rest /= geometry_.extent(d);
        to += index * geometry_.stride(d, 0);
        from += index * geometry_.stride(d, 1);
      }
      const std::int64_t n0 = std::min(tile0_, extent0_ - at0);
      const std::int64_t n1 = std::min(tile1_, extent1_ - at1);
      if (buffered_) {
        copy_block_kernel(size_)(buffer, size_, n0 * size_, from, f0_, f1_, n0, n1);
        copy(to, t0_, t1_, buffer, size_, n0 * size_, n0, n1);
      } else {
        copy(to, t0_, t1_, from, f0_, f1_, n0, n1);
      }
    }
    if (streams_) end_streaming();
  }

 private:
  /// The second dim of a plane: where the side that is not dense along dim 0 is; dim 1 if nowhere.
  void choose_plane() {
    partner_ = 1;
    const int crossing = f0_ != size_ ? 1 : 0;  // operand that runs across dim 0
    for (int d = 1; d < geometry_.ndim(); ++d) {
      if (geometry_.stride(d, crossing) != size_ || geometry_.extent(d) < 2) continue;
      if ((crossing == 1 ? t0_ : f0_) != size_) break;
      partner_ = d;
      transposes_ = true;
      break;
    }
    extent1_ = geometry_.extent(partner_);
    t1_ = geometry_.stride(partner_, 0);
    f1_ = geometry_.stride(partner_, 1);
  }

  /// Whether rows of the output that is dense along dim 0 begin within lines and are better put together
  /// in a buffer.
  bool is_crowded() const {
    const auto address = reinterpret_cast<std::uintptr_t>(to_) | static_cast<std::uintptr_t>(t1_);
    if (t0_ != size_ || address % line_bytes == 0) return false;
    constexpr std::int64_t least_bytes = 128 << 10;  // less stays in the caches as it is
    const std::int64_t plane_bytes = extent0_ * extent1_ * size_;
    if (!has_roomy_l1()) return plane_bytes >= least_bytes && has_crowded_rows();
    // What is read for a tile is to be few lines of a plane that comes and goes, or rows so far apart
    // that those beside it are not read on the way.
    constexpr std::int64_t least_plane_bytes = 16 << 10;
    constexpr std::int64_t least_apart = 1 << 10;
    return geometry_.numel() * size_ >= least_bytes && plane_bytes >= least_plane_bytes &&
           (plane_bytes <= least_bytes || std::abs(f0_) >= least_apart);
  }

  /// Whether so much is transposed that lines come from and go to a last level as far away as memory, where it
  /// is better to write each once, past the caches: lines that crowd each other are fetched and evicted
  /// several times otherwise, and those of large planes at least once.
  bool is_far() const {
    constexpr std::int64_t surely_near = 1 << 20;  // bytes; spares small calls the rest
    constexpr std::int64_t least_side_bytes = 1 << 10;
    const std::int64_t bytes = 2 * geometry_.numel() * size_;
    if (!transposes_ || t0_ != size_ || bytes <= surely_near) return false;
    const CpuInfo& cpu = cpu_info();
    const std::int64_t least = (size_ <= 2 ? 2 : 3) * cpu.l2_bytes;
    if (!cpu.has_far_last_level() || bytes <= least) return false;
    if (streams_well()) return true;
    const bool lines = has_whole_lines();
    if (lines && size_ == 1) return false;  // plain stores are as good
    const std::int64_t along = extent0_ * size_, across = extent1_ * size_;
    if (std::min(along, across) >= least_side_bytes) return true;
    // Channels last, say: short rows that follow each other make long runs.
    return lines && extent0_ >= far_tile && across >= 4 * least_side_bytes;
  }

  /// Whether so much is transposed that it does not stay in the second level, where the first level is roomy
  /// and the last one near. What fits no cache is left to the road of large copies, if that may stream whole
  /// lines that crowd nothing.
  bool is_near(bool fits_nowhere) const {
    constexpr std::int64_t surely_small = 1 << 20;  // bytes; spares small calls the rest
    constexpr std::int64_t least_side_bytes = 128;
    const std::int64_t bytes = 2 * geometry_.numel() * size_;
    if (!transposes_ || t0_ != size_ || bytes <= surely_small) return false;
    const CpuInfo& cpu = cpu_info();
    return has_roomy_l1() && !cpu.has_far_last_level() && bytes > 2 * cpu.l2_bytes &&
           std::min(extent0_, extent1_) * size_ >= least_side_bytes &&
           !(fits_nowhere && has_whole_lines() && !crowds(t1_));
  }

  void set_tile(std::int64_t bytes0, std::int64_t bytes1) {
    tile0_ = std::min(extent0_, bytes0 / size_);
    tile1_ = std::min(extent1_, bytes1 / size_);
  }

  /// Chooses among stores and tiles where is_near().
  void choose_near_road(bool fits_nowhere) {
    const std::int64_t bytes = 2 * geometry_.numel() * size_;
    const std::int64_t l3 = cpu_info().l3_bytes;
    const bool crowded = crowds(t1_), lines = has_whole_lines();
    if (crowded && !lines) {
      buffered_ = true;
      streams_ = fits_nowhere;
      set_tile(near_buffered[0], near_buffered[1]);
      tile1_ = std::min(tile1_, near_buffer_bytes / (tile0_ * size_));
      return;
    }
    // Lines that crowd each other are fetched and evicted several times, unless they are streamed; others
    // cost as much either way until the last level runs full.
    if (lines && (crowded || bytes > l3 / 2)) {
      streams_ = true;
      if (size_ == 1) return set_tile(near_streamed_bytes[0], near_streamed_bytes[1]);
      if (bytes > l3 / 4 * 3) return set_tile(far_lines_bytes, far_run_bytes);
      return set_tile(near_streamed[0], near_streamed[1]);
    }
    if (size_ >= 8 && !crowds(f0_)) return set_tile(transposed_tile_bytes, transposed_tile_bytes);
    tile1_ = std::min(extent1_, near_run_bytes / size_);
    const std::int64_t lines_bytes = bytes > l3 / 3 ? near_lines_bytes / 2 : near_lines_bytes;
    const std::int64_t line = line_bytes / size_;
    const std::int64_t wanted = lines_bytes * near_run_bytes / (tile1_ * size_ * size_);
    tile0_ = std::min(extent0_, std::max(line, wanted / line * line));
  }

  /// Whether lines that are streamed need no buffer: they are whole, and are read in the order of the input.
  bool streams_well() const { return has_crowded_rows() && has_whole_lines(); }
  bool has_crowded_rows() const { return crowds(t1_) || crowds(f0_); }

  /// Whether every row of the output begins on a line.
  bool has_whole_lines() const {
    auto bits = reinterpret_cast<std::uintptr_t>(to_);
    for (int d = 1; d < geometry_.ndim(); ++d)
      bits |= static_cast<std::uintptr_t>(geometry_.stride(d, 0));
    return bits % line_bytes == 0;
  }

  void choose_tile() {
    if (transposes_ && streams_ && !buffered_) {
      // Along the input's rows: of each row of the output one line is written and not seen again.
      const bool crowded = far_ && has_crowded_rows();
      const std::int64_t lines = crowded && size_ > 1 ? far_lines_bytes : line_bytes;
      tile0_ = std::min(extent0_, lines / size_);
      tile1_ = std::min(extent1_, crowded ? far_run_bytes / size_ : most_streamed_rows);
    } else if (narrow_) {
      const std::int64_t line = line_bytes / size_;  // whole lines, or each tile ends within one
      tile0_ = std::min(extent0_, narrow_tile_bytes / (extent1_ * size_) / line * line);
      tile1_ = extent1_;
    } else if (buffered_) {
      tile0_ = std::min(extent0_, std::min<std::int64_t>(buffered_row_bytes / size_, 256));
      tile1_ = std::min(extent1_, buffer_bytes / (tile0_ * size_));
      if (far_) {
        tile0_ = std::min(extent0_, std::max<std::int64_t>(far_lines_bytes / size_, far_tile));
        tile1_ = std::min(extent1_, std::min(far_tile * far_tile, buffer_bytes / size_) / tile0_);
      } else if (has_roomy_l1()) {
        tile1_ = std::min(tile1_, std::max(buffered_line_bytes / size_, least_buffered_lines));
      }
    } else if (transposes_) {
      const std::int64_t side = std::max(least_transposed_tile, transposed_tile_bytes / size_);
      tile0_ = std::min(extent0_, side);
      tile1_ = std::min(extent1_, side);
    } else {
      tile0_ = std::min(extent0_, row_tile_bytes / size_);
      tile1_ = std::clamp<std::int64_t>(row_tile_bytes / (tile0_ * size_), 1, extent1_);
    }
  }

  const Geometry& geometry_;
  char* to_;
  const char* from_;
  std::int64_t size_;                               // bytes of an element
  std::int64_t extent0_ = 1, extent1_ = 1;          // of the plane
  std::int64_t t0_ = 0, t1_ = 0, f0_ = 0, f1_ = 0;  // bytes from element to element, to and from
  std::int64_t tile0_ = 1, tile1_ = 1;              // elements of a tile
  std::int64_t tiles0_ = 1, tiles1_ = 1;
  std::int64_t count_ = 1;
  int partner_ = 0;  // dim that is the plane's second
  bool transposes_ = false;
  bool streams_ = false;
  bool far_ = false;       // transposed, and too much for any cache that is near
  bool narrow_ = false;    // transposed, and less than a line across
  bool buffered_ = false;  // transposed in a buffer, from which whole runs of lines are written
};

std::int64_t grain_of(const CopyWalk& walk) {
  return std::max<std::int64_t>(1, grain_bytes / walk.tile_bytes());
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

void run_copy(const TensorIterator& iter) {
  if (iter.numel() == 0) return;
  constexpr std::int64_t few_elements = 4096;
  if (iter.numel() <= few_elements) {
    copy_planes(iter.geometry(), element_size(iter.operand(0).storage), iter.operand(0).data,
                iter.operand(1).data);
    return;
  }
  const CopyWalk walk(iter);
  parallel_for(walk.count(), grain_of(walk),
               [&](std::int64_t begin, std::int64_t end) { walk.run(begin, end); });
}

Explanation explain_copy(const TensorIterator& iter) {
  Explanation e = iter.explain();
  e.has_run = true;
  e.run.instruction_set = name(current_level());
  if (iter.numel() == 0) return e;
  const CopyWalk walk(iter);
  e.run.tile[0] = e.run.span = walk.tile(0);
  e.run.tile[1] = walk.tile(1);
  e.run.blocks = walk.count();
  for (int k = 0; k < 2; ++k) {
    e.run.bytes_moved += bytes_touched(iter, k);
    std::string& access = e.operands[static_cast<std::size_t>(k)].access;
    access = walk.dense()        ? "direct, by rows"
             : walk.buffered()   ? "transposed in a buffer"
             : walk.transposes() ? "direct, transposed"
                                 : "direct, by elements";
    if (k == 0 && walk.streams()) access += ", streamed";
  }
  const std::int64_t pieces = ceil_div(walk.count(), grain_of(walk));
  e.run.threads = static_cast<int>(std::clamp<std::int64_t>(pieces, 1, num_threads()));
  return e;
}

}  // namespace weft::inline v0
