// SPDX-License-Identifier: Apache-2.0
/// @file
/// What softmax knows of columns or of a line, before it has gone through all of it.
#pragma once

#include "engine/axis/axis_walk.hpp"
#include "kernels/softmax/softmax.hpp"
#include "machine/scratch_memory.hpp"

#include <cmath>
#include <cstring>
#include <limits>

namespace weft {
inline namespace v0 {

/// A block as the kernel gets it. Steps are bytes from row to row, columns being dense, or from
/// line to line.
struct SoftmaxBlock {
  char* out;
  std::int64_t out_step;
  const char* in;
  std::int64_t in_step;
  std::int64_t rows, columns;  ///< elements along the axis, and next to each other
};

/// Of some columns.
class ColumnTotals {
 public:
  ColumnTotals(const SoftmaxKernel& kernel, std::int64_t columns)
      : kernel_(kernel), scratch_(3 * row_bytes(kernel, columns)) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const auto row = [&](std::int64_t i) {
      return reinterpret_cast<double*>(scratch_.data() + i * row_bytes(kernel, columns));
    };
    sums_ = row(0);
    largest_ = row(1);
    factors_ = row(2);
    std::fill_n(sums_, columns, 0.0);
    if (kernel.type == ScalarType::f32) {
      std::fill_n(reinterpret_cast<float*>(largest_), columns, -static_cast<float>(infinity));
    } else {
      std::fill_n(largest_, columns, -infinity);
    }
  }

  /// Adds a block. If they are kept, its terms go to the output.
  void take_in(const SoftmaxBlock& b, bool keep) {
    kernel_.take_in(sums_, largest_, keep ? b.out : nullptr, b.out_step, b.in, b.in_step, b.rows,
                    b.columns);
  }
  /// The largest elements so far, of the kernel's type.
  const void* largest() const { return largest_; }
  void settle(std::int64_t columns) { kernel_.settle(factors_, sums_, columns); }
  /// Makes results of terms that were kept when the largest elements were `then`, or what they are
  /// now if it is null.
  void scale(const SoftmaxBlock& b, const char* then) const {
    kernel_.scale(then, largest_, factors_, b.out, b.out_step, b.out, b.out_step, b.rows,
                  b.columns);
  }
  void finish(const SoftmaxBlock& b) const {
    kernel_.finish(largest_, factors_, b.out, b.out_step, b.in, b.in_step, b.rows, b.columns);
  }
  /// All of it, of whole columns.
  void work_through(const SoftmaxBlock& b) {
    const bool keep = kernel_.scale != nullptr;
    kernel_.find_largest(largest_, b.in, b.in_step, b.rows, b.columns);
    kernel_.add_up(sums_, largest_, keep ? b.out : nullptr, b.out_step, b.in, b.in_step, b.rows,
                   b.columns);
    settle(b.columns);
    keep ? scale(b, nullptr) : finish(b);
  }

 private:
  /// Bytes of a double for each column, of which there are whole registers: a line of elements.
  static std::int64_t row_bytes(const SoftmaxKernel& kernel, std::int64_t columns) {
    const std::int64_t size = element_size(kernel.type);
    return whole_lines(columns * size) / size * static_cast<std::int64_t>(sizeof(double));
  }

  const SoftmaxKernel& kernel_;
  SmallScratch scratch_;
  double* sums_;
  double* largest_;  // of the kernel's type, as the factors
  double* factors_;
};

/// The same of a line.
template <class T>
class LineTotals {
 public:
  LineTotals(const SoftmaxKernel& kernel, std::int64_t) : kernel_(kernel) {}

  /// The sum is that of a smaller largest element until a block has a larger one.
  void take_in(const SoftmaxBlock& b, bool keep) {
    const T before = largest_;
    kernel_.find_largest_of_line(&largest_, b.in, b.rows);
    if (largest_ > before) sum_ *= rescaled(before);
    // Of nothing but -infinity so far, nothing is taken off: that would be NaN.
    const T taken_off = largest_ == -infinity ? T(0) : largest_;
    kernel_.add_up_line(&sum_, &taken_off, keep ? b.out : nullptr, b.in, b.rows);
  }
  const void* largest() const { return &largest_; }
  void settle(std::int64_t) { kernel_.settle(&factor_, &sum_, 1); }
  void scale(const SoftmaxBlock& b, const char* then) const {
    T before;
    std::memcpy(&before, then, sizeof(T));
    const T by = before == largest_
                     ? factor_
                     : static_cast<T>(static_cast<double>(factor_) * rescaled(before));
    kernel_.scale_line(&by, b.out, b.rows);
  }
  void finish(const SoftmaxBlock& b) const {
    kernel_.finish_line(&largest_, &factor_, b.out, b.in, b.rows);
  }

 private:
  static constexpr T infinity = std::numeric_limits<T>::infinity();

  /// A term of 1 when the largest element was `before`.
  double rescaled(T before) const {
    return std::exp(static_cast<double>(before) - static_cast<double>(largest_));
  }

  const SoftmaxKernel& kernel_;
  double sum_ = 0;
  T largest_ = -infinity, factor_ = 0;
};

/// All of it for a line that stays in cache.
template <class T>
void softmax_line(const SoftmaxKernel& kernel, const SoftmaxBlock& line) {
  const bool keep = kernel.scale_line != nullptr;
  LineTotals<T> totals(kernel, 1);
  totals.take_in(line, keep);
  totals.settle(1);
  keep ? totals.scale(line, static_cast<const char*>(totals.largest())) : totals.finish(line);
}

/// All of it for whole lines, or columns next to each other, that stay in cache.
inline void softmax_whole(const SoftmaxKernel& kernel, bool lines, const SoftmaxBlock& all) {
  if (!lines && all.rows <= few_softmax_rows)
    return kernel.few_rows(all.out, all.out_step, all.in, all.in_step, all.rows, all.columns);
  const std::int64_t max = lines ? max_softmax_lines : max_softmax_columns;
  const std::int64_t size = element_size(kernel.type);
  SoftmaxBlock b = all;
  for (std::int64_t first = 0; first < all.columns; first += max) {
    b.out = all.out + first * (lines ? all.out_step : size);
    b.in = all.in + first * (lines ? all.in_step : size);
    b.columns = std::min(max, all.columns - first);
    if (lines) {
      kernel.lines(b.out, b.out_step, b.in, b.in_step, b.columns, b.rows);
    } else {
      ColumnTotals(kernel, b.columns).work_through(b);
    }
  }
}

}  // namespace v0
}  // namespace weft
