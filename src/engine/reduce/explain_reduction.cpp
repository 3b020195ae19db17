// SPDX-License-Identifier: Apache-2.0
#include <weft/base/checked.hpp>
#include <weft/machine/cpu_info.hpp>

#include "engine/check_kernel.hpp"
#include "engine/elementwise/tile_plan.hpp"
#include "engine/footprint.hpp"
#include "engine/reduce/reduce_plan.hpp"
#include "engine/reduce/small_reduction.hpp"
#include "parallel/loop_threads.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

const char* name(ReduceForm form) noexcept {
  switch (form) {
    case ReduceForm::spans: return "spans";
    case ReduceForm::gathered_spans: return "gathered-spans";
    case ReduceForm::columns: return "columns";
    case ReduceForm::folded: return "folded";
    case ReduceForm::gathered_columns: return "gathered-columns";
  }
  return "";
}

const char* name_of_output(bool by_columns) {
  return by_columns ? "reduced into, column by column" : "reduced into, span by span";
}

void explain_small(const SmallReduction& small, Explanation& e) {
  e.operands[0].access = name_of_output(small.by_columns);
  e.operands[1].access = small.is_packed ? "staged: packed" : "direct";
  e.run.form = small.by_columns ? "few-columns" : "few-spans";
  e.run.span = small.inner;
  e.run.tile[0] = small.kept;
  e.run.tile[1] = block_of(small);
  e.run.blocks = ceil_div(small.reduced, e.run.tile[1]);
}

}  // namespace

Explanation explain_reduction(const TensorIterator& iter, const ReductionKernel& kernel,
                              const RunOptions& options) {
  check_kernel(iter, kernel.noutputs, kernel.ninputs, kernel.types);
  Explanation e = iter.explain();
  e.has_run = true;
  e.run.instruction_set = name(current_level());
  e.run.bytes_moved = bytes_touched(iter);
  if (const SmallReduction small = choose_small_reduction(iter, kernel); small.fits) {
    explain_small(small, e);
    return e;
  }
  const ReducePlan plan = plan_reduction(iter, kernel, options);
  for (int k = 0; k < iter.ntensors(); ++k) {
    const ReduceOperand& r = plan.operands[static_cast<std::size_t>(k)];
    std::string& access = e.operands[static_cast<std::size_t>(k)].access;
    if (k < iter.noutputs()) {
      access = name_of_output(plan.by_columns());
      if (plan.transposes_results) access += ", results put together first";
    } else {
      access = !r.staged ? "direct" : r.pack ? "staged: packed" : "staged: ";
      if (r.converts()) access += r.pack ? ", cast" : "cast";
    }
  }
  e.run.form = name(plan.form);
  e.run.span = plan.by_columns()                ? plan.width()
               : plan.form == ReduceForm::spans ? std::min(plan.span, plan.reduced.tile_elements)
                                                : plan.reduced.tile_elements;
  e.run.tile[0] = plan.kept.tile_elements;
  e.run.tile[1] = plan.reduced.tile_elements;
  e.run.blocks = plan.kept.count * plan.reduced.count;
  if (options.serial || iter.numel() == 0) return e;
  e.run.threads = plan.groups > 1 ? loop_threads(plan.kept.count * plan.groups, 1)
                                  : loop_threads(plan.kept.count, plan.grain);
  return e;
}

}  // namespace v0
}  // namespace weft
