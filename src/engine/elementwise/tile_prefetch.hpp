// SPDX-License-Identifier: Apache-2.0
/// @file
/// Asking the caches for what the next tile needs.
#pragma once

#include <weft/iter/geometry.hpp>

#include "engine/elementwise/tile_plan.hpp"
#include "engine/prefetch.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace weft {
inline namespace v0 {

/// Whether an operand of the plan is prefetched.
inline bool is_prefetched(const TilePlan& plan, const TileOperand& t) {
  if (!plan.prefetches || t.is_output) return false;
  return t.access == Access::direct ||
         (t.access == Access::staged && (t.is_transposed() || !t.pack));
}

/// What is asked for while one tile is run, row by row: of operands that are used in place some
/// rows ahead, and of staged ones the blocks that are read for the next tile, an equal share with
/// each row. Tiles through operands of different orders are many short runs, each in a page of its
/// own, of which the memory's prefetchers make nothing; and as long as a tile is packed, nothing is
/// read for the operands in place, and the other way round.
class TilePrefetch {
 public:
  /// The tile at hand and the one after it, which is the same if there is none. Tiles have rows.
  TilePrefetch(const Geometry& geometry, const TilePlan& plan, const TileCursor& tile,
               const TileCursor& next)
      : geometry_(geometry),
        plan_(plan),
        tile_(tile),
        next_(next),
        rows_(plan.rows_of(tile)),
        row_elements_(plan.row_elements_of(tile)),
        next_rows_(plan.rows_of(next)),
        next_row_elements_(plan.row_elements_of(next)),
        rows_ahead_(tuning().prefetched_rows) {}

  /// Asks for what is due before row r. Inlined: see prefetch_bytes.
  WEFT_ALWAYS_INLINE void ask(std::int64_t r) const {
    for (std::size_t k = 0; k < plan_.operands.size(); ++k) {
      const TileOperand& t = plan_.operands[k];
      const std::int64_t row_bytes = row_elements_ * t.memory_size;
      if (t.access == Access::streamed) {
        // Lines that a row shares with others are written by plain stores, behind which every other
        // store waits.
        const char* row = row_at(k, r + rows_ahead_);
        prefetch_bytes<3>(row, 1);
        prefetch_bytes<3>(row + row_bytes - 1, 1);
      }
      if (!is_prefetched(plan_, t)) continue;
      if (t.access == Access::direct) {
        prefetch_bytes<3>(row_at(k, r + rows_ahead_), row_bytes);
      } else if (t.is_transposed()) {
        ask_share(k, r);
      } else if (r < next_rows_) {
        prefetch_bytes<2>(next_.ptrs[k] + r * row_stride(k), next_row_elements_ * t.memory_size);
      }
    }
  }

 private:
  /// Where row r of operand k begins, in the next tile if this one has fewer.
  const char* row_at(std::size_t k, std::int64_t r) const {
    return r < rows_ ? tile_.ptrs[k] + r * row_stride(k)
                     : next_.ptrs[k] + (r - rows_) * row_stride(k);
  }
  std::int64_t row_stride(std::size_t k) const {
    const int dim = plan_.steps[static_cast<std::size_t>(plan_.row_rank)].dim;
    return geometry_.stride(dim, static_cast<int>(k));
  }

  /// Row r's share of the next block of operand k, which is dense from row to row: one run for each
  /// element of a row. Nothing if it is the block at hand, or dense along yet
  /// another dim.
  WEFT_ALWAYS_INLINE void ask_share(std::size_t k, std::int64_t r) const {
    const char* block = next_.ptrs[k];
    const std::int64_t size = plan_.operands[k].memory_size;
    if (block == tile_.ptrs[k] || std::abs(row_stride(k)) != size) return;
    block += std::min<std::int64_t>(row_stride(k), 0) * (next_rows_ - 1);
    const std::int64_t bytes = next_rows_ * size;
    const std::int64_t last = next_row_elements_ * (r + 1) / rows_;
    for (std::int64_t i = next_row_elements_ * r / rows_; i < last; ++i)
      prefetch_bytes<2>(block + offset_in_row(k, i), bytes);
  }

  /// Bytes from the first element of a row of operand k, in the next tile, to element i.
  std::int64_t offset_in_row(std::size_t k, std::int64_t i) const {
    std::int64_t offset = 0;
    for (int s = 0; s < plan_.row_rank; ++s) {
      const bool last = s + 1 == plan_.row_rank;
      const std::int64_t at = last ? i : i % next_.extents[s];
      if (!last) i /= next_.extents[s];
      offset +=
          at * geometry_.stride(plan_.steps[static_cast<std::size_t>(s)].dim, static_cast<int>(k));
    }
    return offset;
  }

  const Geometry& geometry_;
  const TilePlan& plan_;
  const TileCursor& tile_;
  const TileCursor& next_;
  std::int64_t rows_, row_elements_;
  std::int64_t next_rows_, next_row_elements_;
  std::int64_t rows_ahead_;
};

}  // namespace v0
}  // namespace weft
