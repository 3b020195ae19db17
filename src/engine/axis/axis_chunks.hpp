// SPDX-License-Identifier: Apache-2.0
/// @file
/// The pieces in which operations along one axis are worked on.
#pragma once

#include <weft/base/checked.hpp>
#include <weft/iter/tensor_iterator.hpp>
#include <weft/parallel/parallel.hpp>

#include "engine/axis/axis_form.hpp"
#include "engine/block.hpp"
#include "engine/elementwise/tile_plan.hpp"

#include <algorithm>
#include <cstdlib>

namespace weft {
inline namespace v0 {

/// One side, out or in, of the walk along the axis.
struct AxisSide {
  char* data;                 // first element of the columns at hand
  std::int64_t axis_bytes;    // step along the axis
  std::int64_t column_bytes;  // step from column to column
  std::int32_t size;          // of an element in memory
  std::int32_t kernel_size;
  ConvertFn convert;  // to or from the kernel's type, or null
};

/// What walks along or across an axis have in common: the columns, which are what is left when the
/// axis is squashed, and pieces of some of them next to each other, from end to end of the axis.
class AxisPieces {
 public:
  AxisPieces(const TensorIterator& iter, const TensorView& out, const TensorView& in, int axis,
             ScalarType out_type, ScalarType in_type)
      : iter_(iter),
        length_(in.rank() == 0 ? 1 : in.shape()[static_cast<std::size_t>(axis)]),
        out_(side(0, out, axis, out_type)),
        in_(side(1, in, axis, in_type)),
        extent_(iter.ndim() > 0 ? iter.geometry().extent(0) : 1) {}

  /// Number of pieces.
  std::int64_t count() const {
    return extent_ == 0 ? 0 : ceil_div(extent_, width_) * (iter_.numel() / extent_);
  }
  std::int64_t piece_elements() const { return width_ * length_; }
  /// Elements along the axis.
  std::int64_t length() const { return length_; }
  /// Elements along the axis that are worked on at a time.
  std::int64_t rows() const { return rows_; }
  bool converts() const { return out_.convert != nullptr || in_.convert != nullptr; }

 protected:
  static constexpr std::int64_t most_accumulator_bytes = 8 << 10;
  /// Bytes of the buffers for a block, and for their alignment.
  static constexpr std::int64_t scratch_bytes = max_stage_bytes + (2 << 10);

  /// Sets `out` and `in` to the first column of a piece; returns how many there are.
  std::int64_t locate(std::int64_t piece, AxisSide& out, AxisSide& in) const {
    const std::int64_t per_row = ceil_div(extent_, width_);
    const std::int64_t first = piece % per_row * width_;
    out = out_;
    in = in_;
    out.data += first * out.column_bytes;
    in.data += first * in.column_bytes;
    std::int64_t left = piece / per_row;
    for (int d = 1; d < iter_.ndim(); ++d) {
      const std::int64_t index = left % iter_.geometry().extent(d);
      left /= iter_.geometry().extent(d);
      out.data += index * iter_.geometry().stride(d, 0);
      in.data += index * iter_.geometry().stride(d, 1);
    }
    return std::min(width_, extent_ - first);
  }

  /// Cuts off `bytes` of a buffer, aligned.
  static char* take(char*& scratch, std::int64_t bytes) {
    char* at = scratch;
    scratch += whole_lines(bytes);
    return at;
  }

  /// Whether columns are not dense in memory, or of another type.
  bool is_staged(const AxisSide& s) const {
    return s.convert != nullptr || (s.column_bytes != s.size && iter_.numel() != 1);
  }

  /// Rows of staged columns that fit the buffers: whole lines of memory that is dense along the
  /// axis, and whole steps of `step`.
  std::int64_t staged_rows(std::int64_t step) const {
    const std::int64_t bytes = out_.size + out_.kernel_size + in_.size + in_.kernel_size;
    const std::int64_t fit = std::max<std::int64_t>(1, max_stage_bytes / (bytes * width_));
    return fit >= 16 ? fit - fit % 16 : fit - fit % step;
  }

  /// A staged block of the input, dense and of the kernel's type.
  static char* bring(const AxisSide& in, char*& scratch, std::int64_t rows, std::int64_t columns) {
    const std::int64_t elements = rows * columns;
    char* dense = take(scratch, elements * in.size);
    BlockDim dims[] = {{columns, in.column_bytes}, {rows, in.axis_bytes}};
    pack(copy_block_kernel(in.size), dense, in.data, in.size, dims, 2);
    if (in.convert == nullptr) return dense;
    char* converted = take(scratch, elements * in.kernel_size);
    in.convert(converted, dense, elements);
    return converted;
  }
  /// A dense block of the kernel's type into a staged output.
  static void put(const AxisSide& out, char* dense, char*& scratch, std::int64_t rows,
                  std::int64_t columns) {
    const std::int64_t elements = rows * columns;
    if (out.convert != nullptr) {
      char* converted = take(scratch, elements * out.size);
      out.convert(converted, dense, elements);
      dense = converted;
    }
    BlockDim dims[] = {{columns, out.column_bytes}, {rows, out.axis_bytes}};
    unpack(copy_block_kernel(out.size), out.data, dense, out.size, dims, 2);
  }

  /// Columns of a staged block: as many rows then fit that transposes work on squares.
  static constexpr std::int64_t most_staged_columns = 32;
  static constexpr std::int64_t least_columns = 64;

  /// Columns of a piece, at most `most`, that leave every thread a piece, and as many as that: of
  /// narrow pieces, memory is read in short parts of rows. Each column is on its own, so results do
  /// not depend on it.
  std::int64_t shared_columns(std::int64_t most) const {
    const std::int64_t share = extent_ == 0 ? 0 : ceil_div(iter_.numel(), num_threads());
    return std::clamp(ceil_div(share, least_columns) * least_columns, least_columns,
                      std::max(least_columns, most));
  }

  const TensorIterator& iter_;
  std::int64_t length_;  // along the axis
  AxisSide out_, in_;
  std::int64_t extent_;     // of the columns' inner dim
  std::int64_t width_ = 1;  // columns of a piece
  std::int64_t rows_ = 1;   // of a block

 private:
  AxisSide side(int k, const TensorView& view, int axis, ScalarType type) const {
    AxisSide s{};
    const Operand& op = iter_.operand(k);
    s.data = op.data;
    s.size = static_cast<std::int32_t>(element_size(op.storage));
    s.axis_bytes = view.rank() == 0 ? 0 : view.strides()[static_cast<std::size_t>(axis)] * s.size;
    s.column_bytes = iter_.ndim() > 0 ? iter_.geometry().stride(0, k) : s.size;
    s.kernel_size = static_cast<std::int32_t>(element_size(type));
    if (op.storage != type) {
      s.convert =
          op.is_output ? convert_kernel(op.storage, type) : convert_kernel(type, op.storage);
    }
    return s;
  }
};

}  // namespace v0
}  // namespace weft
