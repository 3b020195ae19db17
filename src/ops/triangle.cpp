// SPDX-License-Identifier: Apache-2.0
#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>
#include <weft/core/views.hpp>
#include <weft/ops/triangle.hpp>
#include <weft/parallel/parallel.hpp>

#include "base/operation.hpp"
#include "ops/index_operand.hpp"
#include "ops/moved_result.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace weft {
inline namespace v0 {
namespace {

/// Bytes that are worth a thread.
constexpr std::int64_t thread_bytes = 64 * 1024;
/// Of matrices of so few elements it is noted once which of them are cleared.
constexpr std::int64_t small_matrix = 256;
/// Fewer dense bytes are cleared sooner one by one than by a call.
constexpr std::int64_t least_called_bytes = 64;

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
class OtherTriangle {
 public:
  /// Those below diagonal k if an upper triangle is kept, those above if a lower one is. `to` has
  /// elements.
  OtherTriangle(const TensorView& to, bool keeps_upper, std::int64_t k)
      : to_(to), keeps_upper_(keeps_upper), k_(k) {
    const std::size_t rank = to.shape().size();
    rows_ = to.shape()[rank - 2];
    columns_ = to.shape()[rank - 1];
    row_ = to.strides()[rank - 2] * element_size(to.dtype());
    column_ = to.strides()[rank - 1] * element_size(to.dtype());
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
    const std::int64_t row_bytes = columns_ * element_size(to_.dtype());
    parallel_for(all, std::max<std::int64_t>(1, thread_bytes / row_bytes),
                 [&](std::int64_t begin, std::int64_t end) {
                   switch (element_size(to_.dtype())) {
                     case 1: return clear_rows<1>(begin, end);
                     case 2: return clear_rows<2>(begin, end);
                     case 4: return clear_rows<4>(begin, end);
                     case 8: return clear_rows<8>(begin, end);
                     default: return clear_rows<16>(begin, end);
                   }
                 });
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
  template <std::size_t size>
  void clear_rows(std::int64_t begin, std::int64_t end) const {
    if (rows_ * columns_ <= small_matrix && end - begin > small_matrix) {
      // Whole matrices in between.
      const std::int64_t first = ceil_div(begin, rows_), last = end / rows_;
      clear_some_rows<size>(begin, first * rows_);
      clear_small<size>(first, last);
      clear_some_rows<size>(last * rows_, end);
    } else {
      clear_some_rows<size>(begin, end);
    }
  }

  /// All of matrices begin ... end - 1.
  template <std::size_t size>
  void clear_small(std::int64_t begin, std::int64_t end) const {
    std::int64_t offsets[small_matrix];
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < rows_; ++i) {
      const Run run = cleared(i);
      for (std::int64_t j = run.begin; j < run.end; ++j)
        offsets[count++] = i * row_ + j * column_;
    }
    constexpr char zero[size] = {};
    MatrixPlace matrix(to_, begin);
    for (std::int64_t m = begin; m < end; ++m, matrix.next()) {
      for (std::int64_t n = 0; n < count; ++n)
        std::memcpy(matrix.data() + offsets[n], zero, size);
    }
  }

  template <std::size_t size>
  void clear_some_rows(std::int64_t begin, std::int64_t end) const {
    if (begin == end) return;
    MatrixPlace matrix(to_, begin / rows_);
    std::int64_t first = begin % rows_;
    for (std::int64_t left = end - begin; left > 0; matrix.next()) {
      const std::int64_t last = std::min(rows_, first + left);
      for (std::int64_t i = first; i < last; ++i) {
        const Run run = cleared(i);
        clear_row<size>(matrix.data() + i * row_ + run.begin * column_, run.end - run.begin);
      }
      left -= last - first;
      first = 0;
    }
  }

  /// The address may be unaligned.
  template <std::size_t size>
  void clear_row(char* at, std::int64_t n) const {
    constexpr auto step = static_cast<std::int64_t>(size);
    if (column_ == step && n * step >= least_called_bytes) {
      std::memset(at, 0, static_cast<std::size_t>(n * step));
      return;
    }
    constexpr char zero[size] = {};
    for (std::int64_t j = 0; j < n; ++j, at += column_)
      std::memcpy(at, zero, size);
  }

  const TensorView& to_;
  bool keeps_upper_;
  std::int64_t k_;
  std::int64_t rows_ = 0, columns_ = 0;
  std::int64_t row_ = 0, column_ = 0;  // bytes from one to the next
};

/// `a` comes by value: the view may be the very tensor that is replaced as an output.
void run_triangle(const char* operation, const Output& out, TensorView a, bool upper,
                  std::int64_t k) {
  with_operation(operation, [&] {
    check_defined(a, 0);
    if (a.rank() < 2)
      fail(ErrorCode::rank, text("input 0: expected at least two axes, got rank ", a.rank()));
    const bool in_place = same_place(out.view(), a);
    const MovedResult result(out, a.shape(), a.dtype(), in_place ? TensorView() : a);
    const TensorView& to = result.view();
    if (to.numel() == 0) return;
    // Of many small matrices, each block is cleared while a cache has it.
    const std::size_t row = to.shape().size() - 2, column = row + 1;
    const bool by_rows = std::abs(to.strides()[row]) >= std::abs(to.strides()[column]);
    const std::size_t outer = by_rows ? row : column;
    in_blocks(to, outer, to.shape()[outer], std::uint64_t{3} << row, [&](const Block& block) {
      const TensorView part = block.of(to);
      if (!in_place) copy_part(part, block.of(a));
      OtherTriangle(part, upper, k).clear();
    });
  });
}

void check_count(std::int64_t count, const char* what) {
  if (count < 0) fail(ErrorCode::shape, text(what, ": expected at least 0, got ", count));
}

}  // namespace

void tril_out(const Output& out, const TensorView& a, std::int64_t k) {
  run_triangle("tril", out, a, false, k);
}
void triu_out(const Output& out, const TensorView& a, std::int64_t k) {
  run_triangle("triu", out, a, true, k);
}
void eye_out(const Output& out, std::int64_t rows, std::optional<std::int64_t> columns,
             std::int64_t k) {
  with_operation("eye", [&] {
    check_count(rows, "rows");
    check_count(columns.value_or(rows), "columns");
    const Result result(out, {rows, columns.value_or(rows)}, ScalarType::f32);
    const TensorView& to = result.view();
    const NumberElement zero(false, to.dtype(), "0"), one(true, to.dtype(), "1");
    copy_part(to, zero.view());
    copy_part(diagonal(to, k), one.view());
  });
}

Tensor tril(const TensorView& a, std::int64_t k) {
  Tensor out;
  tril_out(out, a, k);
  return out;
}
Tensor triu(const TensorView& a, std::int64_t k) {
  Tensor out;
  triu_out(out, a, k);
  return out;
}
Tensor eye(std::int64_t rows, std::optional<std::int64_t> columns, std::int64_t k,
           ScalarType type) {
  Tensor out = Tensor::empty({0, 0}, type);
  eye_out(out, rows, columns, k);
  return out;
}

}  // namespace v0
}  // namespace weft
