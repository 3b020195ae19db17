// SPDX-License-Identifier: Apache-2.0
#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>
#include <weft/parallel/parallel.hpp>

#include "linalg/row_staging.hpp"
#include "machine/scratch_memory.hpp"
#include "machine/tuning.hpp"
#include "parallel/thread_worth.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {

ScalarType product_type(ScalarType type) noexcept {
  return is_floating(type) && element_size(type) == 2 ? ScalarType::f32 : type;
}

std::int64_t panel_columns(ScalarType type) noexcept {
  return product_kernel(product_type(type))->panel_columns;
}

std::int64_t panels_bytes(ScalarType type, std::int64_t depth, std::int64_t columns) {
  const std::int64_t width = panel_columns(type);
  std::int64_t bytes = 0;
  if (!checked_mul(ceil_div(columns, width), width * element_size(product_type(type)), bytes) ||
      !checked_mul(bytes, depth, bytes)) {
    fail(ErrorCode::overflow, "packed matrix: its size in bytes leaves 64 bits");
  }
  return bytes;
}

void pack_panels(ScalarType type, char* panels, const MatrixAt& b, std::int64_t depth,
                 std::int64_t columns) {
  if (depth == 0) return;
  const RowStaging staging(type);
  const std::int64_t width = panel_columns(type);
  const std::int64_t panel_bytes = depth * width * staging.sum_size();
  const std::int64_t grain =
      pieces_worth_a_thread(copied_byte_ns * static_cast<double>(panel_bytes));
  parallel_for(ceil_div(columns, width), grain, [&](std::int64_t begin, std::int64_t end) {
    const ScratchMemory narrow(staging.narrow_bytes());
    for (std::int64_t panel = begin; panel < end; ++panel) {
      const std::int64_t first = panel * width;
      staging.load(panels + panel * panel_bytes, width, b.from(0, first), depth,
                   std::min(width, columns - first), narrow.data());
    }
  });
}

MatrixAt packed_panels(ScalarType type, char* panels, std::int64_t depth) noexcept {
  const ScalarType sums = product_type(type);
  const std::int64_t size = element_size(sums);
  return {panels, product_kernel(sums)->panel_columns * size, depth * size};
}

}  // namespace v0
}  // namespace weft
