// SPDX-License-Identifier: Apache-2.0
/// @file
/// Which slices of an axis a loop visits: OpenVINO's start, end, stride and part size.
#pragma once

#include <weft/base/export.hpp>

#include <cstdint>
#include <optional>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// A range along one axis as a port map writes it. `start` and `end` are fence positions: position
/// p stands before element p, so that an axis of 4 elements has the positions 0 to 4, and -1 is the
/// last of them (4), -2 the one before. With a negative stride `start` is the upper end.
///
///     PortRange{}                                   // every element, forwards
///     PortRange{.start = -1, .end = 0, .stride = -1}  // every element, backwards
///     PortRange{.stride = 4, .part_size = 4}        // in parts of four
struct PortRange {
  std::int64_t start = 0;
  std::int64_t end = -1;
  std::int64_t stride = 1;  ///< elements from slice to slice; negative: backwards
  std::optional<std::int64_t> part_size = {};  ///< elements of a slice; left out: |stride|
};

/// The slices themselves: slice i, of `count`, is [first + i * step, first + i * step + size).
struct SliceRange {
  std::int64_t first = 0;
  std::int64_t step = 1;
  std::int64_t size = 1;
  std::int64_t count = 0;

  friend bool operator==(const SliceRange&, const SliceRange&) = default;
};

/// The slices of `range` on an axis of `extent` elements. Only the order of slices follows the sign
/// of the stride: the elements inside one keep theirs. An empty range has no slices. Throws
/// Error(invalid_argument) for a stride of 0, a part size below 1, or a start behind the end;
/// Error(bounds) for a position outside the axis; Error(shape) if the last slice would be cut
/// short. The message names the attribute, expected and got.
WEFT_API SliceRange slices_of(const PortRange& range, std::int64_t extent);

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
