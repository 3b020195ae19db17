// SPDX-License-Identifier: Apache-2.0
/// @file
/// How a copy between layouts of one element type goes through memory: in tiles of what shape, by
/// which stores. docs/measurements/layouts.md has the figures.
#pragma once

#include <weft/base/small_vector.hpp>
#include <weft/iter/tensor_iterator.hpp>
#include <weft/machine/strategy.hpp>

#include "engine/wanted_strategy.hpp"
#include "machine/tuning.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// Dim 0 and the dim along which the side that is not dense along dim 0 is dense (dim 1 if there is
/// none): the plane that a copy cuts into tiles. Where neither side is dense along dim 0, and one
/// is narrow with a run, the dims along which the output and the input are. Strides in bytes.
struct CopyPlane {
  std::int64_t size = 0;                  ///< bytes of an element
  std::int64_t extent0 = 1, extent1 = 1;  ///< elements
  std::int64_t to0 = 0, to1 = 0;          ///< from element to element of the output
  std::int64_t from0 = 0, from1 = 0;      ///< the same of the input
  /// Bytes from each side's first element to where its plane is walked from: a dim that is dense
  /// backwards is turned round.
  std::int64_t to_start = 0, from_start = 0;
  /// Where one side of a transposed plane is a few bytes long, channels say: the dims along which
  /// that side goes on where the plane ends, innermost first, so that all of them are one dense
  /// run.
  SmallVector<int, 4> run;
  int first = 0;    ///< dim that is the plane's first: that of extent0
  int partner = 0;  ///< dim that is the plane's second
  /// Planes that lie between two tiles along the partner: of dims that are walked first, since
  /// memory goes on along them. 1 if tiles along the partner follow each other.
  std::int64_t planes_between = 1;
  bool transposes = false;  ///< each side is dense along a dim of its own

  bool dense() const { return to0 == size && from0 == size; }
  /// Whether rows are one value each.
  bool fills() const { return to0 == size && from0 == 0; }
  /// Whether the input's side of a transposed plane is less than a line long.
  bool reads_narrow() const { return extent1 * size < cache_line_bytes; }
};

/// Most bytes of a tile that goes through a buffer. Rows of the tuning table stay below.
inline constexpr std::int64_t max_copy_buffer_bytes = tuning_maximum::copy_buffer_bytes;

/// Tiles of a plane.
struct CopyPlan {
  /// row_tiles, transposed_tiles, buffered_tiles, buffered_runs, one of these streamed, or
  /// joined_rows.
  Strategy strategy = Strategy::row_tiles;
  std::int64_t tile0 = 1, tile1 = 1;  ///< elements along dim 0 and along the partner
  bool prefetches = false;            ///< the caches are asked for what the next tile reads
  /// Of runs, elements along the last dim of the plane's run that a tile takes, and all along the
  /// others; 0 leaves them to tiles of their own.
  std::int64_t run_tile = 0;

  /// Written by non-temporal stores.
  bool streams() const noexcept;
  /// Transposed in a buffer, from which whole runs of lines are written.
  bool buffered() const noexcept;
  /// Short rows, brought together in a buffer and written as one.
  bool joins_rows() const noexcept { return strategy == Strategy::joined_rows; }
};

/// What a tile of n0 x n1 elements reads: runs of consecutive bytes.
struct CopyRuns {
  CopyRuns(const CopyPlane& plane, std::int64_t n0, std::int64_t n1)
      : count(plane.transposes ? n0 : n1),
        bytes((plane.transposes ? n1 : n0) * plane.size),
        step(plane.transposes ? plane.from0 : plane.from1) {}

  std::int64_t count, bytes;
  std::int64_t step;  ///< bytes from run to run
};

/// The plane of an iterator over one output and one input of equal type.
CopyPlane copy_plane(const TensorIterator& iter, const Tuning& tuning);
/// Whether all elements are copied in one piece: a few, or any number if that is wanted.
bool copies_at_once(const TensorIterator& iter, const Tuning& tuning, Strategy wanted);
/// How to go about it in tiles: by the strategy that is wanted, or the one chosen. Throws
/// Error(invalid_argument) for one that cannot carry out the copy. Preconditions: numel > 0; not
/// copies_at_once().
CopyPlan plan_copy(const TensorIterator& iter, const CopyPlane& plane, const Tuning& tuning,
                   Strategy wanted);
/// All strategies that can carry out the copy. Precondition: numel > 0.
Strategies copy_candidates(const TensorIterator& iter, const CopyPlane& plane,
                           const Tuning& tuning);

}  // namespace v0
}  // namespace weft
