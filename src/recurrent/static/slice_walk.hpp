// SPDX-License-Identifier: Apache-2.0
/// @file
/// The slices of one tensor as addresses.
#pragma once

#include <weft/core/tensor_view.hpp>
#include <weft/recurrent/loop_spec.hpp>

#include "recurrent/spec/loop_types.hpp"

#include <algorithm>
#include <cstdint>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// Bytes next to each other below which a slice is better packed, and an element of an output
/// better collected, for a block of trips at a time than read or written row by row where it is.
inline constexpr std::int64_t min_run_bytes = 64;

/// Slice i stands `first_bytes + i * step_bytes` behind the tensor's origin; all have one geometry.
struct SliceWalk {
  std::int64_t first_bytes = 0;
  std::int64_t step_bytes = 0;
  std::int64_t count = 0;      ///< slices that exist; not known before the run if from_count
  std::int64_t extent = 0;     ///< of the axis
  std::int64_t part_size = 1;  ///< of a slice along it
  bool from_count = false;     ///< slice i is element n - 1 - i for a count of n
  ScalarType dtype = ScalarType::f32;
  DimVector shape;    ///< of a slice
  DimVector strides;  ///< in elements; as if row-major along axes of extent 1
  std::int64_t slice_bytes = 0;
  bool dense = true;  ///< a slice is row-major
  /// Neighbours in memory along some axis are neighbours in the slice, enough of them to be worth
  /// reading in place.
  bool runs = true;

  /// Where slice 0 is, for a count of n.
  const char* start(const void* origin, std::int64_t n) const noexcept {
    const auto* at = static_cast<const char*>(origin) + first_bytes;
    return from_count ? at - (n - 1) * step_bytes : at;
  }
  /// A slice at an address.
  TensorView slice(const void* at) const { return TensorView::trusted(at, dtype, shape, strides); }
  /// `trips` slices, the first of which is at an address, with the axis of trips in front.
  TensorView stacked(const void* at, std::int64_t trips) const;
  /// True if those are row-major.
  bool stacks_densely() const noexcept { return dense && step_bytes == slice_bytes; }
  /// Becomes what walk_slices() gives for `now` if it is what that gave for `before`, and the one
  /// has another extent along the axis than the other and nothing else; else false. Throws as that
  /// does.
  bool follow(const LoopSpec& spec, const EntryName& entry, const LoopIterator& iterator,
              const TensorView& before, const TensorView& now);
  /// True if slices have the same elements to the same effect, be they others in number and in
  /// memory.
  bool is_like(const SliceWalk& other) const noexcept {
    return dtype == other.dtype && same_list(shape, other.shape) && runs == other.runs &&
           dense == other.dense && stacks_densely() == other.stacks_densely();
  }
  /// Which slices there are of an axis of this extent.
  void set_range(const LoopSpec& spec, const EntryName& entry, const LoopIterator& iterator,
                 std::int64_t stride_bytes);
};

/// Throws as slices_of() and for an axis out of range, with loop and entry in the message.
SliceWalk walk_slices(const LoopSpec& spec, const EntryName& entry, const LoopIterator& iterator,
                      const TensorView& tensor);

/// Strides of the same elements that are row-major along axes of extent 1, so that what is planned
/// for does not depend on strides that are never used.
DimVector usual_strides(IntSpan shape, IntSpan strides);

/// True if elements of this geometry are row-major without gaps.
bool is_row_major(IntSpan shape, IntSpan strides);

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
