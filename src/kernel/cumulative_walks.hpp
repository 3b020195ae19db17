// SPDX-License-Identifier: Apache-2.0
/// @file
/// Two walks of a prefix operation: across its axis, many columns at a time, and along it, line by
/// line. Private to the compiled part.
#pragma once

#include <weft/base/checked.hpp>
#include <weft/iter/tensor_iterator.hpp>
#include <weft/kernel/cumulative_kernel.hpp>
#include <weft/parallel/parallel.hpp>

#include "kernel/block.hpp"
#include "kernel/tile_plan.hpp"

#include <algorithm>

namespace weft::inline v0 {

/// One side, out or in, of the walk along the axis.
struct CumulativeSide {
  char* data;                 // first element of the columns at hand
  std::int64_t axis_bytes;    // step along the axis
  std::int64_t column_bytes;  // step from column to column
  std::int32_t size;          // of an element in memory
  std::int32_t kernel_size;
  ConvertFn convert;  // to or from the kernel's type, or null
};

/// What both walks have in common: the columns, which are what is left when the axis is squashed, and
/// pieces of some of them next to each other, from end to end of the axis.
class CumulativePieces {
 public:
  CumulativePieces(const TensorIterator& iter, const TensorView& out, const TensorView& in,
                   int axis, const CumulativeKernel& kernel)
      : iter_(iter),
        kernel_(kernel),
        length_(in.rank() == 0 ? 1 : in.shape()[static_cast<std::size_t>(axis)]),
        out_(side(0, out, axis, kernel.out_type)),
        in_(side(1, in, axis, kernel.in_type)),
        extent_(iter.ndim() > 0 ? iter.geometry().extent(0) : 1) {}

  /// Number of pieces.
  std::int64_t count() const {
    return extent_ == 0 ? 0 : ceil_div(extent_, width_) * (iter_.numel() / extent_);
  }
  std::int64_t piece_elements() const { return width_ * length_; }
  /// Most columns of a piece.
  std::int64_t width() const { return width_; }
  /// Elements along the axis that are worked on at a time.
  std::int64_t rows() const { return rows_; }
  bool converts() const { return out_.convert != nullptr || in_.convert != nullptr; }

 protected:
  static constexpr std::int64_t most_accumulator_bytes = 8 << 10;
  /// Bytes of the buffers for a block, and for their alignment.
  static constexpr std::int64_t scratch_bytes = stage_bytes + (2 << 10);

  /// Sets `out` and `in` to the first column of a piece; returns how many there are.
  std::int64_t locate(std::int64_t piece, CumulativeSide& out, CumulativeSide& in) const {
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
    scratch += (bytes + 63) / 64 * 64;
    return at;
  }

  const TensorIterator& iter_;
  const CumulativeKernel& kernel_;
  std::int64_t length_;  // along the axis
  CumulativeSide out_, in_;
  std::int64_t extent_;     // of the columns' inner dim
  std::int64_t width_ = 1;  // columns of a piece
  std::int64_t rows_ = 1;   // of a block

 private:
  CumulativeSide side(int k, const TensorView& view, int axis, ScalarType type) const {
    CumulativeSide s{};
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

/// Row after row of some columns. Where columns are not dense in memory, blocks of them are brought
/// into buffers.
class CumulativeColumns : public CumulativePieces {
 public:
  CumulativeColumns(const TensorIterator& iter, const TensorView& out, const TensorView& in,
                    int axis, const CumulativeKernel& kernel)
      : CumulativePieces(iter, out, in, axis, kernel),
        out_staged_(is_staged(out_)),
        in_staged_(is_staged(in_)) {
    const std::int64_t most =
        std::max<std::int64_t>(1, most_accumulator_bytes / kernel.accumulator_bytes);
    width_ = std::min({extent_, staged() ? most_staged_columns : shared_columns(), most});
    const std::int64_t bytes = out_.size + out_.kernel_size + in_.size + in_.kernel_size;
    rows_ = length_;
    if (staged()) {
      const std::int64_t fit = std::max<std::int64_t>(1, stage_bytes / (bytes * width_));
      // Whole lines of rows that are dense along the axis, and whole steps of the kernel.
      rows_ = fit >= 16 ? fit - fit % 16 : fit - fit % kernel.step;
    }
  }

  bool staged() const { return out_staged_ || in_staged_; }

  void run(std::int64_t begin, std::int64_t end) const {
    alignas(64) char accumulators[most_accumulator_bytes + 64];
    alignas(64) char scratch[scratch_bytes];
    for (std::int64_t piece = begin; piece < end; ++piece) {
      CumulativeSide out, in;
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
  static constexpr std::int64_t most_columns = 1024;
  static constexpr std::int64_t least_columns = 64;
  /// Columns of a staged block: as many rows then fit that transposes work on squares.
  static constexpr std::int64_t most_staged_columns = 32;

  /// As many as leave every thread some pieces. Each column is on its own, so results do not depend
  /// on it.
  std::int64_t shared_columns() const {
    const std::int64_t share = extent_ == 0 ? 0 : iter_.numel() / (4 * num_threads());
    return std::clamp(share - share % least_columns, least_columns, most_columns);
  }

  bool is_staged(const CumulativeSide& s) const {
    return s.convert != nullptr || (s.column_bytes != s.size && iter_.numel() != 1);
  }

  /// One block: in through its buffers, the kernel, out through its buffers.
  void advance(const CumulativeSide& out, const CumulativeSide& in, char* accumulators,
               char* scratch, std::int64_t rows, std::int64_t columns) const {
    const std::int64_t elements = rows * columns;
    const char* from = in.data;
    std::int64_t from_step = in.axis_bytes;
    if (in_staged_) {
      char* dense = take(scratch, elements * in.size);
      BlockDim dims[] = {{columns, in.column_bytes}, {rows, in.axis_bytes}};
      pack(copy_block_kernel(in.size), dense, in.data, in.size, dims, 2);
      if (in.convert != nullptr) {
        char* converted = take(scratch, elements * in.kernel_size);
        in.convert(converted, dense, elements);
        dense = converted;
      }
      from = dense;
      from_step = columns * in.kernel_size;
    }
    if (!out_staged_) {
      kernel_.advance(kernel_.context, accumulators, out.data, out.axis_bytes, from, from_step,
                      rows, columns);
      return;
    }
    char* dense = take(scratch, elements * out.kernel_size);
    kernel_.advance(kernel_.context, accumulators, dense, columns * out.kernel_size, from,
                    from_step, rows, columns);
    if (out.convert != nullptr) {
      char* converted = take(scratch, elements * out.size);
      out.convert(converted, dense, elements);
      dense = converted;
    }
    BlockDim dims[] = {{columns, out.column_bytes}, {rows, out.axis_bytes}};
    unpack(copy_block_kernel(out.size), out.data, dense, out.size, dims, 2);
  }

  bool out_staged_, in_staged_;
};

/// Lines that are dense along the axis, by a kernel that takes them as they are; those of other types
/// block by block through buffers.
class CumulativeLines : public CumulativePieces {
 public:
  CumulativeLines(const TensorIterator& iter, const TensorView& out, const TensorView& in, int axis,
                  const CumulativeKernel& kernel)
      : CumulativePieces(iter, out, in, axis, kernel) {
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
      CumulativeSide out, in;
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
};

}  // namespace weft::inline v0
