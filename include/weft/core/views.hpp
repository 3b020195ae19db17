// SPDX-License-Identifier: Apache-2.0
/// @file
/// Further views of a tensor, made of what TensorView offers. None copies elements; all allocate
/// nothing up to rank 8, accept axes in [-rank, rank), and throw Error(axis) for others and
/// Error(rank) for a 0-d tensor.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/tensor_view.hpp>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace weft {
inline namespace v0 {

/// Elements start ... start + length - 1 along an axis; a negative start counts from the end.
/// Unlike TensorView::slice nothing is clamped: throws Error(axis) if some of them do not exist,
/// Error(shape) for a negative length.
WEFT_API TensorView narrow(const TensorView& view, std::int64_t axis, std::int64_t start,
                           std::int64_t length);

/// Without an axis whose extent is 1. Throws Error(shape) if it is not (PyTorch would return the
/// tensor as it is).
WEFT_API TensorView squeeze(const TensorView& view, std::int64_t axis);

/// The elements at (i, i + offset) of axes axis0 and axis1 (offset below 0: at (i - offset, i)),
/// along a new last axis that stands for the two. Without elements if the offset leads outside.
/// Throws Error(axis) if both are one axis.
WEFT_API TensorView diagonal(const TensorView& view, std::int64_t offset = 0,
                             std::int64_t axis0 = 0, std::int64_t axis1 = 1);

/// All windows of `size` elements along an axis, one every `step` elements: the axis counts the
/// windows, a new last axis the elements inside. Windows overlap where step < size, so the view is
/// for reading then. Throws Error(shape) for a size below 0 or above the extent,
/// Error(invalid_argument) for a step below 1.
WEFT_API TensorView unfold(const TensorView& view, std::int64_t axis, std::int64_t size,
                           std::int64_t step);

/// The same elements in row-major order in another shape, one extent of which may be -1: as many as
/// are left. Throws Error(shape) if the counts of elements differ, for extents below -1 and a
/// second -1, and for a -1 next to an extent of 0; Error(invalid_argument) if the elements lie in
/// an order that no strides express in that shape: contiguous() (ops/copy.hpp) makes a copy that
/// has any.
WEFT_API TensorView reshape(const TensorView& view, IntSpan shape);

/// Axes first ... last as one. A 0-d tensor becomes one of an axis of extent 1. Throws Error(axis)
/// if last is in front of first, and as reshape().
WEFT_API TensorView flatten(const TensorView& view, std::int64_t first = 0, std::int64_t last = -1);

/// Which of the first two vectors of a grid goes down and which goes to the right.
enum class GridIndexing : std::uint8_t {
  ij,  ///< vector k goes along axis k
  xy,  ///< the first goes along axis 1, the second along axis 0
};

/// The coordinates of a grid: each vector broadcast to the shape that all of them span, as many
/// axes as there are vectors. With ij, element (i, j, k) of result 0 is x[i], of result 1 y[j], of
/// result 2 z[k]. The views are for reading. Allocates the list. Throws Error: undefined, rank (a
/// view that has not one axis, or more of them than a tensor has axes), overflow.
WEFT_API std::vector<TensorView> meshgrid(std::span<const TensorView> vectors,
                                          GridIndexing indexing = GridIndexing::ij);
/// The same of vectors in the argument: meshgrid({x, y}).
inline std::vector<TensorView> meshgrid(std::initializer_list<TensorView> vectors,
                                        GridIndexing indexing = GridIndexing::ij) {
  return meshgrid(std::span<const TensorView>(vectors.begin(), vectors.size()), indexing);
}

}  // namespace v0
}  // namespace weft
