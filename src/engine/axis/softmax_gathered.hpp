// SPDX-License-Identifier: Apache-2.0
/// @file
/// A walk of softmax that brings columns into buffers whole.
#pragma once

#include "engine/axis/gathered_chunks.hpp"
#include "engine/axis/softmax_columns.hpp"
#include "engine/axis/softmax_lines.hpp"

namespace weft {
inline namespace v0 {

/// Whole columns, worked on in a buffer: every element is read, converted and written once.
class SoftmaxGathered : public GatheredPieces {
 public:
  SoftmaxGathered(const TensorIterator& iter, const TensorView& out, const TensorView& in, int axis,
                  const SoftmaxKernel& kernel)
      : GatheredPieces(iter, out, in, axis, kernel.type, kernel.type), kernel_(kernel) {
    rows_ = length_;
    set_columns(std::max<std::int64_t>(1, elements_of(buffer_bytes) / length_));
    by_lines_ = length_ >= kernel.min_line && !reads_across();
  }

  /// Columns that fit the buffers and cannot be worked on where they are, or only in parts of
  /// registers.
  bool possible() const {
    const bool direct = !is_staged(out_) && !is_staged(in_) && extent_ >= line_columns;
    // Across rows, columns that fit a few at a time would read lines of memory again and again, and
    // short stretches slowly.
    const bool cut = std::abs(in_.axis_bytes) > std::abs(in_.column_bytes) && width_ < extent_ &&
                     (width_ < 4 || width_ * std::abs(in_.column_bytes) < least_stretch);
    return length_ <= elements_of(buffer_bytes) && !direct && !cut;
  }

  void run(std::int64_t begin, std::int64_t end) const {
    alignas(64) char dense[buffer_bytes];
    alignas(64) char others[buffer_bytes];
    for (std::int64_t piece = begin; piece < end; ++piece) {
      const Part p = part(piece);
      const char* from = gather(dense, others, p, length_);
      char* const to = target(dense, p, length_);
      by_lines_ ? work_on_lines(to, from, p.columns()) : work_on_columns(to, from, p.columns());
      scatter(p, to, others, length_);
    }
  }

 private:
  static constexpr std::int64_t buffer_bytes = 64 << 10;
  static constexpr std::int64_t least_stretch = 256;

  void work_on_lines(char* to, const char* from, std::int64_t lines) const {
    const std::int64_t line_bytes = length_ * in_.kernel_size;
    for (std::int64_t line = 0; line < lines; line += max_softmax_lines) {
      kernel_.lines(to + line * line_bytes, line_bytes, from + line * line_bytes, line_bytes,
                    std::min(max_softmax_lines, lines - line), length_);
    }
  }

  void work_on_columns(char* to, const char* from, std::int64_t columns) const {
    const std::int64_t row_bytes = columns * in_.kernel_size;
    for (std::int64_t first = 0; first < columns; first += max_softmax_columns) {
      const std::int64_t width = std::min(max_softmax_columns, columns - first);
      const std::int64_t at = first * in_.kernel_size;
      softmax_columns(kernel_, to + at, row_bytes, from + at, row_bytes, length_, width);
    }
  }

  const SoftmaxKernel& kernel_;
};

}  // namespace v0
}  // namespace weft
