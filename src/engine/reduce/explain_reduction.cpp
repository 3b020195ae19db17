// SPDX-License-Identifier: Apache-2.0
#include <weft/base/checked.hpp>
#include <weft/machine/cpu_info.hpp>

#include "engine/check_kernel.hpp"
#include "engine/footprint.hpp"
#include "engine/reduce/computed_input.hpp"
#include "engine/reduce/reduce_plan.hpp"
#include "engine/reduce/small_reduction.hpp"
#include "engine/stage_buffers.hpp"
#include "parallel/loop_threads.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

// In the order of ReduceForm.
constexpr const char* form_names[] = {"spans", "gathered-spans", "columns", "folded",
                                      "gathered-columns"};

const char* name_of_output(bool by_columns) {
  return by_columns ? "reduced into, column by column" : "reduced into, span by span";
}

void explain_small(const SmallReduction& small, const TensorIterator& iter, Explanation& e) {
  for (int k = 0; k < iter.ntensors(); ++k)
    e.operands[static_cast<std::size_t>(k)].access = k < iter.noutputs()
                                                         ? name_of_output(small.by_columns)
                                                     : small.is_packed ? "staged: packed"
                                                                       : "direct";
  e.run.form = small.by_columns ? "few-columns" : "few-spans";
  e.run.span = small.by_columns ? small.kept.count : small.block;
  e.run.tile[0] = small.kept.count;
  e.run.tile[1] = small.block;
  e.run.blocks = ceil_div(small.reduced.count, e.run.tile[1]);
}

/// How an input that is staged gets into its buffer, by its part of a whole block.
std::string staging_name(const ReducePlan& plan, const Geometry& geometry, int k) {
  const ReduceOperand& r = plan.operands[k];
  if (!r.pack) return "staged: cast";
  const auto stride = [&](int dim) {
    return plan.window.bytes > 0
               ? plan.window.strides[static_cast<std::size_t>(dim)] * r.memory_size
               : geometry.stride(dim, k);
  };
  BlockDim dims[2 * max_rank];
  int ndims = 0;
  for (const ReduceSide* side : {&plan.row_side(), &plan.rows_side()})
    for (int i = 0; i < side->ntile; ++i)
      append_dim(dims, ndims, {side->steps[i].tile, stride(side->steps[i].dim)});
  if (converts_rows(r, dims, ndims)) return "staged: cast";
  return r.converts() ? "staged: packed, cast" : "staged: packed";
}

/// What the plan says, if it is no small reduction.
void explain_planned(const TensorIterator& iter, const ReductionKernel& kernel,
                     const RunOptions& options, const ComputedRows* computed,
                     const ReductionKernel* rows, Explanation& e) {
  const bool by_rows =
      rows != nullptr && ReducePlan(iter, kernel, options).suits(*rows, iter.geometry());
  const ReducePlan plan(iter, kernel, options, by_rows ? nullptr : computed);
  for (int k = 0; k < iter.ntensors(); ++k) {
    const ReduceOperand& r = plan.operands[k];
    std::string& access = e.operands[static_cast<std::size_t>(k)].access;
    if (k < iter.noutputs()) {
      access = name_of_output(plan.dims.by_columns());
      if (plan.tiles.collects) access += ", results put together first";
    } else {
      const bool is_value = (plan.values >> (k - iter.noutputs()) & 1) != 0;
      access = r.is_staged() ? staging_name(plan, iter.geometry(), k) : "direct";
      if (is_value) access = r.converts() ? "broadcast: cast" : "broadcast";
      if (computed != nullptr)
        access = (by_rows ? "computed row by row, " : "computed block by block, ") + access;
    }
  }
  e.run.form =
      std::string(by_rows ? "computed-" : "") + form_names[static_cast<int>(plan.dims.form)];
  const ReduceSide &kept = plan.tiles.kept, &reduced = plan.blocks.reduced;
  const std::int64_t span = std::min(plan.blocks.span, reduced.tile_elements);
  e.run.span = plan.dims.by_columns() ? plan.width() : span;
  e.run.tile[0] = kept.tile_elements;
  e.run.tile[1] = reduced.tile_elements;
  e.run.blocks = kept.count * reduced.count;
  if (iter.numel() == 0) return;
  const ReduceShares& shares = plan.shares;
  e.run.threads = shares.groups > 1 ? loop_threads(kept.count * shares.groups, 1)
                                    : loop_threads(kept.count, shares.grain);
}

Explanation begin_explanation(const TensorIterator& iter, const ReductionKernel& kernel,
                              const RunOptions& options) {
  check_grain(options);
  check_kernel(iter, kernel.noutputs, kernel.ninputs, kernel.types);
  Explanation e = iter.explain();
  e.has_run = true;
  e.run.instruction_set = name(current_level());
  e.run.bytes_moved = bytes_touched(iter);
  return e;
}

}  // namespace

Explanation explain_reduction(const TensorIterator& iter, const ReductionKernel& kernel,
                              const RunOptions& options) {
  Explanation e = begin_explanation(iter, kernel, options);
  const SmallReduction small = choose_small_reduction(iter, kernel, options, false);
  if (small.fits)
    explain_small(small, iter, e);
  else
    explain_planned(iter, kernel, options, nullptr, nullptr, e);
  return e;
}

Explanation explain_computed_reduction(const TensorIterator& iter, const ReductionKernel& kernel,
                                       const ComputedRows& computed, const RunOptions& options,
                                       const ReductionKernel* rows) {
  Explanation e = begin_explanation(iter, kernel, options);
  const SmallReduction small = choose_small_reduction(iter, kernel, options, true);
  if (small.fits) {
    explain_small(small, iter, e);
    for (std::size_t k = static_cast<std::size_t>(iter.noutputs()); k < e.operands.size(); ++k)
      e.operands[k].access = "computed as a whole, " + e.operands[k].access;
  } else {
    explain_planned(iter, kernel, options, &computed, rows, e);
  }
  return e;
}

}  // namespace v0
}  // namespace weft
