// SPDX-License-Identifier: Apache-2.0
#include <weft/kernel/span_kernel.hpp>
#include <weft/machine/cpu_info.hpp>

#include "base/text.hpp"
#include "engine/check_kernel.hpp"
#include "engine/elementwise/converted_line.hpp"
#include "engine/elementwise/masked_spans.hpp"
#include "engine/elementwise/run_estimate.hpp"
#include "engine/elementwise/run_spans.hpp"
#include "engine/elementwise/tile_form.hpp"
#include "engine/elementwise/tile_prefetch.hpp"
#include "engine/footprint.hpp"
#include "engine/grain.hpp"
#include "engine/stage_buffers.hpp"
#include "iter/operand_name.hpp"
#include "parallel/loop_threads.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

/// Whether the block that a whole tile has of a staged operand is converted row by row, where it
/// lies.
bool converts_in_place(const TilePlan& plan, const Geometry& geometry, std::size_t k) {
  const TileOperand& t = plan.operands[k];
  if (t.access != Access::staged) return !t.pack;
  BlockDim dims[max_rank];
  int ndims = 0;
  for (int i = t.one_per_row ? plan.row_rank : 0; i < plan.tile_rank; ++i) {
    const TileStep& step = plan.steps[static_cast<std::size_t>(i)];
    append_dim(dims, ndims, {step.tile, geometry.stride(step.dim, static_cast<int>(k))});
  }
  return converts_rows(t, dims, ndims);
}

std::string access_name(const TilePlan& plan, const Geometry& geometry, std::size_t k) {
  const TileOperand& t = plan.operands[k];
  const char* const ahead = is_prefetched(plan, t) ? ", prefetched" : "";
  switch (t.access) {
    case Access::direct: return std::string("direct") + ahead;
    case Access::strided: return "direct: strided";
    case Access::broadcast: return t.constant ? "broadcast: cast" : "broadcast";
    case Access::streamed: return t.converts() ? "streamed: cast" : "streamed";
    case Access::streamed_in_place: return "direct, streamed";
    case Access::staged:
    case Access::chunked: break;
  }
  std::string how = "staged: ";
  if (t.converts() && converts_in_place(plan, geometry, k)) {
    how += "cast";
  } else {
    how += t.is_transposed() ? "transposed" : "packed";
    if (t.is_beside_another()) {
      const std::span all(plan.operands.data(), plan.operands.size());
      how += " with " + operand_name(all, static_cast<std::size_t>(t.beside));
    }
    if (t.converts()) how += ", cast";
  }
  return how + (t.streams_blocks ? ", streamed" : ahead);
}

/// In the same words.
std::string access_name(const SimpleRun& run, int k) {
  const bool cast = (run.cast >> k & 1) != 0;
  if ((run.broadcast >> k & 1) != 0) return cast ? "broadcast: cast" : "broadcast";
  if ((run.packed >> k & 1) != 0) return cast ? "staged: packed, cast" : "staged: packed";
  if (cast) return "staged: cast";
  if (run.strategy == Strategy::elements) return "direct: one by one";
  return run.strategy == Strategy::strided_rows ? "direct: strided" : "direct";
}

/// Why a run without tiles is taken.
std::string reason(const SimpleRun& run) {
  return run.strategy == Strategy::line ? "every operand is one dense row or one value"
                                        : "the least estimate for a few elements";
}

/// Why tiles are, by their form.
std::string reason(const TilePlan& plan, const TensorIterator& iter) {
  const std::int64_t extent = iter.geometry().extent(0);
  const std::string row = text("rows of ", extent, extent == 1 ? " element " : " elements ");
  const std::string streamed = plan.streams() ? ", results do not fit the last level" : "";
  switch (plain_form(plan.strategy)) {
    case Strategy::strided_tiles: return "stepping over elements costs less than packing them";
    case Strategy::gathered_tiles: return row + "are short";
    case Strategy::transposed_tiles: break;
    default: return row + "are long enough to be spans" + streamed;
  }
  std::size_t k = 0;
  while (!plan.operands[k].is_transposed())
    ++k;
  return text(operand_name(k, iter.noutputs()), " is dense along dim ", plan.operands[k].dense_dim,
              streamed);
}

}  // namespace

Explanation explain_run(const TensorIterator& iter, const SpanKernel& kernel,
                        const RunOptions& options) {
  return explain_run(iter, kernel, options, wanted_strategy(options, tuning()));
}

Explanation explain_run(const TensorIterator& iter, const SpanKernel& kernel,
                        const RunOptions& options, Strategy wanted) {
  check_options(options);
  check_elementwise(iter);
  check_kernel(iter, kernel.noutputs, kernel.ninputs, kernel.types);
  Explanation e = iter.explain();
  e.has_run = true;
  e.run.instruction_set = name(current_level());
  e.run.bytes_moved = bytes_touched(iter);
  if (iter.numel() == 0) return e;
  const Tuning& t = tuning();
  const Strategies possible = candidates(iter, kernel, t);
  e.run.candidates.assign(possible.begin(), possible.end());
  e.run.why = "asked for";
  if (const SimpleRun simple = plan_simple(iter, kernel, t, wanted);
      simple.strategy != Strategy::automatic) {
    e.run.strategy = simple.strategy;
    if (wanted == Strategy::automatic) e.run.why = reason(simple);
    for (int k = 0; k < iter.ntensors(); ++k)
      e.operands[static_cast<std::size_t>(k)].access = access_name(simple, k);
    const Geometry& g = iter.geometry();
    const std::int64_t rows = g.ndim() > 1 ? g.extent(dim_of_rows(simple.strategy, g, t)) : 1;
    e.run.span = e.run.tile[0] = iter.numel();
    e.run.tile[1] = 1;
    if (simple.strategy == Strategy::line && simple.cast != 0) {
      const TypeChanges changes = changes_of(iter, kernel);
      e.run.span = std::min(e.run.span, ConvertedLine(kernel, changes, simple.broadcast).part);
    }
    if (simple.strategy == Strategy::elements) {
      e.run.span = e.run.tile[0] = 1;
      e.run.tile[1] = std::max(g.extent(0), rows);
    } else if (simple.strategy == Strategy::rows || simple.strategy == Strategy::strided_rows) {
      e.run.span = e.run.tile[0] = g.extent(0);
      e.run.tile[1] = rows;
    }
    e.run.blocks = iter.numel() / (e.run.tile[0] * e.run.tile[1]);
    if (simple.is_shared)
      e.run.threads =
          loop_threads(iter.numel(), estimate_grain(iter, kernel.cost, options, 0), line_align);
    return e;
  }
  const TilePlan plan = plan_wanted_tiles(iter, kernel, t, options, wanted);
  e.run.strategy = plan.strategy;
  if (wanted == Strategy::automatic) e.run.why = reason(plan, iter);
  for (std::size_t k = 0; k < plan.operands.size(); ++k)
    e.operands[k].access = access_name(plan, iter.geometry(), k);
  e.run.blocks = plan.count;
  e.run.tile[0] = plan.steps[0].tile;
  e.run.tile[1] = plan.tile_elements / e.run.tile[0];
  e.run.span = plan.row_elements;
  if (plan.in_chunks()) e.run.span = std::min(e.run.span, plan.chunk);
  e.run.threads = loop_threads(plan.count, plan.grain);
  return e;
}

Explanation explain_run(const TensorIterator& iter, const MaskedSpanKernel& kernel,
                        const RunOptions& options) {
  const MaskedCall call(iter, kernel.values, options);
  Explanation e = iter.explain();
  e.has_run = true;
  e.run = call.boxes().explain(call.grain());
  e.run.bytes_moved = bytes_touched(iter);
  if (iter.numel() == 0) return e;
  const auto explain = [&](const TileCursor& box) {
    if (!call.boxes().is_whole(box)) return;
    const MaskedCall::BoxPlan plan(call, box);
    const bool is_simple = plan.simple.strategy != Strategy::automatic;
    e.run.why = text("a mask selects what is stored; boxes are computed by ",
                     name(is_simple ? plan.simple.strategy : plan.tiles.strategy));
    for (int k = 0; k < plan.iter.ntensors(); ++k) {
      const auto at = static_cast<std::size_t>(k);
      e.operands[at].access = k < iter.noutputs() ? "staged: masked stores"
                              : is_simple         ? access_name(plan.simple, k)
                                          : access_name(plan.tiles, plan.iter.geometry(), at);
    }
    e.operands.back().access = call.has_mask_in_place(box) ? "direct" : "staged: packed";
  };
  call.boxes().for_each_shape(explain);
  return e;
}

Explanation explain_run(const TensorIterator& iter) {
  SpanKernel kernel;
  kernel.noutputs = iter.noutputs();
  kernel.ninputs = iter.ninputs();
  kernel.broadcastable = ((1u << iter.ninputs()) - 1) << iter.noutputs();
  for (int k = 0; k < iter.ntensors(); ++k)
    kernel.types[k] = iter.dtype(k);
  return explain_run(iter, kernel);
}

}  // namespace v0
}  // namespace weft
