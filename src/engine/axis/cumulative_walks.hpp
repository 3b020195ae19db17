// SPDX-License-Identifier: Apache-2.0
/// @file
/// Walks of a prefix operation: across its axis, many columns at a time, along it, line by line,
/// and through buffers.
#pragma once

#include <weft/kernel/cumulative_kernel.hpp>

#include "engine/axis/gathered_chunks.hpp"

namespace weft {
inline namespace v0 {

/// Row after row of some columns, where memory has columns dense.
class CumulativeColumns : public AxisPieces {
 public:
  CumulativeColumns(const TensorIterator& iter, const TensorView& out, const TensorView& in,
                    int axis, const CumulativeKernel& kernel)
      : AxisPieces(iter, out, in, axis, kernel.out_type, kernel.in_type), kernel_(kernel) {
    const std::int64_t most =
        std::max<std::int64_t>(1, most_accumulator_bytes / kernel.accumulator_bytes);
    width_ = std::min({extent_, shared_columns(most_direct_columns), most});
    rows_ = length_;
  }

  /// Few columns are sooner turned into lines, by kernels that take these.
  bool possible() const {
    constexpr std::int64_t several = 8;
    if (is_staged(out_) || is_staged(in_)) return false;
    return extent_ >= several || kernel_.advance_lines == nullptr || length_ <= 1;
  }
  static AxisForm form() { return AxisForm::columns; }

  void run(std::int64_t begin, std::int64_t end) const {
    alignas(64) char accumulators[most_accumulator_bytes + 64];
    for (std::int64_t piece = begin; piece < end; ++piece) {
      AxisSide out, in;
      const std::int64_t columns = locate(piece, out, in);
      kernel_.start(kernel_.context, accumulators, columns);
      kernel_.advance(kernel_.context, accumulators, out.data, out.axis_bytes, in.data,
                      in.axis_bytes, length_, columns);
    }
  }

 private:
  /// Whose accumulators stay in the first-level cache. As many columns as that: of narrow pieces,
  /// memory is read in short parts of rows.
  static constexpr std::int64_t most_direct_columns = 2048;
  static constexpr std::int64_t most_accumulator_bytes = 16 << 10;

  const CumulativeKernel& kernel_;
};

/// Lines that are dense along the axis, by a kernel that takes them as they are.
class CumulativeLines : public AxisPieces {
 public:
  CumulativeLines(const TensorIterator& iter, const TensorView& out, const TensorView& in, int axis,
                  const CumulativeKernel& kernel)
      : AxisPieces(iter, out, in, axis, kernel.out_type, kernel.in_type), kernel_(kernel) {
    const std::int64_t most =
        std::max<std::int64_t>(1, most_accumulator_bytes / kernel.accumulator_bytes);
    // Some at a time, as the kernel may be waiting for one and go on with another.
    width_ = std::clamp<std::int64_t>(1024 / std::max<std::int64_t>(length_, 1), 8, 128);
    width_ = std::min({extent_, width_, most});
    rows_ = length_;
  }

  bool possible() const {
    return kernel_.advance_lines != nullptr && length_ > 1 && !converts() &&
           out_.axis_bytes == out_.size && in_.axis_bytes == in_.size;
  }
  static AxisForm form() { return AxisForm::lines; }

  void run(std::int64_t begin, std::int64_t end) const {
    alignas(64) char accumulators[most_accumulator_bytes + 64];
    for (std::int64_t piece = begin; piece < end; ++piece) {
      AxisSide out, in;
      const std::int64_t lines = locate(piece, out, in);
      kernel_.start(kernel_.context, accumulators, lines);
      kernel_.advance_lines(kernel_.context, accumulators, out.data, out.column_bytes, in.data,
                            in.column_bytes, length_, lines);
    }
  }

 private:
  const CumulativeKernel& kernel_;
};

/// Whatever is of other types, or dense neither along the axis nor across it: block by block
/// through buffers.
class CumulativeGathered : public GatheredPieces {
 public:
  CumulativeGathered(const TensorIterator& iter, const TensorView& out, const TensorView& in,
                     int axis, const CumulativeKernel& kernel)
      : GatheredPieces(iter, out, in, axis, kernel.out_type, kernel.in_type), kernel_(kernel) {
    std::int64_t fit = elements_of(buffer_bytes / 2);
    // Short pieces of dims that are dense on one side each cost more than leaving the first-level
    // cache.
    const std::int64_t whole = fit / length_;
    if (crosses() && whole >= line_columns && whole / extent_ < line_columns / 2) fit *= 2;
    const std::int64_t most =
        std::min(fit, std::max<std::int64_t>(1, most_accumulator_bytes / kernel.accumulator_bytes));
    // Of columns that do not fit whole, several next to each other.
    constexpr std::int64_t several_columns = 64, several_lines = 8;
    set_columns(std::clamp<std::int64_t>(fit / length_, std::min(most, several_columns), most));
    by_lines_ = kernel.advance_lines != nullptr && !reads_across();
    if (by_lines_ && !crosses() && fit / length_ < several_columns)
      set_columns(std::clamp<std::int64_t>(fit / length_, std::min(most, several_lines), most));
    rows_ = fit / (piece_elements() / length_);
    rows_ = rows_ >= length_ ? length_ : rows_ - rows_ % kernel.step;
  }

  void run(std::int64_t begin, std::int64_t end) const {
    alignas(64) char accumulators[most_accumulator_bytes + 64];
    alignas(64) char given[buffer_bytes];
    alignas(64) char results[buffer_bytes];
    alignas(64) char others[buffer_bytes];
    for (std::int64_t piece = begin; piece < end; ++piece) {
      Part p = part(piece);
      const std::int64_t columns = p.columns();
      kernel_.start(kernel_.context, accumulators, columns);
      for (std::int64_t row = 0;;) {
        const std::int64_t rows = std::min(rows_, length_ - row);
        const char* from = gather(given, others, p, rows);
        char* const to = target(results, p, rows);
        if (by_lines_) {
          kernel_.advance_lines(kernel_.context, accumulators, to, rows * out_.kernel_size, from,
                                rows * in_.kernel_size, rows, columns);
        } else {
          kernel_.advance(kernel_.context, accumulators, to, columns * out_.kernel_size, from,
                          columns * in_.kernel_size, rows, columns);
        }
        scatter(p, to, others, rows);
        row += rows_;
        if (row >= length_) break;
        p.out.data += rows_ * p.out.axis_bytes;
        p.in.data += rows_ * p.in.axis_bytes;
      }
    }
  }

 private:
  static constexpr std::int64_t buffer_bytes = 32 << 10;

  const CumulativeKernel& kernel_;
};

}  // namespace v0
}  // namespace weft
