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

/// What callers get of it is assigned when nothing can fail any more.
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
  // Room and copies for assign_outputs().
  std::size_t replaced = 0;
  for (const auto& each : iter_.kept_) {
    const Tensor* wanted = wanted_output(each.operand);
    if (wanted == nullptr) continue;
    given_.push_back(each.tensor);
    replaced += wanted->defined() ? 1 : 0;
  }
  // A tensor that is two outputs is replaced by the second.
  iter_.kept_.reserve(iter_.kept_.size() + (given_.size() > 1 ? given_.size() : replaced));
  if (iter_.common_shape_.size() == static_cast<std::size_t>(iter_.geometry_.ndim()))
    lay_out_new_outputs();
}

/// The last stage, which cannot fail: the tensors of callers are all taken or, before it, none.
void PlanBuilder::assign_outputs() noexcept {
  if (given_.empty()) return;
  Tensor* next = given_.begin();
  for (std::size_t i = 0, count = iter_.kept_.size(); i < count; ++i) {
    const int operand = iter_.kept_[i].operand;
    Tensor* wanted = wanted_output(operand);
    if (wanted == nullptr) continue;
    // An input may lie in the memory of what was there before.
    if (wanted->defined()) iter_.kept_.push_back({operand, std::move(*wanted)});
    *wanted = std::move(*next++);
  }
}

/// Where the caller wants an output that was allocated; null for other operands.
Tensor* PlanBuilder::wanted_output(int operand) const noexcept {
  const auto k = static_cast<std::size_t>(operand);
  return iter_.operands_[k].allocated ? config_.entries_[k].tensor : nullptr;
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
