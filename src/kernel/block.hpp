// SPDX-License-Identifier: Apache-2.0
/// @file
/// Moving a block of several dims between a dense buffer and strided memory. Private to the
/// compiled part.
#pragma once

#include <weft/base/limits.hpp>

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
  std::int64_t index[max_rank] = {};
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

}  // namespace weft::inline v0
