// SPDX-License-Identifier: Apache-2.0
#include "engine/elementwise/run_estimate.hpp"

#include "engine/elementwise/small_estimate.hpp"
#include "engine/footprint.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace weft {
inline namespace v0 {
namespace {

constexpr std::int64_t max_ps = std::numeric_limits<std::int64_t>::max();

/// Between memory and the buffers of one operand, for all tiles.
std::int64_t moved_ps(const TilePlan& plan, const Geometry& geometry, int k, std::int64_t rows,
                      const Tuning& t) {
  const TileOperand& op = plan.operands[k];
  if (!op.has_chunk_buffer() && op.access != Access::staged) return 0;
  const std::int64_t elements = op.one_per_row ? rows : geometry.numel();
  const std::int64_t vectors = elements * op.buffer_bytes() / priced_bytes;
  const std::int64_t step = std::abs(geometry.stride(0, k));
  const bool dense = !op.pack || step == op.memory_size || step == 0;
  return t.buffer_ps + plan.count * t.call_ps +
         (op.is_transposed() ? vectors * t.transposed_ps
          : dense            ? moved_rows_ps(rows, t) + vectors * t.vector_ps
                             : elements * t.gathered_ps);
}

/// Lines that go through the caches: an output's come and go, unless they are streamed.
std::int64_t line_bytes(const TilePlan& plan, const TensorIterator& iter) {
  std::int64_t bytes = 0;
  for (int k = 0; k < iter.ntensors(); ++k) {
    const TileOperand& op = plan.operands[k];
    const bool twice = op.is_output && !op.is_streamed() && !op.streams_blocks;
    bytes += bytes_touched(iter, k) * (twice ? 2 : 1);
  }
  return bytes;
}

}  // namespace

std::int64_t estimate_ps(const SimpleRun& run, const TensorIterator& iter, const SpanKernel& kernel,
                         const Tuning& t) {
  std::int64_t ps = t.call_ps;
  if (iter.ndim() > 0) {
    std::int64_t sizes[max_operands];
    for (int k = 0; k < iter.ntensors(); ++k)
      sizes[k] = element_size(kernel.types[k]);
    const SmallRows layout(iter.geometry(), sizes);
    const SmallEstimate estimate(iter.geometry(), layout, sizes, kernel, t);
    ps = run.strategy == Strategy::rows           ? estimate.rows()
         : run.strategy == Strategy::strided_rows ? estimate.strided_rows()
         : run.strategy == Strategy::elements
             ? estimate.elements()
             : estimate.span(run.buffered(), SmallSpans(iter.geometry(), layout, sizes).transposed,
                             max_ps);
  }
  return std::max(ps, fetch_ps(bytes_touched(iter), t));
}

std::int64_t estimate_ps(const TilePlan& plan, const TensorIterator& iter, const SpanKernel& kernel,
                         const Tuning& t) {
  const Geometry& geometry = iter.geometry();
  const std::int64_t rows = geometry.numel() / plan.row_elements;
  std::int64_t ps = t.tiles_ps + plan.count * t.call_ps;
  if (plan.is_strided()) {
    ps += rows * t.strided_row_ps + 2 * geometry.numel() * iter.ntensors() * t.strided_ps;
  } else {
    std::int64_t sizes = 0, moving = 0;
    for (const TileOperand& op : plan.operands) {
      sizes |= op.kernel_size;
      moving |= op.is_value() ? 0 : op.kernel_size;
    }
    ps += SpanPrices(kernel, t, sizes, moving).spans(plan.row_elements, rows);
  }
  for (int k = 0; k < iter.ntensors(); ++k)
    ps += moved_ps(plan, geometry, k, rows, t);
  return std::max(ps, fetch_ps(line_bytes(plan, iter), t));
}

Strategies candidates(const TensorIterator& iter, const SpanKernel& kernel, const Tuning& tuning) {
  Strategies found;
  for (int i = 0; i < strategy_count; ++i) {
    const auto wanted = static_cast<Strategy>(i);
    if (wanted == Strategy::automatic) continue;
    if (const SimpleRun simple = force_simple(iter, kernel, tuning, wanted);
        simple.strategy == wanted) {
      found.push_back(estimated(wanted, estimate_ps(simple, iter, kernel, tuning)));
    } else if (iter.ndim() > 0) {
      const TilePlan plan = plan_tiles(iter, kernel, tuning, {}, wanted);
      if (plan.strategy == wanted)
        found.push_back(estimated(wanted, estimate_ps(plan, iter, kernel, tuning)));
    }
  }
  return found;
}

}  // namespace v0
}  // namespace weft
