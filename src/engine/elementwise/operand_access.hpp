// SPDX-License-Identifier: Apache-2.0
/// @file
/// How each operand of a tile plan is had: in place, broadcast, or through which buffers.
#pragma once

#include "engine/elementwise/tile_plan.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// Sums over the operands that choosing a tile needs.
struct Totals {
  int staged = 0;                  // operands that cannot be used row by row as they stand
  std::int64_t staged_bytes = 0;   // buffer bytes an element, of these
  std::int64_t per_row_bytes = 0;  // of these, what is needed once a row only
  std::int64_t all_bytes = 0;      // the same if every operand were staged
  int crossing = 0;  // dim along which the first staged operand that runs across dim 0
                     // is dense; 0 if there is none
  std::int64_t crossing_size = 0;  // bytes of an element of the widest such operand
  std::int64_t in_streams = 0;     // buffer bytes of outputs that are streamed
};

/// How an operand lies over a row of one or more dims.
struct RowLayout {
  bool dense = true;  // its elements next to each other, in the order of the dims
  bool still = true;  // one element
};

/// How operand k, of elements of `size` bytes, lies over the innermost `dims` dims.
RowLayout row_layout(const Geometry& geometry, int k, std::int64_t size, int dims);

/// The dim along which operand k, of elements of `size` bytes, goes on where it ends along dim d: where it is dense
/// along that, less than a line across, and so large that lines are gone before the elements beside are wanted. 0 if
/// there is none, or rows along dim 0 are short.
int run_of(const Geometry& geometry, const Tuning& tuning, int k, int d, std::int64_t size);

/// Bytes of all buffers of an operand, an element.
std::int64_t buffer_bytes(const TileOperand& t);

/// Makes an operand one that goes through a buffer for the whole tile.
void stage(TileOperand& t);

/// Adds to the plan what each operand is along dim 0.
Totals classify(const TensorIterator& iter, const SpanKernel& kernel, const Tuning& tuning,
                TilePlan& plan);

/// Whether the kernel's strided loop is worth thinking of, for operands of its own types.
bool may_stride(const Geometry& geometry, const SpanKernel& kernel);
/// Whether stepping over dim 0 of them is quicker than bringing their elements together.
bool prefers_strided(const Geometry& geometry, const SpanKernel& kernel, const Tuning& tuning);

/// Leaves all operands where they are, for the kernel's strided loop, if that is quicker.
void step_in_place(TilePlan& plan, const Geometry& geometry, const SpanKernel& kernel,
                   const Tuning& tuning, Totals& totals);

/// Streamed outputs as if there were no streaming.
void stop_streaming(TilePlan& plan, Totals& totals);

/// Staged operands whose elements lie apart along dim 0 are packed in pieces so short that fetching
/// the next one overlaps with computing this one. Not those that are the same in every row: a buffer
/// for a whole tile is packed once for all of them.
void pack_in_pieces(TilePlan& plan, const Geometry& geometry, const Tuning& tuning, Totals& totals);

/// Rows shorter than a piece are streamed several at a time, as many as make whole lines, if the kernel does not
/// write them by lines itself. Without streaming where that can't be, or computing takes longer.
void stream_several_rows(TilePlan& plan, const TensorIterator& iter, const SpanKernel& kernel,
                         const Tuning& tuning, Totals& totals);

/// Leaves what is streamed to the kernel, without a buffer, if it can do that and rows are whole lines or so long
/// that what is left over hardly counts. The plan's rows are known by then.
void stream_by_lines(TilePlan& plan, const TensorIterator& iter, const SpanKernel& kernel,
                     const Tuning& tuning);

}  // namespace v0
}  // namespace weft
