// SPDX-License-Identifier: Apache-2.0
// The stages that make what the caller did not give: new outputs, and copies of inputs that outputs
// overlap.
#include <weft/base/checked.hpp>
#include <weft/iter/broadcast.hpp>

#include "base/text.hpp"
#include "iter/plan_builder.hpp"

#include <utility>

namespace weft {
inline namespace v0 {

/// Strides, in elements per axis, of a dense tensor of the common shape whose dims are in the order
/// `perm`.
DimVector PlanBuilder::dense_strides(const Permutation& perm) const {
  DimVector strides(iter_.common_shape_.size(), 1);
  std::int64_t step = 1;
  for (const std::uint8_t axis : perm) {
    strides[axis] = step;
    const std::int64_t extent = iter_.common_shape_[axis];
    if (extent > 1 && !checked_mul(step, extent, step)) {
      fail(ErrorCode::overflow, text("strides of shape ", to_string(iter_.common_shape_),
                                     " exceed 2^63-1 at axis ", static_cast<int>(axis)));
    }
  }
  return strides;
}

void PlanBuilder::lay_out_new_outputs() {
  for (std::size_t k = 0; new_ >> k != 0; ++k) {
    if (!is_new(k)) continue;
    broadcast_strides(iter_.geometry_, static_cast<int>(k), iter_.common_shape_, new_strides_,
                      element_size(iter_.operands_[k].storage));
  }
}

/// The last stage that can throw; afterwards callers' tensors are assigned.
void PlanBuilder::allocate_outputs() {
  for (std::size_t k = 0; new_ >> k != 0; ++k) {
    if (!is_new(k)) continue;
    Operand& op = iter_.operands_[k];
    Tensor tensor = Tensor::empty_strided(iter_.common_shape_, new_strides_, op.storage);
    op.view = tensor;
    op.data = static_cast<char*>(tensor.data());
    op.allocated = true;
    iter_.kept_.push_back({static_cast<int>(k), std::move(tensor)});
  }
  for (std::size_t k = 0; copy_ >> k != 0; ++k) {
    if ((copy_ >> k & 1) != 0) copy_before_use(k);
  }
  keep_owned();
  const auto wanted_by = [&](int operand) -> Tensor* {
    const auto k = static_cast<std::size_t>(operand);
    return iter_.operands_[k].allocated ? config_.entries_[k].tensor : nullptr;
  };
  // Room first: a caller's tensor that has been taken must not get lost.
  std::size_t kept = iter_.kept_.size();
  for (const auto& each : iter_.kept_) {
    const Tensor* wanted = wanted_by(each.operand);
    kept += wanted != nullptr && wanted->defined() ? 1 : 0;
  }
  iter_.kept_.reserve(kept);
  for (std::size_t i = 0, count = iter_.kept_.size(); i < count; ++i) {
    const int operand = iter_.kept_[i].operand;
    Tensor* wanted = wanted_by(operand);
    if (wanted == nullptr) continue;
    Tensor made = iter_.kept_[i].tensor;
    Tensor replaced = std::exchange(*wanted, std::move(made));
    // An input may lie in the memory of what was there before.
    if (replaced.defined()) iter_.kept_.push_back({operand, std::move(replaced)});
  }
  if (iter_.common_shape_.size() == static_cast<std::size_t>(iter_.geometry_.ndim()))
    lay_out_new_outputs();
}

/// Operands that the config owns live as long as the iterator.
void PlanBuilder::keep_owned() {
  for (const std::shared_ptr<Tensor>& owned : config_.owned_) {
    for (std::size_t k = 0; k < iter_.operands_.size(); ++k) {
      if (config_.entries_[k].view == owned.get() && owned->defined() &&
          !iter_.operands_[k].allocated) {
        iter_.kept_.push_back({static_cast<int>(k), *owned});
      }
    }
  }
}

/// OverlapPolicy::copy: the input is read from a row-major copy. Its broadcast axes stay broadcast.
void PlanBuilder::copy_before_use(std::size_t input) {
  Operand& op = iter_.operands_[input];
  Tensor copy =
      Tensor::copy_of(op.view.as_strided(declared_or_own_shape(op.view), op.view.strides()));
  op.view = copy;
  op.data = static_cast<char*>(copy.data());
  broadcast_strides(iter_.geometry_, static_cast<int>(input), declared_or_own_shape(op.view),
                    op.view.strides(), element_size(op.storage));
  iter_.kept_.push_back({static_cast<int>(input), std::move(copy)});
}

}  // namespace v0
}  // namespace weft
