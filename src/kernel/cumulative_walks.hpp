// SPDX-License-Identifier: Apache-2.0
/// @file
/// Two walks of a prefix operation: across its axis, many columns at a time, and along it, line by
/// line. Private to the compiled part.
#pragma once

#include <weft/kernel/cumulative_kernel.hpp>

#include "kernel/axis_pieces.hpp"

namespace weft::inline v0 {

/// Row after row of some columns. Where columns are not dense in memory, blocks of them are brought
/// into buffers.
class CumulativeColumns : public AxisPieces {
 public:
  CumulativeColumns(const TensorIterator& iter, const TensorView& out, const TensorView& in,
                    int axis, const CumulativeKernel& kernel)
      : AxisPieces(iter, out, in, axis, kernel.out_type, kernel.in_type),
        kernel_(kernel),
        out_staged_(is_staged(out_)),
        in_staged_(is_staged(in_)) {
    const std::int64_t most =
        std::max<std::int64_t>(1, most_accumulator_bytes / kernel.accumulator_bytes);
    width_ = std::min(
        {extent_, staged() ? most_staged_columns : shared_columns(most_direct_columns), most});
    rows_ = staged() ? staged_rows(kernel.step) : length_;
  }

  bool staged() const { return out_staged_ || in_staged_; }

  void run(std::int64_t begin, std::int64_t end) const {
    alignas(64) char accumulators[most_accumulator_bytes + 64];
    alignas(64) char scratch[scratch_bytes];
    for (std::int64_t piece = begin; piece < end; ++piece) {
      AxisSide out, in;
      const std::int64_t columns = locate(piece, out, in);
      kernel_.start(kernel_.context, accumulators, columns);
      for (std::int64_t row = 0;;) {
        advance(out, in, accumulators, scratch, std::min(rows_, length_ - row), columns);
        row += rows_;
        if (row >= length_) break;
        out.data += rows_ * out.axis_bytes;
        in.data += rows_ * in.axis_bytes;
      }
    }
  }

 private:
  /// Rows of as many columns are long enough for memory to be read ahead, and their accumulators stay
  /// in the first-level cache.
  static constexpr std::int64_t most_direct_columns = 1024;

  /// One block: in through its buffers, the kernel, out through its buffers.
  void advance(const AxisSide& out, const AxisSide& in, char* accumulators, char* scratch,
               std::int64_t rows, std::int64_t columns) const {
    const char* from = in_staged_ ? bring(in, scratch, rows, columns) : in.data;
    const std::int64_t from_step = in_staged_ ? columns * in.kernel_size : in.axis_bytes;
    char* to = out_staged_ ? take(scratch, rows * columns * out.kernel_size) : out.data;
    const std::int64_t to_step = out_staged_ ? columns * out.kernel_size : out.axis_bytes;
    kernel_.advance(kernel_.context, accumulators, to, to_step, from, from_step, rows, columns);
    if (out_staged_) put(out, to, scratch, rows, columns);
  }

  const CumulativeKernel& kernel_;
  bool out_staged_, in_staged_;
};

/// Lines that are dense along the axis, by a kernel that takes them as they are; those of other types
/// block by block through buffers.
class CumulativeLines : public AxisPieces {
 public:
  CumulativeLines(const TensorIterator& iter, const TensorView& out, const TensorView& in, int axis,
                  const CumulativeKernel& kernel)
      : AxisPieces(iter, out, in, axis, kernel.out_type, kernel.in_type), kernel_(kernel) {
    const std::int64_t most =
        std::max<std::int64_t>(1, most_accumulator_bytes / kernel.accumulator_bytes);
    // Some at a time, as the kernel may be waiting for one and go on with another.
    width_ = std::clamp<std::int64_t>(1024 / std::max<std::int64_t>(length_, 1), 4, 128);
    width_ = converts() ? 1 : std::min({extent_, width_, most});
    rows_ = converts() ? std::min(length_, block_elements) : length_;
  }

  /// True if both sides are dense along the axis and the kernel knows how.
  bool possible() const {
    return kernel_.advance_lines != nullptr && length_ > 1 && out_.axis_bytes == out_.size &&
           in_.axis_bytes == in_.size;
  }

  void run(std::int64_t begin, std::int64_t end) const {
    alignas(64) char accumulators[most_accumulator_bytes + 64];
    alignas(64) char scratch[scratch_bytes];
    for (std::int64_t piece = begin; piece < end; ++piece) {
      AxisSide out, in;
      const std::int64_t lines = locate(piece, out, in);
      kernel_.start(kernel_.context, accumulators, lines);
      if (!converts()) {
        kernel_.advance_lines(kernel_.context, accumulators, out.data, out.column_bytes, in.data,
                              in.column_bytes, length_, lines);
        continue;
      }
      for (std::int64_t done = 0; done < length_; done += rows_) {
        const std::int64_t n = std::min(rows_, length_ - done);
        advance(out.data + done * out.size, in.data + done * in.size, accumulators, scratch, n);
      }
    }
  }

 private:
  /// Elements of a converted block: a multiple of every kernel's step, of which four of 16 bytes each
  /// fit the buffers.
  static constexpr std::int64_t block_elements = 384;
  static_assert(block_elements * 4 * 16 <= stage_bytes);

  void advance(char* out, const char* in, char* accumulators, char* scratch, std::int64_t n) const {
    if (in_.convert != nullptr) {
      char* converted = take(scratch, n * in_.kernel_size);
      in_.convert(converted, in, n);
      in = converted;
    }
    char* results = out_.convert != nullptr ? take(scratch, n * out_.kernel_size) : out;
    kernel_.advance_lines(kernel_.context, accumulators, results, 0, in, 0, n, 1);
    if (out_.convert != nullptr) out_.convert(out, results, n);
  }

  const CumulativeKernel& kernel_;
};

}  // namespace weft::inline v0
