// SPDX-License-Identifier: Apache-2.0
/// @file
/// A walk of softmax that brings columns into buffers whole. Private to the compiled part.
#pragma once

#include "kernel/softmax_walks.hpp"

#include <cstdlib>

namespace weft::inline v0 {

/// Whole columns of one or two of the dims that are left, brought into a buffer, worked on there, and
/// put back: every element is read, converted and written once.
class SoftmaxGathered : public AxisPieces {
 public:
  SoftmaxGathered(const TensorIterator& iter, const TensorView& out, const TensorView& in, int axis,
                  const SoftmaxKernel& kernel)
      : AxisPieces(iter, out, in, axis, kernel.type, kernel.type), kernel_(kernel) {
    rows_ = length_;
    const std::int64_t fit = std::max<std::int64_t>(1, most_elements() / length_);
    width_ = fit >= line_columns ? fit / line_columns * line_columns : fit;
    if (extent_ <= fit) width_ = std::max<std::int64_t>(extent_, 1);
    if (iter.ndim() > 1) {
      next_ = iter.geometry().extent(1);
      height_ = std::clamp<std::int64_t>(fit / width_, 1, next_);
    }
    const std::int64_t across = std::abs(in_.column_bytes);
    const bool in_columns = std::abs(in_.axis_bytes) > across && width_ >= line_columns;
    by_lines_ = length_ >= kernel.least_line && !in_columns;
  }

  /// Columns that fit the buffers and cannot be worked on where they are, or only in parts of
  /// registers.
  bool possible() const {
    const bool direct = !is_staged(out_) && !is_staged(in_) && extent_ >= line_columns;
    return length_ <= most_elements() && !direct;
  }
  const char* access() const {
    return by_lines_ ? "staged: whole lines along the axis"
                     : "staged: whole columns across the axis";
  }

  std::int64_t count() const {
    if (extent_ == 0 || next_ == 0) return 0;
    return ceil_div(extent_, width_) * ceil_div(next_, height_) *
           (iter_.numel() / (extent_ * next_));
  }
  std::int64_t piece_elements() const { return width_ * height_ * length_; }

  void run(std::int64_t begin, std::int64_t end) const {
    alignas(64) char dense[buffer_bytes];
    alignas(64) char others[buffer_bytes];
    for (std::int64_t piece = begin; piece < end; ++piece) {
      const Part part = locate(piece);
      const std::int64_t columns = part.width * part.height;
      const std::int64_t elements = columns * length_;
      BlockDim dims[3];
      const bool converts = part.in.convert != nullptr;
      pack(copy_block_kernel(part.in.size), converts ? others : dense, part.in.data, part.in.size,
           dims, block(dims, part, part.in, 1));
      if (converts) part.in.convert(dense, others, elements);
      by_lines_ ? work_on_lines(dense, columns) : work_on_columns(dense, columns);
      const bool converts_back = part.out.convert != nullptr;
      if (converts_back) part.out.convert(others, dense, elements);
      unpack(copy_block_kernel(part.out.size), part.out.data, converts_back ? others : dense,
             part.out.size, dims, block(dims, part, part.out, 0));
    }
  }

 private:
  static constexpr std::int64_t buffer_bytes = 64 << 10;
  std::int64_t most_elements() const {
    return buffer_bytes / std::max({in_.kernel_size, in_.size, out_.size});
  }
  /// Columns that make lines of memory, and registers.
  static constexpr std::int64_t line_columns = 16;

  struct Part {
    AxisSide out, in;
    std::int64_t width, height;  // columns along the iterator's dims 0 and 1
  };

  Part locate(std::int64_t piece) const {
    const std::int64_t across = ceil_div(extent_, width_), down = ceil_div(next_, height_);
    std::int64_t index[2] = {piece % across * width_, piece / across % down * height_};
    Part part{out_, in_, std::min(width_, extent_ - index[0]), std::min(height_, next_ - index[1])};
    std::int64_t left = piece / (across * down);
    for (int d = 0; d < iter_.ndim(); ++d) {
      std::int64_t at = d < 2 ? index[d] : left % iter_.geometry().extent(d);
      if (d >= 2) left /= iter_.geometry().extent(d);
      part.out.data += at * iter_.geometry().stride(d, 0);
      part.in.data += at * iter_.geometry().stride(d, 1);
    }
    return part;
  }

  /// A part as a block of operand k's memory, in the order of the buffer.
  int block(BlockDim* dims, const Part& part, const AxisSide& side, int k) const {
    int ndims = 0;
    const BlockDim along{length_, side.axis_bytes};
    if (by_lines_) append_dim(dims, ndims, along);
    append_dim(dims, ndims, {part.width, side.column_bytes});
    if (part.height > 1) append_dim(dims, ndims, {part.height, iter_.geometry().stride(1, k)});
    if (!by_lines_) append_dim(dims, ndims, along);
    if (ndims == 0) dims[ndims++] = {1, side.size};
    return ndims;
  }

  void work_on_lines(char* dense, std::int64_t lines) const {
    const std::int64_t line_bytes = length_ * in_.kernel_size;
    for (std::int64_t line = 0; line < lines; line += most_softmax_lines) {
      char* const at = dense + line * line_bytes;
      kernel_.lines(at, line_bytes, at, line_bytes, std::min(most_softmax_lines, lines - line),
                    length_);
    }
  }

  void work_on_columns(char* dense, std::int64_t columns) const {
    const std::int64_t row_bytes = columns * in_.kernel_size;
    for (std::int64_t first = 0; first < columns; first += most_softmax_columns) {
      const std::int64_t width = std::min(most_softmax_columns, columns - first);
      char* const at = dense + first * in_.kernel_size;
      softmax_columns(kernel_, at, row_bytes, at, row_bytes, length_, width);
    }
  }

  const SoftmaxKernel& kernel_;
  std::int64_t next_ = 1;    // extent of the iterator's dim 1
  std::int64_t height_ = 1;  // columns of a piece along it
  bool by_lines_ = false;
};

}  // namespace weft::inline v0
