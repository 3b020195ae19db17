// SPDX-License-Identifier: Apache-2.0
/// @file
/// The measured constants of the engine: every size from which on something else is done.
#pragma once

/// ROW(name, unit, minimum, maximum, tight, near, far, record, meaning)
///
/// `minimum` and `maximum` bound what a tuning file may say; the engine is safe, and gives the same
/// bits, for all in between. `tight`, `near` and `far` are the values of the three machine classes
/// (tuning.hpp). `record` is the decision record in docs/design/ that has the measurement. Units:
/// bytes, elements, rows, ns; `L2` counts second-level caches, `L3/48` parts of the last level.
// clang-format off
#define WEFT_TUNING_ROWS(ROW)                                                                                          \
  /* Threads */                                                                                                        \
  ROW(thread_ns, "ns", 100, 1'000'000'000, 20'000, 20'000, 20'000, 9, "a thread's least share: a few times what waking it costs") \
  ROW(awake_thread_ns, "ns", 100, 1'000'000'000, 4'000, 4'000, 4'000, 9, "the same in trips of a loop, which find threads awake") \
  ROW(min_thread_elements, "elements", 1, 1 << 20, 1024, 1024, 1024, 9, "a thread's least share, whatever an element costs; a line up to it is run at once") \
  /* Few elements: runs without tiles */                                                                               \
  ROW(few_elements, "elements", 1, 16384, 16384, 16384, 16384, 7, "most elements that run without tiles")              \
  ROW(few_cast, "elements", 1, 256, 256, 256, 256, 7, "the same if some operand is cast")                              \
  ROW(few_buffer_bytes, "bytes", 16, 16 << 10, 16 << 10, 16 << 10, 16 << 10, 7, "of one operand that is packed whole") \
  /* Prices of few elements */                                                                                         \
  ROW(call_ps, "ps", 0, 1'000'000'000, 12800, 10300, 6000, 11, "calling a kernel, or moving a plane of a block")       \
  ROW(row_ps, "ps", 0, 1'000'000'000, 650, 600, 2000, 11, "each row of that; a third of it where rows are moved")      \
  ROW(vector_ps, "ps", 0, 1'000'000'000, 390, 316, 750, 11, "32 bytes of a row, by a plain kernel or a copy")          \
  ROW(single_ps, "ps", 0, 1'000'000'000, 600, 550, 400, 11, "an element at the end of a row that fills no register")   \
  ROW(strided_row_ps, "ps", 0, 1'000'000'000, 7500, 6400, 4000, 11, "a row of the kernel's strided loop")              \
  ROW(strided_ps, "ps", 0, 1'000'000'000, 106, 92, 120, 11, "an element of each operand there, twice if it is stepped over") \
  ROW(buffer_ps, "ps", 0, 1'000'000'000, 40000, 22000, 45000, 11, "bringing an operand through a buffer, but for its elements") \
  ROW(transposed_ps, "ps", 0, 1'000'000'000, 1420, 980, 800, 11, "32 bytes that are transposed")                       \
  ROW(gathered_ps, "ps", 0, 1'000'000'000, 142, 96, 104, 11, "an element that is gathered by itself")                  \
  ROW(line_ps, "ps", 0, 1'000'000'000, 283, 260, 200, 11, "a cache line from the second level")                        \
  ROW(last_level_line_ps, "ps", 0, 1'000'000'000, 1900, 1500, 3000, 11, "the same from the last level")                \
  ROW(memory_line_ps, "ps", 0, 1'000'000'000, 4000, 4000, 4000, 11, "the same from memory")                            \
  ROW(tiles_ps, "ps", 0, 1'000'000'000, 106000, 80000, 80000, 11, "planning tiles")                                    \
  /* Rows: in place or gathered */                                                                                     \
  ROW(min_row, "elements", 1, 1 << 16, 8, 8, 8, 2, "a row of its own where nothing is staged; half of it for elements above 8 bytes") \
  ROW(min_costly_row, "elements", 1, 1 << 16, 32, 32, 32, 2, "the same for kernels that cost more than an add; twice as many for the costliest") \
  ROW(min_staged_row, "elements", 1, 1 << 16, 128, 128, 128, 2, "a row of its own where some operand is staged")       \
  ROW(min_mixed_row_bytes, "bytes", 1, 1 << 16, 64, 64, 64, 7, "the same where gathering would stage one more")        \
  ROW(enough_gathered, "elements", 1, 1 << 16, 512, 512, 512, 7, "a gathered tile that does not grow at the price of staging one more") \
  ROW(small_plane_bytes, "bytes", 0, 1 << 20, 8 << 10, 8 << 10, 8 << 10, 7, "buffers of a plane up to which transposed planes are gathered") \
  ROW(short_row_bytes, "bytes", 0, 1 << 16, 128, 128, 128, 7, "a row that is gathered if that only packs what repeats; half of it beyond the second level") \
  ROW(min_repeats, "rows", 1, 1 << 16, 8, 8, 8, 7, "uses of what is packed because it repeats")                        \
  /* Tiles */                                                                                                          \
  ROW(tile_bytes, "bytes", 4 << 10, 24 << 10, 24 << 10, 24 << 10, 24 << 10, 2, "buffers that stay in the first level; half of it where operands agree on the order, or of chunks") \
  ROW(max_staged, "elements", 64, 1 << 16, 4096, 4096, 4096, 2, "of a tile with something staged")                     \
  ROW(max_in_place, "elements", 64, 1 << 30, 16 << 10, 16 << 10, 16 << 10, 2, "of a tile with nothing staged")         \
  /* Tiles of transposed operands */                                                                                   \
  ROW(min_transposed_side, "elements", 2, 1 << 16, 16, 16, 16, 7, "a side of such a tile, and of what is read at a time; shorter rows are gathered, and narrower ones not prefetched from a near last level") \
  ROW(transposed_run_bytes, "bytes", 64, 1024, 512, 512, 512, 7, "read at a time along the transposed operand; what is buffered has rows of it, and narrow sides are read by half of it") \
  ROW(transposed_tile_bytes, "bytes", 8 << 10, 128 << 10, 128 << 10, 128 << 10, 128 << 10, 7, "buffers in the second level") \
  ROW(l1_run_bytes, "bytes", 16, 1 << 16, 128, 128, 128, 7, "the same of tiles in the first level")                    \
  ROW(l1_tile_bytes, "bytes", 4 << 10, 128 << 10, 16 << 10, 16 << 10, 16 << 10, 7, "their buffers, and those of prefix operations")                    \
  ROW(l1_tile_reach, "L2", 0, 1 << 20, 1, 6, 6, 7, "all bytes up to which tiles in the first level do best")           \
  ROW(wide_tile_reach, "L2", 0, 1 << 20, 1, 12, 6, 7, "the same for one operand of 8 bytes and more")                  \
  ROW(wide_l3_run_bytes, "bytes", 16, 1 << 16, 512, 128, 512, 7, "read at a time beyond that, within three quarters of the last level; buffers hold max_transposed_run of it") \
  ROW(wide_memory_run_bytes, "bytes", 16, 1 << 16, 512, 256, 512, 7, "the same beyond that")                           \
  ROW(max_transposed_run, "elements", 16, 1 << 16, 256, 256, 256, 7, "read at a time; half of it where rows have set conflicts") \
  ROW(transposed_row_bytes, "bytes", 64, 1 << 16, 1024, 1024, 1024, 7, "written at a time, where it is not what the buffers hold; half of it by non-temporal stores, or max_staged in a few rows; prefetched at a time") \
  ROW(min_prefetched_side, "elements", 16, std::int64_t{1} << 40, 64, 64, 64, 7, "a row of tiles that are prefetched, and streamed but to a far last level; each side from that") \
  ROW(min_streamed_side, "elements", 16, std::int64_t{1} << 40, 256, 256, 256, 7, "each side of what is streamed only, to a far last level") \
  /* Strided operands */                                                                                               \
  ROW(min_dense_extent, "elements", 2, 1 << 16, 4, 4, 4, 7, "elements side by side that are not better fetched one pass each: wide ones, others in short rows, and inputs of wider streamed results") \
  ROW(min_strided_row, "elements", 1, 1 << 30, 32, 32, 32, 2, "a row for the kernel's strided loop")                   \
  ROW(strided_bytes, "bytes", 1, 1 << 20, 40, 40, 40, 2, "memory an element that it touches, to be worth it; a fifth less of wide ones, half of it beyond half of the last level") \
  ROW(strided_reach, "L2", 0, 1 << 20, 1 << 20, 1 << 20, 4, 2, "all bytes up to which the strided loop is taken")      \
  ROW(strided_chunk_bytes, "bytes", 4 << 10, 1 << 20, 20 << 10, 32 << 10, 32 << 10, 7, "cache that a chunk of a strided row takes up") \
  ROW(max_chunk, "elements", 1024, 2048, 2048, 2048, 2048, 7, "of any chunk")                                          \
  ROW(min_chunked_row, "elements", 1, 1 << 30, 512, 512, 512, 7, "a row that is packed in chunks")                     \
  /* Non-temporal stores and prefetching */                                                                            \
  ROW(min_streamed_run_bytes, "bytes", 64, 1 << 30, 2048, 2048, 2048, 7, "written one after the other; a quarter of it if each begins on a line") \
  ROW(streams_before_mixed, "L3/48", 0, 48, 16, 16, 16, 7, "of the last level left when less than half is output")     \
  ROW(streams_before_short, "L3/48", 0, 48, 6, 6, 6, 7, "the same of short rows; and where the last level counts as full") \
  ROW(streams_before_unbuffered, "L3/48", 0, 48, 0, 9, 0, 7, "the same when half is output, written without a buffer") \
  ROW(chunk_bytes, "bytes", 512, 2 << 10, 2 << 10, 2 << 10, 1 << 10, 7, "a chunk that is computed before it is streamed") \
  ROW(full_chunk_bytes, "bytes", 512, 2 << 10, 2 << 10, 512, 1 << 10, 7, "the same of plain kernels of dense inputs that fill the last level") \
  ROW(min_streamed_row_bytes, "bytes", 256, 1 << 30, 1024, 1024, 1024, 7, "a row that a kernel streams itself; twice as many of prefetched tiles") \
  ROW(row_ends_ahead_bytes, "bytes", 0, 1 << 20, 6 << 10, 6 << 10, 6 << 10, 7, "how far ahead the ends of such rows are prefetched") \
  ROW(prefetched_rows, "rows", 0, 64, 4, 4, 4, 7, "how far ahead rows of a tile are prefetched")                       \
  /* Copies */                                                                                                         \
  ROW(copy_side_bytes, "bytes", 64, 1 << 16, 1024, 1024, 1024, 7, "each side of a transposed tile; planes with such sides are streamed to a far last level") \
  ROW(copy_run_bytes, "bytes", 256, 64 << 10, 4 << 10, 4 << 10, 4 << 10, 7, "read at a time beside two lines written; of rows that are joined; rows read at a time beside streamed lines") \
  ROW(min_unjoined_row_bytes, "bytes", 0, 1 << 16, 320, 320, 320, 7, "a streamed row; shorter ones are joined first")  \
  ROW(copy_buffer_bytes, "bytes", 4 << 10, 64 << 10, 32 << 10, 32 << 10, 32 << 10, 7, "a tile that is transposed in a buffer; half of a tile of rows") \
  ROW(min_layered_bytes, "bytes", 0, 1 << 30, 1 << 20, 1 << 20, 1 << 20, 7, "a copy, both sides, that may leave the second level") \
  ROW(min_conflict_bytes, "bytes", 0, 1 << 30, 128 << 10, 128 << 10, 128 << 10, 7, "a plane whose lines leave the caches half written; an eighth of it is buffered for whole lines") \
  ROW(min_run_step_bytes, "bytes", 64, 1 << 30, 1 << 10, 1 << 10, 1 << 10, 7, "from run to run that the memory's prefetchers do not follow; runs of half of it are prefetched") \
  /* Reductions */                                                                                                    \
  ROW(reduced_tile_elements, "elements", 1, 1 << 30, 32 << 10, 32 << 10, 32 << 10, 3, "of rows that are reduced in one call; eight times as many by one thread") \
  ROW(max_reduced_rows, "elements", 8, 1 << 16, 1024, 1024, 1024, 3, "rows of such a call, or columns; twice as many gathered columns, four times as many short rows") \
  ROW(tree_bytes, "bytes", 4 << 10, 96 << 10, 96 << 10, 96 << 10, 96 << 10, 3, "accumulators of blocks that wait to be combined") \
  ROW(min_collected_bytes, "bytes", 0, 1 << 30, 4 << 10, 4 << 10, 4 << 10, 3, "transposed results that are put together before they are written") \
  ROW(max_collected_bytes, "bytes", 0, 1 << 30, 256 << 10, 256 << 10, 256 << 10, 3, "the same; of more, a tile has whole lines")
// clang-format on
