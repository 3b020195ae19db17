// SPDX-License-Identifier: Apache-2.0
// Products of f16, bf16, f32 and f64 whose right side is in panels, or lies like panels: shared
// among threads, and by way of buffers where an operand does not lie as the kernels read it.
#include <weft/base/checked.hpp>
#include <weft/parallel/parallel.hpp>

#include "linalg/row_staging.hpp"
#include "machine/scratch_memory.hpp"
#include "parallel/thread_worth.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

/// Threads take whole tiles of rows.
constexpr std::int64_t row_align = 8;
// Buffers of staged rows. All counts are multiples of the panels' widths and of product_run, so
// that staging does not touch the order of additions.
constexpr std::int64_t left_bytes = 1 << 16;
constexpr std::int64_t sums_bytes = 1 << 15;

/// A product on this thread, with the left side, the result, or both in buffers where the kernels
/// can't use them in place.
class StagedProduct {
 public:
  StagedProduct(const ProductAt& product, const ProductKernel& kernel)
      : p_(product),
        kernel_(kernel),
        is_narrow_(product_type(product.type) != product.type),
        stages_left_(!takes_left()),
        stages_start_(p_.start.data != nullptr && !is_dense(p_.start)),
        stages_result_(stages_start_ || !is_dense(p_.c)) {}

  void run() const {
    if (stages_left_ || stages_result_) {
      run_blocks();
    } else {
      const ScratchMemory between(kernel_.bytes_between(p_.depth));
      kernel_.multiply(p_, between.data());
    }
  }

 private:
  struct Buffers {
    Buffers(ScalarType type, std::int64_t bytes_between)
        : staging(type),
          scratch(left_bytes + sums_bytes + bytes_between + staging.narrow_bytes()),
          narrow(between + bytes_between) {}

    RowStaging staging;
    ScratchMemory scratch;
    char* const left = scratch.data();
    char* const sums = left + left_bytes;
    char* const between = sums + sums_bytes;
    char* const narrow;
  };

  bool is_dense(const MatrixAt& m) const {
    return m.column_step == element_size(p_.type) && !is_narrow_;
  }
  bool takes_left() const {
    constexpr std::int64_t few_panels = 2;
    return !is_narrow_ && (is_dense(p_.a) || p_.depth <= 1 || p_.rows == 1 ||
                           p_.columns <= few_panels * kernel_.panel_columns);
  }

  void run_blocks() const {
    Buffers buffers(p_.type, kernel_.bytes_between(p_.depth));
    constexpr std::int64_t row_count = RowStaging::max_rows;
    const std::int64_t sum_size = buffers.staging.sum_size();
    const std::int64_t column_count =
        stages_result_ ? sums_bytes / (row_count * sum_size) : p_.columns;
    const std::int64_t slab = stages_left_ ? left_bytes / (row_count * sum_size) : p_.depth;
    for (std::int64_t i = 0; i < p_.rows; i += row_count) {
      for (std::int64_t j = 0; j < p_.columns; j += column_count) {
        run_block(
            p_.part(i, std::min(row_count, p_.rows - i), j, std::min(column_count, p_.columns - j)),
            slab, buffers);
      }
    }
  }

  /// By slabs of the depth, each of which starts from the sums of those before.
  void run_block(ProductAt block, std::int64_t slab, Buffers& buffers) const {
    const RowStaging& staging = buffers.staging;
    const MatrixAt c = block.c;
    const MatrixAt a = block.a;
    const MatrixAt b = block.b;
    if (stages_result_) block.c = staging.dense(buffers.sums, block.columns);
    if (stages_start_) {
      staging.load(buffers.sums, block.columns, block.start, block.rows, block.columns,
                   buffers.narrow);
      block.start = block.c;
    }
    std::int64_t k = 0;
    do {
      block.depth = std::min(slab, p_.depth - k);
      block.a = a.from(0, k);
      block.b = b.from(k, 0);
      if (stages_left_) {
        staging.load(buffers.left, block.depth, block.a, block.rows, block.depth, buffers.narrow);
        block.a = staging.dense(buffers.left, block.depth);
      }
      kernel_.multiply(block, buffers.between);
      block.start = block.c;
      k += block.depth;
    } while (k < p_.depth);
    if (stages_result_) staging.store(c, buffers.sums, block.rows, block.columns, buffers.narrow);
  }

  const ProductAt& p_;
  const ProductKernel& kernel_;
  bool is_narrow_, stages_left_, stages_start_, stages_result_;
};

}  // namespace

void run_panel_product(const ProductAt& p, const ProductKernel& kernel) {
  if (p.rows == 0 || p.columns == 0) return;
  const double ns = product_time_ns(p);
  if (ns <= worth_a_thread_ns()) return StagedProduct(p, kernel).run();
  const auto run = [&](std::int64_t count, std::int64_t align, const auto& part) {
    parallel_for(
        count, pieces_worth_a_thread(ns / static_cast<double>(count)),
        [&](std::int64_t begin, std::int64_t end) {
          StagedProduct(part(begin, end), kernel).run();
        },
        align);
  };
  const std::int64_t width = kernel.panel_columns;
  const std::int64_t panels = ceil_div(p.columns, width);
  if (p.rows > panels * width) {
    run(p.rows, row_align, [&](std::int64_t begin, std::int64_t end) {
      return p.part(begin, end - begin, 0, p.columns);
    });
  } else {
    run(panels, 1, [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t first = begin * width;
      return p.part(0, p.rows, first, std::min(end * width, p.columns) - first);
    });
  }
}

}  // namespace v0
}  // namespace weft
