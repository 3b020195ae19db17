// SPDX-License-Identifier: Apache-2.0
#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>
#include <weft/parallel/parallel.hpp>

#include "kernels/stage/stage.hpp"
#include "linalg/run_product.hpp"

#include <algorithm>
#include <cstring>

namespace weft {
inline namespace v0 {

ScalarType product_type(ScalarType type) noexcept {
  return is_floating(type) && element_size(type) == 2 ? ScalarType::f32 : type;
}

std::int64_t panels_bytes(ScalarType type, std::int64_t depth, std::int64_t columns) {
  const ScalarType sums = product_type(type);
  const std::int64_t width = product_kernel(sums)->panel_columns;
  std::int64_t bytes = 0;
  if (!checked_mul(ceil_div(columns, width), width * element_size(sums), bytes) ||
      !checked_mul(bytes, depth, bytes)) {
    fail(ErrorCode::overflow, "packed matrix: its size in bytes leaves 64 bits");
  }
  return bytes;
}

void pack_panels(ScalarType type, char* panels, const MatrixAt& b, std::int64_t depth,
                 std::int64_t columns) {
  const ScalarType sums = product_type(type);
  const std::int64_t from_size = element_size(type);
  const std::int64_t to_size = element_size(sums);
  const std::int64_t width = product_kernel(sums)->panel_columns;
  const CopyBlockFn copy = copy_block_kernel(from_size);
  const ConvertFn convert = type == sums ? nullptr : convert_kernel(sums, type);
  const auto pack = [&](std::int64_t panel) {
    const std::int64_t first = panel * width;
    const std::int64_t count = std::min(width, columns - first);
    char* to = panels + panel * depth * width * to_size;
    if (count < width) std::memset(to, 0, static_cast<std::size_t>(depth * width * to_size));
    const char* from = b.column(first);
    if (convert == nullptr) {
      copy(to, to_size, width * to_size, from, b.column_step, b.row_step, count, depth);
      return;
    }
    constexpr std::int64_t piece = 64;        // rows that are converted at a time
    alignas(64) char narrow[piece * 32 * 2];  // 16-bit elements
    std::memset(narrow, 0, sizeof(narrow));
    for (std::int64_t k = 0; k < depth; k += piece) {
      const std::int64_t rows = std::min(piece, depth - k);
      copy(narrow, from_size, width * from_size, from + k * b.row_step, b.column_step, b.row_step,
           count, rows);
      convert(to + k * width * to_size, narrow, rows * width);
    }
  };
  if (depth == 0) return;
  constexpr std::int64_t worth_a_thread = 1 << 18;  // bytes
  const std::int64_t grain = ceil_div(worth_a_thread, depth * width * to_size);
  parallel_for(ceil_div(columns, width), grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t panel = begin; panel < end; ++panel)
      pack(panel);
  });
}

}  // namespace v0
}  // namespace weft
