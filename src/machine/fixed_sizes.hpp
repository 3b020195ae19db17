// SPDX-License-Identifier: Apache-2.0
/// @file
/// Sizes by which results are combined: they show in the last bits, so they are the same on all
/// machines, and no tuning.
#pragma once

#include <cstdint>

namespace weft {
inline namespace v0 {
namespace fixed {

// ---- Prefix operations and softmax ----------------------------------------------------------
// A softmax adds up a line that is dense along the axis in another order than columns, and what
// goes through a buffer whole in another order than what is taken block by block. These sizes
// decide which way is taken.

/// Columns that are worth a piece of their own: of fewer, memory is read in short parts of rows.
inline constexpr std::int64_t min_columns = 64;
/// Elements that make cache lines, and registers.
inline constexpr std::int64_t line_elements = 16;
/// Lines next to each other: of fewer, each is taken as a line, wherever its elements are.
inline constexpr std::int64_t several_lines = 8;

/// Elements of dense lines that are taken together, and of calls that need no iterator.
inline constexpr std::int64_t softmax_few = 4096;
/// Bytes of longer lines that are read once, found the largest of, and added up.
inline constexpr std::int64_t softmax_line_block_bytes = 16 << 10;
/// The same of lines that go through buffers: bytes of all of these.
inline constexpr std::int64_t softmax_line_buffers_bytes = 24 << 10;

/// Bytes of whole lines or columns that go through a buffer.
inline constexpr std::int64_t softmax_whole_bytes = 64 << 10;
/// Columns of such a buffer, and bytes from the first to the last of them, that are read well row
/// by row.
inline constexpr std::int64_t softmax_min_width = 4;
inline constexpr std::int64_t softmax_min_width_bytes = 256;

/// Bytes of a row of columns that are no slower than as many lines.
inline constexpr std::int64_t softmax_min_row_bytes = 32;
/// Bytes of columns next to each other that are gone through three times, as a cache holds them.
inline constexpr std::int64_t softmax_plane_bytes = 1 << 20;
/// Bytes of a column whose terms are kept in a buffer: of a longer one they are computed twice.
inline constexpr std::int64_t softmax_kept_column_bytes = 4 << 10;

// ---- Reductions -------------------------------------------------------------------------------
// Where spans and blocks end decides which numbers are added first. The few sizes here that show in
// no bit (tiles of kept rows, what may be written in any order) go with them: plans are made in one
// pass.

/// Elements of one span where dim 0 is cut, and spans into which it is cut if these are not fewer.
inline constexpr std::int64_t min_span = 8192, min_spans = 8;
/// Elements of a span of kernels that read it once.
inline constexpr std::int64_t long_span = 65536;
/// Bytes of one span as the kernel sees it.
inline constexpr std::int64_t span_bytes = 256 << 10;
/// Elements and bytes of one span that is staged, and elements of a buffer at least.
inline constexpr std::int64_t staged_span = 2048, staged_span_bytes = 16 << 10, min_staged = 16;
/// Elements of one block of spans where it holds several, and spans of one output in it.
inline constexpr std::int64_t block_of_spans = 16384, max_pieces = 256;
/// Elements of kept rows that are reduced in one call, by several threads and by one; and of these
/// rows the most, four times as many if they are short.
inline constexpr std::int64_t kept_tile = 32768, kept_tile_of_one_thread = 262144;
inline constexpr std::int64_t max_kept_rows = 1024;

/// Rows of one block in columns, where there are many and at least; blocks that many rows are
/// divided into, and elements of a block that is small.
inline constexpr std::int64_t block_rows = 64, max_block_rows = 256, min_blocks = 8,
                              small_block = 16384;
/// Kept columns of a tile, of one that is folded, of one that is gathered; and the unit of all.
inline constexpr std::int64_t max_columns = 1024, folded_columns = 64, gathered_columns = 2048,
                              column_unit = 64;
/// Columns that are worth a row, the same of lines of them, and the narrower ones that are folded.
inline constexpr std::int64_t min_reduced_columns = 8, min_lane_width = 16, narrow_columns = 64;
/// Rows of a fold.
inline constexpr std::int64_t min_fold_rows = 16;
/// Narrow columns of no more elements than this are not folded, so that they may be reduced without
/// a plan.
inline constexpr std::int64_t min_folded = 1024;
/// Fewer reduced elements than this are gathered into columns rather than run as spans of their
/// own.
inline constexpr std::int64_t short_reduction = 16;
/// Elements along dim 0 that become columns, and rows of these.
inline constexpr std::int64_t max_lanes = 48, min_lane_rows = 8;
/// Bytes of a combining tree that stays in the first two levels.
inline constexpr std::int64_t tree_bytes = 96 << 10;
/// Bytes of results that may be written in any order, and that are put together before they are
/// written along another dim; elements of a row of such results.
inline constexpr std::int64_t small_results_bytes = 4 << 10, transposed_results_bytes = 256 << 10,
                              results_row = 16;

/// Elements that are reduced without a plan: of one row, which is one span of the plan's, too; and
/// surely by one thread. Blocks of rows then.
inline constexpr std::int64_t few_in_row = 2048, few_for_threads = 4096, few_blocks = 2;
/// Bytes on the stack for that.
inline constexpr std::int64_t few_accumulators_bytes = 8 << 10, few_packed_bytes = 8 << 10;

}  // namespace fixed
}  // namespace v0
}  // namespace weft
