// SPDX-License-Identifier: Apache-2.0
/// @file
/// Rows of matrices in dense buffers, as the product kernels read and write them.
#pragma once

#include "kernels/stage/stage.hpp"
#include "linalg/run_product.hpp"

#include <algorithm>
#include <cstring>

namespace weft {
inline namespace v0 {

/// Moves rows between a matrix and a dense buffer of the type in which its products are added up.
class RowStaging {
 public:
  explicit RowStaging(ScalarType type)
      : size_(element_size(type)),
        sum_size_(element_size(product_type(type))),
        is_narrow_(product_type(type) != type),
        copy_(copy_block_kernel(size_)),
        widen_(convert_kernel(product_type(type), type)),
        narrow_(convert_kernel(type, product_type(type))) {}

  /// Bytes of an element of the buffer.
  std::int64_t sum_size() const { return sum_size_; }
  /// Bytes of another buffer, through which rows of a narrow type pass; 0 of others.
  std::int64_t narrow_bytes() const { return is_narrow_ ? max_rows * max_width * size_ : 0; }
  /// A buffer as a matrix with rows of `width` elements.
  MatrixAt dense(char* buffer, std::int64_t width) const {
    return {buffer, width * sum_size_, sum_size_};
  }

  /// Rows of the buffer have `width` elements, at most max_width; those beyond the columns are 0.
  /// `narrow` has narrow_bytes().
  void load(char* to, std::int64_t width, const MatrixAt& from, std::int64_t rows,
            std::int64_t columns, char* narrow) const {
    if (columns == 0) return;
    if (!is_narrow_) {
      if (columns < width) std::memset(to, 0, static_cast<std::size_t>(rows * width * size_));
      copy_(to, size_, width * size_, from.data, from.column_step, from.row_step, columns, rows);
      return;
    }
    if (converts_rows(from, columns) && columns == width) {
      for (std::int64_t i = 0; i < rows; ++i)
        widen_(to + i * width * sum_size_, from.from(i, 0).data, columns);
      return;
    }
    if (columns < width) std::memset(narrow, 0, static_cast<std::size_t>(max_rows * width * size_));
    for (std::int64_t i = 0; i < rows; i += max_rows) {
      const std::int64_t count = std::min(max_rows, rows - i);
      copy_(narrow, size_, width * size_, from.from(i, 0).data, from.column_step, from.row_step,
            columns, count);
      widen_(to + i * width * sum_size_, narrow, count * width);
    }
  }

  /// Takes at most max_rows rows of at most max_width columns, which are all of the buffer.
  /// `narrow` as of load().
  void store(const MatrixAt& to, const char* from, std::int64_t rows, std::int64_t columns,
             char* narrow) const {
    if (is_narrow_ && converts_rows(to, columns)) {
      for (std::int64_t i = 0; i < rows; ++i)
        narrow_(to.from(i, 0).data, from + i * columns * sum_size_, columns);
      return;
    }
    if (is_narrow_) {
      narrow_(narrow, from, rows * columns);
      from = narrow;
    }
    copy_(to.data, to.column_step, to.row_step, from, size_, columns * size_, columns, rows);
  }

  static constexpr std::int64_t max_rows = 32, max_width = 512;

 private:
  /// Whether rows of a narrow type are worth a conversion each.
  bool converts_rows(const MatrixAt& m, std::int64_t columns) const {
    constexpr std::int64_t min_columns = 64;
    return m.column_step == size_ && columns >= min_columns;
  }

  std::int64_t size_, sum_size_;
  bool is_narrow_;
  CopyBlockFn copy_;
  ConvertFn widen_, narrow_;
};

}  // namespace v0
}  // namespace weft
