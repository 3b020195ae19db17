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

}  // namespace fixed
}  // namespace v0
}  // namespace weft
