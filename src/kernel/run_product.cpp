// SPDX-License-Identifier: Apache-2.0
#include "kernel/run_product.hpp"

#include <weft/base/checked.hpp>
#include <weft/core/tensor.hpp>
#include <weft/parallel/parallel.hpp>

#include "kernels/stage/stage.hpp"

#include <algorithm>

namespace weft::inline v0 {
namespace {

/// Multiplications that are worth a thread of their own: about ten microseconds.
constexpr double worth_a_thread = 1 << 19;
/// Up to so many rows, a matrix whose rows are dense is read in place: each element is needed once.
constexpr std::int64_t few_rows = 8;

// Buffers of staged rows, on the stack. All counts are multiples of the panels' widths and of
// product_run, so that staging does not touch the order of additions.
constexpr std::int64_t staged_rows = 32;
constexpr std::int64_t left_bytes = 1 << 16;
constexpr std::int64_t sums_bytes = 1 << 15;

/// A product whose right side is in panels, or lies like panels.
struct PanelProduct {
  ScalarType type;
  const ProductKernel* kernel;
  ProductShape shape;
  MatrixAt c, a, start;
  const char* b;
  std::int64_t b_depth_step, b_panel_step;

  std::int64_t size() const { return element_size(type); }
  std::int64_t width() const { return kernel->panel_columns; }
  bool is_narrow() const { return product_type(type) != type; }

  bool dense(const MatrixAt& m) const { return m.column_step == size() && !is_narrow(); }
  bool takes_left() const {
    if (is_narrow()) return false;
    constexpr std::int64_t few_panels = 2;
    return a.column_step == size() || shape.depth <= 1 || shape.rows == 1 ||
           shape.columns <= few_panels * width();
  }
  bool takes_start() const { return start.data == nullptr || dense(start); }

  void run() const;

 private:
  /// On this thread.
  void run_here() const;
};

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
        few_rows);
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

void run_plain(PlainProductFn multiply, const ProductShape& shape, const MatrixAt& c,
               const MatrixAt& a, const MatrixAt& b) {
  const double line = 8.0 * static_cast<double>(shape.columns) *
                      static_cast<double>(std::max<std::int64_t>(shape.depth, 1));
  parallel_for(shape.rows, product_grain(line), [&](std::int64_t begin, std::int64_t end) {
    multiply({.rows = end - begin,
              .columns = shape.columns,
              .depth = shape.depth,
              .a = a.row(begin),
              .a_row_step = a.row_step,
              .a_depth_step = a.column_step,
              .b = b.data,
              .b_depth_step = b.row_step,
              .b_column_step = b.column_step,
              .c = c.row(begin),
              .c_row_step = c.row_step,
              .c_column_step = c.column_step});
  });
}

/// c = a · b for f32 and f64 (and halves), packing some columns of b at a time.
void run_packing(ScalarType type, const ProductShape& shape, const MatrixAt& c, const MatrixAt& a,
                 const MatrixAt& b, const MatrixAt& start) {
  constexpr std::int64_t most_bytes = 1 << 20;
  constexpr std::int64_t on_stack = 1 << 14;
  const std::int64_t width = product_kernel(product_type(type))->panel_columns;
  const std::int64_t panel = panels_bytes(type, shape.depth, width);
  const std::int64_t step =
      width * std::max<std::int64_t>(most_bytes / std::max<std::int64_t>(panel, 1), 1);
  const std::int64_t most = std::min(step, shape.columns);
  const std::int64_t bytes = panels_bytes(type, shape.depth, most);
  alignas(64) char small[on_stack];
  Tensor large;
  char* panels = small;
  if (bytes > on_stack) {
    large = Tensor::empty({bytes}, ScalarType::u8);
    panels = static_cast<char*>(large.data());
  }
  for (std::int64_t j = 0; j < shape.columns; j += most) {
    const ProductShape part{shape.rows, std::min(most, shape.columns - j), shape.depth};
    pack_panels(type, panels, b.from_column(j), shape.depth, part.columns);
    run_packed_product(type, part, c.from_column(j), a, panels, start.from_column(j));
  }
}

/// The operands of a product whose right side lies in any way.
struct Unpacked {
  ProductShape shape;
  MatrixAt c, a, b, start;

  /// c^T = start^T + b^T a^T, which has the same sums.
  Unpacked transposed() const {
    return {{shape.columns, shape.rows, shape.depth},
            c.transposed(),
            b.transposed(),
            a.transposed(),
            start.transposed()};
  }
};

void run_unpacked(ScalarType type, Unpacked p) {
  const std::int64_t size = element_size(type);
  const std::int64_t width = product_kernel(product_type(type))->panel_columns;
  // Transposed where that writes dense rows, or where there would be less than half a panel.
  const bool dense_rows = p.shape.columns == 1 || p.c.column_step == size;
  const bool dense_columns = p.shape.rows == 1 || p.c.row_step == size;
  const bool is_narrow = 2 * p.shape.columns <= width && p.shape.rows > p.shape.columns;
  if (dense_columns && (!dense_rows || is_narrow)) p = p.transposed();
  if (p.shape.columns == 1) p.c.column_step = size;
  if (p.shape.depth == 1) p.a.column_step = size;
  if (p.shape.rows > few_rows || p.b.column_step != size || product_type(type) != type) {
    run_packing(type, p.shape, p.c, p.a, p.b, p.start);
    return;
  }
  // Few rows: whole panels are read where they lie.
  const std::int64_t whole = p.shape.columns / width * width;
  PanelProduct{.type = type,
               .kernel = product_kernel(type),
               .shape = {p.shape.rows, whole, p.shape.depth},
               .c = p.c,
               .a = p.a,
               .start = p.start,
               .b = p.b.data,
               .b_depth_step = p.b.row_step,
               .b_panel_step = width * size}
      .run();
  if (whole == p.shape.columns) return;
  run_packing(type, {p.shape.rows, p.shape.columns - whole, p.shape.depth}, p.c.from_column(whole),
              p.a, p.b.from_column(whole), p.start.from_column(whole));
}

}  // namespace

std::int64_t product_grain(double multiplications) noexcept {
  if (multiplications >= worth_a_thread) return 1;
  return static_cast<std::int64_t>(worth_a_thread / std::max(multiplications, 1.0));
}

void run_packed_product(ScalarType type, const ProductShape& shape, const MatrixAt& c,
                        const MatrixAt& a, const char* panels, const MatrixAt& start) {
  const ScalarType sums = product_type(type);
  const ProductKernel* kernel = product_kernel(sums);
  const std::int64_t row = kernel->panel_columns * element_size(sums);
  PanelProduct{.type = type,
               .kernel = kernel,
               .shape = shape,
               .c = c,
               .a = a,
               .start = start,
               .b = panels,
               .b_depth_step = row,
               .b_panel_step = row * shape.depth}
      .run();
}

void run_product(ScalarType type, const ProductShape& shape, const MatrixAt& c, const MatrixAt& a,
                 const MatrixAt& b, const MatrixAt& start) {
  if (shape.rows == 0 || shape.columns == 0) return;
  if (const PlainProductFn plain = plain_product_kernel(type)) {
    run_plain(plain, shape, c, a, b);
  } else {
    run_unpacked(type, {shape, c, a, b, start});
  }
}

void run_offered_product(const ProductProvider* provider, ScalarType type,
                         const ProductShape& shape, const MatrixAt& c, const MatrixAt& a,
                         const MatrixAt& b, const MatrixAt& start) {
  const std::int64_t size = element_size(type);
  const MatrixProduct product{.type = type,
                              .rows = shape.rows,
                              .columns = shape.columns,
                              .depth = shape.depth,
                              .a = a.data,
                              .a_row_stride = a.row_step / size,
                              .a_depth_stride = a.column_step / size,
                              .b = b.data,
                              .b_depth_stride = b.row_step / size,
                              .b_column_stride = b.column_step / size,
                              .c = c.data,
                              .c_row_stride = c.row_step / size,
                              .c_column_stride = c.column_step / size,
                              .start = start.data,
                              .start_row_stride = start.row_step / size,
                              .start_column_stride = start.column_step / size};
  if (provider != nullptr && provider->multiply(product)) return;
  run_product(type, shape, c, a, b, start);
}

}  // namespace weft::inline v0
