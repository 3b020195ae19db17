// SPDX-License-Identifier: Apache-2.0
#include "ops/clear_triangle.hpp"

#include <weft/base/checked.hpp>
#include <weft/parallel/parallel.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace weft {
inline namespace v0 {
namespace {

/// Bytes that are worth a thread.
constexpr std::int64_t thread_bytes = 64 * 1024;
/// Of matrices of so few elements it is noted once which of them are cleared.
constexpr std::int64_t small_matrix = 256;
/// Fewer dense bytes are cleared sooner one by one than by a call.
constexpr std::int64_t least_called_bytes = 64;

/// Stores of zeros by size of an element, whose address may be unaligned.
struct Clearing {
  /// n elements, `step` bytes from one to the next.
  void (*strided)(char* at, std::int64_t step, std::int64_t n);
  /// Those at n offsets in bytes.
  void (*listed)(char* at, const std::int64_t* offsets, std::int64_t n);
};

template <std::size_t size>
constexpr Clearing clearing{[](char* at, std::int64_t step, std::int64_t n) {
                              constexpr char zero[size] = {};
                              for (std::int64_t i = 0; i < n; ++i, at += step)
                                std::memcpy(at, zero, size);
                            },
                            [](char* at, const std::int64_t* offsets, std::int64_t n) {
                              constexpr char zero[size] = {};
                              for (std::int64_t i = 0; i < n; ++i)
                                std::memcpy(at + offsets[i], zero, size);
                            }};

const Clearing& clearing_of(std::int64_t size) {
  switch (size) {
    case 1: return clearing<1>;
    case 2: return clearing<2>;
    case 4: return clearing<4>;
    case 8: return clearing<8>;
    default: return clearing<16>;
  }
}

/// One of the matrices that a tensor is made of, in C order.
class MatrixPlace {
 public:
  MatrixPlace(const TensorView& view, std::int64_t index)
      : view_(view), index_(view.shape().size() - 2, 0), data_(static_cast<char*>(view.data())) {
    for (std::size_t axis = index_.size(); axis-- > 0; index /= view.shape()[axis]) {
      index_[axis] = index % view.shape()[axis];
      data_ += index_[axis] * step(axis);
    }
  }

  char* data() const { return data_; }
  void next() {
    for (std::size_t axis = index_.size(); axis-- > 0;) {
      data_ += step(axis);
      if (++index_[axis] < view_.shape()[axis]) return;
      data_ -= index_[axis] * step(axis);
      index_[axis] = 0;
    }
  }

 private:
  std::int64_t step(std::size_t axis) const {
    return view_.strides()[axis] * element_size(view_.dtype());
  }

  const TensorView& view_;
  DimVector index_;
  char* data_;
};

/// The elements on one side of a diagonal of matrices, which become 0.
class ClearedTriangle {
 public:
  /// Those below diagonal k if an upper triangle is kept, those above if a lower one is. `to` has
  /// elements.
  ClearedTriangle(const TensorView& to, bool keeps_upper, std::int64_t k)
      : to_(to),
        size_(element_size(to.dtype())),
        clearing_(clearing_of(size_)),
        keeps_upper_(keeps_upper),
        k_(k) {
    const std::size_t rank = to.shape().size();
    rows_ = to.shape()[rank - 2];
    columns_ = to.shape()[rank - 1];
    row_ = to.strides()[rank - 2] * size_;
    column_ = to.strides()[rank - 1] * size_;
    k_ = std::clamp(k_, -rows_, columns_);
    if (std::abs(row_) >= std::abs(column_)) return;
    // Rows are what is next to each other.
    std::swap(rows_, columns_);
    std::swap(row_, column_);
    keeps_upper_ = !keeps_upper_;
    k_ = -k_;
  }

  void clear() const {
    const std::int64_t all = to_.numel() / columns_;
    const std::int64_t row_bytes = columns_ * size_;
    parallel_for(all, std::max<std::int64_t>(1, thread_bytes / row_bytes),
                 [&](std::int64_t begin, std::int64_t end) { clear_rows(begin, end); });
  }

 private:
  struct Run {
    std::int64_t begin, end;
  };
  /// Which elements of row i become 0.
  Run cleared(std::int64_t i) const {
    const std::int64_t edge =
        std::clamp<std::int64_t>(i + k_ + (keeps_upper_ ? 0 : 1), 0, columns_);
    return keeps_upper_ ? Run{0, edge} : Run{edge, columns_};
  }

  /// Of all matrices' rows, one after the other, those from begin on.
  void clear_rows(std::int64_t begin, std::int64_t end) const {
    if (rows_ * columns_ <= small_matrix && end - begin > small_matrix) {
      // Whole matrices in between.
      const std::int64_t first = ceil_div(begin, rows_), last = end / rows_;
      clear_some_rows(begin, first * rows_);
      clear_small(first, last);
      clear_some_rows(last * rows_, end);
    } else {
      clear_some_rows(begin, end);
    }
  }

  /// All of matrices begin ... end - 1.
  void clear_small(std::int64_t begin, std::int64_t end) const {
    std::int64_t offsets[small_matrix];
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < rows_; ++i) {
      const Run run = cleared(i);
      for (std::int64_t j = run.begin; j < run.end; ++j)
        offsets[count++] = i * row_ + j * column_;
    }
    MatrixPlace matrix(to_, begin);
    for (std::int64_t m = begin; m < end; ++m, matrix.next())
      clearing_.listed(matrix.data(), offsets, count);
  }

  void clear_some_rows(std::int64_t begin, std::int64_t end) const {
    if (begin == end) return;
    MatrixPlace matrix(to_, begin / rows_);
    std::int64_t first = begin % rows_;
    for (std::int64_t left = end - begin; left > 0; matrix.next()) {
      const std::int64_t last = std::min(rows_, first + left);
      for (std::int64_t i = first; i < last; ++i) {
        const Run run = cleared(i);
        clear_row(matrix.data() + i * row_ + run.begin * column_, run.end - run.begin);
      }
      left -= last - first;
      first = 0;
    }
  }

  void clear_row(char* at, std::int64_t n) const {
    if (column_ == size_ && n * size_ >= least_called_bytes) {
      std::memset(at, 0, static_cast<std::size_t>(n * size_));
    } else {
      clearing_.strided(at, column_, n);
    }
  }

  const TensorView& to_;
  std::int64_t size_;  // bytes of an element
  const Clearing& clearing_;
  bool keeps_upper_;
  std::int64_t k_;
  std::int64_t rows_ = 0, columns_ = 0;
  std::int64_t row_ = 0, column_ = 0;  // bytes from one to the next
};

}  // namespace

void clear_triangle(const TensorView& to, bool keeps_upper, std::int64_t k) {
  ClearedTriangle(to, keeps_upper, k).clear();
}

}  // namespace v0
}  // namespace weft
