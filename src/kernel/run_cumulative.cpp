// SPDX-License-Identifier: Apache-2.0
#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>
#include <weft/core/promotion.hpp>
#include <weft/iter/config.hpp>
#include <weft/kernel/cpu_info.hpp>
#include <weft/kernel/cumulative_kernel.hpp>
#include <weft/parallel/parallel.hpp>

#include "base/text.hpp"
#include "kernel/block.hpp"
#include "kernel/tile_plan.hpp"

#include <algorithm>

namespace weft::inline v0 {
namespace {

constexpr std::int64_t most_columns = 128;
/// Columns of a staged block: as many rows then fit that transposes work on squares.
constexpr std::int64_t most_staged_columns = 32;
constexpr std::int64_t most_accumulator_bytes = 8 << 10;

/// out over in, the axis squashed: what is left are the columns.
TensorIterator columns_of(const TensorView& out, const TensorView& in, int axis) {
  TensorIteratorConfig config;
  config.add_output(out).add_input(in).check_all_same_dtype(false).resize_outputs(false);
  if (in.rank() == 0) return config.build();
  return config.declare_static_shape(in.shape(), {axis}).build();
}

/// One side, out or in, of the walk along the axis.
struct Side {
  char* data;                 // first element of the columns at hand
  std::int64_t axis_bytes;    // step along the axis
  std::int64_t column_bytes;  // step from column to column
  std::int32_t size;          // of an element in memory
  std::int32_t kernel_size;
  ConvertFn convert;  // to or from the kernel's type, or null
  bool staged;
};

class Columns {
 public:
  Columns(const TensorIterator& iter, const TensorView& out, const TensorView& in, int axis,
          const CumulativeKernel& kernel)
      : iter_(iter),
        kernel_(kernel),
        length_(in.rank() == 0 ? 1 : in.shape()[static_cast<std::size_t>(axis)]) {
    out_ = side(0, out, axis, kernel.out_type);
    in_ = side(1, in, axis, kernel.in_type);
    extent_ = iter.ndim() > 0 ? iter.geometry().extent(0) : 1;
    const std::int64_t most =
        std::max<std::int64_t>(1, most_accumulator_bytes / kernel.accumulator_bytes);
    width_ = std::min({extent_, staged() ? most_staged_columns : most_columns, most});
    per_row_ = ceil_div(extent_, width_);
    const std::int64_t bytes = out_.size + out_.kernel_size + in_.size + in_.kernel_size;
    rows_ = out_.staged || in_.staged ? std::max<std::int64_t>(1, stage_bytes / (bytes * width_))
                                      : length_;
  }

  /// Number of pieces: each is some neighbouring columns from end to end of the axis.
  std::int64_t count() const { return extent_ == 0 ? 0 : per_row_ * (iter_.numel() / extent_); }
  std::int64_t piece_elements() const { return width_ * length_; }
  bool staged() const { return out_.staged || in_.staged; }
  std::int64_t width() const { return width_; }
  std::int64_t rows() const { return rows_; }

  void run(std::int64_t begin, std::int64_t end) const {
    alignas(64) char accumulators[most_accumulator_bytes + 64];
    alignas(64) char scratch[stage_bytes + (2 << 10)];
    for (std::int64_t piece = begin; piece < end; ++piece) {
      Side out = out_;
      Side in = in_;
      const std::int64_t first = piece % per_row_ * width_;
      const std::int64_t columns = std::min(width_, extent_ - first);
      out.data += first * out.column_bytes;
      in.data += first * in.column_bytes;
      std::int64_t left = piece / per_row_;
      for (int d = 1; d < iter_.ndim(); ++d) {
        const std::int64_t index = left % iter_.geometry().extent(d);
        left /= iter_.geometry().extent(d);
        out.data += index * iter_.geometry().stride(d, 0);
        in.data += index * iter_.geometry().stride(d, 1);
      }
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
  Side side(int k, const TensorView& view, int axis, ScalarType type) const {
    Side s{};
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
    const bool one_column = iter_.numel() == 1;
    s.staged = s.convert != nullptr || (s.column_bytes != s.size && !one_column);
    return s;
  }

  /// One block: in through its buffers, the kernel, out through its buffers.
  void advance(const Side& out, const Side& in, char* accumulators, char* scratch,
               std::int64_t rows, std::int64_t columns) const {
    const std::int64_t elements = rows * columns;
    const auto take = [&](std::int64_t bytes) {
      char* at = scratch;
      scratch += (bytes + 63) / 64 * 64;
      return at;
    };
    const char* from = in.data;
    std::int64_t from_step = in.axis_bytes;
    if (in.staged) {
      char* dense = take(elements * in.size);
      const BlockDim dims[] = {{columns, in.column_bytes}, {rows, in.axis_bytes}};
      pack(copy_block_kernel(in.size), dense, in.data, in.size, dims, 2);
      if (in.convert != nullptr) {
        char* converted = take(elements * in.kernel_size);
        in.convert(converted, dense, elements);
        dense = converted;
      }
      from = dense;
      from_step = columns * in.kernel_size;
    }
    if (!out.staged) {
      kernel_.advance(kernel_.context, accumulators, out.data, out.axis_bytes, from, from_step,
                      rows, columns);
      return;
    }
    char* dense = take(elements * out.kernel_size);
    kernel_.advance(kernel_.context, accumulators, dense, columns * out.kernel_size, from,
                    from_step, rows, columns);
    if (out.convert != nullptr) {
      char* converted = take(elements * out.size);
      out.convert(converted, dense, elements);
      dense = converted;
    }
    const BlockDim dims[] = {{columns, out.column_bytes}, {rows, out.axis_bytes}};
    unpack(copy_block_kernel(out.size), out.data, dense, out.size, dims, 2);
  }

  const TensorIterator& iter_;
  const CumulativeKernel& kernel_;
  std::int64_t length_;  // along the axis
  Side out_, in_;
  std::int64_t extent_ = 1;   // of the columns' inner dim
  std::int64_t width_ = 1;    // columns of a piece
  std::int64_t per_row_ = 1;  // pieces along the inner dim
  std::int64_t rows_ = 1;     // of a block
};

void check(const TensorView& out, const TensorView& in, const CumulativeKernel& kernel) {
  if (!out.defined() || !in.defined()) {
    fail(ErrorCode::undefined, text(out.defined() ? "input 0" : "output 0", ": undefined tensor"));
  }
  if (!std::ranges::equal(out.shape(), in.shape())) {
    fail(ErrorCode::shape, text("output 0: expected shape ", to_string(in.shape()),
                                " as input 0, got ", to_string(out.shape())));
  }
  if (!can_cast(in.dtype(), kernel.in_type)) {
    fail(ErrorCode::cast,
         text("input 0: ", name(in.dtype()), " can't be cast to ", name(kernel.in_type)));
  }
  if (!can_cast(kernel.out_type, out.dtype())) {
    fail(ErrorCode::cast, text("output 0: result type ", name(kernel.out_type),
                               " can't be cast to the output's ", name(out.dtype())));
  }
}

}  // namespace

void run_cumulative(const TensorView& out, const TensorView& in, std::int64_t axis,
                    const CumulativeKernel& kernel, const RunOptions& options) {
  check(out, in, kernel);
  const int along = normalize_axis(axis, in.rank());
  const TensorIterator iter = columns_of(out, in, along);
  if (in.numel() == 0) return;
  const Columns columns(iter, out, in, along, kernel);
  if (options.serial) {
    columns.run(0, columns.count());
    return;
  }
  constexpr std::int64_t default_elements = 50'000;  // about 20 microseconds
  const std::int64_t grain =
      (options.grain > 0 ? options.grain : default_elements) / columns.piece_elements();
  parallel_for(columns.count(), std::max<std::int64_t>(1, grain),
               [&](std::int64_t begin, std::int64_t end) { columns.run(begin, end); });
}

Explanation explain_cumulative(const TensorView& out, const TensorView& in, std::int64_t axis,
                               const CumulativeKernel& kernel) {
  check(out, in, kernel);
  const int along = normalize_axis(axis, in.rank());
  const TensorIterator iter = columns_of(out, in, along);
  Explanation e = iter.explain();
  e.has_run = true;
  e.run.instruction_set = name(current_level());
  e.run.bytes_moved = out.nbytes() + in.nbytes();
  if (in.numel() == 0) return e;
  const Columns columns(iter, out, in, along, kernel);
  for (Explanation::Operand& op : e.operands)
    op.access =
        columns.staged() ? "staged: columns across the axis" : "direct: columns across the axis";
  e.run.span = columns.width();
  e.run.tile[0] = columns.width();
  e.run.tile[1] = columns.rows();
  e.run.blocks =
      columns.count() * ceil_div(columns.piece_elements() / columns.width(), columns.rows());
  return e;
}

}  // namespace weft::inline v0
