// SPDX-License-Identifier: Apache-2.0
#include "linalg/run_product.hpp"

#include <weft/core/tensor.hpp>
#include <weft/parallel/parallel.hpp>

#include "engine/footprint.hpp"
#include "machine/scratch_memory.hpp"
#include "parallel/thread_worth.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

/// Up to so many rows, a matrix whose rows are dense is read in place: each element is needed once.
constexpr std::int64_t few_rows = 8;

bool is_taken(const ProductProvider& provider, const ProductAt& p) {
  const std::int64_t size = element_size(p.type);
  return provider.multiply({.type = p.type,
                            .rows = p.rows,
                            .columns = p.columns,
                            .depth = p.depth,
                            .a = p.a.data,
                            .a_row_stride = p.a.row_step / size,
                            .a_depth_stride = p.a.column_step / size,
                            .b = p.b.data,
                            .b_depth_stride = p.b.row_step / size,
                            .b_column_stride = p.b.column_step / size,
                            .c = p.c.data,
                            .c_row_stride = p.c.row_step / size,
                            .c_column_stride = p.c.column_step / size,
                            .start = p.start.data,
                            .start_row_stride = p.start.row_step / size,
                            .start_column_stride = p.start.column_step / size});
}

/// Some rows at a time, by a kernel without panels.
void run_plain(PlainProductFn multiply, const ProductAt& product) {
  const double row_ns = product_time_ns(product) / static_cast<double>(product.rows);
  parallel_for(product.rows, pieces_worth_a_thread(row_ns),
               [&](std::int64_t begin, std::int64_t end) {
                 multiply(product.part(begin, end - begin, 0, product.columns));
               });
}

/// Packs some columns of b at a time.
void run_packing(const ProductAt& p) {
  constexpr std::int64_t max_bytes = 1 << 20;
  const std::int64_t width = panel_columns(p.type);
  const std::int64_t panel = std::max<std::int64_t>(panels_bytes(p.type, p.depth, width), 1);
  const std::int64_t step =
      std::min(p.columns, width * std::max<std::int64_t>(max_bytes / panel, 1));
  const std::int64_t bytes = panels_bytes(p.type, p.depth, step);
  const bool is_large = bytes > scratch_block_bytes;
  SmallScratch scratch(is_large ? 0 : bytes);
  const Tensor large = is_large ? Tensor::empty({bytes}, ScalarType::u8) : Tensor();
  char* const panels = is_large ? static_cast<char*>(large.data()) : scratch.data();
  for (std::int64_t j = 0; j < p.columns; j += step) {
    ProductAt part = p.part(0, p.rows, j, std::min(step, p.columns - j));
    pack_panels(p.type, panels, part.b, p.depth, part.columns);
    part.b = packed_panels(p.type, panels, p.depth);
    run_panel_product(part, *product_kernel(product_type(p.type)));
  }
}

/// So many multiplications take no longer one by one than packing does before the first.
constexpr double few_multiplications = 100;

/// Whether a product has so few columns that the kernel takes them together, as they lie.
bool has_few_columns(const ProductAt& p, const ProductKernel& kernel) {
  const std::int64_t size = element_size(p.type);
  return p.depth <= product_run && p.columns <= kernel.narrow_columns && p.b.column_step == size &&
         p.c.column_step == size && (p.start.data == nullptr || p.start.column_step == size);
}

/// A product of a floating type.
void run_unpacked(ProductAt p) {
  const std::int64_t size = element_size(p.type);
  const std::int64_t width = panel_columns(p.type);
  // Transposed where that writes dense rows, or where there would be less than half a panel.
  const bool dense_rows = p.columns == 1 || p.c.column_step == size;
  const bool dense_columns = p.rows == 1 || p.c.row_step == size;
  const bool is_narrow = 2 * p.columns <= width && p.rows > p.columns;
  if (dense_columns && (!dense_rows || is_narrow)) p = p.transposed();
  if (p.columns == 1) p.c.column_step = size;
  if (p.depth == 1) p.a.column_step = size;
  std::int64_t in_place = 0;
  if (p.rows <= few_rows && p.b.column_step == size && product_type(p.type) == p.type) {
    // Few rows: whole panels are read where they lie.
    in_place = p.columns / width * width;
    run_panel_product(p.part(0, p.rows, 0, in_place), *product_kernel(p.type));
  }
  if (in_place == p.columns) return;
  const ProductAt rest = p.part(0, p.rows, in_place, p.columns - in_place);
  if (product_type(p.type) == p.type) {
    const ProductKernel& kernel = *product_kernel(p.type);
    if (rest.multiplications() <= few_multiplications) return kernel.multiply_few(rest);
    if (has_few_columns(rest, kernel)) return run_plain(kernel.multiply_few, rest);
  }
  run_packing(rest);
}

}  // namespace

double product_time_ns(const ProductAt& p) noexcept {
  constexpr double most_bytes = 1e11;  // whose price in picoseconds an integer holds
  const double bytes = static_cast<double>(p.depth) * static_cast<double>(p.columns) *
                       static_cast<double>(element_size(product_type(p.type)));
  const auto fetched = static_cast<std::int64_t>(std::min(bytes, most_bytes));
  const double multiplication_ns = is_floating(p.type) ? product_ns : plain_product_ns;
  return p.multiplications() * multiplication_ns +
         static_cast<double>(fetch_ps(fetched, tuning())) / 1000;
}

void run_product(const ProductAt& product, const ProductProvider* provider) {
  if (provider != nullptr && is_taken(*provider, product)) return;
  if (product.rows == 0 || product.columns == 0) return;
  if (const PlainProductFn plain = plain_product_kernel(product.type)) {
    run_plain(plain, product);
  } else {
    run_unpacked(product);
  }
}

}  // namespace v0
}  // namespace weft
