// SPDX-License-Identifier: Apache-2.0
/// @file
/// Going from tile to tile of the kept or of the reduced dims.
#pragma once

#include "engine/reduce/reduce_plan.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {

/// The tile of one side at hand: where it begins in every operand, and its extents.
class TileCursor {
 public:
  /// `located` operands have addresses; those of the rest stay as they are.
  TileCursor(const Geometry& geometry, const ReduceSide& side, int located)
      : geometry_(geometry), side_(side), located_(located) {}

  /// Goes to tile `number`; `base` points to the operands' elements at the start of the side.
  void seek(std::int64_t number, char* const* base) {
    std::copy_n(base, geometry_.noperands, ptrs);
    for (std::size_t i = 0; i < side_.dims.size(); ++i) {
      index_[i] = number % side_.tiles[i];
      number /= side_.tiles[i];
      move(i, index_[i]);
      measure(i);
    }
  }

  /// Goes to the next tile, of which there must be one.
  void next() {
    for (std::size_t i = 0; i < side_.dims.size(); ++i) {
      const bool more = index_[i] + 1 < side_.tiles[i];
      move(i, more ? 1 : -index_[i]);
      index_[i] = more ? index_[i] + 1 : 0;
      measure(i);
      if (more) return;
    }
  }

  std::int64_t elements() const {
    std::int64_t elements = 1;
    for (int i = 0; i < side_.ntile; ++i)
      elements *= extents[i];
    return elements;
  }

  /// Number of elements of the side before the tile, in the plan's order: all tiles but the last
  /// along a dim are whole.
  std::int64_t first_index() const {
    std::int64_t index = 0;
    for (std::size_t i = 0; i < side_.dims.size(); ++i)
      index += index_[i] * side_.tile[i] * side_.places[i];
    return index;
  }

  char* ptrs[max_operands];
  std::int64_t extents[max_rank];  // per entry of the side's dims

 private:
  void move(std::size_t i, std::int64_t tiles) {
    const std::int64_t* strides = geometry_.strides(side_.dims[i]);
    for (int k = 0; k < located_; ++k)
      ptrs[k] += tiles * side_.tile[i] * strides[k];
  }
  void measure(std::size_t i) {
    const std::int64_t start = index_[i] * side_.tile[i];
    extents[i] = std::min(side_.tile[i], geometry_.extent(side_.dims[i]) - start);
  }

  const Geometry& geometry_;
  const ReduceSide& side_;
  int located_;
  std::int64_t index_[max_rank];
};

}  // namespace v0
}  // namespace weft
