// SPDX-License-Identifier: Apache-2.0
/// @file
/// Contract of the indexing family: elements at places that indices name, and the places of
/// elements that are set.
///
/// Gather and scatter are called for a block of elements with an index each. Whether indices are in
/// range is asked before they are gathered:
///
///     if (!index_check_kernel(type)(index, step, n, axes.extent))
///       gather_kernel(element_bytes)(block, axes);
///
/// and scatter can ask itself, if there is one axis.
#pragma once

#include <weft/core/scalar_type.hpp>
#include <weft/machine/dispatch.hpp>

#include "base/internal_api.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// The axes that indices go along, counted through in C order.
struct IndexedAxes {
  ScalarType index_type;              ///< i32 or i64
  std::int64_t extent;                ///< of all axes together: an index below 0 counts from here
  int count;                          ///< at least 1
  const std::int64_t* extents;        ///< of each; not looked at if there is one axis
  const std::int64_t* strides_bytes;  ///< of the operand that is indexed
  bool in_range = true;               ///< whether all indices are known to be
};

/// n0 x n1 elements, both at least 1, and their indices. Steps are bytes along dims 0 and 1, of any
/// sign or 0. What is written meets neither what is read nor the indices.
struct IndexedBlock {
  char* to;
  const char* from;
  const char* index;
  std::int64_t to_steps[2], from_steps[2], index_steps[2];
  std::int64_t n0, n1;
};

/// to[i1, i0] = the element of `from` at [i1, i0] and from there along the axes. Indices are in
/// range. For elements of 1, 2, 4, 8 or 16 bytes.
using GatherFn = void (*)(const IndexedBlock& block, const IndexedAxes& axes);
WEFT_DECLARE_EXPORTED_KERNEL(WEFT_INTERNAL_API, gather_kernel,
                             GatherFn(std::int64_t element_bytes));

/// What happens to an element that is met.
enum class ScatterOp : std::uint8_t {
  set,
  add,  ///< each sum is rounded to the type; integers wrap, bools are or-ed
};
/// The element of `to` at [i1, i0] and from there along the axes = or += from[i1, i0], in the order
/// of i1 and then i0. False if an index turns out not to be in range: then a part of it is done.
using ScatterFn = bool (*)(const IndexedBlock& block, const IndexedAxes& axes);
WEFT_DECLARE_EXPORTED_KERNEL(WEFT_INTERNAL_API, scatter_kernel,
                             ScatterFn(ScatterOp op, ScalarType type));

/// True if any of n indices is outside [-extent, extent).
using IndexCheckFn = bool (*)(const char* index, std::int64_t step, std::int64_t n,
                              std::int64_t extent);
/// For indices of i32 or i64.
WEFT_DECLARE_EXPORTED_KERNEL(WEFT_INTERNAL_API, index_check_kernel,
                             IndexCheckFn(ScalarType index_type));

/// Looking for elements that are set: not 0, as NaN is not either; a bool is for every byte but 0.
struct SetElements {
  /// How many of n elements, fewer than 2^31, are set.
  std::int64_t (*count)(const char* from, std::int64_t step, std::int64_t n);
  /// Notes which of n elements are set, in order, and returns how many; `places` has room for n.
  std::int64_t (*note)(std::int32_t* places, const char* from, std::int64_t step, std::int64_t n);
};
/// For elements of any type.
WEFT_DECLARE_KERNEL(set_elements_kernel, const SetElements*(ScalarType type));

/// Positions in a shape, an i64 for each axis. Steps are bytes.
struct PositionRows {
  char* to;
  std::int64_t row_step, column_step;
  const std::int64_t* shape;
  int rank;
};
/// Row i is the position of element first + places[i] in C order.
using PositionsFn = void (*)(const PositionRows& rows, std::int64_t first,
                             const std::int32_t* places, std::int64_t n);
/// For shapes of that many elements: division by narrow numbers is faster.
WEFT_DECLARE_KERNEL(positions_kernel, PositionsFn(std::int64_t numel));

}  // namespace v0
}  // namespace weft
