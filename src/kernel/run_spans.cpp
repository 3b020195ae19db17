// SPDX-License-Identifier: Apache-2.0
#include <weft/kernel/cpu_info.hpp>
#include <weft/kernel/span_kernel.hpp>
#include <weft/parallel/parallel.hpp>

#include "kernel/block.hpp"
#include "kernel/tile_plan.hpp"

#include <algorithm>

namespace weft::inline v0 {
namespace {

/// Staging of one thread: the buffers of each operand, and what an input's buffer already holds.
struct Buffers {
  char* kernel = nullptr;      // dense block of the kernel's type
  char* via = nullptr;         // between two conversions
  char* memory = nullptr;      // dense block of the type in memory
  const char* held = nullptr;  // source of the block in `kernel`, if that is still valid
  std::int64_t held_elements = 0;
  std::int64_t held_row = 0;  // of how many along dim 0: overlapping windows start alike but differ
};

/// Walks some of the tiles of a plan on one thread.
class TileRunner {
 public:
  TileRunner(const TensorIterator& iter, const SpanKernel& kernel, const TilePlan& plan,
             char* scratch)
      : iter_(iter), kernel_(kernel), plan_(plan), geometry_(iter.geometry()) {
    // Outside the loop over operands, so that the buffers' contents need no initialising.
    for (const TileOperand& t : plan.operands) {
      Buffers b;
      if (t.access == Access::staged) {
        b.kernel = take(scratch, t.kernel_size);
        if (t.via_size > 0) b.via = take(scratch, t.via_size);
        if (t.first != nullptr && t.pack) b.memory = take(scratch, t.memory_size);
      }
      buffers_.push_back(b);
    }
  }

  void run(std::int64_t begin, std::int64_t end) {
    start_at(begin);
    for (std::int64_t i = begin; i < end; ++i) {
      if (i != begin) next();
      set_extents();
      for (std::size_t k = 0; k < buffers_.size(); ++k) {
        if (plan_.operands[k].access == Access::staged && !plan_.operands[k].is_output) load(k);
      }
      plan_.collapsed ? call_once() : call_rows();
      for (std::size_t k = 0; k < buffers_.size(); ++k) {
        if (plan_.operands[k].access == Access::staged && plan_.operands[k].is_output) store(k);
      }
    }
  }

 private:
  char* take(char*& scratch, std::int64_t size) const {
    char* buffer = scratch;
    // Whole cache lines, so that every buffer starts on one.
    scratch += (plan_.tile_elements * size + 63) / 64 * 64;
    return buffer;
  }

  // ---- Position ---------------------------------------------------------------------------------

  void start_at(std::int64_t flat) {
    ptrs_.clear();
    for (int k = 0; k < geometry_.noperands; ++k)
      ptrs_.push_back(iter_.operand(k).data);
    at_.clear();
    for (int d = 0; d < geometry_.ndim(); ++d) {
      const std::int64_t tiles = plan_.tiles[static_cast<std::size_t>(d)];
      at_.push_back(0);
      move(d, flat % tiles);
      flat /= tiles;
    }
  }
  void next() {
    for (int d = 0; d < geometry_.ndim(); ++d) {
      const auto i = static_cast<std::size_t>(d);
      if (at_[i] + 1 < plan_.tiles[i]) {
        move(d, 1);
        return;
      }
      move(d, -at_[i]);
    }
  }
  void move(int dim, std::int64_t by) {
    if (by == 0) return;
    at_[static_cast<std::size_t>(dim)] += by;
    const std::int64_t elements = by * plan_.tile[static_cast<std::size_t>(dim)];
    const std::int64_t* strides = geometry_.strides(dim);
    for (std::size_t k = 0; k < ptrs_.size(); ++k)
      ptrs_[k] += elements * strides[k];
  }
  /// Extents of the tile at hand: the last ones of a dim may be smaller.
  void set_extents() {
    elements_ = 1;
    for (std::size_t i = 0; i < plan_.tile_dims.size(); ++i) {
      const std::size_t d = plan_.tile_dims[i];
      const std::int64_t left = geometry_.shape[d] - at_[d] * plan_.tile[d];
      extents_[i] = std::min(plan_.tile[d], left);
      elements_ *= extents_[i];
    }
    rows_ = plan_.tile_dims.size() > 1 ? extents_[1] : 1;
  }
  std::int64_t stride(std::size_t tile_dim, std::size_t k) const {
    return tile_dim < plan_.tile_dims.size()
               ? geometry_.stride(plan_.tile_dims[tile_dim], static_cast<int>(k))
               : 0;
  }

  // ---- Staging ----------------------------------------------------------------------------------

  /// Elements of operand k's buffer for this tile.
  std::int64_t staged_elements(const TileOperand& t) const {
    if (!t.one_per_row) return elements_;
    return plan_.collapsed ? 1 : rows_;
  }

  /// The block of operand k in memory, as far as it is staged.
  int block_of(std::size_t k, const TileOperand& t, BlockDim* dims) const {
    int count = 0;
    if (t.one_per_row && plan_.collapsed) return 0;
    for (std::size_t i = t.one_per_row ? 1 : 0; i < plan_.tile_dims.size(); ++i)
      append_dim(dims, count, {extents_[i], stride(i, k)});
    return count;
  }

  void load(std::size_t k) {
    const TileOperand& t = plan_.operands[k];
    Buffers& b = buffers_[k];
    const std::int64_t count = staged_elements(t);
    if (b.held == ptrs_[k] && b.held_elements == count && b.held_row == extents_[0]) {
      return;  // a repeated pattern
    }
    if (t.pack || t.one_per_row) {
      char* dense = t.first != nullptr ? b.memory : b.kernel;
      BlockDim dims[max_rank];
      pack(dense, ptrs_[k], t.memory_size, dims, block_of(k, t, dims));
      if (t.first != nullptr) convert(t, b, dense, b.kernel, count);
    } else if (plan_.collapsed) {
      convert(t, b, ptrs_[k], b.kernel, count);
    } else {
      for (std::int64_t r = 0; r < rows_; ++r) {
        convert(t, b, ptrs_[k] + r * stride(1, k), b.kernel + r * extents_[0] * t.kernel_size,
                extents_[0]);
      }
    }
    b.held = ptrs_[k];
    b.held_elements = count;
    b.held_row = extents_[0];
  }

  void store(std::size_t k) {
    const TileOperand& t = plan_.operands[k];
    Buffers& b = buffers_[k];
    if (t.pack) {
      const char* dense = b.kernel;
      if (t.first != nullptr) {
        convert(t, b, b.kernel, b.memory, elements_);
        dense = b.memory;
      }
      BlockDim dims[max_rank];
      const int ndims = block_of(k, t, dims);
      unpack(ptrs_[k], dense, t.memory_size, dims, ndims);
    } else if (plan_.collapsed) {
      convert(t, b, b.kernel, ptrs_[k], elements_);
    } else {
      for (std::int64_t r = 0; r < rows_; ++r) {
        convert(t, b, b.kernel + r * extents_[0] * t.kernel_size, ptrs_[k] + r * stride(1, k),
                extents_[0]);
      }
    }
  }

  static void convert(const TileOperand& t, const Buffers& b, const char* from, char* to,
                      std::int64_t n) {
    if (t.second == nullptr) {
      t.first(to, from, n);
    } else {
      t.first(b.via, from, n);
      t.second(to, b.via, n);
    }
  }

  // ---- Calls ------------------------------------------------------------------------------------

  void call_once() {
    char* data[max_operands];
    std::uint32_t broadcast = 0;
    for (std::size_t k = 0; k < ptrs_.size(); ++k) {
      const TileOperand& t = plan_.operands[k];
      data[k] = t.access == Access::staged ? buffers_[k].kernel : ptrs_[k];
      if (t.access == Access::broadcast || t.one_per_row) broadcast |= 1u << k;
    }
    kernel_.run(kernel_.context, data, elements_, broadcast);
  }

  void call_rows() {
    char* row[max_operands];
    std::int64_t step[max_operands];  // bytes from row to row
    std::uint32_t broadcast = 0;
    for (std::size_t k = 0; k < ptrs_.size(); ++k) {
      const TileOperand& t = plan_.operands[k];
      const bool one = t.access == Access::broadcast || t.one_per_row;
      if (one) broadcast |= 1u << k;
      row[k] = t.access == Access::staged ? buffers_[k].kernel : ptrs_[k];
      step[k] = t.access == Access::staged ? (one ? 1 : extents_[0]) * t.kernel_size : stride(1, k);
    }
    for (std::int64_t r = 0; r < rows_; ++r) {
      char* data[max_operands];
      for (std::size_t k = 0; k < ptrs_.size(); ++k)
        data[k] = row[k] + r * step[k];
      kernel_.run(kernel_.context, data, extents_[0], broadcast);
    }
  }

  const TensorIterator& iter_;
  const SpanKernel& kernel_;
  const TilePlan& plan_;
  const Geometry& geometry_;
  SmallVector<Buffers, inline_operands> buffers_;
  SmallVector<char*, inline_operands> ptrs_;  // operands at the tile's first element
  DimVector at_;                              // tile index per dim
  std::int64_t extents_[max_rank];            // of the tile, per tile dim
  std::int64_t rows_ = 1;
  std::int64_t elements_ = 1;
};

/// One span, as it stands: every operand of the kernel's type, dense or one value. False if it is
/// not that simple.
bool run_in_place(const TensorIterator& iter, const SpanKernel& kernel, const RunOptions& options) {
  if (iter.ndim() > 1 || kernel.noutputs != iter.noutputs() || kernel.ninputs != iter.ninputs())
    return false;
  char* data[max_operands];
  std::uint32_t broadcast = 0;
  const std::int64_t n = iter.numel();
  const IntSpan strides = iter.get_dim_strides(0);
  for (int k = 0; k < iter.ntensors(); ++k) {
    const Operand& op = iter.operand(k);
    const ScalarType type = kernel.types[k];
    if (op.storage != type || op.dtype != type) return false;
    data[k] = op.data;
    const std::int64_t stride = strides[static_cast<std::size_t>(k)];
    if (stride == element_size(type) || n == 1) continue;
    if (stride != 0 || (kernel.broadcastable >> k & 1) == 0) return false;
    broadcast |= 1u << k;
  }
  constexpr std::int64_t surely_small = 1024;
  if (n <= surely_small || options.serial) {
    kernel.run(kernel.context, data, n, broadcast);
    return true;
  }
  const auto run = [&](std::int64_t begin, std::int64_t end) {
    char* part[max_operands];
    for (int k = 0; k < iter.ntensors(); ++k)
      part[k] = data[k] + (broadcast >> k & 1 ? 0 : begin * element_size(kernel.types[k]));
    kernel.run(kernel.context, part, end - begin, broadcast);
  };
  parallel_for(n, estimate_grain(iter, kernel.cost, options, 0), run, 64);
  return true;
}

/// One element, of other types than the kernel's.
void run_single(const TensorIterator& iter, const SpanKernel& kernel) {
  constexpr std::int64_t largest = 16;
  alignas(largest) char values[max_operands][largest];
  char* data[max_operands];
  const auto convert = [&](int k, char* to, ScalarType to_type, const char* from,
                           ScalarType from_type) {
    alignas(largest) char via[largest];
    const ScalarType dtype = iter.operand(k).dtype;
    cast_elements(via, dtype, 0, from, from_type, 0, 1);
    cast_elements(to, to_type, 0, via, dtype, 0, 1);
  };
  for (int k = 0; k < iter.ntensors(); ++k) {
    data[k] = values[k];
    const Operand& op = iter.operand(k);
    if (!op.is_output) convert(k, values[k], kernel.types[k], op.data, op.storage);
  }
  kernel.run(kernel.context, data, 1, 0);
  for (int k = 0; k < iter.noutputs(); ++k) {
    const Operand& op = iter.operand(k);
    convert(k, op.data, op.storage, values[k], kernel.types[k]);
  }
}

}  // namespace

void run_spans(const TensorIterator& iter, const SpanKernel& kernel, const RunOptions& options) {
  if (iter.numel() == 0) {
    check_kernel(iter, kernel.noutputs, kernel.ninputs, kernel.types);
    return;
  }
  if (run_in_place(iter, kernel, options)) return;
  check_kernel(iter, kernel.noutputs, kernel.ninputs, kernel.types);
  if (iter.numel() == 1) {
    run_single(iter, kernel);
    return;
  }
  const TilePlan plan = plan_tiles(iter, kernel, options);
  const auto run = [&](std::int64_t begin, std::int64_t end) {
    // Room for rounding each buffer up to whole cache lines.
    alignas(64) char scratch[stage_bytes + 3 * 64 * max_operands];
    TileRunner(iter, kernel, plan, scratch).run(begin, end);
  };
  if (options.serial) {
    run(0, plan.count);
  } else {
    parallel_for(plan.count, plan.grain, run);
  }
}

}  // namespace weft::inline v0
