// SPDX-License-Identifier: Apache-2.0
/// @file
/// Indices as offsets in bytes, a chunk at a time. Loops over offsets need to know neither the type
/// of the indices nor how many axes there are, and those that make offsets are of vectors.
#pragma once

#include "kernels/indexing/indexing.hpp"

namespace weft {
inline namespace v0 {

/// Offsets of a block, dense, dim 0 innermost; there is room for all of them. False if indices that
/// are not known to be in range are not: then offsets lead anywhere.
WEFT_DECLARE_KERNEL(index_offsets, bool(std::int64_t* offsets, const IndexedBlock& block,
                                        const IndexedAxes& axes));

inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Offsets in a chunk: few enough to stay in the first level, and enough for loops to be worth
/// starting.
inline constexpr std::int64_t chunk_offsets = 256;

/// The part of a block from place (i, j) on.
WEFT_ALWAYS_INLINE IndexedBlock part_of(const IndexedBlock& block, std::int64_t i, std::int64_t j,
                                        std::int64_t n0, std::int64_t n1) {
  IndexedBlock part = block;
  part.n0 = n0;
  part.n1 = n1;
  part.to = block.to + j * block.to_steps[1] + i * block.to_steps[0];
  part.from = block.from + j * block.from_steps[1] + i * block.from_steps[0];
  part.index = block.index + j * block.index_steps[1] + i * block.index_steps[0];
  return part;
}

/// f(chunk, offsets, row_offsets) for parts of a block: several rows, whose offsets are row_offsets
/// from each other, or a part of one. False, and no more of them, if an index of the next one turns
/// out not to be in range. In the order of elements; or in any, where rows of the same indexes
/// share their offsets.
template <bool any_order = false, class F>
WEFT_ALWAYS_INLINE bool for_each_chunk(const IndexedBlock& block, const IndexedAxes& axes,
                                       const F& f) {
  std::int64_t offsets[chunk_offsets];
  const bool shares = any_order && block.index_steps[1] == 0 && block.n1 > 1;
  std::int64_t rows = block.n0 < chunk_offsets ? chunk_offsets / block.n0 : 1;
  // All rows if there is one chunk of offsets, else so few that what is read for them stays in the
  // first level from chunk to chunk.
  if (shares) rows = block.n0 <= chunk_offsets ? block.n1 : 8;
  for (std::int64_t j = 0; j < block.n1; j += rows) {
    const std::int64_t n1 = block.n1 - j < rows ? block.n1 - j : rows;
    for (std::int64_t i = 0; i < block.n0; i += chunk_offsets) {
      const std::int64_t n0 = block.n0 - i < chunk_offsets ? block.n0 - i : chunk_offsets;
      IndexedBlock chunk = part_of(block, i, j, n0, shares ? 1 : n1);
      if (!WEFT_KERNEL(index_offsets)(offsets, chunk, axes)) return false;
      chunk.n1 = n1;
      f(chunk, offsets, shares ? 0 : n0);
    }
  }
  return true;
}

/// f(rows, offsets) for a block with an index for each of its rows: these along dim 0, as many as
/// there are offsets in a chunk, in their order.
template <class F>
WEFT_ALWAYS_INLINE bool for_each_row_chunk(const IndexedBlock& block, const IndexedAxes& axes,
                                           const F& f) {
  const IndexedBlock rows{block.to,
                          block.from,
                          block.index,
                          {block.to_steps[1], 0},
                          {block.from_steps[1], 0},
                          {block.index_steps[1], 0},
                          block.n1,
                          1};
  return for_each_chunk(rows, axes,
                        [&](const IndexedBlock& chunk, const std::int64_t* offsets, std::int64_t) {
                          f(chunk, offsets);
                        });
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
