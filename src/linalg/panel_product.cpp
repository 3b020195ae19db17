// SPDX-License-Identifier: Apache-2.0
#include "linalg/panel_product.hpp"

#include <weft/base/checked.hpp>
#include <weft/parallel/parallel.hpp>

#include "kernels/stage/stage.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

/// Threads take whole tiles of rows.
constexpr std::int64_t row_align = 8;
/// Multiplications that are worth a thread of their own: ten to twenty microseconds, as waking one
/// takes.
constexpr double worth_a_thread = 1 << 20;
// Buffers of staged rows, on the stack. All counts are multiples of the panels' widths and of
// product_run, so that staging does not touch the order of additions.
constexpr std::int64_t staged_rows = 32;
constexpr std::int64_t left_bytes = 1 << 16;
constexpr std::int64_t sums_bytes = 1 << 15;

/// Rows and columns of a product by way of buffers: the left side, the result, or both.
class StagedProduct {
 public:
  explicit StagedProduct(const PanelProduct& product)
      : p_(product),
        sum_size_(element_size(product_type(product.type))),
        left_(!product.takes_left()),
        result_(!product.dense(product.c) || !product.takes_start()),
        copy_(copy_block_kernel(product.size())),
        widen_(convert_kernel(product_type(product.type), product.type)),
        narrow_(convert_kernel(product.type, product_type(product.type))) {}

  void run() {
    const std::int64_t columns =
        result_ ? sums_bytes / (staged_rows * sum_size_) : p_.shape.columns;
    for (std::int64_t i = 0; i < p_.shape.rows; i += staged_rows) {
      const std::int64_t rows = std::min(staged_rows, p_.shape.rows - i);
      for (std::int64_t j = 0; j < p_.shape.columns; j += columns)
        block(i, rows, j, std::min(columns, p_.shape.columns - j));
    }
  }

 private:
  void block(std::int64_t i, std::int64_t rows, std::int64_t j, std::int64_t columns) {
    const MatrixAt start = at(p_.start, i, j);
    const MatrixAt c = at(p_.c, i, j);
    ProductBlock block{};
    block.rows = rows;
    block.columns = columns;
    block.c = result_ ? sums_ : c.data;
    block.c_row_step = result_ ? columns * sum_size_ : c.row_step;
    block.start = start.data;
    block.start_row_step = start.row_step;
    if (result_ && start.data != nullptr && !p_.takes_start()) {
      to_buffer(sums_, start, rows, columns);
      block.start = sums_;
      block.start_row_step = block.c_row_step;
    }
    const std::int64_t slab = left_ ? left_bytes / (staged_rows * sum_size_) : p_.shape.depth;
    for (std::int64_t k = 0;;) {
      block.depth = std::min(slab, p_.shape.depth - k);
      const MatrixAt a = at(p_.a, i, k);
      block.a = left_ ? left_buffer_ : a.data;
      block.a_row_step = left_ ? block.depth * sum_size_ : a.row_step;
      block.a_depth_step = left_ ? sum_size_ : a.column_step;
      if (left_) to_buffer(left_buffer_, a, rows, block.depth);
      block.b = p_.b + k * p_.b_depth_step + j / p_.width() * p_.b_panel_step;
      block.b_depth_step = p_.b_depth_step;
      block.b_panel_step = p_.b_panel_step;
      p_.kernel->multiply(block);
      k += block.depth;
      if (k >= p_.shape.depth) break;
      block.start = block.c;
      block.start_row_step = block.c_row_step;
    }
    if (result_) from_buffer(c, rows, columns);
  }

  static MatrixAt at(const MatrixAt& m, std::int64_t i, std::int64_t j) {
    if (m.data == nullptr) return m;
    return {m.data + i * m.row_step + j * m.column_step, m.row_step, m.column_step};
  }

  /// Rows into a dense buffer of the type of the sums.
  void to_buffer(char* to, const MatrixAt& from, std::int64_t rows, std::int64_t columns) {
    if (columns == 0) return;
    const std::int64_t size = p_.size();
    if (!p_.is_narrow()) {
      copy_(to, size, columns * size, from.data, from.column_step, from.row_step, columns, rows);
    } else if (from.column_step == size) {
      for (std::int64_t i = 0; i < rows; ++i)
        widen_(to + i * columns * sum_size_, from.row(i), columns);
    } else {
      copy_(halves_, size, columns * size, from.data, from.column_step, from.row_step, columns,
            rows);
      widen_(to, halves_, rows * columns);
    }
  }
  void from_buffer(const MatrixAt& to, std::int64_t rows, std::int64_t columns) {
    const std::int64_t size = p_.size();
    const char* dense = sums_;
    if (p_.is_narrow()) {
      if (to.column_step == size) {
        for (std::int64_t i = 0; i < rows; ++i)
          narrow_(to.row(i), sums_ + i * columns * sum_size_, columns);
        return;
      }
      narrow_(halves_, sums_, rows * columns);
      dense = halves_;
    }
    copy_(to.data, to.column_step, to.row_step, dense, size, columns * size, columns, rows);
  }

  const PanelProduct& p_;
  std::int64_t sum_size_;
  bool left_, result_;
  CopyBlockFn copy_;
  ConvertFn widen_, narrow_;
  alignas(64) char left_buffer_[left_bytes];
  alignas(64) char sums_[sums_bytes];
  alignas(64) char halves_[left_bytes / 2];
};

}  // namespace

std::int64_t product_grain(double multiplications) noexcept {
  if (multiplications >= worth_a_thread) return 1;
  return static_cast<std::int64_t>(worth_a_thread / std::max(multiplications, 1.0));
}

void PanelProduct::run_here() const {
  if (!takes_left() || !dense(c) || !takes_start()) {
    StagedProduct(*this).run();
    return;
  }
  kernel->multiply({.rows = shape.rows,
                    .columns = shape.columns,
                    .depth = shape.depth,
                    .a = a.data,
                    .a_row_step = a.row_step,
                    .a_depth_step = a.column_step,
                    .b = b,
                    .b_depth_step = b_depth_step,
                    .b_panel_step = b_panel_step,
                    .c = c.data,
                    .c_row_step = c.row_step,
                    .start = start.data,
                    .start_row_step = start.row_step});
}

void PanelProduct::run() const {
  if (shape.rows == 0 || shape.columns == 0) return;
  const double depth = static_cast<double>(std::max<std::int64_t>(shape.depth, 1));
  const double elements = static_cast<double>(shape.rows) * static_cast<double>(shape.columns);
  if (elements * depth < 2 * worth_a_thread) {
    run_here();
    return;
  }
  const std::int64_t panels = ceil_div(shape.columns, width());
  if (shape.rows > panels * width()) {
    const double line = depth * static_cast<double>(shape.columns);
    parallel_for(
        shape.rows, product_grain(line),
        [&](std::int64_t begin, std::int64_t end) {
          PanelProduct part = *this;
          part.shape.rows = end - begin;
          part.a.data = a.row(begin);
          part.c.data = c.row(begin);
          part.start.data = start.row(begin);
          part.run_here();
        },
        row_align);
    return;
  }
  const double line = depth * static_cast<double>(shape.rows * width());
  parallel_for(panels, product_grain(line), [&](std::int64_t begin, std::int64_t end) {
    PanelProduct part = *this;
    const std::int64_t first = begin * width();
    part.shape.columns = std::min(end * width(), shape.columns) - first;
    part.b = b + begin * b_panel_step;
    part.c.data = c.column(first);
    part.start.data = start.column(first);
    part.run_here();
  });
}

}  // namespace v0
}  // namespace weft
