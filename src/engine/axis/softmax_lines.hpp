// SPDX-License-Identifier: Apache-2.0
/// @file
/// The walk of softmax along its axis, line by line.
#pragma once

#include <weft/base/small_vector.hpp>

#include "engine/axis/axis_chunks.hpp"
#include "kernels/softmax/softmax.hpp"

#include <cmath>
#include <cstring>
#include <limits>

namespace weft {
inline namespace v0 {

/// Line by line: several at a time or block by block, and through buffers unless both sides are
/// dense along the axis. Terms stay in the output unless that is staged.
class SoftmaxLines : public AxisPieces {
 public:
  SoftmaxLines(const TensorIterator& iter, const TensorView& out, const TensorView& in, int axis,
               const SoftmaxKernel& kernel)
      : AxisPieces(iter, out, in, axis, kernel.type, kernel.type),
        kernel_(kernel),
        out_staged_(is_staged_line(out_)),
        in_staged_(is_staged_line(in_)) {
    rows_ = staged() ? staged_rows(1) : std::min(length_, block_bytes / in_.kernel_size);
    if (together()) {
      rows_ = length_;
      width_ = std::clamp<std::int64_t>(together_elements / length_, 1, max_softmax_lines);
    }
  }

  /// Of direct ones: short lines, if there are several, are sooner turned into columns. Of staged
  /// ones: those of which there are too few next to each other to make columns of them.
  bool possible() const {
    constexpr std::int64_t several = 8;
    if (length_ <= 1) return false;
    if (!staged()) return length_ >= kernel_.min_line || extent_ < several;
    return extent_ < several || (dense(out_) && dense(in_));
  }
  bool staged() const { return out_staged_ || in_staged_; }
  AxisForm form() const { return staged() ? AxisForm::staged_lines : AxisForm::lines; }

  void run(std::int64_t begin, std::int64_t end) const {
    for (std::int64_t piece = begin; piece < end; ++piece) {
      AxisSide out, in;
      const std::int64_t lines = locate(piece, out, in);
      if (together()) {
        kernel_.lines(out.data, out.column_bytes, in.data, in.column_bytes, lines, length_);
      } else {
        run_blocks(out, in);
      }
    }
  }

 private:
  /// Bytes of a longer line that are read once, found the largest of, and added up.
  static constexpr std::int64_t block_bytes = 16 << 10;
  /// Elements of lines that are worked on together.
  static constexpr std::int64_t together_elements = 4096;
  bool together() const {
    return !staged() && length_ >= kernel_.min_line && length_ <= together_elements;
  }

  static bool dense(const AxisSide& s) { return s.axis_bytes == s.size; }
  /// A line as columns of one row.
  static AxisSide along(AxisSide s) {
    std::swap(s.axis_bytes, s.column_bytes);
    return s;
  }
  static bool is_staged_line(const AxisSide& s) { return s.convert != nullptr || !dense(s); }

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

  void run_blocks(const AxisSide& out, const AxisSide& in) const {
    LineTotals t(kernel_);
    const bool keep = kernel_.scale_line != nullptr && !out_staged_;
    SmallVector<double, 64> largest;  // when the terms of a block were kept
    each_block(in, [&](const char* from, std::int64_t first, std::int64_t n, char*) {
      t.take_in(keep ? out.data + first * out.axis_bytes : nullptr, from, n);
      if (keep) largest.push_back(t.largest());
    });
    t.settle();
    if (keep) {
      for (std::size_t block = 0; block < largest.size(); ++block) {
        const std::int64_t first = static_cast<std::int64_t>(block) * rows_;
        t.scale(largest[block], out.data + first * out.axis_bytes,
                std::min(rows_, length_ - first));
      }
      return;
    }
    each_block(in, [&](const char* from, std::int64_t first, std::int64_t n, char* scratch) {
      AxisSide to = out;
      to.data += first * out.axis_bytes;
      char* const results = out_staged_ ? take(scratch, n * out.kernel_size) : to.data;
      t.finish(results, from, n);
      if (!dense(to)) {
        put(along(to), results, scratch, 1, n);
      } else if (out.convert != nullptr) {
        out.convert(to.data, results, n);
      }
    });
  }

  /// What is known of a line so far.
  class LineTotals {
   public:
    explicit LineTotals(const SoftmaxKernel& kernel) : kernel_(kernel) { set(largest_, -infinity); }

    double largest() const { return get(largest_); }
    /// The sum is that of a smaller largest element until a block has a larger one.
    void take_in(char* terms, const char* from, std::int64_t n) {
      const double before = largest();
      kernel_.find_largest_of_line(&largest_, from, n);
      const double now = largest();
      if (now > before) sum_ *= std::exp(before - now);
      // Of nothing but -infinity so far, nothing is taken off: that would be NaN.
      const double zero = 0;
      kernel_.add_up_line(&sum_, now == -infinity ? &zero : &largest_, terms, from, n);
    }
    void settle() { kernel_.settle(&factor_, &sum_, 1); }
    /// Terms that were kept when the largest element was `then`.
    void scale(double then, char* terms, std::int64_t n) const {
      double by = factor_;
      if (then != largest()) set(by, get(factor_) * std::exp(then - largest()));
      kernel_.scale_line(&by, terms, n);
    }
    void finish(char* out, const char* in, std::int64_t n) const {
      kernel_.finish_line(&largest_, &factor_, out, in, n);
    }

   private:
    static constexpr double infinity = std::numeric_limits<double>::infinity();

    double get(const double& from) const {
      if (kernel_.type != ScalarType::f32) return from;
      float narrow = 0;
      std::memcpy(&narrow, &from, sizeof(narrow));
      return static_cast<double>(narrow);
    }
    void set(double& to, double value) const {
      const auto narrow = static_cast<float>(value);
      kernel_.type == ScalarType::f32 ? std::memcpy(&to, &narrow, sizeof(narrow))
                                      : std::memcpy(&to, &value, sizeof(value));
    }

    const SoftmaxKernel& kernel_;
    double sum_ = 0;
    double largest_ = 0, factor_ = 0;  // of the kernel's type
  };

  const SoftmaxKernel& kernel_;
  bool out_staged_, in_staged_;
};

}  // namespace v0
}  // namespace weft
