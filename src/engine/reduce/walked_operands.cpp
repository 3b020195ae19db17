// SPDX-License-Identifier: Apache-2.0
#include "engine/reduce/walked_operands.hpp"

#include "engine/copy/run_copy.hpp"

#include <algorithm>
#include <utility>

namespace weft {
inline namespace v0 {

WalkedOperands::WalkedOperands(const TensorIterator& iter, const ReducePlan& plan,
                               const ComputingKernel* rows)
    : iter_(iter), plan_(plan) {
  for (int k = 0; k < iter.ntensors(); ++k)
    data_[k] = iter.operand(k).data;
  const bool computed = plan.window.bytes > 0;
  if (computed || plan.tiles.collects) geometry_ = iter.geometry();
  for (int k = iter.noutputs(); computed && k < iter.ntensors(); ++k)
    for (int d = 0; d < iter.ndim(); ++d)
      geometry_->stride(d, k) =
          plan.window.strides[static_cast<std::size_t>(d)] * plan.operands[k].memory_size;
  if (rows != nullptr) take_operands_of(*rows);
  if (plan.tiles.collects) collect();
}

void WalkedOperands::take_operands_of(const ComputingKernel& rows) {
  const Geometry& from = iter_.geometry();
  const int noutputs = iter_.noutputs();
  Geometry& to = geometry_.emplace();
  to.noperands = noutputs + rows.kernel.ninputs;
  to.resize(from.ndim());
  to.shape = from.shape;
  for (int d = 0; d < from.ndim(); ++d) {
    for (int k = 0; k < to.noperands; ++k)
      to.stride(d, k) =
          k < noutputs
              ? from.stride(d, k)
              : rows.strides[static_cast<std::size_t>(k - noutputs)][static_cast<std::size_t>(d)];
  }
  std::copy_n(rows.data, rows.kernel.ninputs, data_ + noutputs);
}

void WalkedOperands::collect() {
  const ReduceSide& kept = plan_.tiles.kept;
  const auto bytes_of = [&](int k) {
    return whole_lines(kept.elements * plan_.operands[k].memory_size);
  };
  std::int64_t bytes = 0;
  for (int k = 0; k < iter_.noutputs(); ++k)
    bytes += bytes_of(k);
  collected_.emplace(bytes);
  char* at = collected_->data();
  for (int k = 0; k < iter_.noutputs(); ++k) {
    data_[k] = std::exchange(at, at + bytes_of(k));
    for (int i = plan_.dims.first_kept(); i < kept.ndim(); ++i)
      geometry_->stride(kept.steps[i].dim, k) = kept.places[i] * plan_.operands[k].memory_size;
  }
}

void WalkedOperands::write() const {
  if (!collected_) return;
  for (int k = 0; k < iter_.noutputs(); ++k) {
    const Operand& output = iter_.operand(k);
    DimVector shape, strides, places;  // in elements
    for (int i = plan_.tiles.kept.ndim() - 1; i >= plan_.dims.first_kept(); --i) {
      const int d = plan_.tiles.kept.steps[i].dim;
      shape.push_back(geometry_->extent(d));
      strides.push_back(iter_.geometry().stride(d, k) / plan_.operands[k].memory_size);
      places.push_back(plan_.tiles.kept.places[i]);
    }
    run_copy(
        TensorIterator::unary_op(TensorView::trusted(output.data, output.storage, shape, strides),
                                 TensorView::trusted(data_[k], output.storage, shape, places)),
        {}, Strategy::automatic);
  }
}

}  // namespace v0
}  // namespace weft
