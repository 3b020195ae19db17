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

/// Elements of dense lines that a softmax takes together, and of calls that need no iterator.
inline constexpr std::int64_t few_along_axis = 4096;
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

/// Elements of a line along which a prefix operation whose accumulators can be combined is shared,
/// at least; of its blocks, no power of two, so that neighbours do not fall on the same sets of a
/// cache; and such lines, at most: of more, each keeps a thread busy.
inline constexpr std::int64_t min_shared_line = 256 << 10;
inline constexpr std::int64_t shared_line_block = 8192 + 16;
inline constexpr std::int64_t max_shared_lines = 2;

// ---- Masks --------------------------------------------------------------------------------------

/// Bytes of the values of a box of which a mask selects some: they and the operands' part of it
/// stay in the first-level cache.
inline constexpr std::int64_t masked_box_bytes = 16 << 10;
/// The same of a span kernel, which has less to do before each box, where boxes are long: the
/// values, the output's part and those of two inputs stay there together.
inline constexpr std::int64_t masked_row_bytes = 8 << 10;
/// The same where values are stored as they are computed, and nothing has to stay in a cache. Of
/// these, parts of masked_box_bytes without a selected element are left out.
inline constexpr std::int64_t selecting_box_bytes = 64 << 10;
/// Elements of a box along dim 0, and along another one that an operand goes along first.
inline constexpr std::int64_t masked_box_side = 64;

// ---- Reductions ---------------------------------------------------------------------------------
// The reduced elements of an output are cut into blocks, and blocks into spans or rows. Where they
// are cut decides on the order in which numbers are combined: docs/design/0003-reduction-tree.md.

/// Elements of one span, at least, where a row is cut into several.
inline constexpr std::int64_t min_span_elements = 8192;
/// Elements of a span that a kernel reads once may be that many.
inline constexpr std::int64_t long_span_elements = 65536;
/// Bytes of one span as the kernel sees it, at most.
inline constexpr std::int64_t span_bytes = 256 << 10;
/// The same two of a span that goes through a buffer, or after which it is asked whether to go on.
inline constexpr std::int64_t staged_span_elements = 2048;
inline constexpr std::int64_t staged_span_bytes = 16 << 10;
/// Elements of one block that holds several spans, or rows of columns.
inline constexpr std::int64_t block_elements = 16384;
/// Spans of one output in a block, at most.
inline constexpr std::int64_t max_block_spans = 256;
/// Spans and blocks into which what is long enough is cut at least, for threads to share.
inline constexpr std::int64_t min_shared = 8;

/// Fewer reduced elements than this are gathered into columns rather than run as spans.
inline constexpr std::int64_t short_reduction = 16;
/// Kept elements next to each other that are columns where they are: fewer are gathered.
inline constexpr std::int64_t min_reduced_columns = 8;
/// Fewer rows than this are a short call of a kernel that reduces rows: what comes with a call
/// takes as long.
inline constexpr std::int64_t short_run = 32;
/// Rows of one block of columns: the first, or up to the second where accumulators are wide.
inline constexpr std::int64_t block_rows = 64;
inline constexpr std::int64_t max_block_rows = 256;
/// Rows of a block of which some inputs are read in place and others gathered, at least.
inline constexpr std::int64_t min_gathered_rows = 8;
/// Bytes of one block that is gathered into columns, of the inputs that need buffers and their
/// conversions.
inline constexpr std::int64_t gathered_bytes = 48 << 10;

/// Rows of fewer columns than this are folded: several are taken as one row of about so many.
inline constexpr std::int64_t folded_columns = 64;
/// Elements up to which rows are not folded, so that they may be reduced without a plan.
inline constexpr std::int64_t max_unfolded = 1024;
/// Folded rows that become one column's accumulator, at least.
inline constexpr std::int64_t min_folded_rows = 16;

/// Elements of a short inner dim that are columns of their own until all else is reduced: of the
/// dim, at most; of what is reduced besides, at least; of a row of columns then, at least; bytes of
/// an accumulator, at most.
inline constexpr std::int64_t max_deferred = 48;
inline constexpr std::int64_t min_deferred_rows = 8;
inline constexpr std::int64_t min_deferred_width = 16;
inline constexpr std::int64_t max_deferred_bytes = 16;

}  // namespace fixed
}  // namespace v0
}  // namespace weft
