// SPDX-License-Identifier: Apache-2.0
/// @file
/// The boxes in which results are computed of which a mask selects those that are written.
#pragma once

#include <weft/base/function_ref.hpp>
#include <weft/iter/explain.hpp>
#include <weft/iter/geometry.hpp>

#include "base/internal_api.hpp"
#include "engine/tile_cursor.hpp"

#include <cstdint>
#include <span>

namespace weft {
inline namespace v0 {

/// Cuts a geometry into boxes. The values of a box are computed into dense memory of the thread,
/// and what the mask selects is copied from there: no strategy of the engine writes some elements
/// of an output only. (A SelectingChain does, and needs no such memory.) A box that has nothing to
/// write is not computed.
class WEFT_INTERNAL_API MaskedBoxes {
 public:
  /// Gives the flags of the elements of a box, one byte each, dense, dim 0 fastest: where they are,
  /// or in `room`, which has room for them. What is not 0 is selected.
  using Mask = FunctionRef<const char*(const TileCursor& box, char* room)>;
  /// Computes a box, and stores what its flags select. room[k] has room for the elements of output
  /// k, dense, dim 0 fastest, as store() takes them.
  using Compute = FunctionRef<void(const TileCursor& box, const char* flags, char* const* room)>;

  /// The dim other than 0 along which the elements of an operand are next to each other, the first
  /// for which there is one; 0 if there is none.
  static int second_dim(const Geometry& geometry);

  /// Of a geometry whose first operands are outputs with elements of these sizes. Refers to both.
  /// Boxes are long along dim 0, or have as much of that and of `second`, if it is not 0.
  MaskedBoxes(const Geometry& geometry, std::span<const std::int64_t> sizes, int second,
              std::int64_t box_bytes);

  std::int64_t count() const noexcept { return count_; }
  /// Boxes that have so many elements.
  std::int64_t boxes_of(std::int64_t elements) const noexcept;
  /// The first element of a box along a dim.
  std::int64_t first(const TileCursor& box, int dim) const {
    const auto step = static_cast<std::size_t>(dim);
    return box.at(step) * steps_[step].tile;
  }
  /// Whether no dim of the box ends short.
  bool is_whole(const TileCursor& box) const;
  /// Calls f(box) for one box of each shape.
  void for_each_shape(FunctionRef<void(const TileCursor&)> f) const;

  /// Runs boxes [begin, end) on this thread. origins[k] is operand k's element (0, 0, ...).
  void run(std::int64_t begin, std::int64_t end, char* const* origins, const Mask& mask,
           const Compute& compute) const;
  /// Stores what flags select of the values of a box.
  void store(const TileCursor& box, char* const* values, const char* flags) const;

  /// How all of them are run by threads that take at least `grain` boxes, but for the bytes moved.
  Explanation::Run explain(std::int64_t grain) const;

 private:
  void store_output(const TileCursor& box, int k, const char* values, const char* flags) const;

  const Geometry& geometry_;
  std::span<const std::int64_t> sizes_;
  TileSteps steps_;  // one for each dim
  std::int64_t count_ = 1, box_elements_ = 1;
};

}  // namespace v0
}  // namespace weft
