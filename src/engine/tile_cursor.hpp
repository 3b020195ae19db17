// SPDX-License-Identifier: Apache-2.0
/// @file
/// Going from tile to tile of an iteration space.
#pragma once

#include <weft/iter/geometry.hpp>

#include <algorithm>
#include <cstdint>

namespace weft {
inline namespace v0 {

/// A dim as the walk from tile to tile sees it.
struct TileStep {
  int dim;
  std::int64_t tile;   ///< elements along it in one tile
  std::int64_t tiles;  ///< how many of those
};
/// The dims of a walk, innermost first.
using TileSteps = SmallVector<TileStep, inline_rank>;

/// The tile at hand: where operands begin, and its extents. Refers to the geometry and the steps.
class TileCursor {
 public:
  /// The first `operands` have addresses; those of the rest stay as they are. Before seek() it is
  /// nowhere.
  TileCursor(const Geometry& geometry, const TileSteps& steps, int operands)
      : geometry_(&geometry), steps_(&steps), operands_(operands) {}

  /// Goes to tile `number`. base[k] is operand k's element at the start of the space.
  void seek(std::int64_t number, char* const* base) {
    std::copy_n(base, geometry_->noperands, ptrs);
    for (std::size_t i = 0; i < steps_->size(); ++i) {
      const std::int64_t tiles = (*steps_)[i].tiles;
      at_[i] = tiles == 1 ? 0 : number % tiles;
      if (tiles != 1) number /= tiles;
      move(i, at_[i]);
      measure(i);
    }
  }

  /// Goes to the next tile; after the last comes the first.
  void next() {
    for (std::size_t i = 0; i < steps_->size(); ++i) {
      if ((*steps_)[i].tiles == 1) continue;
      const bool more = at_[i] + 1 < (*steps_)[i].tiles;
      move(i, more ? 1 : -at_[i]);
      at_[i] = more ? at_[i] + 1 : 0;
      measure(i);
      if (more) return;
    }
  }

  /// Which tile of step i it is.
  std::int64_t at(std::size_t i) const noexcept { return at_[i]; }
  /// Elements along the first `steps` of them.
  std::int64_t elements(int steps) const noexcept {
    std::int64_t elements = 1;
    for (int i = 0; i < steps; ++i)
      elements *= extents[i];
    return elements;
  }

  char* ptrs[max_operands];
  std::int64_t extents[max_rank];  // elements along each step

 private:
  void move(std::size_t i, std::int64_t tiles) {
    const std::int64_t elements = tiles * (*steps_)[i].tile;
    const std::int64_t* strides = geometry_->strides((*steps_)[i].dim);
    for (int k = 0; k < operands_; ++k)
      ptrs[k] += elements * strides[k];
  }
  void measure(std::size_t i) {
    const TileStep& step = (*steps_)[i];
    extents[i] = std::min(step.tile, geometry_->extent(step.dim) - at_[i] * step.tile);
  }

  const Geometry* geometry_;
  const TileSteps* steps_;
  int operands_;
  std::int64_t at_[max_rank];
};

}  // namespace v0
}  // namespace weft
