// SPDX-License-Identifier: Apache-2.0
/// @file
/// Indices as offsets in bytes, a chunk at a time. Loops over offsets need to know neither the type
/// of the indices nor how many axes there are, and those that make offsets are of vectors.
#pragma once

#include "kernels/indexing/indexing.hpp"

namespace weft {
inline namespace v0 {

/// Offsets of a block, dense, dim 0 innermost; there is room for all of them.
WEFT_DECLARE_KERNEL(index_offsets, void(std::int64_t* offsets, const IndexedBlock& block,
                                        const IndexedAxes& axes));

inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Offsets in a chunk: few enough to stay in the first level, and enough for loops to be worth
/// starting.
inline constexpr std::int64_t chunk_offsets = 256;

/// f(chunk, offsets) for parts of a block, in the order of its elements: several rows, or a part of
/// one.
template <class F>
WEFT_ALWAYS_INLINE void for_each_chunk(const IndexedBlock& block, const IndexedAxes& axes,
                                       const F& f) {
  std::int64_t offsets[chunk_offsets];
  const std::int64_t rows = block.n0 < chunk_offsets ? chunk_offsets / block.n0 : 1;
  IndexedBlock chunk = block;
  for (std::int64_t j = 0; j < block.n1; j += rows) {
    chunk.n1 = block.n1 - j < rows ? block.n1 - j : rows;
    for (std::int64_t i = 0; i < block.n0; i += chunk_offsets) {
      chunk.n0 = block.n0 - i < chunk_offsets ? block.n0 - i : chunk_offsets;
      chunk.to = block.to + j * block.to_steps[1] + i * block.to_steps[0];
      chunk.from = block.from + j * block.from_steps[1] + i * block.from_steps[0];
      chunk.index = block.index + j * block.index_steps[1] + i * block.index_steps[0];
      WEFT_KERNEL(index_offsets)(offsets, chunk, axes);
      f(chunk, offsets);
    }
  }
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
