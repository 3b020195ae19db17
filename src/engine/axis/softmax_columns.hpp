// SPDX-License-Identifier: Apache-2.0
/// @file
/// The walk of softmax across its axis, many columns at a time.
#pragma once

#include <weft/base/small_vector.hpp>

#include "engine/axis/gathered_chunks.hpp"
#include "engine/reduce/combining_tree.hpp"
#include "kernels/softmax/softmax.hpp"

#include <cstring>
#include <limits>

namespace weft {
inline namespace v0 {

/// What is known of some columns.
struct SoftmaxTotals {
  alignas(64) double sums[max_softmax_columns];
  alignas(64) double largest[max_softmax_columns];  // of the kernel's type
  alignas(64) double factors[max_softmax_columns];

  SoftmaxTotals(std::int64_t columns, ScalarType type) {
    std::fill_n(sums, columns, 0.0);
    if (type == ScalarType::f32) {
      std::fill_n(reinterpret_cast<float*>(largest), columns,
                  -std::numeric_limits<float>::infinity());
    } else {
      std::fill_n(largest, columns, -std::numeric_limits<double>::infinity());
    }
  }
};

/// Columns that stay in cache, where they stand.
inline void softmax_columns(const SoftmaxKernel& kernel, char* out, std::int64_t out_row,
                            const char* in, std::int64_t in_row, std::int64_t rows,
                            std::int64_t columns) {
  if (rows <= few_softmax_rows) {
    kernel.few_rows(out, out_row, in, in_row, rows, columns);
    return;
  }
  SoftmaxTotals t(columns, kernel.type);
  kernel.find_largest(t.largest, in, in_row, rows, columns);
  const bool keep = kernel.scale != nullptr;
  kernel.add_up(t.sums, t.largest, keep ? out : nullptr, out_row, in, in_row, rows, columns);
  kernel.settle(t.factors, t.sums, columns);
  if (keep) {
    kernel.scale(nullptr, t.largest, t.factors, out, out_row, out, out_row, rows, columns);
  } else {
    kernel.finish(t.largest, t.factors, out, out_row, in, in_row, rows, columns);
  }
}

/// Columns from end to end. What no cache holds is gone through twice, a block of rows at a time.
/// Terms are by the largest elements so far; they stay in the output, or in a buffer if that is
/// staged, or are computed again if no buffer holds them.
class SoftmaxColumns : public GatheredPieces {
 public:
  SoftmaxColumns(const TensorIterator& iter, const TensorView& out, const TensorView& in, int axis,
                 const SoftmaxKernel& kernel)
      : GatheredPieces(iter, out, in, axis, kernel.type, kernel.type),
        kernel_(kernel),
        out_direct_(!is_staged(out_)),
        in_direct_(!is_staged(in_)) {
    const bool single = extent_ >= least_columns && !crosses();  // rows of one dim
    if (!direct() && !single) in_direct_ = out_direct_ = false;
    // The way of working shows in the last bits: it must not depend on how many columns a piece
    // has.
    const std::int64_t column_bytes = length_ * in_.kernel_size;
    const std::int64_t plane_bytes = column_bytes * std::min(extent_, max_softmax_columns);
    at_once_ = direct() && (length_ <= few_softmax_rows || plane_bytes <= near_bytes);
    rows_ = at_once_ ? length_ : std::min(length_, softmax_block_rows);
    std::int64_t most = max_softmax_columns;
    if (at_once_) {
      most = std::max(at_once_columns, whole_columns(l1_bytes / column_bytes));
    } else if (kernel.scale != nullptr && out_direct_) {
      kept_ = Kept::in_output;
    } else if (kernel.scale != nullptr && column_bytes * least_columns <= buffer_bytes) {
      kept_ = Kept::in_buffer;
      most = whole_columns(buffer_bytes / column_bytes);
    }
    direct() || single ? set_width(std::min(most, even_share())) : set_columns(most);
  }

  bool direct() const { return in_direct_ && out_direct_; }
  /// Whether columns can be worked on where they stand, and are no slower than as many lines.
  bool fill_registers() const { return direct() && extent_ * in_.size >= least_row_bytes; }
  AxisForm form() const { return direct() ? AxisForm::columns : AxisForm::staged_columns; }

  void run(std::int64_t begin, std::int64_t end) const {
    if (at_once_) return run_at_once(begin, end);
    const std::int64_t columns = piece_elements() / length_, size = in_.kernel_size;
    const std::int64_t widest = std::max({in_.size, out_.size, in_.kernel_size});
    const std::size_t kept = lines(kept_ == Kept::in_buffer ? columns * length_ * size : 0);
    const std::size_t maxima = lines(keeps() ? ceil_div(length_, rows_) * columns * size : 0);
    const std::size_t block = lines(direct() ? 0 : columns * rows_ * widest);
    SmallVector<Line, 512> memory;
    memory.resize_for_overwrite(kept + maxima + 2 * block);
    const auto at = [&](std::size_t line) { return reinterpret_cast<char*>(memory.data() + line); };
    const Buffers b{at(0), at(kept), at(kept + maxima), at(kept + maxima + block)};
    for (std::int64_t piece = begin; piece < end; ++piece)
      run_blocks(part(piece), b);
  }

 private:
  enum class Kept : std::uint8_t { in_output, in_buffer, nowhere };
  struct Buffers {
    char *kept, *maxima, *dense, *others;
  };

  /// Bytes of columns that are gone through three times: at best of all of them, and of those in a
  /// row.
  static constexpr std::int64_t l1_bytes = 16 << 10;
  static constexpr std::int64_t near_bytes = 1 << 20;
  static constexpr std::int64_t buffer_bytes = 256 << 10;
  static constexpr std::int64_t at_once_columns = 256;
  static constexpr std::int64_t least_row_bytes = 32;

  bool keeps() const { return kept_ != Kept::nowhere; }

  /// Columns of a piece: many, since short stretches of rows are slowly read, but as many pieces
  /// for each thread.
  std::int64_t even_share() const {
    if (iter_.numel() <= least_columns) return least_columns;
    const std::int64_t threads = num_threads();
    const std::int64_t rounds = ceil_div(iter_.numel(), threads * max_softmax_columns);
    const std::int64_t share = ceil_div(iter_.numel(), threads * rounds);
    return whole_columns(share + least_columns - 1);
  }
  static std::int64_t whole_columns(std::int64_t most) {
    return std::clamp(most - most % least_columns, least_columns, max_softmax_columns);
  }

  void run_at_once(std::int64_t begin, std::int64_t end) const {
    for (std::int64_t piece = begin; piece < end; ++piece) {
      AxisSide out, in;
      const std::int64_t columns = locate(piece, out, in);
      softmax_columns(kernel_, out.data, out.axis_bytes, in.data, in.axis_bytes, length_, columns);
    }
  }

  /// Calls f(part, first, rows) for each block of rows.
  template <class F>
  void each_block(Part p, F&& f) const {
    for (std::int64_t first = 0;; first += rows_) {
      const std::int64_t rows = std::min(rows_, length_ - first);
      f(p, first, rows);
      if (first + rows == length_) return;  // no pointer past the end
      p.in.data += rows * in_.axis_bytes;
      p.out.data += rows * out_.axis_bytes;
    }
  }

  void run_blocks(const Part& piece, const Buffers& b) const {
    const std::int64_t columns = piece.columns();
    const std::int64_t dense_row = columns * in_.kernel_size;
    const std::int64_t read_row = in_direct_ ? in_.axis_bytes : dense_row;
    const std::int64_t out_row = out_direct_ ? out_.axis_bytes : dense_row;
    const std::int64_t kept_row = kept_ == Kept::in_buffer ? dense_row : out_row;
    const auto buffer = [&](std::int64_t first) {
      return kept_ == Kept::in_buffer ? b.kept + first * dense_row : b.dense;
    };
    const auto read = [&](const Part& p, std::int64_t first, std::int64_t rows) -> const char* {
      return in_direct_ ? p.in.data : gather(buffer(first), b.others, p, rows);
    };
    const auto maxima = [&](std::int64_t first) { return b.maxima + first / rows_ * dense_row; };
    SoftmaxTotals t(columns, kernel_.type);
    each_block(piece, [&](const Part& p, std::int64_t first, std::int64_t rows) {
      char* const kept = kept_ == Kept::in_output ? p.out.data : buffer(first);
      kernel_.take_in(t.sums, t.largest, keeps() ? kept : nullptr, kept_row, read(p, first, rows),
                      read_row, rows, columns);
      if (keeps()) std::memcpy(maxima(first), t.largest, static_cast<std::size_t>(dense_row));
    });
    kernel_.settle(t.factors, t.sums, columns);
    each_block(piece, [&](const Part& p, std::int64_t first, std::int64_t rows) {
      char* const to = out_direct_ ? p.out.data : buffer(first);
      if (keeps()) {
        const char* kept = kept_ == Kept::in_output ? p.out.data : buffer(first);
        kernel_.scale(maxima(first), t.largest, t.factors, to, out_row, kept, kept_row, rows,
                      columns);
      } else {
        kernel_.finish(t.largest, t.factors, to, out_row, read(p, first, rows), read_row, rows,
                       columns);
      }
      if (!out_direct_) scatter(p, to, b.others, rows);
    });
  }

  const SoftmaxKernel& kernel_;
  bool out_direct_, in_direct_;
  bool at_once_ = false;  // whether pieces are worked on where they stand, as a whole
  Kept kept_ = Kept::nowhere;
};

}  // namespace v0
}  // namespace weft
