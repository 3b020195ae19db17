// SPDX-License-Identifier: Apache-2.0
#include "kernel/run_softmax.hpp"

#include <weft/kernel/cpu_info.hpp>

#include "kernel/along_axis.hpp"
#include "kernel/axis_pieces.hpp"

#include <cstring>
#include <limits>

namespace weft::inline v0 {
namespace {

struct Totals {
  alignas(64) double sums[most_softmax_columns];
  alignas(64) double largest[most_softmax_columns];  // of the kernel's type
  alignas(64) double factors[most_softmax_columns];

  Totals(std::int64_t columns, ScalarType type) {
    std::fill_n(sums, columns, 0.0);
    if (type == ScalarType::f32) {
      std::fill_n(reinterpret_cast<float*>(largest), columns,
                  -std::numeric_limits<float>::infinity());
    } else {
      std::fill_n(largest, columns, -std::numeric_limits<double>::infinity());
    }
  }
};

class SoftmaxColumns : public AxisPieces {
 public:
  SoftmaxColumns(const TensorIterator& iter, const TensorView& out, const TensorView& in, int axis,
                 const SoftmaxKernel& kernel)
      : AxisPieces(iter, out, in, axis, kernel.type, kernel.type),
        kernel_(kernel),
        out_staged_(is_staged(out_)),
        in_staged_(is_staged(in_)) {
    if (staged()) {
      width_ = std::min(extent_, most_staged_columns);
      rows_ = staged_rows(1);
    } else {
      width_ = std::min(extent_, shared_columns(most_softmax_columns));
      rows_ = length_;
    }
  }

  bool staged() const { return out_staged_ || in_staged_; }
  const char* access() const {
    return staged() ? "staged: columns across the axis" : "direct: columns across the axis";
  }

  void run(std::int64_t begin, std::int64_t end) const {
    for (std::int64_t piece = begin; piece < end; ++piece) {
      AxisSide out, in;
      const std::int64_t columns = locate(piece, out, in);
      staged() ? run_staged(out, in, columns) : run_direct(out, in, columns);
    }
  }

 private:
  void run_direct(const AxisSide& out, const AxisSide& in, std::int64_t columns) const {
    Totals t(columns, kernel_.type);
    kernel_.find_largest(t.largest, in.data, in.axis_bytes, length_, columns);
    const bool keep = kernel_.scale != nullptr;
    kernel_.add_up(t.sums, t.largest, keep ? out.data : nullptr, out.axis_bytes, in.data,
                   in.axis_bytes, length_, columns);
    kernel_.settle(t.factors, t.sums, columns);
    if (keep) {
      kernel_.scale(t.factors, out.data, out.axis_bytes, length_, columns);
    } else {
      kernel_.finish(t.largest, t.factors, out.data, out.axis_bytes, in.data, in.axis_bytes,
                     length_, columns);
    }
  }

  /// Calls f(from, from_step, out, rows, scratch) for one block of rows after the other.
  template <class F>
  void each_block(AxisSide out, AxisSide in, std::int64_t columns, F&& f) const {
    alignas(64) char buffers[scratch_bytes];
    for (std::int64_t row = 0; row < length_; row += rows_) {
      char* scratch = buffers;
      const std::int64_t rows = std::min(rows_, length_ - row);
      const char* from = in_staged_ ? bring(in, scratch, rows, columns) : in.data;
      f(from, in_staged_ ? columns * in.kernel_size : in.axis_bytes, out, rows, scratch);
      if (row + rows_ >= length_) break;  // no pointer past the end
      out.data += rows_ * out.axis_bytes;
      in.data += rows_ * in.axis_bytes;
    }
  }

  void run_staged(const AxisSide& out, const AxisSide& in, std::int64_t columns) const {
    Totals t(columns, kernel_.type);
    each_block(out, in, columns,
               [&](const char* from, std::int64_t step, const AxisSide&, std::int64_t rows, char*) {
                 kernel_.find_largest(t.largest, from, step, rows, columns);
               });
    each_block(out, in, columns,
               [&](const char* from, std::int64_t step, const AxisSide&, std::int64_t rows, char*) {
                 kernel_.add_up(t.sums, t.largest, nullptr, 0, from, step, rows, columns);
               });
    kernel_.settle(t.factors, t.sums, columns);
    each_block(
        out, in, columns,
        [&](const char* from, std::int64_t step, const AxisSide& to, std::int64_t rows,
            char* scratch) {
          char* dense = out_staged_ ? take(scratch, rows * columns * to.kernel_size) : to.data;
          const std::int64_t dense_step = out_staged_ ? columns * to.kernel_size : to.axis_bytes;
          kernel_.finish(t.largest, t.factors, dense, dense_step, from, step, rows, columns);
          if (out_staged_) put(to, dense, scratch, rows, columns);
        });
  }

  const SoftmaxKernel& kernel_;
  bool out_staged_, in_staged_;
};

/// Line by line, where both sides are dense along the axis; those of other types block by block.
class SoftmaxLines : public AxisPieces {
 public:
  SoftmaxLines(const TensorIterator& iter, const TensorView& out, const TensorView& in, int axis,
               const SoftmaxKernel& kernel)
      : AxisPieces(iter, out, in, axis, kernel.type, kernel.type), kernel_(kernel) {
    rows_ = converts() ? std::min(length_, block_elements) : length_;
    if (together())
      width_ = std::clamp<std::int64_t>(together_elements / length_, 1, most_softmax_lines);
  }

  /// Short lines, if there are several, are sooner turned into columns.
  bool possible() const {
    constexpr std::int64_t several = 8;
    return length_ > 1 && (length_ >= kernel_.least_line || extent_ < several) &&
           out_.axis_bytes == out_.size && in_.axis_bytes == in_.size;
  }
  const char* access() const {
    return converts() ? "staged: lines along the axis" : "direct: lines along the axis";
  }

  void run(std::int64_t begin, std::int64_t end) const {
    for (std::int64_t piece = begin; piece < end; ++piece) {
      AxisSide out, in;
      const std::int64_t lines = locate(piece, out, in);
      if (together()) {
        kernel_.lines(out.data, out.column_bytes, in.data, in.column_bytes, lines, length_);
      } else {
        converts() ? run_converted(out, in) : run_direct(out, in);
      }
    }
  }

 private:
  /// Elements of lines that are worked on together.
  static constexpr std::int64_t together_elements = 4096;
  bool together() const {
    return !converts() && length_ >= kernel_.least_line && length_ <= together_elements;
  }

  /// Elements of a converted block, of which four of 16 bytes each fit the buffers.
  static constexpr std::int64_t block_elements = 384;

  void run_direct(const AxisSide& out, const AxisSide& in) const {
    LineTotals t(kernel_.type);
    kernel_.find_largest_of_line(&t.largest, in.data, length_);
    const bool keep = kernel_.scale_line != nullptr;
    kernel_.add_up_line(&t.sum, &t.largest, keep ? out.data : nullptr, in.data, length_);
    kernel_.settle(&t.factor, &t.sum, 1);
    if (keep) {
      kernel_.scale_line(&t.factor, out.data, length_);
    } else {
      kernel_.finish_line(&t.largest, &t.factor, out.data, in.data, length_);
    }
  }

  template <class F>
  void each_block(const AxisSide& in, F&& f) const {
    alignas(64) char buffers[scratch_bytes];
    for (std::int64_t first = 0; first < length_; first += rows_) {
      char* scratch = buffers;
      const std::int64_t n = std::min(rows_, length_ - first);
      const char* from = in.data + first * in.size;
      if (in.convert != nullptr) {
        char* converted = take(scratch, n * in.kernel_size);
        in.convert(converted, from, n);
        from = converted;
      }
      f(from, first, n, scratch);
    }
  }

  void run_converted(const AxisSide& out, const AxisSide& in) const {
    LineTotals t(kernel_.type);
    each_block(in, [&](const char* from, std::int64_t, std::int64_t n, char*) {
      kernel_.find_largest_of_line(&t.largest, from, n);
    });
    each_block(in, [&](const char* from, std::int64_t, std::int64_t n, char*) {
      kernel_.add_up_line(&t.sum, &t.largest, nullptr, from, n);
    });
    kernel_.settle(&t.factor, &t.sum, 1);
    each_block(in, [&](const char* from, std::int64_t first, std::int64_t n, char* scratch) {
      char* const to = out.data + first * out.size;
      char* const dense = out.convert != nullptr ? take(scratch, n * out.kernel_size) : to;
      kernel_.finish_line(&t.largest, &t.factor, dense, from, n);
      if (out.convert != nullptr) out.convert(to, dense, n);
    });
  }

  struct LineTotals {
    double sum = 0;
    double largest = -std::numeric_limits<double>::infinity();  // of the kernel's type
    double factor = 0;

    explicit LineTotals(ScalarType type) {
      if (type != ScalarType::f32) return;
      const float none = -std::numeric_limits<float>::infinity();
      std::memcpy(&largest, &none, sizeof(none));
    }
  };

  const SoftmaxKernel& kernel_;
};

/// Calls f(walk) with the way in which elements are walked.
template <class F>
void with_walk(const TensorIterator& iter, const TensorView& out, const TensorView& in, int axis,
               const SoftmaxKernel& kernel, F&& f) {
  const SoftmaxLines lines(iter, out, in, axis, kernel);
  if (lines.possible()) {
    f(lines);
  } else {
    f(SoftmaxColumns(iter, out, in, axis, kernel));
  }
}

}  // namespace

void run_softmax(const TensorView& out, const TensorView& in, std::int64_t axis,
                 const SoftmaxKernel& kernel, const RunOptions& options) {
  const TensorIterator iter = plan_along_axis(out, in, axis, kernel.type, kernel.type);
  if (in.numel() == 0) return;
  with_walk(iter, out, in, normalize_axis(axis, in.rank()), kernel, [&](const auto& walk) {
    constexpr std::int64_t default_elements = 20'000;  // about 10 microseconds
    const std::int64_t grain =
        (options.grain > 0 ? options.grain : default_elements) / walk.piece_elements();
    if (options.serial) return walk.run(0, walk.count());
    parallel_for(walk.count(), std::max<std::int64_t>(1, grain),
                 [&](std::int64_t begin, std::int64_t end) { walk.run(begin, end); });
  });
}

Explanation explain_softmax(const TensorView& out, const TensorView& in, std::int64_t axis,
                            const SoftmaxKernel& kernel) {
  const TensorIterator iter = plan_along_axis(out, in, axis, kernel.type, kernel.type);
  Explanation e = iter.explain();
  e.has_run = true;
  e.run.instruction_set = name(current_level());
  e.run.bytes_moved = out.nbytes() + in.nbytes();
  if (in.numel() == 0) return e;
  with_walk(iter, out, in, normalize_axis(axis, in.rank()), kernel, [&](const auto& walk) {
    for (Explanation::Operand& op : e.operands)
      op.access = walk.access();
    e.run.span = walk.width();
    e.run.tile[0] = walk.width();
    e.run.tile[1] = walk.rows();
    e.run.blocks = walk.count() * ceil_div(walk.piece_elements() / walk.width(), walk.rows());
  });
  return e;
}

}  // namespace weft::inline v0
