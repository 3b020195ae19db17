// SPDX-License-Identifier: Apache-2.0
/// @file
/// Tiles for loops that take operands as they stand.
#pragma once

#include <weft/base/checked.hpp>
#include <weft/iter/geometry.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>

namespace weft {
inline namespace v0 {

/// A walk in tiles of dim 0 and one other dim.
struct LoopTiles {
  /// Elements along each side of a tile: some lines of an operand that runs along either side, all
  /// of which stay in the first-level cache until the tile is done.
  static constexpr std::int64_t side = 64;
  /// The same along dim 0 where steps of nearly a multiple of 4 KiB put all those lines into the
  /// same few places of that cache, of which there are eight or more.
  static constexpr std::int64_t short_side = 8;

  int second = 1;             ///< the other dim
  std::int64_t side0 = side;  ///< elements along dim 0
  std::int64_t tiles0 = 1, tiles1 = 1;
  std::int64_t count = 1;  ///< tiles in all dims

  /// Elements along dim 0 and the second dim, and offsets in bytes (added to ptrs) of tile i.
  void locate(const Geometry& geometry, std::int64_t i, char** ptrs, std::int64_t& n0,
              std::int64_t& n1) const {
    const auto move = [&](int dim, std::int64_t by) {
      const std::int64_t* strides = geometry.strides(dim);
      for (int k = 0; k < geometry.noperands; ++k)
        ptrs[k] += by * strides[k];
    };
    const std::int64_t at0 = i % tiles0 * side0;
    i /= tiles0;
    const std::int64_t at1 = i % tiles1 * side;
    i /= tiles1;
    n0 = std::min(side0, geometry.extent(0) - at0);
    n1 = std::min(side, geometry.extent(second) - at1);
    move(0, at0);
    move(second, at1);
    for (int d = 1; i != 0; ++d) {
      if (d == second) continue;
      move(d, i % geometry.extent(d));
      i /= geometry.extent(d);
    }
  }
};

/// Tiles where operands disagree about the order: one that steps over whole lines along dim 0 goes
/// within a line along another dim, while others go within lines along dim 0. Nothing where all
/// agree, or where there is too little to gain.
inline std::optional<LoopTiles> tiles_for_loops(const Geometry& geometry, std::int64_t numel) {
  constexpr std::int64_t line_bytes = 64;
  constexpr std::int64_t min_elements = 4096;
  constexpr std::int64_t min_extent = 8;
  if (geometry.ndim() < 2 || numel < min_elements || geometry.extent(0) < min_extent)
    return std::nullopt;
  const auto near = [&](int dim, int k) { return std::abs(geometry.stride(dim, k)) < line_bytes; };
  bool any_near = false;
  int second = 0;
  for (int k = 0; k < geometry.noperands; ++k) {
    any_near = any_near || near(0, k);
    for (int d = 1; d < geometry.ndim() && second == 0 && !near(0, k); ++d) {
      if (near(d, k) && geometry.stride(d, k) != 0 && geometry.extent(d) >= min_extent) second = d;
    }
  }
  if (second == 0 || !any_near) return std::nullopt;
  LoopTiles tiles;
  tiles.second = second;
  for (int k = 0; k < geometry.noperands; ++k) {
    constexpr std::int64_t way_bytes = 4096;
    const std::int64_t past = std::abs(geometry.stride(0, k)) % way_bytes;
    const bool conflicts = std::min(past, way_bytes - past) < 8;
    if (!near(0, k) && conflicts) tiles.side0 = LoopTiles::short_side;
  }
  tiles.tiles0 = ceil_div(geometry.extent(0), tiles.side0);
  tiles.tiles1 = ceil_div(geometry.extent(second), LoopTiles::side);
  tiles.count =
      tiles.tiles0 * tiles.tiles1 * (numel / (geometry.extent(0) * geometry.extent(second)));
  return tiles;
}

}  // namespace v0
}  // namespace weft
