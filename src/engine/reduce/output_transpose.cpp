// SPDX-License-Identifier: Apache-2.0
#include "engine/reduce/output_transpose.hpp"

#include "engine/copy/run_copy.hpp"

namespace weft {
inline namespace v0 {

TransposedResults::TransposedResults(const TensorIterator& iter, const ReducePlan& plan)
    : iter_(iter), plan_(plan) {
  if (!plan.transposes_results) return;
  std::size_t total = 0;
  for (int k = 0; k < iter.noutputs(); ++k) {
    first_line_.push_back(total);
    total += lines(plan.kept.elements * plan.operands[static_cast<std::size_t>(k)].memory_size);
  }
  memory_ = std::make_unique_for_overwrite<Line[]>(total);
}

void TransposedResults::write() const {
  if (!*this) return;
  const Geometry& geometry = iter_.geometry();
  for (int k = 0; k < iter_.noutputs(); ++k) {
    const Operand& output = iter_.operand(k);
    const std::int64_t size = plan_.operands[static_cast<std::size_t>(k)].memory_size;
    DimVector shape, strides, places;  // in elements
    for (std::size_t i = plan_.kept.dims.size();
         i-- > static_cast<std::size_t>(plan_.first_kept());) {
      const int d = plan_.kept.dims[i];
      shape.push_back(geometry.extent(d));
      strides.push_back(geometry.stride(d, k) / size);
      places.push_back(plan_.kept.places[i]);
    }
    run_copy(TensorIterator::unary_op(
        TensorView::trusted(output.data, output.storage, shape, strides),
        TensorView::trusted(static_cast<const void*>(at(k, 0)), output.storage, shape, places)));
  }
}

}  // namespace v0
}  // namespace weft
