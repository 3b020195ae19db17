// SPDX-License-Identifier: Apache-2.0
/// @file
/// Pieces of an operation along one axis that are brought into buffers.
#pragma once

#include "engine/axis/axis_chunks.hpp"

namespace weft {
inline namespace v0 {

/// Columns of one or two of the dims that are left when the axis is squashed, `rows_` elements of
/// each at a time, as dense lines or as dense columns. The second dim is the one along which the
/// input is dense if neighbours along the axis and along the first are on other lines of memory: so
/// lines are used up.
class GatheredPieces : public AxisPieces {
 public:
  std::int64_t count() const {
    if (extent_ == 0 || next_ == 0) return 0;
    return ceil_div(extent_, width_) * ceil_div(next_, height_) *
           (iter_.numel() / (extent_ * next_));
  }
  std::int64_t piece_elements() const { return width_ * height_ * length_; }
  AxisForm form() const {
    return by_lines_ ? AxisForm::gathered_lines : AxisForm::gathered_columns;
  }

 protected:
  /// Columns that make lines of memory, and registers.
  static constexpr std::int64_t line_columns = 16;

  GatheredPieces(const TensorIterator& iter, const TensorView& out, const TensorView& in, int axis,
                 ScalarType out_type, ScalarType in_type)
      : AxisPieces(iter, out, in, axis, out_type, in_type) {
    constexpr std::int64_t line = 64;
    std::int64_t least = std::min(std::abs(in_.axis_bytes), std::abs(in_.column_bytes));
    for (int d = 1; d < iter.ndim() && least >= line; ++d) {
      const std::int64_t step = std::abs(iter.geometry().stride(d, 1));
      if (step == 0 || step >= least || iter.geometry().extent(d) == 1) continue;
      least = step;
      second_ = d;
      crosses_ = true;
    }
  }

  /// Elements of a buffer of so many bytes, of all types that are brought into one.
  std::int64_t elements_of(std::int64_t bytes) const {
    return bytes / std::max({in_.kernel_size, in_.size, out_.kernel_size, out_.size});
  }

  /// Makes pieces of up to `most` columns.
  void set_columns(std::int64_t most) {
    if (iter_.ndim() > 1) next_ = iter_.geometry().extent(second_);
    // Some of both dims, where each is dense on one side.
    const std::int64_t lines = crosses_ ? std::min(next_, line_columns / 2) : 1;
    const std::int64_t wide = std::max<std::int64_t>(most / lines, 1);
    width_ = wide >= line_columns ? wide / line_columns * line_columns : wide;
    if (extent_ <= wide) width_ = std::max<std::int64_t>(extent_, 1);
    height_ = std::clamp<std::int64_t>(most / width_, 1, next_);
  }

  /// Makes pieces of up to `most` columns along the iterator's dim 0 alone.
  void set_width(std::int64_t most) {
    width_ = std::clamp<std::int64_t>(extent_, 1, most);
    second_ = 0;
  }

  /// Whether the two dims of columns are dense on one side each: pieces need some of both.
  bool crosses() const { return crosses_; }

  /// Whether memory is read across the axis rather than along it, and there are enough columns.
  bool reads_across() const {
    return std::abs(in_.axis_bytes) > std::abs(in_.column_bytes) &&
           width_ * height_ >= line_columns;
  }

  struct Part {
    AxisSide out, in;
    std::int64_t width, height;  // columns along the iterator's dim 0 and the second one
    std::int64_t columns() const { return width * height; }
  };

  Part part(std::int64_t piece) const {
    const std::int64_t across = ceil_div(extent_, width_), down = ceil_div(next_, height_);
    const std::int64_t index[2] = {piece % across * width_, piece / across % down * height_};
    Part p{out_, in_, std::min(width_, extent_ - index[0]), std::min(height_, next_ - index[1])};
    std::int64_t left = piece / (across * down);
    for (int d = 0; d < iter_.ndim(); ++d) {
      const bool others = d != 0 && d != second_;
      const std::int64_t at = d == 0   ? index[0]
                              : others ? left % iter_.geometry().extent(d)
                                       : index[1];
      if (others) left /= iter_.geometry().extent(d);
      p.out.data += at * iter_.geometry().stride(d, 0);
      p.in.data += at * iter_.geometry().stride(d, 1);
    }
    return p;
  }

  /// The next `rows` elements of each column, dense and in the kernel's type: in `dense`, or where
  /// they stand. `others` is memory of the same size.
  const char* gather(char* dense, char* others, const Part& p, std::int64_t rows) const {
    BlockDim dims[3];
    const int ndims = block(dims, p, p.in, 1, rows);
    const bool converts = p.in.convert != nullptr;
    const char* from = p.in.data;
    if (!is_dense(dims, ndims, p.in)) {
      char* const packed = converts ? others : dense;
      pack(copy_block_kernel(p.in.size), packed, p.in.data, p.in.size, dims, ndims);
      from = packed;
    }
    if (!converts) return from;
    p.in.convert(dense, from, p.columns() * rows);
    return dense;
  }
  /// Where the next results may be written: `dense`, or where they belong.
  char* target(char* dense, const Part& p, std::int64_t rows) const {
    BlockDim dims[3];
    if (p.out.convert != nullptr) return dense;
    return is_dense(dims, block(dims, p, p.out, 0, rows), p.out) ? p.out.data : dense;
  }
  /// Results from target() to where they belong.
  void scatter(const Part& p, const char* dense, char* others, std::int64_t rows) const {
    if (dense == p.out.data) return;
    BlockDim dims[3];
    const int ndims = block(dims, p, p.out, 0, rows);
    const bool converts = p.out.convert != nullptr;
    const bool in_place = is_dense(dims, ndims, p.out);
    if (converts) p.out.convert(in_place ? p.out.data : others, dense, p.columns() * rows);
    if (in_place) return;
    unpack(copy_block_kernel(p.out.size), p.out.data, converts ? others : dense, p.out.size, dims,
           ndims);
  }

  bool by_lines_ = false;

 private:
  static bool is_dense(const BlockDim* dims, int ndims, const AxisSide& side) {
    return ndims == 1 && dims[0].stride == side.size;
  }
  /// A part as a block of operand k's memory, in the order of the buffer.
  int block(BlockDim* dims, const Part& p, const AxisSide& side, int k, std::int64_t rows) const {
    int ndims = 0;
    const BlockDim along{rows, side.axis_bytes};
    if (by_lines_) append_dim(dims, ndims, along);
    append_dim(dims, ndims, {p.width, side.column_bytes});
    if (p.height > 1) append_dim(dims, ndims, {p.height, iter_.geometry().stride(second_, k)});
    if (!by_lines_) append_dim(dims, ndims, along);
    if (ndims == 0) dims[ndims++] = {1, side.size};
    return ndims;
  }

  int second_ = 1;           // the iterator's dim that pieces have columns along, beside dim 0
  bool crosses_ = false;     // whether the input is dense along that
  std::int64_t next_ = 1;    // its extent
  std::int64_t height_ = 1;  // columns of a piece along it
};

}  // namespace v0
}  // namespace weft
