// SPDX-License-Identifier: Apache-2.0
#include "engine/block.hpp"

namespace weft {
inline namespace v0 {

void pack(CopyBlockFn copy, char* dense, char* memory, std::int64_t size, BlockDim* dims, int ndims,
          const BlockDim& beside) {
  for_each_plane(
      memory, dims, ndims, size,
      [&](const char* from, std::int64_t offset, const BlockDim& d0, const BlockDim& d1) {
        copy(dense + offset, d0.step, d1.step, from, d0.stride, d1.stride, d0.extent, d1.extent);
      },
      beside);
}

void unpack(CopyBlockFn copy, char* memory, const char* dense, std::int64_t size, BlockDim* dims,
            int ndims, const BlockDim& beside) {
  for_each_plane(
      memory, dims, ndims, size,
      [&](char* to, std::int64_t offset, const BlockDim& d0, const BlockDim& d1) {
        copy(to, d0.stride, d1.stride, dense + offset, d0.step, d1.step, d0.extent, d1.extent);
      },
      beside);
}

}  // namespace v0
}  // namespace weft
