// SPDX-License-Identifier: Apache-2.0
#include <weft/base/checked.hpp>
#include <weft/machine/cpu_info.hpp>
#include <weft/parallel/parallel.hpp>

#include "engine/reduce/reduce_plan.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {

Explanation explain_reduction(const TensorIterator& iter, const ReductionKernel& kernel,
                              const RunOptions& options) {
  const ReducePlan plan = plan_reduction(iter, kernel, options);
  Explanation e = iter.explain();
  e.has_run = true;
  e.run.instruction_set = name(current_level());
  for (int k = 0; k < iter.ntensors(); ++k) {
    const ReduceOperand& r = plan.operands[static_cast<std::size_t>(k)];
    std::int64_t bytes = r.memory_size;
    for (int d = 0; d < iter.ndim(); ++d)
      bytes *= iter.geometry().stride(d, k) != 0 ? iter.geometry().extent(d) : 1;
    e.run.bytes_moved += bytes;
    std::string& access = e.operands[static_cast<std::size_t>(k)].access;
    if (k < iter.noutputs()) {
      access = plan.by_columns() ? "reduced into, column by column" : "reduced into, span by span";
      if (plan.crosses) access += ", results put together first";
    } else {
      access = !r.staged ? "direct" : r.pack ? "staged: packed" : "staged: ";
      if (r.first != nullptr) access += r.pack ? ", cast" : "cast";
    }
  }
  e.run.span = plan.by_columns()                ? plan.width()
               : plan.form == ReduceForm::spans ? std::min(plan.span, plan.reduced.tile_elements)
                                                : plan.reduced.tile_elements;
  e.run.tile[0] = plan.kept.tile_elements;
  e.run.tile[1] = plan.reduced.tile_elements;
  e.run.blocks = plan.kept.count * plan.reduced.count;
  const std::int64_t pieces =
      plan.groups > 1 ? plan.kept.count * plan.groups : ceil_div(plan.kept.count, plan.grain);
  e.run.threads =
      options.serial ? 1 : static_cast<int>(std::clamp<std::int64_t>(pieces, 1, num_threads()));
  return e;
}

}  // namespace v0
}  // namespace weft
