// SPDX-License-Identifier: Apache-2.0
/// @file
/// The walk of softmax along its axis, line by line. Private to the compiled part.
#pragma once

#include "kernel/axis_pieces.hpp"
#include "kernels/softmax/softmax.hpp"

#include <cmath>
#include <cstring>
#include <limits>

namespace weft::inline v0 {

/// Line by line: in place where both sides are dense along the axis, block by block through buffers
/// otherwise.
class SoftmaxLines : public AxisPieces {
 public:
  SoftmaxLines(const TensorIterator& iter, const TensorView& out, const TensorView& in, int axis,
               const SoftmaxKernel& kernel)
      : AxisPieces(iter, out, in, axis, kernel.type, kernel.type),
        kernel_(kernel),
        out_staged_(is_staged_line(out_)),
        in_staged_(is_staged_line(in_)) {
    rows_ = staged() ? staged_rows(1) : length_;
    if (together())
      width_ = std::clamp<std::int64_t>(together_elements / length_, 1, most_softmax_lines);
  }

  /// Of direct ones: short lines, if there are several, are sooner turned into columns. Of staged ones:
  /// those of which there are too few next to each other to make columns of them.
  bool possible() const {
    constexpr std::int64_t several = 8;
    if (length_ <= 1) return false;
    if (!staged()) return length_ >= kernel_.least_line || extent_ < several;
    return extent_ < several || (dense(out_) && dense(in_));
  }
  bool staged() const { return out_staged_ || in_staged_; }
  const char* access() const {
    return staged() ? "staged: lines along the axis" : "direct: lines along the axis";
  }

  void run(std::int64_t begin, std::int64_t end) const {
    for (std::int64_t piece = begin; piece < end; ++piece) {
      AxisSide out, in;
      const std::int64_t lines = locate(piece, out, in);
      if (together()) {
        kernel_.lines(out.data, out.column_bytes, in.data, in.column_bytes, lines, length_);
      } else {
        staged() ? run_staged(out, in) : run_direct(out, in);
      }
    }
  }

 private:
  /// Elements of lines that are worked on together.
  static constexpr std::int64_t together_elements = 4096;
  bool together() const {
    return !staged() && length_ >= kernel_.least_line && length_ <= together_elements;
  }

  static bool dense(const AxisSide& s) { return s.axis_bytes == s.size; }
  /// A line as columns of one row.
  static AxisSide along(AxisSide s) {
    std::swap(s.axis_bytes, s.column_bytes);
    return s;
  }
  static bool is_staged_line(const AxisSide& s) { return s.convert != nullptr || !dense(s); }

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
  void each_block(AxisSide in, F&& f) const {
    alignas(64) char buffers[scratch_bytes];
    for (std::int64_t first = 0; first < length_; first += rows_) {
      char* scratch = buffers;
      const std::int64_t n = std::min(rows_, length_ - first);
      const char* from = in.data;
      if (!dense(in)) {
        from = bring(along(in), scratch, 1, n);
      } else if (in.convert != nullptr) {
        char* converted = take(scratch, n * in.kernel_size);
        in.convert(converted, from, n);
        from = converted;
      }
      f(from, first, n, scratch);
      if (first + rows_ < length_) in.data += rows_ * in.axis_bytes;
    }
  }

  void run_staged(const AxisSide& out, const AxisSide& in) const {
    LineTotals t(kernel_.type);
    // The sum is that of a smaller largest element until a block has a larger one.
    each_block(in, [&](const char* from, std::int64_t, std::int64_t n, char*) {
      const double before = t.largest_so_far(kernel_.type);
      kernel_.find_largest_of_line(&t.largest, from, n);
      const double now = t.largest_so_far(kernel_.type);
      if (now > before) t.sum *= std::exp(before - now);
      kernel_.add_up_line(&t.sum, &t.largest, nullptr, from, n);
    });
    kernel_.settle(&t.factor, &t.sum, 1);
    each_block(in, [&](const char* from, std::int64_t first, std::int64_t n, char* scratch) {
      AxisSide to = out;
      to.data += first * out.axis_bytes;
      char* const results = out_staged_ ? take(scratch, n * out.kernel_size) : to.data;
      kernel_.finish_line(&t.largest, &t.factor, results, from, n);
      if (!dense(to)) {
        put(along(to), results, scratch, 1, n);
      } else if (out.convert != nullptr) {
        out.convert(to.data, results, n);
      }
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
    double largest_so_far(ScalarType type) const {
      if (type != ScalarType::f32) return largest;
      float narrow = 0;
      std::memcpy(&narrow, &largest, sizeof(narrow));
      return static_cast<double>(narrow);
    }
  };

  const SoftmaxKernel& kernel_;
  bool out_staged_, in_staged_;
};

}  // namespace weft::inline v0
