// SPDX-License-Identifier: Apache-2.0
/// @file
/// Moving a block of several dims between a dense buffer and strided memory. Private to the
/// compiled part.
#pragma once

#include <weft/base/limits.hpp>

#include "kernels/stage/stage.hpp"

#include <cstdint>

namespace weft::inline v0 {

/// One dim of a block.
struct BlockDim {
  std::int64_t extent;
  std::int64_t stride;  ///< bytes in memory
};

/// Calls f(memory, dense_index, s0, s1, n0, n1) for each plane of dims 0 and 1 of a block of
/// `ndims` dims, innermost first. dense_index counts elements: the block is dense in its buffer,
/// dim 0 fastest. Extents are at least 1.
template <class F>
void for_each_plane(char* memory, const BlockDim* dims, int ndims, F&& f) {
  const BlockDim d0 = ndims > 0 ? dims[0] : BlockDim{1, 0};
  const BlockDim d1 = ndims > 1 ? dims[1] : BlockDim{1, 0};
  std::int64_t index[max_rank];
  for (int i = 2; i < ndims; ++i)
    index[i] = 0;
  for (std::int64_t done = 0;; done += d0.extent * d1.extent) {
    f(memory, done, d0.stride, d1.stride, d0.extent, d1.extent);
    int i = 2;
    for (; i < ndims; ++i) {
      memory += dims[i].stride;
      if (++index[i] < dims[i].extent) break;
      memory -= dims[i].extent * dims[i].stride;
      index[i] = 0;
    }
    if (i >= ndims) return;
  }
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

/// Gathers a block of elements of `size` bytes into a dense buffer, by a kernel for that size.
inline void pack(CopyBlockFn copy, char* dense, char* memory, std::int64_t size,
                 const BlockDim* dims, int ndims) {
  for_each_plane(
      memory, dims, ndims,
      [&](const char* from, std::int64_t done, std::int64_t s0, std::int64_t s1, std::int64_t n0,
          std::int64_t n1) { copy(dense + done * size, size, n0 * size, from, s0, s1, n0, n1); });
}

/// Scatters a dense buffer into a block of elements of `size` bytes, by a kernel for that size.
inline void unpack(CopyBlockFn copy, char* memory, const char* dense, std::int64_t size,
                   const BlockDim* dims, int ndims) {
  for_each_plane(
      memory, dims, ndims,
      [&](char* to, std::int64_t done, std::int64_t s0, std::int64_t s1, std::int64_t n0,
          std::int64_t n1) { copy(to, s0, s1, dense + done * size, size, n0 * size, n0, n1); });
}

}  // namespace weft::inline v0
