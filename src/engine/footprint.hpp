// SPDX-License-Identifier: Apache-2.0
/// @file
/// How much memory an iteration touches.
#pragma once

#include <weft/iter/tensor_iterator.hpp>

#include "base/internal_api.hpp"
#include "machine/tuning.hpp"

#include <cstdint>

namespace weft {
inline namespace v0 {

/// Bytes of operand k's memory that one pass over `iter` touches: repeated elements count once.
std::int64_t bytes_touched(const TensorIterator& iter, int k);
/// The same of all operands.
WEFT_INTERNAL_API std::int64_t bytes_touched(const TensorIterator& iter);

/// Whether an output can be written by non-temporal stores: its rows along dim 0 are contiguous,
/// and nothing reads it.
bool can_stream(const TensorIterator& iter, int output);

/// Whether an output that can be streamed is better streamed: everything touched together does not
/// stay in the last-level cache, so that the lines which a plain store fetches first would come
/// from memory only to be overwritten. False for rows too short to be written line by line.
/// `unbuffered`: lines go there as they are computed or read, with no buffer between.
bool worth_streaming(const TensorIterator& iter, int output, bool unbuffered, const Tuning& tuning);

/// Picoseconds until `bytes` of lines have come from the level that holds them, by the table.
inline std::int64_t fetch_ps(std::int64_t bytes, const Tuning& t) {
  if (bytes <= t.l1_bytes) return 0;
  const std::int64_t price = bytes <= t.l2_bytes           ? t.line_ps
                             : bytes <= t.last_level_bytes ? t.last_level_line_ps
                                                           : t.memory_line_ps;
  return bytes / cache_line_bytes * price;
}
/// Picoseconds that so many rows take to be moved, besides their elements: a third of a kernel's.
inline std::int64_t moved_rows_ps(std::int64_t rows, const Tuning& t) {
  return rows * t.row_ps / 3;
}

}  // namespace v0
}  // namespace weft
