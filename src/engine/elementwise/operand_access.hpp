// SPDX-License-Identifier: Apache-2.0
/// @file
/// How the kernel gets at each operand of a tile plan: in place, broadcast, or through which
/// buffers.
#pragma once

#include "engine/elementwise/tile_plan.hpp"

#include <algorithm>
#include <cstdint>

namespace weft {
inline namespace v0 {

/// Sums over the operands that choosing a tile needs: a function of their access.
struct Totals {
  int staged = 0;                    // operands that go through a buffer for the tile
  std::int64_t staged_bytes = 0;     // buffer bytes an element, of these
  std::int64_t per_row_bytes = 0;    // of these, what is needed once a row only
  std::int64_t all_bytes = 0;        // the same if every operand were staged
  int transposed_dim = 0;            // dim along which the first transposed one is dense, or 0
  std::int64_t transposed_size = 0;  // bytes of an element of the widest transposed one
  std::int64_t chunk_bytes = 0;      // buffer bytes of outputs that are streamed
};
Totals totals_of(const TileOperands& operands);

/// Elements of a tile: what of so many bytes of buffers goes to operands that take `bytes` an
/// element there.
inline std::int64_t elements_of_tile(std::int64_t buffers, std::int64_t bytes,
                                     const Tuning& tuning) {
  return bytes == 0 ? tuning.max_in_place : std::min(tuning.max_staged, buffers / bytes);
}
/// The same of a tile of rows along dim 0.
inline std::int64_t elements_of_rows(const Totals& totals, const Tuning& tuning) {
  return elements_of_tile(tuning.tile_bytes / 2, totals.staged_bytes - totals.per_row_bytes,
                          tuning);
}

/// How an operand lies over a row of one or more dims.
struct RowLayout {
  bool dense = true;  // its elements next to each other, in the order of the dims
  bool still = true;  // one element
};

/// How operand k, of elements of `size` bytes, lies over the innermost `dims` dims.
inline RowLayout row_layout(const Geometry& geometry, int k, std::int64_t size, int dims) {
  RowLayout layout;
  for (int d = 0; d < dims; ++d) {
    const std::int64_t stride = geometry.stride(d, k);
    layout.dense = layout.dense && stride == size;
    layout.still = layout.still && stride == 0;
    size *= geometry.extent(d);
  }
  return layout;
}

/// Bytes of a cache that `rows` lines take, one every `stride` bytes: of distances
/// that are a multiple of a power of two, it holds as many as that goes into it.
constexpr std::int64_t bytes_of_lines(std::int64_t stride, std::int64_t rows) {
  const auto step = static_cast<std::uint64_t>(stride);
  return rows * std::max(static_cast<std::int64_t>(step & (0 - step)), cache_line_bytes);
}

/// The dim along which operand k, of elements of `size` bytes, goes on where it ends along dim d:
/// where it is dense along that, has less than a line there, and so large that lines are gone
/// before the elements beside are wanted. 0 if there is none, or rows along dim 0 are short.
int continuing_dim(const Geometry& geometry, const Tuning& tuning, int k, int d, std::int64_t size);

/// Converts what is one value for all tiles into the operands of a plan. A plan that is bound to
/// other memory needs it once more.
void read_constants(TileOperands& operands, const TensorIterator& iter, const SpanKernel& kernel);

/// Whether the elements of operand k lie right before those of operand `next`, all along.
bool lies_beside(const TensorIterator& iter, int k, int next, std::int64_t size);

/// Makes an operand one that goes through a buffer for the whole tile.
void stage(TileOperand& t);

/// Which outputs are written by non-temporal stores.
enum class Streaming : std::uint8_t {
  if_worth,  ///< those that worth_streaming() says
  always,    ///< all that can be
  never,
};

/// What each operand is along dim 0.
TileOperands classify(const TensorIterator& iter, const SpanKernel& kernel, const Tuning& tuning,
                      Streaming streaming);

/// Whether the kernel's strided loop is worth thinking of, for operands of its own types.
bool may_stride(const Geometry& geometry, const SpanKernel& kernel);
/// Whether stepping over dim 0 of them is quicker than gathering their elements.
bool prefers_strided(const TileOperands& operands, const Geometry& geometry,
                     const SpanKernel& kernel, const Tuning& tuning);
/// Whether all operands can be left where they are, for the kernel's strided loop, and some would
/// have to be staged otherwise.
bool can_step(const TileOperands& operands, const Geometry& geometry, const SpanKernel& kernel);

/// Streamed outputs as if there were no streaming.
void stop_streaming(TileOperands& operands);

/// Packs staged operands that are strided along dim 0 in chunks, so short that fetching the next
/// one overlaps with computing this one; returns the elements of a chunk, at most `most`. Not those
/// that are the same in every row: a buffer for a whole tile is packed once for all of them.
std::int64_t pack_in_chunks(TileOperands& operands, const Geometry& geometry, const Tuning& tuning,
                            std::int64_t most);

/// Rows shorter than a chunk are streamed several at a time, as many as make whole lines, if the
/// kernel does not stream them itself. Without streaming where that can't be, or computing takes
/// longer.
void stream_several_rows(TilePlan& plan, const TensorIterator& iter, const SpanKernel& kernel,
                         const Tuning& tuning);

/// Leaves what is streamed to the kernel, without a buffer, if it can do that and rows are whole
/// lines or so long that what is left over hardly counts. The plan's rows are known by then.
void stream_in_place(TilePlan& plan, const TensorIterator& iter, const SpanKernel& kernel,
                     const Tuning& tuning);

}  // namespace v0
}  // namespace weft
