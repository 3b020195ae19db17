// SPDX-License-Identifier: Apache-2.0
/// @file
/// Moving a block of several dims between a dense buffer and strided memory.
#pragma once

#include <weft/base/limits.hpp>
#include <weft/iter/geometry.hpp>

#include "base/internal_api.hpp"
#include "kernels/stage/stage.hpp"
#include "machine/tuning.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace weft {
inline namespace v0 {

/// One dim of a block. No initial values: arrays have room for as many dims as a tensor can have,
/// and to fill one takes as long as to pack a hundred elements.
struct BlockDim {
  BlockDim() = default;
  BlockDim(std::int64_t n, std::int64_t between, std::int64_t by = 0)
      : extent(n), stride(between), step(by) {}

  std::int64_t extent;
  std::int64_t stride;  ///< bytes in memory
  std::int64_t step;    ///< bytes on the other side: for_each_plane() sets it
};

/// The dim that a block is best moved along together with dim 0: one that memory holds densely, if
/// it is worth transposing, or is all that lies between elements of dim 0, of which the other side
/// has dense rows, and makes a plane as large. Or the longest.
inline int second_of_plane(const BlockDim* dims, int ndims, std::int64_t size) {
  int longest = 1;
  for (int i = 1; i < ndims; ++i) {
    if (dims[i].stride == size) {
      const bool joined = dims[0].stride == dims[i].extent * size && dims[0].step == size;
      const bool is_large = dims[0].extent * dims[i].extent >= transposed_lanes * transposed_lanes;
      if (joined && is_large && size < wide_bytes) return i;
      if (std::min(dims[0].extent, dims[i].extent) >= transposed_lanes) return i;
    }
    if (dims[i].extent > dims[longest].extent) longest = i;
  }
  return longest;
}

/// Calls f(memory, offset, d0, d1) for each plane of dim 0 and a second dim of a block of `ndims`
/// dims, innermost first, of elements of `size` bytes. `offset` counts bytes on the other side, by
/// the dims' steps. Extents are at least 1, dims at least two. `dims` is changed.
template <class F>
void walk_planes(char* memory, BlockDim* dims, int ndims, std::int64_t size, F&& f) {
  if (ndims == 2) {
    f(memory, 0, dims[0], dims[1]);
    return;
  }
  std::swap(dims[1], dims[second_of_plane(dims, ndims, size)]);
  std::int64_t index[2 * max_rank];
  for (int i = 2; i < ndims; ++i)
    index[i] = 0;
  for (std::int64_t offset = 0;;) {
    f(memory, offset, dims[0], dims[1]);
    int i = 2;
    for (; i < ndims; ++i) {
      const bool more = ++index[i] < dims[i].extent;
      const std::int64_t by = more ? 1 : 1 - dims[i].extent;
      memory += by * dims[i].stride;
      offset += by * dims[i].step;
      if (more) break;
      index[i] = 0;
    }
    if (i >= ndims) return;
  }
}

/// The same where the other side is a buffer in which the block is dense, dim 0 fastest; or as many
/// as `beside` is long, for elements that lie so beside each other.
template <class F>
void for_each_plane(char* memory, BlockDim* dims, int ndims, std::int64_t size, F&& f,
                    const BlockDim& beside = {1, 0}) {
  std::int64_t step = size;
  for (int i = 0; i < ndims; ++i) {
    dims[i].step = step;
    step *= dims[i].extent;
  }
  if (beside.extent > 1) dims[ndims++] = beside;
  for (; ndims < 2; ++ndims)
    dims[ndims] = {1, 0, step};
  walk_planes(memory, dims, ndims, size, f);
}

/// Appends a dim to a block; it becomes part of the one before where memory goes on there.
inline void append_dim(BlockDim* dims, int& ndims, BlockDim dim) {
  if (dim.extent == 1) return;
  if (ndims > 0 && dims[ndims - 1].stride * dims[ndims - 1].extent == dim.stride) {
    dims[ndims - 1].extent *= dim.extent;
  } else {
    dims[ndims++] = dim;
  }
}

/// The block that operand k of a geometry is in memory, of so many elements along each dim. Returns
/// how many dims it has; `dims` has room for all of the geometry's, and for two at least.
inline int block_of(const Geometry& geometry, int k, const std::int64_t* extents, BlockDim* dims) {
  int ndims = 0;
  const std::int64_t* stride = geometry.strides(0) + k;
  for (int d = 0; d < geometry.ndim(); ++d, stride += geometry.noperands)
    append_dim(dims, ndims, {extents[d], *stride});
  return ndims;
}
/// Whether a block of elements of `size` bytes is dense in memory, dim 0 fastest.
inline bool is_dense(const BlockDim* dims, int ndims, std::int64_t size) {
  return ndims == 0 || (ndims == 1 && dims[0].stride == size);
}

/// Gathers a block of elements of `size` bytes into a dense buffer, or into several as
/// for_each_plane() says, by a kernel for that size. `dims` has room for two at least, and for
/// `beside`, and is changed.
WEFT_INTERNAL_API void pack(CopyBlockFn copy, char* dense, char* memory, std::int64_t size,
                            BlockDim* dims, int ndims, const BlockDim& beside = {1, 0});

/// The other way round.
WEFT_INTERNAL_API void unpack(CopyBlockFn copy, char* memory, const char* dense, std::int64_t size,
                              BlockDim* dims, int ndims, const BlockDim& beside = {1, 0});

}  // namespace v0
}  // namespace weft
