// SPDX-License-Identifier: Apache-2.0
/// @file
/// The walk of one thread over tiles: what is loaded, run and stored for each.
#pragma once

#include <weft/kernel/span_kernel.hpp>

#include "engine/block.hpp"
#include "engine/elementwise/streaming_rows.hpp"
#include "engine/elementwise/tile_plan.hpp"
#include "engine/elementwise/tile_prefetch.hpp"
#include "engine/stage_buffers.hpp"
#include "machine/scratch_memory.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace weft {
inline namespace v0 {

/// Staging of one thread: the buffers of each operand, and what an input's buffer already holds.
struct Buffers : StageBuffers {
  const char* held = nullptr;  // source of the block in `kernel`, if that is still valid
  std::int64_t held_elements = 0;
  std::int64_t held_row = 0;  // of how many in a row: overlapping windows start alike but differ
};

/// Walks some of the tiles of a plan on one thread.
class TileRunner {
 public:
  /// Throws std::bad_alloc if there is no memory for buffers.
  TileRunner(const TensorIterator& iter, const SpanKernel& kernel, const TilePlan& plan)
      : kernel_(kernel),
        plan_(plan),
        geometry_(iter.geometry()),
        is_strided_(plan.is_strided()),
        streams_(plan.streams()),
        streams_in_place_(plan.streams_in_place()),
        in_chunks_(plan.in_chunks()),
        scratch_(bytes_of_buffers()),
        tile_(geometry_, plan.steps, geometry_.noperands) {
    take_all_buffers(iter);
    for (int k = 0; k < geometry_.noperands; ++k) {
      const TileOperand& t = plan.operands[k];
      if (t.is_value()) broadcast_ |= 1u << k;
      if (t.access == Access::staged && leads(k))
        (t.is_output ? staged_outputs_ : staged_inputs_) |= 1u << k;
      row_strides_[k] =
          stride(static_cast<std::size_t>(plan_.row_rank), static_cast<std::size_t>(k));
      plane_strides_[k] =
          stride(static_cast<std::size_t>(plan_.row_rank) + 1, static_cast<std::size_t>(k));
      // Its strides are all 0, and it is read only.
      origin_[k] = t.constant ? const_cast<char*>(t.value) : iter.operand(k).data;
    }
  }

  void run(std::int64_t begin, std::int64_t end) {
    tile_.seek(begin, origin_);
    for (std::int64_t i = begin; i < end; ++i) {
      if (i != begin) tile_.next();
      measure();
      for (std::uint32_t left = staged_inputs_; left != 0; left &= left - 1)
        load(static_cast<std::size_t>(std::countr_zero(left)));
      call(i + 1 < end);
      for (std::uint32_t left = staged_outputs_; left != 0; left &= left - 1)
        store(static_cast<std::size_t>(std::countr_zero(left)));
    }
    if (streams_) end_streaming();
  }

 private:
  /// Elements of an operand's buffers; 0 if it has none.
  std::int64_t buffered_elements(const TileOperand& t) const {
    if (t.has_chunk_buffer()) return plan_.chunk;
    if (t.access != Access::staged) return 0;
    return t.one_per_row ? plan_.tile_elements / plan_.row_elements : plan_.tile_elements;
  }
  std::int64_t bytes_of_buffers() const {
    std::int64_t bytes = 0;
    for (const TileOperand& t : plan_.operands) {
      if (const std::int64_t elements = buffered_elements(t); elements > 0)
        bytes += stage_bytes(t, elements);
    }
    return bytes;
  }

  /// Operands that lie beside each other have buffers one after the other, in the order of memory,
  /// and are moved together, by the first of them.
  void take_all_buffers(const TensorIterator& iter) {
    const int n = geometry_.noperands;
    std::int8_t next[max_operands];
    std::fill_n(next, n, std::int8_t{-1});
    for (int k = 0; k < n; ++k) {
      const TileOperand& t = plan_.operands[k];
      if (!t.is_beside_another()) continue;
      // The plan may have been made for other memory.
      if (t.access != plan_.operands[t.beside].access || buffered_elements(t) == 0) continue;
      if (iter.operand(t.beside).data + t.memory_size != iter.operand(k).data) continue;
      next[t.beside] = static_cast<std::int8_t>(k);
      led_ |= 1u << k;
    }
    buffers_.resize(static_cast<std::size_t>(n));
    char* scratch = scratch_.data();
    for (int first = 0; first < n; ++first) {
      if (!leads(first)) continue;
      Buffers& leader = buffers_[first];
      for (int k = first; k >= 0; k = next[k]) {
        const TileOperand& t = plan_.operands[k];
        const std::int64_t elements = buffered_elements(t);
        if (elements == 0) continue;
        char* const begin = scratch;
        static_cast<StageBuffers&>(buffers_[k]) = take_buffers(t, elements, scratch);
        if (k == first) continue;
        ++leader.operands;
        leader.operand_bytes = scratch - begin;
      }
    }
  }
  bool leads(int k) const { return (led_ >> k & 1) == 0; }

  // ---- Position ---------------------------------------------------------------------------------

  void measure() {
    row_elements_ = plan_.row_elements_of(tile_);
    rows_ = plan_.rows_of(tile_);
    planes_ = plan_.planes_of(tile_);
    elements_ = row_elements_ * rows_ * planes_;
  }
  std::int64_t stride(std::size_t step, std::size_t k) const {
    return step < static_cast<std::size_t>(plan_.tile_rank)
               ? geometry_.stride(plan_.steps[step].dim, static_cast<int>(k))
               : 0;
  }

  // ---- Staging ----------------------------------------------------------------------------------

  /// Elements of operand k's buffer for this tile.
  std::int64_t staged_elements(const TileOperand& t) const {
    return t.one_per_row ? rows_ * planes_ : elements_;
  }

  /// The block of operand k in memory, as far as it is staged.
  int block_of(std::size_t k, const TileOperand& t, BlockDim* dims) const {
    int count = 0;
    for (int i = t.one_per_row ? plan_.row_rank : 0; i < plan_.tile_rank; ++i)
      append_dim(dims, count, {tile_.extents[i], stride(static_cast<std::size_t>(i), k)});
    return count;
  }

  void load(std::size_t k) {
    const TileOperand& t = plan_.operands[k];
    Buffers& b = buffers_[k];
    const std::int64_t count = staged_elements(t);
    if (b.held == tile_.ptrs[k] && b.held_elements == count && b.held_row == row_elements_) {
      return;  // a repeated pattern
    }
    BlockDim dims[max_rank + 1];
    const int ndims = block_of(k, t, dims);
    load_block(t, t.move, b, tile_.ptrs[k], dims, ndims, count);
    b.held = tile_.ptrs[k];
    b.held_elements = count;
    b.held_row = row_elements_;
  }

  void store(std::size_t k) {
    const TileOperand& t = plan_.operands[k];
    BlockDim dims[max_rank + 1];
    const int ndims = block_of(k, t, dims);
    store_block(t, t.move, buffers_[k], tile_.ptrs[k], dims, ndims, elements_);
  }

  void call(bool more_tiles) {
    if (!plan_.prefetches) {
      for (std::int64_t p = 0; p < planes_; ++p)
        call_plane(p, nullptr);
      return;
    }
    TileCursor next = tile_;
    if (more_tiles) next.next();
    const TilePrefetch prefetch(geometry_, plan_, tile_, next);
    for (std::int64_t p = 0; p < planes_; ++p)
      call_plane(p, &prefetch);
  }

  /// `prefetch`: what is asked for meanwhile, or null.
  void call_plane(std::int64_t plane, const TilePrefetch* prefetch) {
    const std::int64_t n = row_elements_;
    const std::int64_t rows = rows_;
    const bool is_staged = (staged_inputs_ | staged_outputs_) != 0;
    if (!is_staged && !is_strided_ && plane == 0 && prefetch == nullptr)
      return run_rows(tile_.ptrs, row_strides_, n, rows);
    char* data[max_operands];
    std::int64_t row_bytes[max_operands];
    for (std::size_t k = 0; k < buffers_.size(); ++k) {
      const TileOperand& t = plan_.operands[k];
      const bool staged = t.access == Access::staged;
      row_bytes[k] = staged ? (t.one_per_row ? 1 : n) * t.kernel_size : row_strides_[k];
      data[k] = staged ? buffers_[k].kernel + plane * rows * row_bytes[k]
                       : tile_.ptrs[k] + plane * plane_strides_[k];
    }
    if (is_strided_) return run_strided(data, row_bytes, n, rows);
    if (prefetch == nullptr) return run_rows(data, row_bytes, n, rows);
    const std::int64_t most = std::max<std::int64_t>(
        tuning().transposed_row_bytes / (n * plan_.operands[0].memory_size), 1);
    for (std::int64_t r = 0, count = 0; r < rows; r += count) {
      count = std::min(most, rows - r);
      for (std::int64_t i = 0; i < count; ++i)
        prefetch->ask(r + i);
      run_rows(data, row_bytes, n, count);
      for (std::size_t k = 0; k < buffers_.size(); ++k)
        data[k] += count * row_bytes[k];
    }
  }

  /// Rows of n elements as they lie, by the kernel's strided loop. `data` is used up.
  void run_strided(char** data, const std::int64_t* row_bytes, std::int64_t n,
                   std::int64_t rows) const {
    for (std::int64_t r = 0; r < rows; ++r) {
      kernel_.run_strided(kernel_.context, data, geometry_.strides(0), n);
      for (std::size_t k = 0; k < buffers_.size(); ++k)
        data[k] += row_bytes[k];
    }
  }

  /// The kernel on rows of n elements.
  void run_kernel(char* const* data, const std::int64_t* row_bytes, std::int64_t n,
                  std::int64_t rows) const {
    if (streams_in_place_) return run_by_lines(kernel_, data, row_bytes, n, rows, broadcast_);
    kernel_.run(kernel_.context, data, row_bytes, n, rows, broadcast_);
  }

  /// Rows of n elements. `data` and `row_bytes` as call_plane() makes them.
  void run_rows(char* const* at, const std::int64_t* row_bytes, std::int64_t n, std::int64_t rows) {
    if (!in_chunks_) return run_kernel(at, row_bytes, n, rows);
    char* data[max_operands];
    std::copy_n(at, buffers_.size(), data);
    for (std::int64_t r = 0, count = 0; r < rows; r += count) {
      count = std::min(plan_.chunk_rows, rows - r);
      if (plan_.chunk_rows > 1) {
        run_whole_rows(data, row_bytes, n, count);
      } else {
        run_chunks(data, n);
      }
      for (std::size_t k = 0; k < buffers_.size(); ++k)
        data[k] += count * row_bytes[k];
    }
  }

  /// Whole rows of n elements that are one chunk of each streamed output. `data` and `row_bytes` as
  /// in call().
  void run_whole_rows(char* const* data, const std::int64_t* row_bytes, std::int64_t n,
                      std::int64_t rows) {
    char* part[max_operands];
    std::int64_t part_bytes[max_operands];
    for (std::size_t k = 0; k < buffers_.size(); ++k) {
      const TileOperand& t = plan_.operands[k];
      const bool streamed = t.access == Access::streamed;
      part[k] = streamed ? buffers_[k].kernel : data[k];
      part_bytes[k] = streamed ? n * t.kernel_size : row_bytes[k];
    }
    kernel_.run(kernel_.context, part, part_bytes, n, rows, broadcast_);
    for (std::size_t k = 0; k < buffers_.size(); ++k) {
      if (plan_.operands[k].access == Access::streamed)
        store_rows(k, data[k], row_bytes[k], n, rows);
    }
  }

  /// What is in the buffer of operand k, to rows of memory.
  void store_rows(std::size_t k, char* to, std::int64_t row_bytes, std::int64_t n,
                  std::int64_t rows) {
    const TileOperand& t = plan_.operands[k];
    const std::int64_t bytes = n * t.memory_size;
    if (row_bytes == bytes) return store_chunk(k, to, 0, n * rows);
    const Buffers& b = buffers_[k];
    if (t.converts()) t.convert(b.memory, b.kernel, b.via, n * rows);
    t.move(to, t.memory_size, row_bytes, t.converts() ? b.memory : b.kernel, t.memory_size, bytes,
           n, rows);
  }

  /// One row chunk by chunk. `data` are the operands' first elements, those of chunked and streamed
  /// ones in memory. Chunks are short: what can be settled once a row is.
  void run_chunks(char* const* data, std::int64_t n) {
    char* part[max_operands];
    std::int64_t advance[max_operands];  // bytes an element
    std::uint8_t buffered[max_operands];
    int inputs = 0;  // first inputs, then from the end outputs
    int outputs = max_operands;
    for (std::size_t k = 0; k < buffers_.size(); ++k) {
      const TileOperand& t = plan_.operands[k];
      if (t.has_chunk_buffer()) {
        part[k] = buffers_[k].kernel;
        advance[k] = 0;
        if (leads(static_cast<int>(k)))
          buffered[t.is_output ? --outputs : inputs++] = static_cast<std::uint8_t>(k);
      } else {
        part[k] = data[k];
        advance[k] = (broadcast_ >> k & 1) != 0 ? 0 : t.kernel_size;
      }
    }
    for (std::int64_t start = 0, count = 0; start < n; start += count) {
      count = std::min(plan_.chunk, n - start);
      if (streams_ && count == plan_.chunk) count = up_to_line(data, start, count);
      for (int i = 0; i < inputs; ++i)
        load_chunk(buffered[i], data[buffered[i]], start, count);
      run_kernel(part, nullptr, count, 1);
      for (int i = outputs; i < max_operands; ++i)
        store_chunk(buffered[i], data[buffered[i]], start, count);
      for (std::size_t k = 0; k < buffers_.size(); ++k)
        part[k] += count * advance[k];
    }
  }

  /// Of `count` elements from one on, those up to the last whole line of a streamed output; all of
  /// them if they reach none, as few wide elements do beside narrow ones.
  std::int64_t up_to_line(char* const* data, std::int64_t start, std::int64_t count) const {
    const std::int64_t end = start + count;
    std::int64_t past = 0;
    for (std::size_t k = 0; k < buffers_.size(); ++k) {
      const TileOperand& t = plan_.operands[k];
      if (!t.is_streamed()) continue;
      const auto address = reinterpret_cast<std::uintptr_t>(data[k] + end * t.memory_size);
      past = static_cast<std::int64_t>(address % cache_line_bytes) / t.memory_size;
    }
    return past < count ? count - past : count;
  }

  void load_chunk(std::size_t k, const char* row, std::int64_t start, std::int64_t count) {
    const TileOperand& t = plan_.operands[k];
    const Buffers& b = buffers_[k];
    const std::int64_t step = geometry_.stride(0, static_cast<int>(k));
    t.move(b.packed(t), t.memory_size, b.operand_bytes, row + start * step, step, t.memory_size,
           count, b.operands);
    if (t.converts()) convert_loaded(t, b, count);
  }

  void store_chunk(std::size_t k, char* row, std::int64_t start, std::int64_t count) {
    const TileOperand& t = plan_.operands[k];
    const Buffers& b = buffers_[k];
    const std::int64_t step = geometry_.stride(0, static_cast<int>(k));
    if (t.converts()) convert_stored(t, b, count);
    t.move(row + start * step, step, t.memory_size, b.packed(t), t.memory_size, b.operand_bytes,
           count, b.operands);
  }

  const SpanKernel& kernel_;
  const TilePlan& plan_;
  const Geometry& geometry_;
  const bool is_strided_, streams_, streams_in_place_, in_chunks_;  // the plan's
  std::uint32_t broadcast_ = 0;  // operands handed out as one value
  ScratchMemory scratch_;
  SmallVector<Buffers, inline_operands> buffers_;
  std::uint32_t led_ = 0;  // operands that others move with them
  std::uint32_t staged_inputs_ = 0, staged_outputs_ = 0;
  std::int64_t row_strides_[max_operands];    // bytes from row to row
  std::int64_t plane_strides_[max_operands];  // bytes from plane to plane
  char* origin_[max_operands];
  TileCursor tile_;  // at hand
  std::int64_t row_elements_ = 1;
  std::int64_t rows_ = 1;
  std::int64_t planes_ = 1;
  std::int64_t elements_ = 1;
};

}  // namespace v0
}  // namespace weft
